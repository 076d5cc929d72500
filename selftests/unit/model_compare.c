// SPDX-License-Identifier: GPL-2.0
/* What select.c says of a case, held against what the model says. */
#include <stdio.h>
#include <string.h>
#include "model.h"

/* Up to this many tickets, each is asked for; beyond, those at the edges. */
#define TICKETS_FEW	48

/* The same list in the words of select.h. */
void model_to_select(const struct model_list *model, struct select_list *list,
		     struct select_now *now)
{
	int i;

	memset(list, 0, sizeof(*list));
	memset(now, 0, sizeof(*now));
	list->count = model->count;
	list->share = model->share;
	now->recent = model->recent;
	for (i = 0; i < model->count; i++) {
		const struct model_server *server = &model->server[i];

		list->weight[i] = server->weight;
		list->sum += server->weight;
		if (model_up(server))
			now->up |= (u64)1 << i;
		if (server->taken)
			now->avoid |= (u64)1 << i;
		if (server->client)
			now->barred |= (u64)1 << i;
		if (server->admin == MODEL_DOWN)
			list->down |= (u64)1 << i;
		if (server->admin == MODEL_DRAIN)
			list->drain |= (u64)1 << i;
	}
	list->eligible = select_eligible(list->down, list->drain, model->count);
}

void model_to_history(const struct model_list *model,
		      const struct model_request *request,
		      struct select_history *history)
{
	int i;

	history->at = request->current;
	history->copies = request->copies;
	history->used = 0;
	for (i = 0; i < model->count; i++)
		if (request->used[i])
			history->used |= (u64)1 << i;
}

static const char *compare_few(const u64 *want, const struct select_list *list,
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
		if (held[i] != want[i])
			return "a server's share";
	return NULL;
}

/*
 * Each server holds its tickets in one run; nothing is taken for granted of
 * the order of the runs.
 */
static const char *compare_runs(const u64 *want, const struct select_list *list,
				const struct select_choice *choice)
{
	bool seen[MODEL_SERVERS_MAX] = { false };
	u32 ticket = 0;

	while (ticket < choice->tickets) {
		int server = select_draw(list, choice, ticket);
		u64 run;

		if (server < 0 || server >= list->count)
			return "a ticket is nobody's";
		run = want[server];
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
 * model_differs() - hold a choice against a verdict
 * @verdict: what the rules say
 * @list: the list of both
 * @choice: what select.c says
 *
 * Return: NULL if the two agree, else what they differ in.
 */
const char *model_differs(const struct model_verdict *verdict,
			  const struct select_list *list,
			  const struct select_choice *choice)
{
	u64 want[MODEL_SERVERS_MAX] = { 0 };
	int i;

	for (i = 0; i < list->count; i++)
		if ((choice->candidates >> i & 1) != verdict->candidate[i])
			return "candidates";
	if (list->count < MODEL_SERVERS_MAX &&
	    choice->candidates >> list->count)
		return "candidates past the list";
	if (choice->none_up != verdict->none_up)
		return "none_up";
	if (choice->forget != verdict->forget)
		return "forget";
	if (!choice->tickets != !verdict->whole)
		return "tickets";
	if (select_draw(list, choice, choice->tickets) != SELECT_NONE ||
	    select_draw(list, choice, ~0U) != SELECT_NONE)
		return "a ticket too many is somebody's";

	/* Shares are equal as fractions; the wholes can differ. */
	for (i = 0; i < list->count && verdict->whole; i++) {
		u64 tickets = verdict->part[i] * choice->tickets;

		if (tickets % verdict->whole)
			return "no number of tickets makes a server's share";
		want[i] = tickets / verdict->whole;
	}
	if (choice->tickets <= TICKETS_FEW)
		return compare_few(want, list, choice);
	return compare_runs(want, list, choice);
}

/* @list and @now are from model_to_select(). */
const char *model_compare_first(const struct model_list *model,
				const struct select_list *list,
				const struct select_now *now)
{
	struct select_choice choice = select_first(list, now);
	struct model_verdict verdict;

	model_first(model, &verdict);
	return model_differs(&verdict, list, &choice);
}

/* The same for a move. */
const char *model_compare_next(const struct model_list *model,
			       const struct model_request *request,
			       const struct select_list *list,
			       const struct select_now *now)
{
	struct select_history history;
	struct model_verdict verdict;
	struct select_choice choice;

	model_to_history(model, request, &history);
	choice = select_next(list, now, &history);
	model_next(model, request, &verdict);
	return model_differs(&verdict, list, &choice);
}

/* The case, as KTAP diagnostics; @request is NULL for a first send. */
void model_print(const struct model_list *model,
		 const struct model_request *request, const char *difference)
{
	static const char *const admins[] = { "auto", "up", "down", "drain" };
	struct select_history history;
	struct model_verdict verdict;
	struct select_choice choice;
	struct select_list list;
	struct select_now now;
	int i;

	model_to_select(model, &list, &now);
	printf("# difference: %s\n", difference);
	printf("# %s, recent %d, %d servers\n",
	       model->share ? "loading-share" : "master-backup",
	       model->recent, model->count);
	if (request) {
		model_next(model, request, &verdict);
		model_to_history(model, request, &history);
		choice = select_next(&list, &now, &history);
		printf("# moves from %d after %d copies\n", request->current,
		       request->copies);
	} else {
		model_first(model, &verdict);
		choice = select_first(&list, &now);
	}
	printf("# want %llu tickets, none up %d, forget %d; got %u, %d, %d\n",
	       verdict.whole, verdict.none_up, verdict.forget, choice.tickets,
	       choice.none_up, choice.forget);
	for (i = 0; i < model->count; i++) {
		const struct model_server *server = &model->server[i];

		printf("# server %d: %s, %s, weight %u%s%s%s: ", i,
		       server->answers ? "answers" : "silent",
		       admins[server->admin], server->weight,
		       server->taken ? ", taken" : "",
		       server->client ? ", the client" : "",
		       request && request->used[i] ? ", used" : "");
		printf("want %s with %llu; got %s\n",
		       verdict.candidate[i] ? "candidate" : "not",
		       verdict.part[i],
		       choice.candidates >> i & 1 ? "candidate" : "not");
	}
}
