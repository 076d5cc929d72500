// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of liveness, case by case: section 6. What happens to a server is
 * written as steps, with the time of each in ms:
 *
 *	lost			a copy is lost, and its server is due more
 *	last			the last copy that it is due, all others lost
 *	answer
 *	up, auto		the administrator says so
 *	tick			time went by
 *	dead-count N		is set; dead-interval and dead-time as well
 *
 * After a colon is the reason for the change that comes of it; without one the
 * state is to stay as it was.
 */
#include "health.h"
#include "random.h"
#include "unit.h"

/* Settings without an interval. */
#define SET(count, dead_time)	{ (count), 0, (dead_time) }

static const struct {
	const char *rules;
	const char *what;
	struct health_settings settings;
	const char *steps;
	u32 losses;		/* in the end */
} cases[] = {
	{ "S6", "a new server is Up, and time is no matter", SET(1, 1),
	  "0 tick, 1 tick, 86400000 tick", 0 },
	{ "S1 S2", "one loss too few", SET(3, 180000),
	  "1 lost, 2 lost, 86400000 tick", 2 },
	{ "S1 S2", "exactly dead-count losses", SET(3, 180000),
	  "1 lost, 2 lost, 3 lost: losses", 3 },
	{ "S2", "dead-count 1: the first loss", SET(1, 180000),
	  "0 lost: losses", 1 },
	{ "S2", "dead-interval 0: losses at the same moment", SET(3, 180000),
	  "5 lost, 5 lost, 5 lost: losses", 3 },
	{ "S2", "one request's exhausted limit alone does nothing",
	  SET(3, 180000),
	  "1 lost, 2 last", 2 },
	{ "S2", "an exhausted limit is one loss like others", SET(3, 180000),
	  "1 last, 2 last, 3 last: losses", 3 },

	{ "S2", "dead-interval is reached, not exceeded", { 3, 5000, 180000 },
	  "1000 lost, 2000 lost, 6000 lost", 3 },
	{ "S2", "dead-interval is exceeded by a millisecond",
	  { 3, 5000, 180000 },
	  "1000 lost, 2000 lost, 6001 lost: losses", 3 },
	{ "S2", "dead-interval is exceeded by a loss after dead-count",
	  { 3, 5000, 180000 },
	  "1000 lost, 2000 lost, 3000 lost, 6000 lost, 6001 lost: losses", 5 },
	{ "S2", "time alone exceeds nothing: it takes a loss",
	  { 3, 5000, 180000 },
	  "0 lost, 1 lost, 2 lost, 60000 tick, 60000 lost: losses", 4 },
	{ "S2", "dead-interval is exceeded, one loss too few",
	  { 3, 5000, 180000 },
	  "0 lost, 60000 lost", 2 },
	{ "S2", "dead-interval with dead-count 1: the second loss",
	  { 1, 5000, 180000 },
	  "0 lost, 5001 lost: losses", 2 },
	{ "S2", "the longest dead-interval", { 2, 3600000, 180000 },
	  "7 lost, 3600007 lost, 3600008 lost: losses", 3 },
	{ "S2", "Down: no second change, whatever is lost", SET(2, 180000),
	  "1 lost, 2 lost: losses, 3 lost, 4 last", 4 },

	{ "S2 S3", "an answer clears the losses: one too few", SET(3, 180000),
	  "1 lost, 2 lost, 3 answer, 4 lost, 5 lost", 2 },
	{ "S2 S3", "an answer clears the losses: three more", SET(3, 180000),
	  "1 lost, 2 lost, 3 answer, 4 lost, 5 lost, 6 lost: losses", 3 },
	{ "S2 S3", "the interval begins at the first loss after an answer",
	  { 2, 5000, 180000 },
	  "0 lost, 1000 answer, 2000 lost, 7000 lost, 7001 lost: losses", 3 },
	{ "S3", "an answer of a server that is Up", SET(3, 180000),
	  "1 answer, 2 lost, 2 answer", 0 },
	{ "S3", "Down: Up at once", SET(1, 180000),
	  "1 lost: losses, 1 answer: answer", 0 },
	{ "S3", "Down: Up, and then Down by new losses only", SET(2, 180000),
	  "1 lost, 2 lost: losses, 3 lost, 4 answer: answer, 5 lost, "
	  "6 lost: losses", 2 },
	{ "S3 S4", "assumed-up: Up", SET(1, 100),
	  "0 lost: losses, 100 tick: dead-time, 150 answer: answer", 0 },
	{ "S3 S4", "assumed-up, some losses, Up: they are cleared", SET(3, 100),
	  "0 lost, 0 lost, 0 lost: losses, 100 tick: dead-time, "
	  "110 lost, 120 lost, 130 answer: answer, 140 lost, 150 lost", 2 },

	{ "S4", "not a millisecond before dead-time", SET(1, 180000),
	  "1000 lost: losses, 180999 tick", 1 },
	{ "S4", "at dead-time exactly", SET(1, 180000),
	  "1000 lost: losses, 181000 tick: dead-time", 0 },
	{ "S4", "after dead-time", SET(1, 180000),
	  "1000 lost: losses, 500000 tick: dead-time, 900000 tick", 0 },
	{ "S4", "the shortest dead-time", SET(1, 1000),
	  "0 lost: losses, 999 tick, 1000 tick: dead-time", 0 },
	{ "S4", "the longest dead-time, a day", SET(1, 86400000),
	  "3 lost: losses, 86400000 tick, 86400002 tick, "
	  "86400003 tick: dead-time", 0 },
	{ "S4", "dead-time runs from the change, not from later losses",
	  SET(1, 100),
	  "0 lost: losses, 90 lost, 100 tick: dead-time", 0 },
	{ "S4", "a second time Down: dead-time again", SET(1, 100),
	  "0 lost: losses, 100 tick: dead-time, 150 lost: losses, "
	  "249 tick, 250 tick: dead-time", 0 },
	{ "S4 S2", "assumed-up: what was lost before does not count",
	  SET(3, 100),
	  "0 lost, 0 lost, 0 lost: losses, 50 lost, 100 tick: dead-time, "
	  "110 lost, 120 lost", 2 },
	{ "S4 S2", "assumed-up: dead-count losses set it Down", SET(3, 100),
	  "0 lost, 0 lost, 0 lost: losses, 100 tick: dead-time, "
	  "110 lost, 120 lost, 130 lost: losses", 3 },
	{ "S4 S2", "assumed-up: the interval begins anew too", { 2, 50, 100 },
	  "0 lost, 60 lost: losses, 160 tick: dead-time, 170 lost, "
	  "220 lost, 221 lost: losses", 3 },

	{ "S5", "assumed-up: one request's copies all lost", SET(3, 100),
	  "0 lost, 0 lost, 0 lost: losses, 100 tick: dead-time, "
	  "110 lost, 115 last: exhausted", 2 },
	{ "S5", "assumed-up, limit 0: the first copy", SET(3, 100),
	  "0 lost, 0 lost, 0 lost: losses, 100 tick: dead-time, "
	  "110 last: exhausted", 1 },
	{ "S5", "assumed-up: copies of several requests, none all lost",
	  SET(5, 100),
	  "0 lost, 0 lost, 0 lost, 0 lost, 0 lost: losses, "
	  "100 tick: dead-time, 110 lost, 111 lost, 112 lost, 113 lost", 4 },
	{ "S5", "assumed-up: dead-interval is no matter", { 2, 3000, 100 },
	  "0 lost, 3001 lost: losses, 3101 tick: dead-time, 3101 lost, "
	  "3102 last: exhausted", 2 },
	{ "S5", "Up after assumed-up: as from any Up", SET(3, 100),
	  "0 lost, 0 lost, 0 lost: losses, 100 tick: dead-time, "
	  "110 answer: answer, 120 lost, 130 last", 2 },
	{ "S5", "still Down: nothing", SET(1, 100),
	  "0 lost: losses, 10 last, 100 tick: dead-time", 0 },
	{ "S5 S4", "Down by it: dead-time again", SET(2, 100),
	  "0 lost, 0 lost: losses, 100 tick: dead-time, "
	  "130 last: exhausted, 229 tick, 230 tick: dead-time", 0 },

	{ "S6", "up: Up, whatever is lost", SET(1, 100),
	  "0 up, 1 lost, 2 last, 3 lost, 1000 tick", 3 },
	{ "S6", "up, from Down: Up", SET(1, 100),
	  "0 lost: losses, 10 up: admin, 100 tick, 110 lost", 1 },
	{ "S6", "up, from assumed-up: Up", SET(1, 100),
	  "0 lost: losses, 100 tick: dead-time, 110 up: admin, "
	  "120 last", 1 },
	{ "S6", "up, again up: nothing", SET(1, 100),
	  "0 up, 1 lost, 2 up", 1 },
	{ "S6 S3", "up, an answer: nothing but its losses", SET(1, 100),
	  "0 up, 1 lost, 2 answer", 0 },
	{ "S6", "auto after up: it begins anew", SET(2, 100),
	  "0 up, 1 lost, 2 lost, 3 auto, 4 lost", 1 },
	{ "S6 S2", "auto after up: the rules are in force", SET(2, 100),
	  "0 up, 1 lost, 3 auto, 4 lost, 5 lost: losses", 2 },
	{ "S6", "up and auto: what was lost before does not count", SET(2, 100),
	  "0 lost, 1 up, 2 auto, 3 lost", 1 },
	{ "S6", "auto, again auto: losses count on", SET(2, 100),
	  "0 lost, 1 auto, 2 lost: losses, 3 auto", 2 },

	{ "S2", "dead-count lowered: the next loss", SET(10, 100),
	  "0 lost, 1 lost, 2 lost, 3 dead-count 2, 4 tick, 5 lost: losses", 4 },
	{ "S2", "dead-count raised: that many", SET(2, 100),
	  "0 lost, 1 dead-count 3, 2 lost, 3 lost: losses", 3 },
	{ "S2", "dead-interval lowered: the next loss", { 2, 5000, 100 },
	  "0 lost, 100 lost, 200 dead-interval 100, 201 lost: losses", 3 },
	{ "S2", "dead-interval switched off: the next loss", { 2, 5000, 100 },
	  "0 lost, 0 lost, 0 dead-interval 0, 0 lost: losses", 3 },
	{ "S2", "dead-interval raised: not before that", { 2, 10, 100 },
	  "0 lost, 5 dead-interval 1000, 1000 lost, 1001 lost: losses", 3 },
	{ "S4", "dead-time lowered while Down", SET(1, 180000),
	  "0 lost: losses, 5000 tick, 5000 dead-time 5000, "
	  "5000 tick: dead-time", 0 },
	{ "S4", "dead-time raised while Down", SET(1, 1000),
	  "0 lost: losses, 500 dead-time 5000, 4999 tick, "
	  "5000 tick: dead-time", 0 },
};

static const char *const reasons[] = {
	[HEALTH_SAME] = "",
	[HEALTH_LOSSES] = "losses",
	[HEALTH_EXHAUSTED] = "exhausted",
	[HEALTH_DEAD_TIME] = "dead-time",
	[HEALTH_ANSWER] = "answer",
	[HEALTH_ADMIN] = "admin",
};

static enum health_reason take(struct health *health,
			       struct health_settings *settings, u64 now,
			       const char *what, u32 value)
{
	if (!strcmp(what, "lost"))
		return health_lost(health, settings, now, false);
	if (!strcmp(what, "last"))
		return health_lost(health, settings, now, true);
	if (!strcmp(what, "answer"))
		return health_answered(health, now);
	if (!strcmp(what, "up"))
		return health_pin(health, now, true);
	if (!strcmp(what, "auto"))
		return health_pin(health, now, false);
	if (!strcmp(what, "tick"))
		return health_tick(health, settings, now);
	if (!strcmp(what, "dead-count"))
		settings->dead_count = value;
	else if (!strcmp(what, "dead-interval"))
		settings->dead_interval = value;
	else if (!strcmp(what, "dead-time"))
		settings->dead_time = value;
	else
		unit_bail_out("no step is called %s", what);
	return HEALTH_SAME;
}

/* The state that a change for this reason is to. */
static enum health_state state_after(enum health_reason reason)
{
	switch (reason) {
	case HEALTH_LOSSES:
	case HEALTH_EXHAUSTED:
		return HEALTH_DOWN;
	case HEALTH_DEAD_TIME:
		return HEALTH_ASSUMED_UP;
	default:
		return HEALTH_UP;
	}
}

/* Where a server is to be, as the steps say. */
struct expected {
	enum health_state state;
	u64 since;
};

/* One step: the reason, the state, and since when. */
static bool check_step(struct health *health, struct health_settings *settings,
		       const char *step, struct expected *expected)
{
	char what[16] = "", then[16] = "";
	enum health_reason reason, want;
	u64 now = 0;
	size_t end;

	if (sscanf(step, "%llu %15s %15s", &now, what, then) < 2)
		unit_bail_out("no step is \"%s\"", step);
	end = strlen(what) - 1;
	if (what[end] == ':') {
		what[end] = '\0';
		for (want = HEALTH_SAME; strcmp(then, reasons[want]); want++)
			if (want == HEALTH_ADMIN)
				unit_bail_out("no reason is %s", then);
		expected->state = state_after(want);
		expected->since = now;
	} else {
		want = HEALTH_SAME;
	}

	reason = take(health, settings, now, what, strtoul(then, NULL, 10));
	if (reason == want && health->state == expected->state &&
	    health->since == expected->since &&
	    (health->state != HEALTH_DOWN ||
	     health_revival(health, settings) ==
	     expected->since + settings->dead_time))
		return true;
	unit_note("%s: reason %d, state %d since %llu", step, reason,
		  health->state, health->since);
	return false;
}

static bool check_steps(struct health_settings settings, const char *steps,
			u32 losses)
{
	struct expected expected = { HEALTH_UP, strtoul(steps, NULL, 10) };
	char *copy = strdup(steps), *rest = copy, *step;
	struct health health;
	bool ok;

	memset(&health, 0xff, sizeof(health));
	health_init(&health, expected.since);
	ok = health.state == HEALTH_UP && !health.losses && !health.pinned &&
	     health.since == expected.since;
	while ((step = strsep(&rest, ",")))
		ok &= check_step(&health, &settings, step, &expected);
	free(copy);
	if (health.losses != losses)
		unit_note("%u losses, want %u", health.losses, losses);
	return ok && health.losses == losses;
}

static void test_cases(void)
{
	size_t i;

	for (i = 0; i < unit_count(cases); i++)
		unit_result(check_steps(cases[i].settings, cases[i].steps,
					cases[i].losses),
			    "%s liveness: %s", cases[i].rules, cases[i].what);
}

/* The greatest dead-count, and the counter at its end. */
static void test_many_losses(void)
{
	const struct health_settings settings = { 65535, 0, 1000 };
	struct health health;
	bool ok = true;
	u32 i;

	health_init(&health, 0);
	for (i = 1; i < 65535; i++)
		ok &= health_lost(&health, &settings, i, true) == HEALTH_SAME;
	ok &= health_lost(&health, &settings, i, true) == HEALTH_LOSSES;
	unit_result(ok && health.losses == 65535,
		    "S2 liveness: the greatest dead-count");

	health.losses = 0xfffffffe;
	ok = health_lost(&health, &settings, i, false) == HEALTH_SAME &&
	     health.losses == 0xffffffff;
	ok &= health_lost(&health, &settings, i, false) == HEALTH_SAME &&
	      health.losses == 0xffffffff;
	ok &= health_answered(&health, i) == HEALTH_ANSWER && !health.losses;
	unit_result(ok, "S1 S3 liveness: the count of losses does not wrap");

	health_pin(&health, i, true);
	health.losses = 0xffffffff;
	ok = health_lost(&health, &settings, i, true) == HEALTH_SAME;
	unit_result(ok && health.losses == 0xffffffff &&
		    health.state == HEALTH_UP,
		    "S6 liveness: up, and the count of losses at its end");
}

/* All that can happen, in any order: what is always true. */
static void test_always(void)
{
	static const char *const whats[] = {
		"lost", "last", "answer", "up", "auto", "tick",
	};
	struct health_settings settings = { 2, 2, 3 };
	bool told = true, pinned = true, silent = true;
	u64 state = random_seed(20240610), now = 0;
	struct health health;
	int i;

	unit_note("seed %llu", state);
	health_init(&health, now);
	for (i = 0; i < 1000000; i++) {
		const char *what = whats[random_below(&state,
						      unit_count(whats))];
		struct health before = health;
		enum health_reason reason;

		now += random_below(&state, 3);
		reason = take(&health, &settings, now, what, 0);
		told &= (reason != HEALTH_SAME) ==
			   (health.state != before.state);
		if (reason) {
			told &= health.state == state_after(reason);
			told &= health.since == now;
		} else {
			told &= health.since == before.since;
		}
		if (health.pinned)
			pinned &= health.state == HEALTH_UP;
		/* Only an answer or an administrator makes it quite Up. */
		if (before.state != HEALTH_UP && health.state == HEALTH_UP)
			silent &= !strcmp(what, "answer") ||
				  !strcmp(what, "up");
	}
	unit_result(told,
		    "S7 liveness: a reason with each change, and none else");
	unit_result(pinned, "S6 liveness: up is Up, whatever happens");
	unit_result(silent, "S3 S4 liveness: not Up again without an answer");
}

int main(void)
{
	unit_plan(unit_count(cases) + 6);
	test_cases();
	test_many_losses();
	test_always();
	return unit_end();
}
