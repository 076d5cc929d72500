// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for select.c: invariants of their own, and the model.
 *
 * Input: an octet for the number of servers, one for the algorithm and the
 * most-recent backup, one for where the request is, one for its copies there
 * and the limit, three for each server (liveness, administrative state, what
 * the request has to do with it; weight), then tickets of four. What is missing
 * reads as 0.
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

static void read_case(struct input *input, struct model_list *model,
		      struct model_request *request, unsigned int *retransmit)
{
	unsigned int how;
	int i;

	model->count = octet(input) % (MODEL_SERVERS_MAX + 1);
	how = octet(input);
	model->share = how & 1;
	model->recent = (int)(how >> 1) % (MODEL_SERVERS_MAX + 1) - 1;
	request->current = (int)(octet(input) % (model->count + 1)) - 1;
	how = octet(input);
	request->copies = how >> 3;
	*retransmit = how & 7;
	for (i = 0; i < model->count; i++) {
		struct model_server *server = &model->server[i];
		unsigned int kind = octet(input);

		server->answers = kind & 1;
		server->admin = kind >> 1 & 3;
		server->taken = kind >> 3 & 1;
		request->used[i] = kind >> 4 & 1;
		server->client = kind >> 5 & 1;
		server->client = kind >> 5 & 1;
		server->weight = octet(input) << 8;
		server->weight |= octet(input);
	}
}

static u64 all_servers(const struct select_list *list)
{
	u64 all = 0;
	int i;

	for (i = 0; i < list->count; i++)
		all |= (u64)1 << i;
	return all;
}

/* S6: the administrator's bounds, without the client's own host (P10). */
static u64 bounds(const struct select_list *list, const struct select_now *now)
{
	u64 others = all_servers(list) & ~now->barred;
	u64 taking = others & ~list->down & ~list->drain;

	return taking ?: (others & ~list->down) ?: others;
}

/* What is true of any selection. */
static void check_choice(const struct select_list *list,
			 const struct select_now *now,
			 const struct select_choice *choice)
{
	u64 eligible = bounds(list, now);
	u64 up = now->up & eligible;

	/* There is a way for traffic where there is a server (S6, S8, M10). */
	must(!(list->eligible & ~all_servers(list)));
	must(!list->eligible == !list->count);
	must(!choice->candidates == !eligible);
	must(!choice->tickets == !eligible);

	/* No candidate is out of the administrator's bounds (S6, P10). */
	must(!(choice->candidates & ~eligible));

	must(choice->none_up == !up);

	/* Master-backup leaves no choice. */
	if (!list->share && eligible) {
		must(choice->tickets == 1);
		must(!(choice->candidates & (choice->candidates - 1)));
		must(!choice->forget);
	}

	/* Loading-share leaves out such requests, or has no other way (P9). */
	if (list->share && choice->candidates & now->avoid)
		must(!(choice->candidates & ~now->avoid));
}

static void check_first(const struct select_list *list,
			const struct select_now *now,
			const struct select_choice *choice)
{
	u64 up = now->up & bounds(list, now);

	must(!choice->forget);
	/* None is Down while one is Up (L6, M3, M4). */
	if (up)
		must(!(choice->candidates & ~up));
	if (!list->share && up & 1)
		must(choice->candidates == 1);
}

static void check_next(const struct select_list *list,
		       const struct select_now *now,
		       const struct select_history *history,
		       const struct select_choice *choice)
{
	u64 eligible = bounds(list, now);
	u64 up = now->up & eligible;
	u64 fresh = eligible & ~history->used;
	u64 others = up;

	if (list->share) {
		/* Used ones are candidates when all were used (L3 to L5). */
		must(choice->forget == (!fresh && eligible));
		if (fresh)
			must(!(choice->candidates & ~fresh));
		if (up & fresh)
			must(!(choice->candidates & ~up));
	} else {
		/* None is Down while another backup is Up (M10). */
		others &= ~(u64)1;
		if (history->at >= 0)
			others &= ~((u64)1 << history->at);
		if (others)
			must(!(choice->candidates & ~up));
		/* The limit moves it, where there is another to move to. */
		if (others && history->at >= 0)
			must(!(choice->candidates >> history->at & 1));
	}
}

static void check_stays(const struct select_list *list,
			const struct select_history *history,
			unsigned int retransmit)
{
	bool stays = select_stays(list, history, retransmit);

	/* Beyond the limit none stays (M7); nor does one with no place (M6). */
	if (stays)
		must(history->at >= 0 && history->copies <= retransmit);
	/* Below it all do, but at a server that is down (M6). */
	else if (history->at >= 0 && history->copies <= retransmit)
		must(list->down >> history->at & 1);
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

static void check_tickets(struct input input, const struct select_list *list,
			  const struct select_choice *choice)
{
	check_ticket(list, choice, 0);
	check_ticket(list, choice, choice->tickets - 1);
	check_ticket(list, choice, choice->tickets);
	while (input.size) {
		u32 ticket = (u32)octet(&input) << 24;

		ticket |= octet(&input) << 16;
		ticket |= octet(&input) << 8;
		ticket |= octet(&input);
		check_ticket(list, choice, ticket);
		if (choice->tickets)
			check_ticket(list, choice, ticket % choice->tickets);
	}
}

/*
 * P10: one that is barred may be found out by its draw. What can be drawn instead
 * is then what could have been drawn before, if there was anything else.
 */
static void check_barred(const struct select_list *list,
			 const struct select_now *now,
			 const struct select_history *history,
			 const struct select_choice *choice)
{
	struct select_now unaware = *now;
	struct select_choice before;

	unaware.barred = 0;
	before = history ? select_next(list, &unaware, history) :
			   select_first(list, &unaware);
	before.candidates &= ~now->barred;
	if (before.candidates)
		must(choice->candidates == before.candidates);
}

int fuzz(const u8 *data, size_t size)
{
	struct input input = { .data = data, .size = size };
	struct model_request request = { 0 };
	struct model_list model = { 0 };
	struct select_history history;
	struct select_choice choice;
	struct select_list list;
	struct select_now now;
	unsigned int retransmit;
	const char *difference;

	read_case(&input, &model, &request, &retransmit);
	model_to_select(&model, &list, &now);
	model_to_history(&model, &request, &history);

	choice = select_first(&list, &now);
	check_choice(&list, &now, &choice);
	check_first(&list, &now, &choice);
	check_barred(&list, &now, NULL, &choice);
	check_tickets(input, &list, &choice);
	difference = model_compare_first(&model, &list, &now);
	if (difference)
		model_print(&model, NULL, difference);
	must(!difference);

	choice = select_next(&list, &now, &history);
	check_choice(&list, &now, &choice);
	check_next(&list, &now, &history, &choice);
	check_barred(&list, &now, &history, &choice);
	check_tickets(input, &list, &choice);
	difference = model_compare_next(&model, &request, &list, &now);
	if (difference)
		model_print(&model, &request, difference);
	must(!difference);

	check_stays(&list, &history, retransmit);
	must(select_stays(&list, &history, retransmit) ==
	     model_stays(&model, &request, retransmit));
	return 0;
}
