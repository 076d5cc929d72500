// SPDX-License-Identifier: GPL-2.0
/* The rules of one server list over time, from their text. */
#include <stdlib.h>
#include "model_events.h"

/* What is in force where nothing is set (M1, M7, section 6). */
void group_start(struct model_group *group)
{
	int i;

	group->share = false;
	group->retransmit = 1;
	group->dead_count = 10;
	group->dead_interval = 5000;
	group->dead_time = 180000;
	group->now = 0;
	group->recent = SELECT_NONE;
	group->count = 0;
	group->changes = 0;
	for (i = 0; i < SCRIPT_REQUESTS; i++) {
		group->request[i].answered = false;
		group->request[i].copies = 0;
	}
}

static int place_of(const struct model_group *group, int id)
{
	int i;

	for (i = 0; i < group->count; i++)
		if (group->order[i] == id)
			return i;
	return SELECT_NONE;
}

static void insert(struct model_group *group, int place, int id)
{
	int i;

	for (i = group->count; i > place; i--)
		group->order[i] = group->order[i - 1];
	group->order[place] = id;
	group->count++;
}

/* S6: a new server starts Up. */
void group_add(struct model_group *group, int place, int id,
	       unsigned int weight)
{
	struct model_life *life = &group->server[id];

	life->admin = MODEL_AUTO;
	life->weight = weight;
	life->state = MODEL_STATE_UP;
	life->since = group->now;
	life->losses = 0;
	insert(group, place, id);
}

void group_remove(struct model_group *group, int place)
{
	int i;

	group->count--;
	for (i = place; i < group->count; i++)
		group->order[i] = group->order[i + 1];
}

void group_move(struct model_group *group, int from, int to)
{
	int id = group->order[from];

	group_remove(group, from);
	insert(group, to, id);
}

static void change(struct model_group *group, int id, enum model_state state,
		   const char *reason)
{
	struct model_life *life = &group->server[id];

	if (group->changes == MODEL_SERVERS_MAX)
		abort();
	group->change[group->changes].id = id;
	group->change[group->changes].state = state;
	group->change[group->changes].reason = reason;
	group->changes++;
	life->state = state;
	life->since = group->now;
}

/*
 * S6: "up" is Up whatever happens. What was lost before, or while it was so,
 * does not count once the other rules are in force again.
 */
void group_admin(struct model_group *group, int place, enum model_admin admin)
{
	int id = group->order[place];
	struct model_life *life = &group->server[id];
	bool was_up = life->admin == MODEL_UP;
	bool is_up = admin == MODEL_UP;

	if (is_up != was_up)
		life->losses = 0;
	life->admin = admin;
	if (is_up && life->state != MODEL_STATE_UP)
		change(group, id, MODEL_STATE_UP, "admin");
}

/* S4: after dead-time a Down server is assumed-up, and has a new start. */
void group_time(struct model_group *group, u64 passed)
{
	int i;

	group->now += passed;
	for (i = 0; i < group->count; i++) {
		struct model_life *life = &group->server[group->order[i]];

		if (life->state != MODEL_STATE_DOWN)
			continue;
		if (group->now - life->since < group->dead_time)
			continue;
		life->losses = 0;
		change(group, group->order[i], MODEL_STATE_ASSUMED_UP,
		       "dead-time");
	}
}

/* S5: is this a request whose 1 + R copies there were all lost? */
static bool all_lost(const struct model_group *group,
		     const struct model_story *story)
{
	int lost = 0, i;

	for (i = story->copies - 1; i >= 0; i--) {
		if (!story->copy[i].lost)
			return false;
		lost++;
		if (story->copy[i].moved)
			break;
	}
	return lost >= 1 + group->retransmit;
}

/* S2: are these losses enough, and far enough apart? */
static bool losses_suffice(const struct model_group *group,
			   const struct model_life *life)
{
	if (life->losses < group->dead_count)
		return false;
	if (group->dead_interval == 0)
		return true;
	return life->lost[life->losses - 1] - life->lost[0] >
	       group->dead_interval;
}

/* S1: the last copy of a request is lost, if that is not known yet. */
void group_lost(struct model_group *group, int request)
{
	struct model_story *story = &group->request[request];
	struct model_copy *copy = &story->copy[story->copies - 1];
	struct model_life *life = &group->server[copy->id];

	if (copy->lost || story->answered)
		return;
	copy->lost = true;
	if (place_of(group, copy->id) == SELECT_NONE)
		return;

	life->lost[life->losses++] = group->now;
	if (life->admin == MODEL_UP)
		return;
	if (life->state == MODEL_STATE_ASSUMED_UP && all_lost(group, story))
		change(group, copy->id, MODEL_STATE_DOWN, "exhausted");
	else if (life->state != MODEL_STATE_DOWN &&
		 losses_suffice(group, life))
		change(group, copy->id, MODEL_STATE_DOWN, "losses");
}

/* S3: an answer, from whichever server the request was sent to. */
void group_answer(struct model_group *group, int request, int id)
{
	group->request[request].answered = true;
	if (place_of(group, id) == SELECT_NONE)
		return;
	group->server[id].losses = 0;
	if (group->server[id].state != MODEL_STATE_UP)
		change(group, id, MODEL_STATE_UP, "answer");
}

/* What a selection finds now. */
void group_look(const struct model_group *group, u64 taken,
		struct model_list *list)
{
	int i;

	list->count = group->count;
	list->share = group->share;
	list->recent = place_of(group, group->recent);
	for (i = 0; i < group->count; i++) {
		const struct model_life *life =
			&group->server[group->order[i]];

		list->server[i].answers = life->state != MODEL_STATE_DOWN;
		list->server[i].admin = life->admin;
		list->server[i].weight = life->weight;
		list->server[i].taken = taken >> i & 1;
		list->server[i].client = false;
	}
}

/* What a request has been through, as places in the list. */
void group_recall(const struct model_group *group, int request,
		  struct model_request *recalled)
{
	const struct model_story *story = &group->request[request];
	int i, place;

	for (place = 0; place < group->count; place++) {
		recalled->used[place] = false;
		for (i = 0; i < story->copies; i++)
			if (story->copy[i].id == group->order[place] &&
			    !story->copy[i].forgotten)
				recalled->used[place] = true;
	}
	recalled->current = place_of(group, story->copy[story->copies - 1].id);
	recalled->copies = 0;
	for (i = story->copies - 1; i >= 0; i--) {
		recalled->copies++;
		if (story->copy[i].moved)
			break;
	}
}

void group_first(struct model_group *group, int request, u64 taken,
		 struct model_verdict *verdict)
{
	struct model_list list;

	group->request[request].answered = false;
	group->request[request].copies = 0;
	group_look(group, taken, &list);
	model_first(&list, verdict);
}

/* M8: judged first, then selected. Return: true if it stays. */
bool group_copy(struct model_group *group, int request, u64 taken,
		struct model_verdict *verdict)
{
	struct model_story *story = &group->request[request];
	struct model_request recalled;
	struct model_list list;
	int i;

	group_lost(group, request);
	group_look(group, taken, &list);
	group_recall(group, request, &recalled);
	if (model_stays(&list, &recalled, group->retransmit))
		return true;
	model_next(&list, &recalled, verdict);
	for (i = 0; i < story->copies && verdict->forget; i++)
		story->copy[i].forgotten = true;
	return false;
}

/* A copy went to a server. */
void group_sent(struct model_group *group, int request, int id, bool moved)
{
	struct model_story *story = &group->request[request];
	struct model_copy *copy = &story->copy[story->copies++];

	copy->id = id;
	copy->moved = moved;
	copy->lost = false;
	copy->forgotten = false;
	/* M9: the master never counts. */
	if (!group->share && place_of(group, id) > 0)
		group->recent = id;
}
