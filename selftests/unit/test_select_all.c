// SPDX-License-Identifier: GPL-2.0
/*
 * select.c against the model: every list of up to 5 servers of a few weights,
 * and random lists of up to 64. Candidates, tickets and the exact share of
 * each server are compared.
 */
#include "model.h"
#include "random.h"
#include "unit.h"

#define SERVERS_ALL	5
#define RANDOM_LISTS	1000000
#define SHOWN_MAX	3

#define RULES_FIRST	"M1 M2 M3 M4 M5 M9 L2 L3 L4 L6 S6 S8"

/* What a server can be: enough weights to tell a sum from a count. */
static const unsigned int weights[] = { 0, 1, 3 };
static const enum model_admin admins[] = { MODEL_AUTO, MODEL_DOWN, MODEL_DRAIN };

#define KINDS	(2 * unit_count(weights) * unit_count(admins))

static unsigned long long cases;
static unsigned int differences;

static void compare(const struct model_list *model,
		    const struct select_list *list)
{
	const char *difference = model_compare(model, list);

	cases++;
	if (difference && differences++ < SHOWN_MAX)
		model_print(model, difference);
}

static void result(const char *title)
{
	unit_note("%llu cases, %u differences", cases, differences);
	unit_result(!differences, "%s", title);
	cases = 0;
	differences = 0;
}

static void set_kind(struct model_server *server, unsigned int kind)
{
	server->answers = kind % 2;
	kind /= 2;
	server->admin = admins[kind % unit_count(admins)];
	kind /= unit_count(admins);
	server->weight = weights[kind];
}

/* Each list in turn, as a number whose digits are the kinds of its servers. */
static bool next_list(struct model_list *model, unsigned int *kind)
{
	int i;

	for (i = 0; i < model->count; i++) {
		kind[i] = (kind[i] + 1) % KINDS;
		set_kind(&model->server[i], kind[i]);
		if (kind[i])
			return true;
	}
	return false;
}

static bool same(const struct select_choice *one,
		 const struct select_choice *other)
{
	return one->candidates == other->candidates &&
	       one->tickets == other->tickets && one->equal == other->equal &&
	       one->none_up == other->none_up;
}

/*
 * Loading-share takes no notice of the most-recent backup: its shares are
 * compared once, and for every other recent one the choice has to be the same.
 */
static void compare_recents(struct model_list *model, struct select_list *list)
{
	struct select_choice choice;

	model->recent = SELECT_NONE;
	model->share = true;
	list->share = true;
	compare(model, list);
	choice = select_first(list, SELECT_NONE);
	for (model->recent = 0; model->recent < model->count; model->recent++) {
		struct select_choice other = select_first(list, model->recent);

		cases++;
		if (!same(&choice, &other) && differences++ < SHOWN_MAX)
			model_print(model, "the recent backup matters");
	}

	model->share = false;
	list->share = false;
	for (model->recent = SELECT_NONE; model->recent < model->count;
	     model->recent++)
		compare(model, list);
}

static void test_all(int count)
{
	unsigned int kind[SERVERS_ALL] = { 0 };
	struct model_list model = { .count = count };
	char title[UNIT_TITLE_MAX];
	int i;

	for (i = 0; i < count; i++)
		set_kind(&model.server[i], 0);
	do {
		struct select_list list;

		model_to_select(&model, &list);
		compare_recents(&model, &list);
	} while (next_list(&model, kind));

	snprintf(title, sizeof(title), "%s every list of length %d",
		 RULES_FIRST, count);
	result(title);
}

/* A number of servers that is often small, and often at the bound. */
static int random_count(u64 *state)
{
	switch (random_below(state, 8)) {
	case 0:
		return random_below(state, MODEL_SERVERS_MAX + 1);
	case 1:
		return MODEL_SERVERS_MAX - random_below(state, 2);
	default:
		return random_below(state, 12);
	}
}

static unsigned int random_weight(u64 *state, int manner)
{
	switch (manner) {
	case 0:
		return 0;
	case 1:
		return random_below(state, 4);
	case 2:
		return random_below(state, 2) ? 65535 : 0;
	case 3:
		return 65535;
	case 4:
		return random_below(state, 16) ? 0 : random_below(state, 65536);
	default:
		return random_below(state, 65536);
	}
}

/* Out of 8: never, seldom, half, mostly, always. */
static bool random_often(u64 *state, int manner)
{
	static const unsigned int often[] = { 0, 1, 4, 7, 8 };

	return random_below(state, 8) < often[manner];
}

static void random_list(u64 *state, struct model_list *model)
{
	int weight = random_below(state, 6);
	int answers = random_below(state, 5);
	int common = random_below(state, 4);
	int strange = random_below(state, 5);
	int i;

	model->count = random_count(state);
	model->share = random_below(state, 4);
	for (i = 0; i < model->count; i++) {
		struct model_server *server = &model->server[i];

		server->weight = random_weight(state, weight);
		server->answers = random_often(state, answers);
		server->admin = common;
		if (random_often(state, strange))
			server->admin = random_below(state, 4);
	}
	/* Now and then one that is past the list. */
	model->recent = (int)random_below(state, model->count + 2) - 1;
	if (model->recent >= MODEL_SERVERS_MAX)
		model->recent = SELECT_NONE;
}

static void test_random(void)
{
	u64 state = random_seed(20240608);
	struct model_list model = { 0 };
	char title[UNIT_TITLE_MAX];
	int i;

	unit_note("seed %llu", state);
	for (i = 0; i < RANDOM_LISTS; i++) {
		struct select_list list;

		random_list(&state, &model);
		model_to_select(&model, &list);
		compare(&model, &list);
	}
	snprintf(title, sizeof(title), "%s L1 a million lists of up to %d",
		 RULES_FIRST, MODEL_SERVERS_MAX);
	result(title);
}

int main(void)
{
	int count;

	unit_plan(SERVERS_ALL + 2);
	for (count = 0; count <= SERVERS_ALL; count++)
		test_all(count);
	test_random();
	return unit_end();
}
