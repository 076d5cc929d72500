// SPDX-License-Identifier: GPL-2.0
/* A sequence of events, played twice, with all that is seen compared. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "play.h"

#ifndef __printf
#define __printf(format, first)	\
	__attribute((__format__(printf, format, first)))
#endif

#define DEAD_INTERVAL_MAX	3600000
#define DEAD_TIME_MAX		86400000
#define RETRANSMIT_MAX		5

static const char *const reasons[] = {
	[HEALTH_LOSSES] = "losses",
	[HEALTH_EXHAUSTED] = "exhausted",
	[HEALTH_DEAD_TIME] = "dead-time",
	[HEALTH_ANSWER] = "answer",
	[HEALTH_ADMIN] = "admin",
};

static const enum model_state states[] = {
	[HEALTH_UP] = MODEL_STATE_UP,
	[HEALTH_DOWN] = MODEL_STATE_DOWN,
	[HEALTH_ASSUMED_UP] = MODEL_STATE_ASSUMED_UP,
};

static const char *const state_names[] = { "Up", "Down", "assumed-up" };

static __printf(2, 3) void say(const struct play *play, const char *format, ...)
{
	va_list args;

	if (!play->aloud)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

/* A tally that nobody asked for is kept all the same. */
static struct play_tally unasked;

/* Begin anew; .tally and .aloud are set afterwards, where they are wanted. */
void play_start(struct play *play)
{
	group_start(&play->group);
	caller_start(&play->caller);
	play->servers = 0;
	play->tally = &unasked;
	play->aloud = false;
	play->difference = NULL;
}

static void differ(struct play *play, const char *difference)
{
	if (difference && !play->difference)
		play->difference = difference;
}

/* The nth of the requests that are in flight, SCRIPT_REQUESTS if none is. */
static int in_flight(const struct play *play, u8 which)
{
	int found[SCRIPT_REQUESTS], count = 0, i;

	for (i = 0; i < SCRIPT_REQUESTS; i++)
		if (play->group.request[i].copies &&
		    !play->group.request[i].answered)
			found[count++] = i;
	return count ? found[which % count] : SCRIPT_REQUESTS;
}

static void tally_verdict(struct play *play, u64 *rules,
			  const struct model_verdict *verdict)
{
	struct play_tally *tally = play->tally;

	rules[verdict->rule]++;
	tally->none_up += verdict->none_up;
	tally->avoided += verdict->avoided;
	tally->weighted += verdict->weighted;
	tally->weightless += verdict->weightless;
}

/* Who can take it: as the rules have it, with shares, and as select.c does. */
static void say_candidates(const struct play *play,
			   const struct model_verdict *verdict,
			   const struct select_choice *choice)
{
	int i;

	say(play, "; is to go to one of");
	for (i = 0; i < play->group.count; i++)
		if (verdict->candidate[i])
			say(play, " s%d (%llu/%llu)", play->group.order[i],
			    verdict->part[i], verdict->whole);
	say(play, "; goes to one of");
	for (i = 0; i < play->group.count; i++)
		if (choice->candidates >> i & 1)
			say(play, " s%d", play->caller.server[i].id);
	say(play, ", %u tickets", choice->tickets);
}

/* Both said who can take it: draw one, and send. */
static void send(struct play *play, int request, u32 ticket,
		 const struct model_verdict *verdict,
		 const struct select_choice *choice)
{
	const struct select_list *list = &play->caller.list;
	int place, id;

	differ(play, model_differs(verdict, list, choice));
	if (play->difference) {
		say_candidates(play, verdict, choice);
		return;
	}
	if (!choice->tickets) {
		say(play, "; to nobody");
		return;
	}
	place = select_draw(list, choice, ticket % choice->tickets);
	id = play->caller.server[place].id;
	say(play, "; to s%d", id);
	group_sent(&play->group, request, id, true);
	caller_sent(&play->caller, request, id, true);
}

static void send_first(struct play *play, const struct script_event *event)
{
	int request = event->which % SCRIPT_REQUESTS;
	struct model_verdict verdict;
	struct select_choice choice;

	say(play, "request %d, new", request);
	group_first(&play->group, request, event->avoid, &verdict);
	choice = caller_first(&play->caller, request, event->avoid);
	tally_verdict(play, play->tally->first, &verdict);
	send(play, request, event->value, &verdict, &choice);
}

static void tally_stay(struct play *play, int id)
{
	play->tally->stays++;
	if (play->group.server[id].state == MODEL_STATE_DOWN)
		play->tally->stays_down++;
}

static void tally_move(struct play *play, int request)
{
	struct model_request recalled;
	const struct model_group *group = &play->group;

	group_recall(group, request, &recalled);
	if (recalled.current == SELECT_NONE)
		play->tally->moves_gone++;
	else if (recalled.copies <= group->retransmit)
		play->tally->moves_admin++;
}

static void send_copy(struct play *play, const struct script_event *event)
{
	int request = in_flight(play, event->which), id;
	const struct model_story *story;
	struct model_verdict verdict;
	struct select_choice choice;
	bool stays, caller_stays;

	if (request == SCRIPT_REQUESTS)
		return;
	story = &play->group.request[request];
	id = story->copy[story->copies - 1].id;
	say(play, "request %d, copy %d, the last was to s%d", request,
	    story->copies + 1, id);
	stays = group_copy(&play->group, request, event->avoid, &verdict);
	caller_stays = caller_copy(&play->caller, request, event->avoid,
				   &choice);
	if (stays != caller_stays) {
		differ(play, stays ? "it is to stay" : "it is to move");
		return;
	}
	if (stays) {
		tally_stay(play, id);
		say(play, "; stays");
		group_sent(&play->group, request, id, false);
		caller_sent(&play->caller, request, id, false);
	} else {
		tally_move(play, request);
		tally_verdict(play, play->tally->next, &verdict);
		send(play, request, event->value, &verdict, &choice);
	}
}

static void lose(struct play *play, const struct script_event *event)
{
	int request = in_flight(play, event->which);

	if (request == SCRIPT_REQUESTS)
		return;
	say(play, "request %d, copy %d is lost", request,
	    play->group.request[request].copies);
	group_lost(&play->group, request);
	caller_lost(&play->caller, request);
}

/* From any server that it was sent to, and answered ones are answered again. */
static void answer(struct play *play, const struct script_event *event)
{
	int request = event->which % SCRIPT_REQUESTS;
	const struct model_story *story = &play->group.request[request];
	int id;

	if (!story->copies)
		return;
	id = story->copy[event->value % story->copies].id;
	play->tally->late += id != story->copy[story->copies - 1].id;
	say(play, "request %d is answered by s%d", request, id);
	group_answer(&play->group, request, id);
	caller_answer(&play->caller, request, id);
}

static void pass_time(struct play *play, u64 passed)
{
	group_time(&play->group, passed);
	caller_time(&play->caller, passed);
}

static void liveness(struct play *play, const struct script_event *event)
{
	u64 count = 1 + event->which % 5;
	u64 interval = (u64)event->value * (event->where % 4);
	u64 dead_time = (u64)event->value * (1 + event->how % 6);

	if (interval > DEAD_INTERVAL_MAX)
		interval = DEAD_INTERVAL_MAX;
	if (dead_time > DEAD_TIME_MAX)
		dead_time = DEAD_TIME_MAX;
	if (!dead_time)
		dead_time = 1;
	say(play, "dead-count %llu, dead-interval %llu, dead-time %llu ms",
	    count, interval, dead_time);
	play->group.dead_count = count;
	play->group.dead_interval = interval;
	play->group.dead_time = dead_time;
	play->caller.settings = (struct health_settings){ count, interval,
							  dead_time };
	pass_time(play, 0);
}

static void add(struct play *play, const struct script_event *event)
{
	int place = event->where % (play->group.count + 1);
	u16 weight = event->value;

	if (play->group.count == MODEL_SERVERS_MAX)
		return;
	say(play, "s%d is added at place %d, weight %u", play->servers, place,
	    weight);
	group_add(&play->group, place, play->servers, weight);
	caller_add(&play->caller, place, play->servers, weight);
	play->servers++;
}

/* What is done to a server, if there is any. */
static void administer(struct play *play, const struct script_event *event)
{
	static const char *const admins[] = { "auto", "up", "down", "drain" };
	struct model_group *group = &play->group;
	struct caller *caller = &play->caller;
	int place, to, id;

	if (!group->count)
		return;
	place = event->where % group->count;
	to = event->how % group->count;
	id = group->order[place];
	switch (event->kind) {
	case SCRIPT_REMOVE:
		say(play, "s%d is removed", id);
		group_remove(group, place);
		caller_remove(caller, place);
		break;
	case SCRIPT_MOVE:
		say(play, "s%d is moved from place %d to %d", id, place, to);
		group_move(group, place, to);
		caller_move(caller, place, to);
		break;
	case SCRIPT_WEIGHT:
		say(play, "s%d has weight %u", id, (u16)event->value);
		group->server[id].weight = (u16)event->value;
		caller_weight(caller, place, event->value);
		break;
	case SCRIPT_ADMIN:
		say(play, "s%d is set %s", id, admins[event->how % 4]);
		group_admin(group, place, event->how % 4);
		caller_admin(caller, place, event->how % 4);
		break;
	}
}

static void happen(struct play *play, const struct script_event *event)
{
	switch (event->kind) {
	case SCRIPT_FIRST:
		send_first(play, event);
		break;
	case SCRIPT_COPY:
		send_copy(play, event);
		break;
	case SCRIPT_LOST:
		lose(play, event);
		break;
	case SCRIPT_ANSWER:
		answer(play, event);
		break;
	case SCRIPT_TIME:
		say(play, "%u ms pass", event->value);
		pass_time(play, event->value);
		break;
	case SCRIPT_ADD:
		add(play, event);
		break;
	case SCRIPT_SHARE:
		say(play, "%s", event->how & 1 ? "loading-share" :
		    "master-backup");
		play->group.share = event->how & 1;
		caller_share(&play->caller, event->how & 1);
		break;
	case SCRIPT_RETRANSMIT:
		play->group.retransmit = event->how % (RETRANSMIT_MAX + 1);
		play->caller.retransmit = play->group.retransmit;
		say(play, "retransmit %u", play->caller.retransmit);
		break;
	case SCRIPT_LIVENESS:
		liveness(play, event);
		break;
	default:
		administer(play, event);
	}
}

static void tally_change(struct play *play, const struct model_change *change,
			 enum model_state before)
{
	struct play_tally *tally = play->tally;
	bool assumed = before == MODEL_STATE_ASSUMED_UP;

	switch (change->reason[0]) {
	case 'l':
		(*(assumed ? &tally->losses_assumed : &tally->losses))++;
		break;
	case 'e':
		tally->exhausted++;
		break;
	case 'd':
		tally->dead_time++;
		break;
	default:
		if (!strcmp(change->reason, "admin"))
			tally->admin++;
		else
			(*(assumed ? &tally->answer_assumed :
			   &tally->answer_down))++;
	}
}

/* S7: the same servers have changed, for the same reasons. */
static void compare_changes(struct play *play, const enum model_state *before)
{
	const struct model_group *group = &play->group;
	const struct caller *caller = &play->caller;
	int i;

	for (i = 0; i < group->changes; i++) {
		const struct model_change *change = &group->change[i];

		tally_change(play, change, before[change->id]);
		say(play, "; s%d is %s: %s", change->id,
		    state_names[change->state], change->reason);
	}
	if (group->changes != caller->changes)
		differ(play, "how many servers changed");
	for (i = 0; i < group->changes && !play->difference; i++) {
		if (group->change[i].id != caller->change[i].id)
			differ(play, "which server changed");
		if (group->change[i].state != states[caller->change[i].state])
			differ(play, "what it changed to");
		if (strcmp(group->change[i].reason,
			   reasons[caller->change[i].reason]))
			differ(play, "why it changed");
	}
}

static void compare_servers(struct play *play)
{
	const struct caller *caller = &play->caller;
	int i;

	if (play->group.count != caller->list.count)
		abort();
	for (i = 0; i < caller->list.count; i++) {
		const struct health *health = &caller->server[i].health;
		int id = caller->server[i].id;
		const struct model_life *life = &play->group.server[id];

		if (play->group.order[i] != id)
			abort();
		if (life->state != states[health->state])
			differ(play, "a server's state");
		if (life->losses != (int)health->losses)
			differ(play, "a server's losses");
		if (life->since != health->since)
			differ(play, "since when a server's state is");
	}
}

/**
 * play_script() - let everything happen, until the two differ
 * @play: from play_start()
 * @script: the events
 *
 * Return: NULL if they never did, else in what.
 */
const char *play_script(struct play *play, const struct script *script)
{
	enum model_state before[SCRIPT_EVENTS_MAX];
	int i, event;

	for (event = 0; event < script->length; event++) {
		for (i = 0; i < play->group.count; i++)
			before[play->group.order[i]] =
				play->group.server[play->group.order[i]].state;
		play->group.changes = 0;
		play->caller.changes = 0;
		play->tally->events++;

		say(play, "# %d: ", event + 1);
		happen(play, &script->event[event]);
		compare_changes(play, before);
		compare_servers(play);
		say(play, "\n");
		if (play->difference)
			return play->difference;
	}
	return NULL;
}
