// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of a first send, case by case: sections 1, 2 and 6 (S6, S8).
 */
#include "select_case.h"

struct first {
	const char *rules;
	const char *what;
	const char *servers;
	const char *taken;		/* x: has such a request (P9) */
	const char *client;		/* x: has the client's address (P10) */
	bool share;
	int recent;			/* place + 1, 0 for none */
	u16 weight[SERVERS_FEW];
	u32 want[SERVERS_FEW];		/* share of each, in their sum */
	bool none_up;
};

static const struct first master_backups[] = {
	{ "M1 M2", "all Up: the master", "UUU",
	  .want = { 1, 0, 0 } },
	{ "M2", "master Up, others Down", "UDD",
	  .want = { 1, 0, 0 } },
	{ "M2", "weights are no matter", "UUU", .weight = { 0, 9, 9 },
	  .want = { 1, 0, 0 } },
	{ "M2 M5", "master Up, a recent backup Up: the master", "UUU",
	  .recent = RECENT(2), .want = { 1, 0, 0 } },
	{ "M2 S6", "master administratively up", "FUU",
	  .recent = RECENT(1), .want = { 1, 0, 0 } },
	{ "M3", "no recent backup: the first Up", "DUU",
	  .want = { 0, 1, 0 } },
	{ "M3", "no recent backup, first backup Down", "DDU",
	  .want = { 0, 0, 1 } },
	{ "M3 M9", "recent backup Up", "DUUU",
	  .recent = RECENT(3), .want = { 0, 0, 0, 1 } },
	{ "M3 M9", "recent backup is the first one", "DUUU",
	  .recent = RECENT(1), .want = { 0, 1, 0, 0 } },
	{ "M3 M9", "recent backup is the middle one", "DUUU",
	  .recent = RECENT(2), .want = { 0, 0, 1, 0 } },
	{ "M3 M9", "recent backup Down: the first Up", "DUUD",
	  .recent = RECENT(3), .want = { 0, 1, 0, 0 } },
	{ "M3 M9", "recent backup Down, one further on Up", "DDDU",
	  .recent = RECENT(2), .want = { 0, 0, 0, 1 } },
	{ "M3 S6", "recent backup administratively up", "DUDF",
	  .recent = RECENT(3), .want = { 0, 0, 0, 1 } },
	{ "M3 M9", "the master never counts as recent backup", "DUU",
	  .recent = RECENT(0), .want = { 0, 1, 0 } },
	{ "M3 M9", "a recent backup no longer in the list", "DUU",
	  .recent = RECENT(5), .want = { 0, 1, 0 } },
	{ "M4 S8", "none Up: the first", "DDD",
	  .want = { 1, 0, 0 }, .none_up = true },
	{ "M4 S8", "none Up, a recent backup: the first", "DDD",
	  .recent = RECENT(2), .want = { 1, 0, 0 }, .none_up = true },
	{ "M2", "one server, Up", "U",
	  .want = { 1 } },
	{ "M4 S8", "one server, Down", "D",
	  .want = { 1 }, .none_up = true },

	{ "M3 P10", "the client is the master: the first backup", "UUU",
	  .client = "x..", .want = { 0, 1, 0 } },
	{ "M3 M9 P10", "the client is the master, a recent backup", "UUU",
	  .recent = RECENT(2), .client = "x..", .want = { 0, 0, 1 } },
	{ "M3 M9 P10", "the client is the recent backup", "DUU",
	  .recent = RECENT(2), .client = "..x", .want = { 0, 1, 0 } },
	{ "M4 S8 P10", "only the client is Up: the first of the others", "UDD",
	  .client = "x..", .want = { 0, 1, 0 }, .none_up = true },
	{ "M3 S6 P10", "the others drain, and take it", "Uww",
	  .client = "x..", .want = { 0, 1, 0 } },
	{ "M4 S6 S8 P10", "the others are down, and take it", "UXX",
	  .client = "x..", .want = { 0, 1, 0 }, .none_up = true },

	{ "M2 P9", "the master has such a request: sent all the same", "UUU",
	  .taken = "x..", .want = { 1, 0, 0 } },
	{ "M3 M9 P9", "the recent backup has such a request", "DUU",
	  .recent = RECENT(2), .taken = "..x", .want = { 0, 0, 1 } },
	{ "M4 P9 S8", "none Up, the first has such a request", "DDD",
	  .taken = "x..", .want = { 1, 0, 0 }, .none_up = true },

	{ "M3 S6", "master down though it answers", "xUU",
	  .want = { 0, 1, 0 } },
	{ "M3 S6", "master draining", "wUU",
	  .want = { 0, 1, 0 } },
	{ "M3 S6 M9", "master draining, recent backup Up", "wUU",
	  .recent = RECENT(2), .want = { 0, 0, 1 } },
	{ "M3 S6 M9", "recent backup down though it answers", "DUx",
	  .recent = RECENT(2), .want = { 0, 1, 0 } },
	{ "M3 S6 M9", "recent backup draining", "DUw",
	  .recent = RECENT(2), .want = { 0, 1, 0 } },
	{ "M3 S6", "the first backup down, the second draining", "DxwU",
	  .want = { 0, 0, 0, 1 } },
	{ "M4 S6 S8", "master down, others Down: the first not down", "xDD",
	  .want = { 0, 1, 0 }, .none_up = true },
	{ "M4 S6 S8", "no first send to a draining one, others Down", "wDw",
	  .want = { 0, 1, 0 }, .none_up = true },
	{ "M2 S6", "only draining left: as if auto", "www",
	  .recent = RECENT(1), .want = { 1, 0, 0 } },
	{ "M3 S6", "only draining left, the first of them Down", "WWw",
	  .want = { 0, 0, 1 } },
	{ "M4 S6 S8", "only draining left, none Up", "WWW",
	  .want = { 1, 0, 0 }, .none_up = true },
	{ "M3 S6", "draining rather than down", "xxw",
	  .want = { 0, 0, 1 } },
	{ "M4 S6 S8", "draining and Down rather than down", "xWx",
	  .want = { 0, 1, 0 }, .none_up = true },
	{ "M4 S6 S8", "all down: the first", "XXX",
	  .recent = RECENT(2), .want = { 1, 0, 0 }, .none_up = true },
	{ "M2 S6", "one server, draining", "w",
	  .want = { 1 } },
	{ "M4 S6 S8", "one server, down", "X",
	  .want = { 1 }, .none_up = true },
};

static const struct first loading_shares[] = {
	{ "L2 L3", "sum 0, all Up: equal", "UUU",
	  .want = { 1, 1, 1 } },
	{ "L2 L3", "sum 0, four of six Up: a quarter each", "UDUUDU",
	  .want = { 1, 0, 1, 1, 0, 1 } },
	{ "L2 L4 S8", "sum 0, none of six Up: a sixth each", "DDDDDD",
	  .want = { 1, 1, 1, 1, 1, 1 }, .none_up = true },
	{ "L2 L3", "by weight, all Up", "UUUU", .weight = { 10, 20, 30, 40 },
	  .want = { 1, 2, 3, 4 } },
	{ "L2 L3", "by weight, the first Down", "DUUU",
	  .weight = { 10, 20, 30, 40 }, .want = { 0, 2, 3, 4 } },
	{ "L2 L4 S8", "by weight, none Up", "DDDD",
	  .weight = { 10, 20, 30, 40 }, .want = { 1, 2, 3, 4 },
	  .none_up = true },
	{ "L2 L3", "by weight, one Up", "DDUD", .weight = { 10, 20, 30, 40 },
	  .want = { 0, 0, 1, 0 } },
	{ "L2", "weight 0 beside weights: no chance", "UUU",
	  .weight = { 0, 5, 7 }, .want = { 0, 5, 7 } },
	{ "L2 L4 S8", "weight 0 beside weights, none Up: no chance", "DDD",
	  .weight = { 5, 0, 7 }, .want = { 5, 0, 7 }, .none_up = true },
	{ "L2", "one weight above 0: all of it", "UUU",
	  .weight = { 0, 0, 1 }, .want = { 0, 0, 1 } },
	{ "L2", "one server Up, weight 0, sum 0", "U",
	  .want = { 1 } },
	{ "L2", "one server Up, weight 9", "U", .weight = { 9 },
	  .want = { 1 } },
	{ "L4 S8", "one server Down, weight 9", "D", .weight = { 9 },
	  .want = { 1 }, .none_up = true },
	{ "L6", "only weight 0 Up, sum above 0: equal", "UDUD",
	  .weight = { 0, 10, 0, 20 }, .want = { 1, 0, 1, 0 } },
	{ "L6", "one Up of weight 0, a weighted one Down: the Up one", "DU",
	  .weight = { 100, 0 }, .want = { 0, 1 } },
	{ "L6", "weight 0 has no chance beside a weighted one Up", "UUD",
	  .weight = { 0, 1, 9 }, .want = { 0, 1, 0 } },
	{ "L7", "the recent one has no advantage", "UUU",
	  .recent = RECENT(2), .want = { 1, 1, 1 } },
	{ "L7", "a recent one Down, by weight", "UUD",
	  .recent = RECENT(2), .weight = { 1, 2, 3 }, .want = { 1, 2, 0 } },

	{ "P9 L2", "one has such a request: the others", "UUU",
	  .weight = { 1, 2, 3 }, .taken = ".x.", .want = { 1, 0, 3 } },
	{ "P9 L3", "a Down one has it: the Up ones as ever", "UDU",
	  .taken = ".x.", .want = { 1, 0, 1 } },
	{ "P9 L3", "every Up one has it: sent all the same", "UDU",
	  .weight = { 1, 2, 3 }, .taken = "x.x", .want = { 1, 0, 3 } },
	{ "P9 L4 S8", "none Up, one has it: the others", "DDD",
	  .weight = { 1, 2, 3 }, .taken = "..x", .want = { 1, 2, 0 },
	  .none_up = true },
	{ "P9 L6", "those without it have weight 0: equal", "UUU",
	  .weight = { 0, 5, 0 }, .taken = ".x.", .want = { 1, 0, 1 } },
	{ "P9 L2", "one server, and it has such a request", "U",
	  .taken = "x", .want = { 1 } },
	{ "P9 S6", "those without it are draining: sent all the same", "Uww",
	  .taken = "x..", .want = { 1, 0, 0 } },

	{ "L2 S6", "administratively up has its share", "FDU",
	  .want = { 1, 0, 1 } },
	{ "L3 S6", "down though it answers", "UxU",
	  .weight = { 1, 5, 2 }, .want = { 1, 0, 2 } },
	{ "L3 S6", "no first send to a draining one", "UwU",
	  .weight = { 1, 5, 2 }, .want = { 1, 0, 2 } },
	{ "L4 S6 S8", "none Up: those neither down nor draining", "DxwDXW",
	  .want = { 1, 0, 0, 1, 0, 0 }, .none_up = true },
	{ "L4 S6 S8", "none Up, by weight: those not down", "DxD",
	  .weight = { 3, 9, 4 }, .want = { 3, 0, 4 }, .none_up = true },
	{ "L6 S6", "the weights are at draining ones: equal", "UwU",
	  .weight = { 0, 5, 0 }, .want = { 1, 0, 1 } },
	{ "L6 S6 S8", "the weights are at down ones, none Up: equal", "DxD",
	  .weight = { 0, 5, 0 }, .want = { 1, 0, 1 }, .none_up = true },
	{ "L3 S6", "only draining left: as if auto", "wWw",
	  .weight = { 1, 2, 3 }, .want = { 1, 0, 3 } },
	{ "L4 S6 S8", "only draining left, none Up", "WxW",
	  .weight = { 1, 2, 3 }, .want = { 1, 0, 3 }, .none_up = true },
	{ "L3 S6", "draining rather than down", "xwx",
	  .want = { 0, 1, 0 } },
	{ "L4 S6 S8", "all down: all", "XXX",
	  .weight = { 1, 2, 3 }, .want = { 1, 2, 3 }, .none_up = true },
	{ "L2 L3 P10", "the client is no candidate, the others by weight", "UUU",
	  .weight = { 1, 2, 3 }, .client = ".x.", .want = { 1, 0, 3 } },
	{ "L4 S8 P10", "only the client is Up: all others", "DUD",
	  .weight = { 1, 2, 3 }, .client = ".x.", .want = { 1, 0, 3 },
	  .none_up = true },
	{ "L6 P10", "the weights are the client's: equal", "UUU",
	  .weight = { 0, 5, 0 }, .client = ".x.", .want = { 1, 0, 1 } },
	{ "L3 S6 P10", "draining ones beside the client take it", "wUw",
	  .client = ".x.", .want = { 1, 0, 1 } },
	{ "P9 P10", "the client, and one that has such a request", "UUU",
	  .taken = "..x", .client = ".x.", .want = { 1, 0, 0 } },
	{ "P9 P10", "all but the client have such a request", "UUU",
	  .taken = "x.x", .client = ".x.", .want = { 1, 0, 1 } },
};

static bool check_first(const struct first *first)
{
	struct select_choice choice;
	struct select_list list;
	struct select_now now;

	fill(&list, &now, first->servers);
	fill_weights(&list, first->weight);
	list.share = first->share;
	now.recent = first->recent - 1;
	if (first->taken)
		now.avoid = places(first->taken, "x");
	if (first->client)
		now.barred = places(first->client, "x");

	choice = select_first(&list, &now);
	/* Beside a client's own host, other states count (P10). */
	if (!first->client && choice.candidates & ~list.eligible)
		return false;
	return shares_are(&list, &choice, first->want) && !choice.forget &&
	       choice.none_up == first->none_up;
}

static void test_firsts(void)
{
	size_t i;

	for (i = 0; i < unit_count(master_backups); i++)
		unit_result(check_first(&master_backups[i]),
			    "%s master-backup, %s", master_backups[i].rules,
			    master_backups[i].what);
	for (i = 0; i < unit_count(loading_shares); i++) {
		struct first first = loading_shares[i];

		first.share = true;
		unit_result(check_first(&first), "%s loading-share, %s",
			    first.rules, first.what);
	}
}

/* S6: letters as above; who can take a first send is written as 1. */
static const struct {
	const char *what;
	const char *servers;
	const char *want;
} eligibles[] = {
	{ "auto and up", "UDF", "111" },
	{ "liveness is no matter", "DDD", "111" },
	{ "down", "UxX", "100" },
	{ "drain", "UwW", "100" },
	{ "down and drain beside auto", "xwDXWF", "001001" },
	{ "only drain left", "wW", "11" },
	{ "only drain and down left", "xwXW", "0101" },
	{ "all down", "xXx", "111" },
	{ "one server, auto", "D", "1" },
	{ "one server, drain", "w", "1" },
	{ "one server, down", "x", "1" },
	{ "no server", "", "" },
};

static void test_eligibles(void)
{
	size_t i;

	for (i = 0; i < unit_count(eligibles); i++) {
		const char *servers = eligibles[i].servers;
		u64 got = select_eligible(places(servers, "xX"),
					  places(servers, "wW"),
					  strlen(servers));

		if (got != places(eligibles[i].want, "1"))
			unit_note("%s: 0x%llx", servers, got);
		unit_result(got == places(eligibles[i].want, "1"),
			    "S6 eligible: %s", eligibles[i].what);
	}
}

/* M5: there is no memory of an absence but the most-recent backup. */
static void test_fail_back(void)
{
	static const struct {
		const char *servers;
		u64 want;
	} times[] = {
		{ "UUU", 0x1 }, { "DUU", 0x4 }, { "DUU", 0x4 }, { "UUU", 0x1 },
		{ "UDD", 0x1 }, { "DDD", 0x1 }, { "DUD", 0x2 }, { "UUU", 0x1 },
	};
	bool ok = true;
	size_t i;

	for (i = 0; i < unit_count(times); i++) {
		struct select_list list;
		struct select_now now;

		fill(&list, &now, times[i].servers);
		now.recent = 2;
		ok &= select_first(&list, &now).candidates == times[i].want;
	}
	unit_result(ok, "M5 the master takes the next first send, every time");
}

static void test_empty(void)
{
	struct select_history history = { .at = SELECT_NONE };
	struct select_list list = { 0 };
	struct select_now now = { 0 };
	bool first = true, next = true;
	int share;

	for (share = 0; share <= 1; share++)
		for (now.recent = SELECT_NONE; now.recent < 64; now.recent++) {
			struct select_choice choice;

			list.share = share;
			choice = select_first(&list, &now);
			first &= !choice.candidates && !choice.tickets;
			first &= select_draw(&list, &choice, 0) == SELECT_NONE;
			choice = select_next(&list, &now, &history);
			next &= !choice.candidates && !choice.tickets;
			next &= select_draw(&list, &choice, 0) == SELECT_NONE;
		}
	unit_result(first, "M4 L4 an empty list has no candidate, no ticket");
	unit_result(next, "M10 L5 an empty list has none for a move either");
}

/* P10: a list that has only servers of the client's host has no candidate. */
static void test_client_alone(void)
{
	static const char *const lists[] = { "U", "D", "x", "w", "Uw", "xX" };
	struct select_history history = { .at = SELECT_NONE };
	bool ok = true;
	size_t i;
	int share;

	for (i = 0; i < unit_count(lists); i++)
		for (share = 0; share <= 1; share++) {
			struct select_choice choice;
			struct select_list list;
			struct select_now now;

			fill(&list, &now, lists[i]);
			list.share = share;
			now.barred = BIT_ULL(list.count) - 1;
			choice = select_first(&list, &now);
			ok &= !choice.candidates && !choice.tickets;
			ok &= select_draw(&list, &choice, 0) == SELECT_NONE;
			choice = select_next(&list, &now, &history);
			ok &= !choice.candidates && !choice.tickets;
			ok &= select_draw(&list, &choice, 0) == SELECT_NONE;
			ok &= !choice.forget;
		}
	unit_result(ok, "P10 a list of the client alone has no candidate");
}

static u64 first_of(const struct select_list *list, u64 up, int recent)
{
	struct select_now now = { .up = up, .recent = recent };

	return select_first(list, &now).candidates;
}

static void test_master_backup_64(void)
{
	struct select_list list = { .count = 64, .eligible = ~0ULL };
	struct select_now now = { 0 };
	bool ok = true;
	int i;

	for (i = 0; i < 64; i++) {
		ok &= first_of(&list, ~0ULL << i, SELECT_NONE) == BIT_ULL(i);
		ok &= first_of(&list, BIT_ULL(i), SELECT_NONE) == BIT_ULL(i);
	}
	unit_result(ok, "M2 M3 64 servers: the first Up at each place");

	ok = true;
	for (i = 1; i < 64; i++)
		ok &= first_of(&list, ~BIT_ULL(0), i) == BIT_ULL(i);
	unit_result(ok, "M3 M9 64 servers: the recent backup at each place");

	ok = true;
	for (now.recent = SELECT_NONE; now.recent < 64; now.recent++)
		ok &= select_first(&list, &now).candidates == BIT_ULL(0) &&
		      select_first(&list, &now).none_up;
	unit_result(ok, "M4 S8 64 servers, none Up: the first");
}

static bool first_and_last(const struct select_list *list,
			   const struct select_choice *choice, u32 held)
{
	u32 ticket = 0;
	bool ok = true;
	int i;

	for (i = 0; i < 64; i++) {
		if (!(choice->candidates >> i & 1))
			continue;
		ok &= select_draw(list, choice, ticket) == i;
		ok &= select_draw(list, choice, ticket + held - 1) == i;
		ticket += held;
	}
	return ok && ticket == choice->tickets &&
	       select_draw(list, choice, ticket) == SELECT_NONE;
}

static void test_loading_share_64(void)
{
	struct select_list list = { .count = 64, .share = true };
	struct select_now now = { .up = ~0ULL, .recent = SELECT_NONE };
	struct select_choice choice;
	bool ok;
	int i;

	list.eligible = select_eligible(0, 0, 64);
	choice = select_first(&list, &now);
	ok = choice.candidates == ~0ULL && choice.tickets == 64;
	unit_result(ok && first_and_last(&list, &choice, 1),
		    "L2 64 servers, sum 0: a ticket each");

	for (i = 0; i < 64; i++)
		list.weight[i] = 65535;
	list.sum = 64 * 65535;
	choice = select_first(&list, &now);
	ok = choice.candidates == ~0ULL && choice.tickets == 4194240;
	unit_result(ok && first_and_last(&list, &choice, 65535),
		    "L1 L2 64 servers of weight 65535: no overflow");

	now.up = 0;
	choice = select_first(&list, &now);
	ok = choice.candidates == ~0ULL && choice.tickets == 4194240 &&
	     choice.none_up;
	unit_result(ok && first_and_last(&list, &choice, 65535),
		    "L1 L4 S8 64 servers of weight 65535, none Up");

	now.up = ~0ULL & ~BIT_ULL(63);
	choice = select_first(&list, &now);
	ok = choice.candidates == now.up && choice.tickets == 4128705;
	unit_result(ok && first_and_last(&list, &choice, 65535),
		    "L1 L3 63 of 64 servers of weight 65535 Up");

	for (i = 0; i < 63; i++)
		list.weight[i] = 0;
	list.sum = 65535;
	choice = select_first(&list, &now);
	ok = choice.candidates == now.up && choice.tickets == 63;
	unit_result(ok && first_and_last(&list, &choice, 1),
		    "L6 63 of 64 servers Up, none of these with a weight");
}

static void test_eligible_64(void)
{
	bool ok = true;
	int i;

	for (i = 0; i < 64; i++) {
		ok &= select_eligible(BIT_ULL(i), 0, 64) == ~BIT_ULL(i);
		ok &= select_eligible(0, BIT_ULL(i), 64) == ~BIT_ULL(i);
		ok &= select_eligible(~BIT_ULL(i), 0, 64) == BIT_ULL(i);
		ok &= select_eligible(0, ~BIT_ULL(i), 64) == BIT_ULL(i);
		ok &= select_eligible(~BIT_ULL(i), BIT_ULL(i), 64) ==
		      BIT_ULL(i);
		ok &= select_eligible(BIT_ULL(i), ~BIT_ULL(i), 64) ==
		      ~BIT_ULL(i);
	}
	ok &= select_eligible(0, 0, 64) == ~0ULL;
	ok &= select_eligible(~0ULL, 0, 64) == ~0ULL;
	ok &= select_eligible(0, ~0ULL, 64) == ~0ULL;
	unit_result(ok, "S6 eligible: 64 servers, one unlike the others");

	ok = true;
	for (i = 0; i < 64; i++)
		ok &= select_eligible(0, 0, i) == BIT_ULL(i) - 1;
	unit_result(ok, "S6 eligible: none but those of the list, any length");
}

/* Each octet for each number of tickets: no ticket has more of them. */
static void test_tickets(void)
{
	bool equal = true, most = true;
	u32 tickets;

	for (tickets = 1; tickets <= SELECT_SERVERS_MAX; tickets++) {
		unsigned int octets[SELECT_SERVERS_MAX] = { 0 }, drawn = 0;
		unsigned int octet, i;
		u32 ticket;

		for (octet = 0; octet <= 255; octet++) {
			if (!select_ticket(octet, tickets, &ticket))
				continue;
			drawn++;
			if (ticket < tickets)
				octets[ticket]++;
		}
		for (i = 0; i < tickets; i++)
			equal &= octets[i] == drawn / tickets;
		most &= drawn + tickets > 256;
	}
	unit_result(equal, "L7 each of 1 to 64 tickets has as many octets");
	unit_result(most, "L7 no more octets are left over than have to be");
}

int main(void)
{
	unit_plan(unit_count(master_backups) + unit_count(loading_shares) +
		  unit_count(eligibles) + 16);
	test_firsts();
	test_eligibles();
	test_fail_back();
	test_empty();
	test_client_alone();
	test_master_backup_64();
	test_loading_share_64();
	test_eligible_64();
	test_tickets();
	return unit_end();
}
