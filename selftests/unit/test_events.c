// SPDX-License-Identifier: GPL-2.0
/*
 * select.c and health.c, as a caller uses them, against the rules under a
 * million sequences of events. A sequence in which the two differ is cut down
 * to the events that it takes, and shown.
 *
 *	UNIT_SEED=NUMBER	other sequences
 *	UNIT_SEQUENCES=NUMBER	fewer of them, or more
 */
#include "play.h"
#include "random.h"
#include "unit.h"

#define SEQUENCES	1000000
#define SHOWN_MAX	3

/* Of what is met more seldom than this, too little is known. */
#define SELDOM		10000

#define RULES		"M2-M11 L2-L6 L8 P9 S1-S6 S8"

static struct play play;
static unsigned int skew;

static const char *difference_of(const struct script *script,
				 struct play_tally *tally, bool aloud)
{
	play_start(&play);
	play.caller.skew = skew;
	play.aloud = aloud;
	if (tally)
		play.tally = tally;
	return play_script(&play, script);
}

static bool differs(const struct script *script)
{
	return difference_of(script, NULL, false);
}

static void show(struct script *script)
{
	script_shrink(script, differs);
	unit_note("difference: %s, after these %d events",
		  difference_of(script, NULL, false), script->length);
	difference_of(script, NULL, true);
}

/* What has to be met in the sequences, or they show nothing of it. */
static const struct {
	const char *what;
	size_t count;
} often[] = {
#define OFTEN(what, member) { what, offsetof(struct play_tally, member) }
	OFTEN("M2 first send", first[MODEL_M2_MASTER]),
	OFTEN("M3 first send, recent", first[MODEL_M3_RECENT]),
	OFTEN("M3 first send, first Up", first[MODEL_M3_FIRST]),
	OFTEN("M4 first send", first[MODEL_M4_FIRST]),
	OFTEN("M10 M2", next[MODEL_M2_MASTER]),
	OFTEN("M10 M3 recent", next[MODEL_M3_RECENT]),
	OFTEN("M10 M3 first Up", next[MODEL_M3_FIRST]),
	OFTEN("M10 M4", next[MODEL_M4_FIRST]),
	OFTEN("M8 master, its server removed", next[MODEL_M8_MASTER]),
	OFTEN("M8 recent", next[MODEL_M8_RECENT]),
	OFTEN("M10 Up and new", next[MODEL_M10_NEW]),
	OFTEN("M10 Up, used", next[MODEL_M10_AGAIN]),
	OFTEN("M10 whatever its state", next[MODEL_M10_ANY]),
	OFTEN("L3 first send", first[MODEL_L3_UP]),
	OFTEN("L4 first send", first[MODEL_L4_NONE_UP]),
	OFTEN("L3", next[MODEL_L3_UP]),
	OFTEN("L4", next[MODEL_L4_NONE_UP]),
	OFTEN("L5 not Up", next[MODEL_L5_NOT_UP]),
	OFTEN("L5 forgotten", next[MODEL_L5_FORGET]),
	OFTEN("empty list, first send", first[MODEL_EMPTY]),
	OFTEN("empty list, move", next[MODEL_EMPTY]),
	OFTEN("M6 L8 stays", stays),
	OFTEN("M6 stays, Down", stays_down),
	OFTEN("M6 moves, removed", moves_gone),
	OFTEN("M6 moves, administratively down", moves_admin),
	OFTEN("S8 none Up", none_up),
	OFTEN("P9", avoided),
	OFTEN("L2 by weight", weighted),
	OFTEN("L6", weightless),
	OFTEN("S2 from Up", losses),
	OFTEN("S2 from assumed-up", losses_assumed),
	OFTEN("S3 from Down", answer_down),
	OFTEN("S3 from assumed-up", answer_assumed),
	OFTEN("S3 from a server left before", late),
	OFTEN("S4", dead_time),
	OFTEN("S5", exhausted),
	OFTEN("S6 up", admin),
};

static bool met(const struct play_tally *tally, u64 least)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < unit_count(often); i++) {
		u64 count;

		memcpy(&count, (const char *)tally + often[i].count,
		       sizeof(count));
		unit_note("%8llu %s", count, often[i].what);
		ok &= count && count >= least;
	}
	return ok;
}

static void test_sequences(u64 *state, unsigned long sequences)
{
	struct play_tally tally = { 0 };
	unsigned int differences = 0;
	struct script script;
	unsigned long i;

	for (i = 0; i < sequences; i++) {
		script_random(state, &script);
		if (difference_of(&script, &tally, false) &&
		    differences++ < SHOWN_MAX)
			show(&script);
		if (differences > SHOWN_MAX)
			break;
	}
	unit_note("%lu sequences, %llu events", i, tally.events);
	unit_result(i && !differences,
		    RULES " events: no difference between rules and module");
	unit_result(met(&tally, i / SELDOM),
		    RULES " events: each met in 100 of a million sequences");
}

/* A caller who lets one copy too many go to each server is found out. */
static void test_fault(u64 *state)
{
	struct script script;
	int tries;

	skew = 1;
	for (tries = 0; tries < 1000; tries++) {
		script_random(state, &script);
		if (differs(&script))
			break;
	}
	if (tries < 1000)
		show(&script);
	/* A server, a request and two more copies, and nothing besides. */
	unit_result(tries < 1000 && script.length == 4,
		    "M7 events: a fault is found, and cut down to 4 events");
	skew = 0;
}

int main(void)
{
	const char *count = getenv("UNIT_SEQUENCES");
	u64 state = random_seed(20240609);

	unit_plan(3);
	unit_note("seed %llu", state);
	test_sequences(&state, count ? strtoul(count, NULL, 0) : SEQUENCES);
	test_fault(&state);
	return unit_end();
}
