// SPDX-License-Identifier: GPL-2.0
/*
 * select.c against the model: every list of a few servers of a few weights,
 * with everything that a request can have been through there, and random lists
 * of up to 64. Candidates, tickets and the exact share of each server are
 * compared.
 */
#include "model.h"
#include "random.h"
#include "unit.h"

#define SERVERS_ALL	5
#define SERVERS_BARRED	3
#define SERVERS_TAKEN	3
#define SERVERS_SHARED	4
#define SERVERS_MOVED	3
#define RETRANSMIT_MAX	5
#define RANDOM_LISTS	500000
#define SHOWN_MAX	3

#define RULES_FIRST	"M1 M2 M3 M4 M5 M9 L2 L3 L4 L6 S6 S8"
#define RULES_MOVE	"M8 M10 S6 S8 P10"
#define RULES_SHARE	"L2 L3 L4 L5 L6 P9 S6 S8 P10"

/* What a server can be: enough weights to tell a sum from a count. */
static const unsigned int weights[] = { 0, 1, 3 };
static const enum model_admin admins[] = { MODEL_AUTO, MODEL_DOWN, MODEL_DRAIN };

#define KINDS		(2 * unit_count(admins) * unit_count(weights))
#define KINDS_TAKEN	(2 * KINDS)
#define KINDS_BARRED	(2 * KINDS_TAKEN)

/* What a server can be to a request that moves: weights are 0 or the last. */
#define MOVES		(2 * unit_count(admins) * 2)
#define MOVES_BARRED	(2 * MOVES)
#define MOVES_SHARE	(MOVES_BARRED * 2 * 2)

static unsigned long long cases;
static unsigned int differences;

static void count_case(const struct model_list *model,
		       const struct model_request *request,
		       const char *difference)
{
	cases++;
	if (difference && differences++ < SHOWN_MAX)
		model_print(model, request, difference);
}

static void result(const char *title)
{
	unit_note("%llu cases, %u differences", cases, differences);
	unit_result(cases && !differences, "%s", title);
	cases = 0;
	differences = 0;
}

/* One digit of a number whose digits are of several bases, the lowest first. */
static unsigned int digit(unsigned int *number, unsigned int base)
{
	unsigned int low = *number % base;

	*number /= base;
	return low;
}

static void set_kind(struct model_server *server, unsigned int kind)
{
	server->answers = digit(&kind, 2);
	server->admin = admins[digit(&kind, unit_count(admins))];
	server->weight = weights[digit(&kind, unit_count(weights))];
	server->taken = digit(&kind, 2);
	server->client = kind;
}

static bool set_move(struct model_server *server, unsigned int move)
{
	bool used = digit(&move, 2);

	server->answers = digit(&move, 2);
	server->admin = admins[digit(&move, unit_count(admins))];
	server->client = digit(&move, 2);
	server->taken = digit(&move, 2);
	server->weight = weights[move ? unit_count(weights) - 1 : 0];
	return used;
}

/* The next number of some digits; false after the last. */
static bool next_number(unsigned int *kind, int digits, unsigned int base)
{
	int i;

	for (i = 0; i < digits; i++) {
		kind[i] = (kind[i] + 1) % base;
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
	       one->none_up == other->none_up && one->forget == other->forget;
}

/*
 * Loading-share takes no notice of the most-recent backup: its shares are
 * compared once, and for every other recent one the choice has to be the same.
 */
static void compare_recents(struct model_list *model, struct select_list *list,
			    struct select_now *now)
{
	struct select_choice choice;

	model->recent = SELECT_NONE;
	now->recent = SELECT_NONE;
	model->share = true;
	list->share = true;
	count_case(model, NULL, model_compare_first(model, list, now));
	choice = select_first(list, now);
	for (now->recent = 0; now->recent < model->count; now->recent++) {
		struct select_choice other = select_first(list, now);

		count_case(model, NULL, same(&choice, &other) ? NULL :
			   "the recent backup matters");
	}

	model->share = false;
	list->share = false;
	for (model->recent = SELECT_NONE; model->recent < model->count;
	     model->recent++) {
		now->recent = model->recent;
		count_case(model, NULL, model_compare_first(model, list, now));
	}
}

static void test_firsts(int count)
{
	unsigned int kinds = count <= SERVERS_BARRED ? KINDS_BARRED : KINDS;
	unsigned int kind[SERVERS_ALL] = { 0 };
	struct model_list model = { .count = count };
	char title[UNIT_TITLE_MAX];
	int i;

	do {
		struct select_list list;
		struct select_now now;

		for (i = 0; i < count; i++)
			set_kind(&model.server[i], kind[i]);
		model_to_select(&model, &list, &now);
		compare_recents(&model, &list, &now);
	} while (next_number(kind, count, kinds));

	snprintf(title, sizeof(title), "%s%s every list of length %d",
		 RULES_FIRST, kinds == KINDS ? "" : " P9 P10", count);
	result(title);
}

/* M8, M10: wherever the request is, whichever backup is the most recent. */
static void compare_places(struct model_list *model,
			   struct model_request *request)
{
	struct select_list list;
	struct select_now now;

	model_to_select(model, &list, &now);
	for (request->current = SELECT_NONE; request->current < model->count;
	     request->current++)
		for (model->recent = SELECT_NONE; model->recent < model->count;
		     model->recent++) {
			now.recent = model->recent;
			count_case(model, request,
				   model_compare_next(model, request, &list,
						      &now));
		}
}

/* Loading-share does not ask for either, nor for the copies. */
static void compare_share(struct model_list *model,
			  struct model_request *request)
{
	struct select_history history;
	struct select_choice choice;
	struct select_list list;
	struct select_now now;

	model->recent = SELECT_NONE;
	request->current = SELECT_NONE;
	model_to_select(model, &list, &now);
	count_case(model, request,
		   model_compare_next(model, request, &list, &now));
	if (model->count > SERVERS_MOVED)
		return;

	model_to_history(model, request, &history);
	choice = select_next(&list, &now, &history);
	for (history.at = 0; history.at < model->count;
	     history.at++)
		for (now.recent = 0; now.recent < model->count; now.recent++) {
			struct select_choice other;

			history.copies = history.at + now.recent;
			other = select_next(&list, &now, &history);
			count_case(model, request, same(&choice, &other) ?
				   NULL : "the place of the request matters");
		}
}

static void test_moves(int count, bool share)
{
	unsigned int moves = share ? MOVES_SHARE :
			     count < SERVERS_ALL ? MOVES_BARRED : MOVES;
	struct model_list model = { .count = count, .share = share };
	struct model_request request = { .copies = 1 };
	unsigned int move[SERVERS_ALL] = { 0 };
	char title[UNIT_TITLE_MAX];
	int i;

	do {
		for (i = 0; i < count; i++)
			request.used[i] = set_move(&model.server[i], move[i]);
		if (share)
			compare_share(&model, &request);
		else
			compare_places(&model, &request);
	} while (next_number(move, count, moves));

	snprintf(title, sizeof(title), "%s every move in a list of length %d",
		 share ? RULES_SHARE : RULES_MOVE, count);
	result(title);
}

static void compare_stays(const struct model_list *model,
			  const struct select_list *list,
			  const struct model_request *request, int retransmit)
{
	struct select_history history;
	bool stays;

	model_to_history(model, request, &history);
	stays = select_stays(list, &history, retransmit);
	count_case(model, request,
		   stays == model_stays(model, request, retransmit) ? NULL :
		   "whether it stays");
}

static void test_stays(void)
{
	unsigned int kind[SERVERS_TAKEN] = { 0 };
	struct model_list model = { 0 };
	struct model_request request = { 0 };
	int i, retransmit;

	for (model.count = 0; model.count <= SERVERS_TAKEN; model.count++)
		do {
			struct select_list list;
			struct select_now now;

			for (i = 0; i < model.count; i++)
				set_kind(&model.server[i], kind[i]);
			model_to_select(&model, &list, &now);
			for (request.current = SELECT_NONE;
			     request.current < model.count; request.current++)
				for (request.copies = 0; request.copies < 9;
				     request.copies++)
					for (retransmit = 0;
					     retransmit <= RETRANSMIT_MAX;
					     retransmit++)
						compare_stays(&model, &list,
							      &request,
							      retransmit);
		} while (next_number(kind, model.count,
				     2 * unit_count(admins)));
	result("M6 M7 L8 S6 every place, state, limit and number of copies");
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

static void random_case(u64 *state, struct model_list *model,
			struct model_request *request)
{
	int weight = random_below(state, 6);
	int answers = random_below(state, 5);
	int common = random_below(state, 4);
	int strange = random_below(state, 5);
	int taken = random_below(state, 5);
	int client = random_below(state, 5);
	int used = random_below(state, 5);
	int i;

	model->count = random_count(state);
	model->share = random_below(state, 4);
	for (i = 0; i < model->count; i++) {
		struct model_server *server = &model->server[i];

		server->weight = random_weight(state, weight);
		server->answers = random_often(state, answers);
		server->taken = random_often(state, taken);
		server->client = random_often(state, client);
		server->admin = common;
		if (random_often(state, strange))
			server->admin = random_below(state, 4);
		request->used[i] = random_often(state, used);
	}
	request->current = (int)random_below(state, model->count + 1) - 1;
	/* Now and then one that is past the list. */
	model->recent = (int)random_below(state, model->count + 2) - 1;
	if (model->recent >= MODEL_SERVERS_MAX)
		model->recent = SELECT_NONE;
}

static void test_random(void)
{
	struct model_request request = { .copies = 1 };
	struct model_list model = { 0 };
	u64 state = random_seed(20240608);
	char title[UNIT_TITLE_MAX];
	int i;

	unit_note("seed %llu", state);
	for (i = 0; i < RANDOM_LISTS; i++) {
		struct select_list list;
		struct select_now now;

		random_case(&state, &model, &request);
		model_to_select(&model, &list, &now);
		count_case(&model, NULL,
			   model_compare_first(&model, &list, &now));
		count_case(&model, &request,
			   model_compare_next(&model, &request, &list, &now));
	}
	snprintf(title, sizeof(title),
		 "%s M8 M10 L1 L5 P9 P10 a million cases of up to %d", RULES_FIRST,
		 MODEL_SERVERS_MAX);
	result(title);
}

int main(void)
{
	int count;

	unit_plan(2 * (SERVERS_ALL + 1) + SERVERS_SHARED + 3);
	for (count = 0; count <= SERVERS_ALL; count++)
		test_firsts(count);
	for (count = 0; count <= SERVERS_ALL; count++)
		test_moves(count, false);
	for (count = 0; count <= SERVERS_SHARED; count++)
		test_moves(count, true);
	test_stays();
	test_random();
	return unit_end();
}
