// SPDX-License-Identifier: GPL-2.0
/* The rules of a first send, from their text. */
#include <stdio.h>
#include <string.h>
#include "model.h"

/* Up to this many tickets, each is asked for; beyond, those at the edges. */
#define TICKETS_FEW	256

static bool is_up(const struct model_server *server)
{
	return server->admin == MODEL_UP || server->answers;
}

/*
 * S6: "down" is never selected while any other server is not down, "drain"
 * gets no first sends, and S8: traffic flows all the same.
 */
static bool is_eligible(const struct model_list *model, int which)
{
	int taking = 0, draining = 0, i;

	for (i = 0; i < model->count; i++) {
		enum model_admin admin = model->server[i].admin;

		if (admin == MODEL_AUTO || admin == MODEL_UP)
			taking++;
		else if (admin == MODEL_DRAIN)
			draining++;
	}

	switch (model->server[which].admin) {
	case MODEL_DOWN:
		return taking == 0 && draining == 0;
	case MODEL_DRAIN:
		return taking == 0;
	default:
		return true;
	}
}

static int master_backup(const struct model_list *model,
			 const bool *eligible, const bool *up)
{
	int i;

	/* M2, M5 */
	if (up[0])
		return 0;
	/* M3, M9: the master never counts as most-recent backup */
	if (model->recent > 0 && model->recent < model->count &&
	    up[model->recent])
		return model->recent;
	for (i = 0; i < model->count; i++)
		if (up[i])
			return i;
	/* M4 */
	for (i = 0; i < model->count; i++)
		if (eligible[i])
			return i;
	return -1;
}

static void loading_share(const struct model_list *model,
			  const bool *eligible, const bool *up,
			  struct model_verdict *verdict)
{
	u64 list_sum = 0, candidates_sum = 0;
	int i;

	/* L3, L4 */
	for (i = 0; i < model->count; i++)
		verdict->candidate[i] = verdict->none_up ? eligible[i] : up[i];

	for (i = 0; i < model->count; i++) {
		list_sum += model->server[i].weight;
		if (verdict->candidate[i])
			candidates_sum += model->server[i].weight;
	}

	/* L2, L6 */
	for (i = 0; i < model->count; i++) {
		if (!verdict->candidate[i])
			continue;
		if (list_sum == 0 || candidates_sum == 0)
			verdict->part[i] = 1;
		else
			verdict->part[i] = model->server[i].weight;
	}
}

void model_judge(const struct model_list *model, struct model_verdict *verdict)
{
	bool eligible[MODEL_SERVERS_MAX], up[MODEL_SERVERS_MAX];
	int i, chosen;

	memset(verdict, 0, sizeof(*verdict));
	verdict->none_up = true;
	for (i = 0; i < model->count; i++) {
		eligible[i] = is_eligible(model, i);
		up[i] = eligible[i] && is_up(&model->server[i]);
		if (up[i])
			verdict->none_up = false;
	}
	if (model->count == 0)
		return;

	if (model->share) {
		loading_share(model, eligible, up, verdict);
	} else {
		chosen = master_backup(model, eligible, up);
		verdict->candidate[chosen] = true;
		verdict->part[chosen] = 1;
	}
	for (i = 0; i < model->count; i++)
		verdict->whole += verdict->part[i];
}

/* The same list in the words of select.h. */
void model_to_select(const struct model_list *model, struct select_list *list)
{
	u64 down = 0, drain = 0;
	int i;

	memset(list, 0, sizeof(*list));
	list->count = model->count;
	list->share = model->share;
	for (i = 0; i < model->count; i++) {
		const struct model_server *server = &model->server[i];

		list->weight[i] = server->weight;
		list->sum += server->weight;
		if (is_up(server))
			list->up |= (u64)1 << i;
		if (server->admin == MODEL_DOWN)
			down |= (u64)1 << i;
		if (server->admin == MODEL_DRAIN)
			drain |= (u64)1 << i;
	}
	list->eligible = select_eligible(down, drain, model->count);
}

static const char *compare_few(const struct model_verdict *verdict,
			       const struct select_list *list,
			       const struct select_choice *choice)
{
	u64 held[MODEL_SERVERS_MAX] = { 0 };
	u32 ticket;
	int i;

	for (ticket = 0; ticket < choice->tickets; ticket++) {
		int server = select_draw(list, choice, ticket);

		if (server < 0 || server >= list->count)
			return "a ticket is nobody's";
		held[server]++;
	}
	for (i = 0; i < list->count; i++)
		if (held[i] != verdict->part[i])
			return "a server's share";
	return NULL;
}

/*
 * Each server holds its tickets in one run; nothing is taken for granted of
 * the order of the runs.
 */
static const char *compare_runs(const struct model_verdict *verdict,
				const struct select_list *list,
				const struct select_choice *choice)
{
	bool seen[MODEL_SERVERS_MAX] = { false };
	u32 ticket = 0;

	while (ticket < choice->tickets) {
		int server = select_draw(list, choice, ticket);
		u32 run;

		if (server < 0 || server >= list->count)
			return "a ticket is nobody's";
		run = verdict->part[server];
		if (seen[server] || !run || run > choice->tickets - ticket)
			return "a server's share";
		seen[server] = true;
		if (select_draw(list, choice, ticket + run / 2) != server ||
		    select_draw(list, choice, ticket + run - 1) != server)
			return "a server's share, too small";
		ticket += run;
	}
	return NULL;
}

/**
 * model_compare() - hold select.c against the model
 * @model: a list
 * @list: the same list, from model_to_select()
 *
 * Return: NULL if the two agree, else what they differ in.
 */
const char *model_compare(const struct model_list *model,
			  const struct select_list *list)
{
	struct select_choice choice = select_first(list, model->recent);
	struct model_verdict verdict;
	int i;

	model_judge(model, &verdict);
	for (i = 0; i < MODEL_SERVERS_MAX; i++)
		if ((choice.candidates >> i & 1) != verdict.candidate[i])
			return "candidates";
	if (choice.none_up != verdict.none_up)
		return "none_up";
	if (choice.tickets != verdict.whole)
		return "tickets";
	if (select_draw(list, &choice, choice.tickets) != SELECT_NONE ||
	    select_draw(list, &choice, ~0U) != SELECT_NONE)
		return "a ticket too many is somebody's";
	if (choice.tickets <= TICKETS_FEW)
		return compare_few(&verdict, list, &choice);
	return compare_runs(&verdict, list, &choice);
}

/* The case, as KTAP diagnostics. */
void model_print(const struct model_list *model, const char *difference)
{
	static const char *const admins[] = { "auto", "up", "down", "drain" };
	struct model_verdict verdict;
	struct select_choice choice;
	struct select_list list;
	int i;

	model_judge(model, &verdict);
	model_to_select(model, &list);
	choice = select_first(&list, model->recent);

	printf("# difference: %s\n", difference);
	printf("# %s, recent %d, %d servers\n",
	       model->share ? "loading-share" : "master-backup",
	       model->recent, model->count);
	printf("# want %llu tickets, none up %d; got %u, %d\n",
	       verdict.whole, verdict.none_up, choice.tickets, choice.none_up);
	for (i = 0; i < model->count; i++)
		printf("# server %d: %s, %s, weight %u: want %s with %llu; got %s\n",
		       i,
		       model->server[i].answers ? "answers" : "silent",
		       admins[model->server[i].admin], model->server[i].weight,
		       verdict.candidate[i] ? "candidate" : "not",
		       verdict.part[i],
		       choice.candidates >> i & 1 ? "candidate" : "not");
}
