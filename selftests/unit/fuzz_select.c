// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for select.c: invariants of their own, and the model.
 *
 * Input: an octet for the number of servers, one for the algorithm and the
 * most-recent backup, three for each server (liveness and administrative state,
 * weight), then tickets of four. What is missing reads as 0.
 */
#include "fuzz.h"
#include "model.h"

struct input {
	const u8 *data;
	size_t size;
};

static unsigned int octet(struct input *input)
{
	if (!input->size)
		return 0;
	input->size--;
	return *input->data++;
}

static void read_model(struct input *input, struct model_list *model)
{
	unsigned int how;
	int i;

	model->count = octet(input) % (MODEL_SERVERS_MAX + 1);
	how = octet(input);
	model->share = how & 1;
	model->recent = (int)(how >> 1) % (MODEL_SERVERS_MAX + 1) - 1;
	for (i = 0; i < model->count; i++) {
		struct model_server *server = &model->server[i];
		unsigned int kind = octet(input);

		server->answers = kind & 1;
		server->admin = kind >> 1 & 3;
		server->weight = octet(input) << 8;
		server->weight |= octet(input);
	}
}

static void check_choice(const struct select_list *list,
			 const struct select_choice *choice)
{
	u64 up = list->up & list->eligible;
	u64 all = 0;
	int i;

	for (i = 0; i < list->count; i++)
		all |= (u64)1 << i;

	/* There is a way for traffic where there is a server (S6, S8). */
	must(!(list->eligible & ~all));
	must(!list->eligible == !list->count);
	must(!choice->candidates == !list->count);
	must(!choice->tickets == !list->count);

	/* No candidate is out of the administrator's bounds (S6). */
	must(!(choice->candidates & ~list->eligible));

	/* None is Down while one is Up (L6, M3, M4). */
	must(choice->none_up == !up);
	if (up)
		must(!(choice->candidates & ~up));

	/* Master-backup leaves no choice. */
	if (!list->share && list->count) {
		must(choice->tickets == 1);
		must(!(choice->candidates & (choice->candidates - 1)));
		if (up & 1)
			must(choice->candidates == 1);
	}
}

static void check_ticket(const struct select_list *list,
			 const struct select_choice *choice, u32 ticket)
{
	int server = select_draw(list, choice, ticket);

	if (ticket >= choice->tickets) {
		must(server == SELECT_NONE);
		return;
	}
	must(server >= 0 && server < list->count);
	must(choice->candidates >> server & 1);
	/* Weight 0 has no chance beside a candidate with a weight (L2). */
	if (!choice->equal)
		must(list->weight[server]);
}

int fuzz(const u8 *data, size_t size)
{
	struct input input = { .data = data, .size = size };
	struct model_list model = { 0 };
	struct select_choice choice;
	struct select_list list;
	const char *difference;

	read_model(&input, &model);
	model_to_select(&model, &list);
	choice = select_first(&list, model.recent);

	check_choice(&list, &choice);
	check_ticket(&list, &choice, 0);
	check_ticket(&list, &choice, choice.tickets - 1);
	check_ticket(&list, &choice, choice.tickets);
	while (input.size) {
		u32 ticket = (u32)octet(&input) << 24;

		ticket |= octet(&input) << 16;
		ticket |= octet(&input) << 8;
		ticket |= octet(&input);
		check_ticket(&list, &choice, ticket);
		if (choice.tickets)
			check_ticket(&list, &choice, ticket % choice.tickets);
	}

	difference = model_compare(&model, &list);
	if (difference)
		model_print(&model, difference);
	must(!difference);
	return 0;
}
