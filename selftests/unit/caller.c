// SPDX-License-Identifier: GPL-2.0
/* A caller of select.c and health.c. */
#include <linux/bits.h>
#include <stdlib.h>
#include <string.h>
#include "caller.h"

void caller_start(struct caller *caller)
{
	int i;

	caller->settings = (struct health_settings){ 10, 5000, 180000 };
	caller->retransmit = 1;
	caller->skew = 0;
	caller->now = 0;
	caller->recent = SELECT_NONE;
	memset(&caller->list, 0, sizeof(caller->list));
	caller->changes = 0;
	for (i = 0; i < SCRIPT_REQUESTS; i++) {
		caller->request[i].answered = false;
		caller->request[i].waiting = false;
		caller->request[i].count = 0;
	}
}

static int find(const struct caller *caller, int id)
{
	int i;

	for (i = 0; i < caller->list.count; i++)
		if (caller->server[i].id == id)
			return i;
	return SELECT_NONE;
}

/* After each change of the configuration. */
static void rebuild(struct caller *caller)
{
	struct select_list *list = &caller->list;
	int i;

	list->down = 0;
	list->drain = 0;
	list->sum = 0;
	for (i = 0; i < list->count; i++) {
		const struct caller_server *server = &caller->server[i];

		list->weight[i] = server->weight;
		list->sum += server->weight;
		if (server->admin == MODEL_DOWN)
			list->down |= BIT_ULL(i);
		if (server->admin == MODEL_DRAIN)
			list->drain |= BIT_ULL(i);
	}
	list->eligible = select_eligible(list->down, list->drain, list->count);
}

void caller_share(struct caller *caller, bool share)
{
	caller->list.share = share;
}

static void open_place(struct caller *caller, int place)
{
	memmove(&caller->server[place + 1], &caller->server[place],
		(caller->list.count - place) * sizeof(caller->server[0]));
	caller->list.count++;
}

static void close_place(struct caller *caller, int place)
{
	caller->list.count--;
	memmove(&caller->server[place], &caller->server[place + 1],
		(caller->list.count - place) * sizeof(caller->server[0]));
}

void caller_add(struct caller *caller, int place, int id, u16 weight)
{
	struct caller_server *server = &caller->server[place];

	open_place(caller, place);
	server->id = id;
	server->weight = weight;
	server->admin = MODEL_AUTO;
	health_init(&server->health, caller->now);
	rebuild(caller);
}

void caller_remove(struct caller *caller, int place)
{
	close_place(caller, place);
	rebuild(caller);
}

void caller_move(struct caller *caller, int from, int to)
{
	struct caller_server server = caller->server[from];

	close_place(caller, from);
	open_place(caller, to);
	caller->server[to] = server;
	rebuild(caller);
}

void caller_weight(struct caller *caller, int place, u16 weight)
{
	caller->server[place].weight = weight;
	rebuild(caller);
}

static void report(struct caller *caller, int place, enum health_reason reason)
{
	struct caller_change *change = &caller->change[caller->changes];

	if (reason == HEALTH_SAME)
		return;
	if (caller->changes++ == SELECT_SERVERS_MAX)
		abort();
	change->id = caller->server[place].id;
	change->state = caller->server[place].health.state;
	change->reason = reason;
}

void caller_admin(struct caller *caller, int place, enum model_admin admin)
{
	struct caller_server *server = &caller->server[place];

	server->admin = admin;
	report(caller, place, health_pin(&server->health, caller->now,
					 admin == MODEL_UP));
	rebuild(caller);
}

void caller_time(struct caller *caller, u64 passed)
{
	int i;

	caller->now += passed;
	for (i = 0; i < caller->list.count; i++)
		report(caller, i, health_tick(&caller->server[i].health,
					      &caller->settings, caller->now));
}

/* S1, once for each copy. */
void caller_lost(struct caller *caller, int which)
{
	struct caller_request *request = &caller->request[which];
	int place = find(caller, request->server);

	if (!request->waiting)
		return;
	request->waiting = false;
	if (place < 0)
		return;
	report(caller, place, health_lost(&caller->server[place].health,
					  &caller->settings, caller->now,
					  request->copies >
					  caller->retransmit));
}

void caller_answer(struct caller *caller, int which, int id)
{
	struct caller_request *request = &caller->request[which];
	int place = find(caller, id);

	request->answered = true;
	request->waiting = false;
	if (place >= 0)
		report(caller, place,
		       health_answered(&caller->server[place].health,
				       caller->now));
}

static struct select_now look(const struct caller *caller, u64 avoid)
{
	struct select_now now = {
		.avoid = avoid,
		.recent = find(caller, caller->recent),
	};
	int i;

	for (i = 0; i < caller->list.count; i++)
		if (caller->server[i].health.state != HEALTH_DOWN)
			now.up |= BIT_ULL(i);
	return now;
}

struct select_choice caller_first(struct caller *caller, int which, u64 avoid)
{
	struct caller_request *request = &caller->request[which];
	struct select_now now = look(caller, avoid);

	request->answered = false;
	request->waiting = false;
	request->count = 0;
	return select_first(&caller->list, &now);
}

/* Return: true if it stays. */
bool caller_copy(struct caller *caller, int which, u64 avoid,
		 struct select_choice *choice)
{
	struct caller_request *request = &caller->request[which];
	struct select_history history = { .copies = request->copies };
	struct select_now now;
	int i, place;

	caller_lost(caller, which);

	history.at = find(caller, request->server);
	for (i = 0; i < request->count; i++) {
		place = find(caller, request->used[i]);
		if (place >= 0)
			history.used |= BIT_ULL(place);
	}
	if (select_stays(&caller->list, &history,
			 caller->retransmit + caller->skew))
		return true;
	now = look(caller, avoid);
	*choice = select_next(&caller->list, &now, &history);
	if (choice->forget)
		request->count = 0;
	return false;
}

void caller_sent(struct caller *caller, int which, int id, bool moved)
{
	struct caller_request *request = &caller->request[which];

	if (moved) {
		request->server = id;
		request->copies = 0;
		request->used[request->count++] = id;
	}
	request->copies++;
	request->waiting = true;
	if (!caller->list.share && find(caller, id) > 0)
		caller->recent = id;
}
