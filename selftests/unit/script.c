// SPDX-License-Identifier: GPL-2.0
/* Sequences of events. */
#include "model.h"
#include "random.h"
#include "script.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* How often each kind of event is, in the sequences of one sort. */
static const u8 sorts[][SCRIPT_KINDS] = {
	/* A bit of everything. */
	{ [SCRIPT_FIRST] = 8, [SCRIPT_COPY] = 16, [SCRIPT_LOST] = 6,
	  [SCRIPT_ANSWER] = 5, [SCRIPT_TIME] = 8, [SCRIPT_ADD] = 2,
	  [SCRIPT_REMOVE] = 2, [SCRIPT_MOVE] = 1, [SCRIPT_WEIGHT] = 1,
	  [SCRIPT_ADMIN] = 3, [SCRIPT_SHARE] = 1, [SCRIPT_RETRANSMIT] = 1,
	  [SCRIPT_LIVENESS] = 1 },
	/* The administrator leaves the servers alone, which fail. */
	{ [SCRIPT_FIRST] = 4, [SCRIPT_COPY] = 16, [SCRIPT_LOST] = 6,
	  [SCRIPT_ANSWER] = 2, [SCRIPT_TIME] = 6 },
	/* One request after the other, to the end. */
	{ [SCRIPT_FIRST] = 1, [SCRIPT_COPY] = 24, [SCRIPT_LOST] = 1,
	  [SCRIPT_TIME] = 2, [SCRIPT_ADMIN] = 1 },
	/* The administrator is busy. */
	{ [SCRIPT_FIRST] = 6, [SCRIPT_COPY] = 12, [SCRIPT_LOST] = 3,
	  [SCRIPT_ANSWER] = 1, [SCRIPT_TIME] = 2, [SCRIPT_ADD] = 4,
	  [SCRIPT_REMOVE] = 4, [SCRIPT_MOVE] = 4, [SCRIPT_WEIGHT] = 2,
	  [SCRIPT_ADMIN] = 8, [SCRIPT_SHARE] = 2, [SCRIPT_RETRANSMIT] = 2,
	  [SCRIPT_LIVENESS] = 1 },
};

/*
 * The times of a sequence are multiples of one unit, give or take a
 * millisecond, so that they often meet a limit exactly. The last unit makes
 * the longest dead-time there can be, a day.
 */
static const u32 units[] = { 1, 1, 1000, 14400000 };

static u8 random_kind(u64 *state, const u8 *often)
{
	u32 sum = 0, ticket;
	u8 kind;

	for (kind = 0; kind < SCRIPT_KINDS; kind++)
		sum += often[kind];
	ticket = random_below(state, sum);
	for (kind = 0; ticket >= often[kind]; kind++)
		ticket -= often[kind];
	return kind;
}

static u32 random_weight(u64 *state, int manner)
{
	switch (manner) {
	case 0:
		return 0;
	case 1:
	case 2:
		return random_below(state, 4);
	default:
		return random_below(state, 3) ? random_below(state, 65536) : 0;
	}
}

static struct script_event random_event(u64 *state, u8 kind, u32 unit,
					int weights)
{
	u64 word = random_next(state);
	struct script_event event = {
		.kind = kind, .which = word, .where = word >> 8,
		.how = word >> 16, .value = word >> 32,
	};

	switch (kind) {
	case SCRIPT_FIRST:
	case SCRIPT_COPY:
		if (!(word >> 24 & 3))
			event.avoid = random_next(state);
		break;
	case SCRIPT_TIME:
		event.value = event.where % 4 * unit;
		if (event.how % 4 == 0)
			event.value++;
		else if (event.how % 4 == 1 && event.value)
			event.value--;
		break;
	case SCRIPT_ADD:
	case SCRIPT_WEIGHT:
		event.value = random_weight(state, weights);
		break;
	case SCRIPT_LIVENESS:
		event.value = unit;
		break;
	}
	return event;
}

static void append(struct script *script, struct script_event event)
{
	script->event[script->length++] = event;
}

/* A list and its settings, then 5 to 60 events. */
void script_random(u64 *state, struct script *script)
{
	const u8 *often = sorts[random_below(state, COUNT(sorts))];
	u32 unit = units[random_below(state, COUNT(units))];
	int weights = random_below(state, 4);
	int servers = 1 + random_below(state, 5);
	int events = 5 + random_below(state, 56);
	int i;

	if (!random_below(state, 8))
		servers = 1 + random_below(state, 8);
	if (!random_below(state, 128))
		servers = MODEL_SERVERS_MAX - random_below(state, 2);

	script->length = 0;
	if (random_below(state, 8))
		append(script, random_event(state, SCRIPT_LIVENESS, unit, 0));
	if (random_below(state, 2))
		append(script, random_event(state, SCRIPT_RETRANSMIT, 0, 0));
	if (random_below(state, 4))
		append(script, random_event(state, SCRIPT_SHARE, 0, 0));
	for (i = 0; i < servers; i++)
		append(script, random_event(state, SCRIPT_ADD, 0, weights));
	for (i = 0; i < events && script->length < SCRIPT_EVENTS_MAX; i++)
		append(script, random_event(state, random_kind(state, often),
					    unit, weights));
}

/* @script without @count events from @from on. */
static struct script without(const struct script *script, int from, int count)
{
	struct script less = { .length = script->length - count };
	int i;

	for (i = 0; i < less.length; i++)
		less.event[i] = script->event[i < from ? i : i + count];
	return less;
}

/* Take out runs of events, long ones first, until no event can be spared. */
static bool drop_events(struct script *script,
			bool (*fails)(const struct script *script))
{
	int run = script->length / 2, from;
	bool shorter = false;

	if (!run)
		run = 1;
	for (; run; run /= 2)
		for (from = 0; from + run <= script->length;) {
			struct script less = without(script, from, run);

			if (fails(&less)) {
				*script = less;
				shorter = true;
			} else {
				from++;
			}
		}
	return shorter;
}

/* Two at a time: a server that comes and goes, a setting and another. */
static bool drop_pairs(struct script *script,
		       bool (*fails)(const struct script *script))
{
	int i, j;

	for (i = 0; i < script->length; i++)
		for (j = i + 1; j < script->length; j++) {
			struct script less = without(script, j, 1);

			less = without(&less, i, 1);
			if (fails(&less)) {
				*script = less;
				return true;
			}
		}
	return false;
}

/* Numbers that are no matter become 0. */
static void plain_numbers(struct script *script,
			  bool (*fails)(const struct script *script))
{
	int i, j;

	for (i = 0; i < script->length; i++)
		for (j = 0; j < 5; j++) {
			struct script_event before = script->event[i];
			struct script_event *event = &script->event[i];

			switch (j) {
			case 0:
				event->avoid = 0;
				break;
			case 1:
				event->value = 0;
				break;
			case 2:
				event->which = 0;
				break;
			case 3:
				event->where = 0;
				break;
			case 4:
				event->how = 0;
				break;
			}
			if (!fails(script))
				*event = before;
		}
}

/**
 * script_shrink() - leave out what does not matter
 * @script: a sequence of which @fails() is true
 * @fails: asked of each shorter or plainer sequence
 *
 * Afterwards @fails() is still true, and not any more once any one event, or
 * any two, are left out.
 */
void script_shrink(struct script *script,
		   bool (*fails)(const struct script *script))
{
	do {
		drop_events(script, fails);
		plain_numbers(script, fails);
	} while (drop_events(script, fails) || drop_pairs(script, fails));
}
