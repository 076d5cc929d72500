// SPDX-License-Identifier: GPL-2.0
/*
 * The rules of a retransmission, case by case: whether it stays, and where to
 * it moves; sections 1, 2, 6 (S6, S8) and P9.
 *
 * Lists are written as select_case.h has it. What the request has been through
 * is one character a server:
 *
 *	.	not sent to
 *	u	sent to
 *	c	sent to, and that last; without any, the list has it no more
 */
#include "select_case.h"

struct move {
	const char *rules;
	const char *what;
	const char *servers;
	const char *been;
	const char *taken;		/* x: has such a request (P9) */
	const char *client;		/* x: has the client's address (P10) */
	int recent;			/* place + 1, 0 for none */
	u16 weight[SERVERS_FEW];
	u32 want[SERVERS_FEW];		/* share of each, in their sum */
	bool none_up;
	bool forget;
};

static const struct move master_backups[] = {
	/* From the master. */
	{ "M8 M9", "the recent backup, Up and new", "UUUU", "c...",
	  .recent = RECENT(2), .want = { 0, 0, 1, 0 } },
	{ "M8 M9", "the recent backup is the last one", "DUUU", "c...",
	  .recent = RECENT(3), .want = { 0, 0, 0, 1 } },
	{ "M8 M10", "the recent backup is Down: polling", "UUDU", "c...",
	  .recent = RECENT(2), .want = { 0, 1, 0, 0 } },
	{ "M8 M10", "the recent backup was used: polling", "UUUU", "c.u.",
	  .recent = RECENT(2), .want = { 0, 1, 0, 0 } },
	{ "M8 M10", "the recent backup was used, and the one before it",
	  "UUUU", "cuu.", .recent = RECENT(2), .want = { 0, 0, 0, 1 } },
	{ "M8 M10", "no recent backup: polling from the first", "UUUU", "c...",
	  .want = { 0, 1, 0, 0 } },
	{ "M8 M9", "the master never counts as recent backup", "UUUU", "c...",
	  .recent = RECENT(0), .want = { 0, 1, 0, 0 } },
	{ "M8 M9", "a recent backup no longer in the list", "UUU", "c..",
	  .recent = RECENT(5), .want = { 0, 1, 0 } },
	{ "M8 M11", "the master is Up: it moves all the same", "UU", "c.",
	  .want = { 0, 1 } },
	{ "M8 M10", "the first backup is Down: the next Up", "UDUU", "c...",
	  .want = { 0, 0, 1, 0 } },
	{ "M8", "a backup set Down by the copy judged before: past it",
	  "UDU", "c..", .recent = RECENT(1), .want = { 0, 0, 1 } },

	/* From a backup. */
	{ "M8 M10", "from a backup: the next one", "UUUU", "uc..",
	  .want = { 0, 0, 1, 0 } },
	{ "M8 M10", "from a backup: not the recent one but the next",
	  "UUUUU", "uc...", .recent = RECENT(4), .want = { 0, 0, 1, 0, 0 } },
	{ "M10", "from a backup, the next is Down: past it", "UUDU", "uc..",
	  .want = { 0, 0, 0, 1 } },
	{ "M10", "from a backup, the next was used: past it", "UUUU", "ucu.",
	  .want = { 0, 0, 0, 1 } },
	{ "M10", "from the last backup: around to the first", "UUUU", "u..c",
	  .want = { 0, 1, 0, 0 } },
	{ "M10", "around, the first is Down: the second", "UDUU", "u..c",
	  .want = { 0, 0, 1, 0 } },
	{ "M10", "around, the first was used: the second", "UUUU", "uu.c",
	  .want = { 0, 0, 1, 0 } },
	{ "M10", "those after the current come before those ahead of it",
	  "UUUUU", "u..c.", .want = { 0, 0, 0, 0, 1 } },
	{ "M10", "new and ahead of the current, used and after it",
	  "UUUUU", "u..cu", .want = { 0, 1, 0, 0, 0 } },
	{ "M10", "new but Down is passed over for Up and used", "UUDU", "uc.u",
	  .want = { 0, 0, 0, 1 } },
	{ "M10", "polling never takes the master", "UUDD", "uc..",
	  .want = { 0, 0, 1, 0 } },
	{ "M10", "polling never takes a master that is new", "UUU", ".cu",
	  .want = { 0, 0, 1 } },
	{ "M8 M11", "the master is Down: polling as ever", "DUUU", ".c..",
	  .want = { 0, 0, 1, 0 } },

	/* Every Up backup was used. */
	{ "M10", "every Up backup was used: the first Up, not the current",
	  "UUUU", "uucu", .want = { 0, 0, 0, 1 } },
	{ "M10", "every Up backup was used: around, not the current",
	  "UUUU", "uuuc", .want = { 0, 1, 0, 0 } },
	{ "M10", "every Up backup was used, the next is Down and used",
	  "UUUDU", "uucuu", .want = { 0, 0, 0, 0, 1 } },
	{ "M10", "every Up backup was used: from the master, the first",
	  "UUU", "cuu", .want = { 0, 1, 0 } },
	{ "M10", "only the current is Up: the next, whatever its state",
	  "DUDD", "uc..", .want = { 0, 0, 1, 0 } },
	{ "M10", "only the current is Up, the next was used: it is next",
	  "DUDD", "ucu.", .want = { 0, 0, 1, 0 } },

	/* No other backup is Up. */
	{ "M10 S8", "none Up, from the master: the first backup", "DDD", "c..",
	  .want = { 0, 1, 0 }, .none_up = true },
	{ "M8 M10 S8", "none Up, a recent backup: the first backup",
	  "DDD", "c..", .recent = RECENT(2), .want = { 0, 1, 0 },
	  .none_up = true },
	{ "M10 S8", "none Up: the next", "DDDD", "uc..",
	  .want = { 0, 0, 1, 0 }, .none_up = true },
	{ "M10 S8", "none Up: around", "DDDD", "uuuc",
	  .want = { 0, 1, 0, 0 }, .none_up = true },
	{ "M10", "only the master is Up: the next backup", "UDDD", "uc..",
	  .want = { 0, 0, 1, 0 } },
	{ "M8 M10", "only the master is Up, and it is left", "UDD", "c..",
	  .want = { 0, 1, 0 } },

	/* The current one is the only backup. */
	{ "M10 M2", "the only backup, master Up: the master", "UU", "uc",
	  .want = { 1, 0 } },
	{ "M10 M3 M9", "the only backup, master Down: it again", "DU", "uc",
	  .recent = RECENT(1), .want = { 0, 1 } },
	{ "M10 M3", "the only backup, not the recent one: it again",
	  "DU", "uc", .want = { 0, 1 } },
	{ "M10 M4 S8", "the only backup, none Up: the master", "DD", "uc",
	  .want = { 1, 0 }, .none_up = true },
	{ "M10 M2", "one server, Up", "U", "c", .want = { 1 } },
	{ "M10 M4 S8", "one server, Down", "D", "c", .want = { 1 },
	  .none_up = true },

	/* The list does not have the current one any more. */
	{ "M6 M8", "removed: the master, Up and new", "UUU", "...",
	  .recent = RECENT(2), .want = { 1, 0, 0 } },
	{ "M6 M8", "removed: the master is new, backups were used",
	  "UUU", ".uu", .want = { 1, 0, 0 } },
	{ "M6 M8 M9", "removed, master used: the recent backup",
	  "UUUU", "u...", .recent = RECENT(2), .want = { 0, 0, 1, 0 } },
	{ "M6 M8 M9", "removed, master Down: the recent backup",
	  "DUUU", "....", .recent = RECENT(3), .want = { 0, 0, 0, 1 } },
	{ "M6 M8 M10", "removed, master and recent backup used: the first",
	  "UUUU", "u.u.", .recent = RECENT(2), .want = { 0, 1, 0, 0 } },
	{ "M6 M8 M10", "removed, master used, recent backup Down",
	  "UUUD", "uu..", .recent = RECENT(3), .want = { 0, 0, 1, 0 } },
	{ "M6 M10", "removed, master used, no recent backup: the first",
	  "UUU", "u..", .want = { 0, 1, 0 } },
	{ "M6 M10", "removed, every Up one was used: the first backup",
	  "UUU", "uuu", .recent = RECENT(2), .want = { 0, 1, 0 } },
	{ "M6 M10 S8", "removed, none Up: the first backup", "DDD", "...",
	  .want = { 0, 1, 0 }, .none_up = true },
	{ "M6 M10 M2", "removed, one server left, Up and used", "U", "u",
	  .want = { 1 } },
	{ "M6 M10 M4 S8", "removed, one server left, Down", "D", ".",
	  .want = { 1 }, .none_up = true },
	{ "M6 M8 S6", "removed, the master is draining: the first backup",
	  "wUU", "...", .want = { 0, 1, 0 } },

	/* The administrative states come first. */
	{ "M6 S6 M10", "from a backup that is down: the next", "UxUU", "uc..",
	  .want = { 0, 0, 1, 0 } },
	{ "M6 S6 M8", "from a master that is down: the recent backup",
	  "xUUU", "c...", .recent = RECENT(2), .want = { 0, 0, 1, 0 } },
	{ "M10 S6", "the next is down though it answers: past it",
	  "UUxU", "uc..", .want = { 0, 0, 0, 1 } },
	{ "M10 S6", "the next is draining: past it", "UUwU", "uc..",
	  .want = { 0, 0, 0, 1 } },
	{ "M8 S6", "the recent backup is draining: polling", "UUw", "c..",
	  .recent = RECENT(2), .want = { 0, 1, 0 } },
	{ "M8 S6", "the recent backup is down: polling", "UUx", "c..",
	  .recent = RECENT(2), .want = { 0, 1, 0 } },
	{ "M8 S6", "the recent backup is administratively up", "UDF", "c..",
	  .recent = RECENT(2), .want = { 0, 0, 1 } },
	{ "M10 S6", "a draining one, Up and new, is no match for one used",
	  "UUwU", "uc.u", .want = { 0, 0, 0, 1 } },
	{ "M10 S6", "a draining one, Up, is no match for one Down",
	  "DUwD", "uc..", .want = { 0, 0, 0, 1 } },
	{ "M10 S6", "from a draining one: the next", "UwUU", "uc..",
	  .want = { 0, 0, 1, 0 } },
	{ "M10 S6", "from a draining master: the first backup", "wUU", "c..",
	  .want = { 0, 1, 0 } },
	{ "M10 S6", "no other backup but draining: the master", "UUw", "uc.",
	  .want = { 1, 0, 0 } },
	{ "M10 S6 S8", "no other backup but down, none Up: the master",
	  "DDx", "uc.", .want = { 1, 0, 0 }, .none_up = true },
	{ "M10 S6", "all other backups draining, master Down: it again",
	  "DUw", "uc.", .want = { 0, 1, 0 } },
	{ "M10 S6 M2", "from a draining backup to the only other server",
	  "Uw", "uc", .want = { 1, 0 } },
	{ "M10 S6 M4 S8", "from a draining backup to a master that is Down",
	  "Dw", "uc", .want = { 1, 0 }, .none_up = true },
	{ "M10 S6", "only draining left: as if auto", "www", "uc.",
	  .want = { 0, 0, 1 } },
	{ "M10 S6", "draining rather than down", "xxwx", "uc..",
	  .want = { 0, 0, 1, 0 } },
	{ "M10 S6 S8", "all down: as if auto", "XXX", "uc.",
	  .want = { 0, 0, 1 }, .none_up = true },

	/* Such a request there is no reason to go elsewhere. */
	{ "P9 M8", "the recent backup has such a request: sent all the same",
	  "UUU", "c..", .taken = "..x", .recent = RECENT(2),
	  .want = { 0, 0, 1 } },
	{ "P9 M10", "the next has such a request: sent all the same",
	  "UUU", "uc.", .taken = "..x", .want = { 0, 0, 1 } },

	/* The client's own host. */
	{ "P10 M10", "the next is the client: the one after it", "UUUU", "uc..",
	  .client = "..x.", .want = { 0, 0, 0, 1 } },
	{ "P10 M8 M10", "the recent backup is the client: polling", "UUU",
	  "c..", .client = "..x", .recent = RECENT(2), .want = { 0, 1, 0 } },
	{ "P10 M10", "only the client is Up: the next one", "DDU", "c..",
	  .client = "..x", .want = { 0, 1, 0 }, .none_up = true },
	{ "P10 M10 M2", "the client is the only other backup: as a first send",
	  "UUU", "uc.", .client = "..x", .want = { 1, 0, 0 } },
	{ "P10 M10", "the client is the master, one backup: it again", "UU",
	  ".c", .client = "x.", .want = { 0, 1 } },
	{ "P10 M8", "removed, and the client is the master: a backup", "UUU",
	  "...", .client = "x..", .want = { 0, 1, 0 } },
};

static const struct move loading_shares[] = {
	/* L9 once more, after a first copy. */
	{ "L2 L3 L9", "sum 0, four of six Up, one used: a third each",
	  "UUDUDU", "c.....", .want = { 0, 1, 0, 1, 0, 1 } },
	{ "L2 L4 L9 S8", "sum 0, none of six Up, one used: a fifth each",
	  "DDDDDD", "..c...", .want = { 1, 1, 0, 1, 1, 1 }, .none_up = true },
	{ "L2 L3 L9", "by weight, all Up, the first used: 2/9 3/9 4/9",
	  "UUUU", "c...", .weight = { 10, 20, 30, 40 },
	  .want = { 0, 2, 3, 4 } },
	{ "L2 L4 L9 S8", "by weight, all Down, the first used: 2/9 3/9 4/9",
	  "DDDD", "c...", .weight = { 10, 20, 30, 40 },
	  .want = { 0, 2, 3, 4 }, .none_up = true },
	{ "L2 L3 L9", "by weight, the first Down, the last used: 2/5 3/5",
	  "DUUU", "...c", .weight = { 10, 20, 30, 40 },
	  .want = { 0, 2, 3, 0 } },

	{ "L3", "used once are not candidates", "UUUUU", "u.cu.",
	  .want = { 0, 1, 0, 0, 1 } },
	{ "L3", "the Down and the used are not candidates", "UDUDU", "c...u",
	  .want = { 0, 0, 1, 0, 0 } },
	{ "L3", "the master has no part in it", "UUU", ".cu",
	  .want = { 1, 0, 0 } },
	{ "L3", "the recent backup has no advantage", "UUU", "c..",
	  .recent = RECENT(2), .want = { 0, 1, 1 } },
	{ "L3 L8", "removed: those that it has not used", "UUU", "u..",
	  .weight = { 1, 2, 3 }, .want = { 0, 2, 3 } },
	{ "L3 L2", "weight 0 beside weights: no chance", "UUU", "c..",
	  .weight = { 1, 0, 3 }, .want = { 0, 0, 3 } },

	/* None is Up. */
	{ "L4 S8", "none Up: those that it has not used", "DDDD", "uc..",
	  .want = { 0, 0, 1, 1 }, .none_up = true },
	{ "L4 S8", "none Up, by weight", "DDDD", "uc..",
	  .weight = { 9, 9, 1, 2 }, .want = { 0, 0, 1, 2 }, .none_up = true },
	{ "L4 S8", "none Up, one is new", "DDD", "uc.",
	  .weight = { 5, 5, 5 }, .want = { 0, 0, 1 }, .none_up = true },
	{ "L4 L5 S8", "none Up, all used: all, by weight", "DDD", "uuc",
	  .weight = { 1, 2, 3 }, .want = { 1, 2, 3 }, .none_up = true,
	  .forget = true },
	{ "L4 L5 S8", "none Up, all used, sum 0: all", "DDD", "uuc",
	  .want = { 1, 1, 1 }, .none_up = true, .forget = true },

	/* All Up ones were used. */
	{ "L5", "every Up one was used: those Down and new", "UUDD", "uc..",
	  .want = { 0, 0, 1, 1 } },
	{ "L5", "every Up one was used, by weight", "UDDD", "c.u.",
	  .weight = { 7, 1, 7, 2 }, .want = { 0, 1, 0, 2 } },
	{ "L5", "every Up one was used, one is Down and new", "UUD", "uc.",
	  .weight = { 5, 5, 0 }, .want = { 0, 0, 1 } },
	{ "L5", "everything was used: the Up ones again", "UDUD", "uucu",
	  .want = { 1, 0, 1, 0 }, .forget = true },
	{ "L5", "everything was used: the Up ones again, by weight",
	  "UDU", "uuc", .weight = { 1, 2, 3 }, .want = { 1, 0, 3 },
	  .forget = true },
	{ "L5", "everything was used, one is Up: it again", "UDD", "cuu",
	  .want = { 1, 0, 0 }, .forget = true },
	{ "L5", "one server, Up", "U", "c", .want = { 1 }, .forget = true },
	{ "L4 L5 S8", "one server, Down", "D", "c", .weight = { 9 },
	  .want = { 1 }, .none_up = true, .forget = true },
	{ "L5", "removed, and all others were used", "UU", "uu",
	  .want = { 1, 1 }, .forget = true },

	/* Candidates of weight 0. */
	{ "L6", "the new ones have weight 0: equal", "UUUU", "c..u",
	  .weight = { 3, 0, 0, 4 }, .want = { 0, 1, 1, 0 } },
	{ "L6", "weight 0 and Up is not passed over for a weight Down",
	  "UUD", "c..", .weight = { 5, 0, 9 }, .want = { 0, 1, 0 } },
	{ "L6 L5", "weight 0, Down and new, all Up used", "UDD", "c..",
	  .weight = { 5, 0, 0 }, .want = { 0, 1, 1 } },
	{ "L6 L5", "all used, the Up ones have weight 0", "UUD", "ucu",
	  .weight = { 0, 0, 5 }, .want = { 1, 1, 0 }, .forget = true },

	/* P9 */
	{ "P9 L3", "one has such a request: the others", "UUUU", "c...",
	  .taken = "..x.", .want = { 0, 1, 0, 1 } },
	{ "P9 L3", "by weight, one has such a request", "UUUU", "c...",
	  .weight = { 1, 2, 3, 4 }, .taken = "...x",
	  .want = { 0, 2, 3, 0 } },
	{ "P9 L3", "all new ones have it: sent all the same", "UUU", "c..",
	  .taken = ".xx", .want = { 0, 1, 1 } },
	{ "P9 L3", "a used one without it is no candidate for that", "UUU",
	  "uc.", .taken = "..x", .want = { 0, 0, 1 } },
	{ "P9 L4 S8", "none Up, one has it: the others", "DDD", "c..",
	  .taken = ".x.", .want = { 0, 0, 1 }, .none_up = true },
	{ "P9 L5", "Down and new, one has it: the other", "UDD", "c..",
	  .taken = "..x", .want = { 0, 1, 0 } },
	{ "P9 L5", "all used and forgotten, one has it: the other",
	  "UU", "uc", .taken = "x.", .want = { 0, 1 }, .forget = true },
	{ "P9 L6", "those without it have weight 0: equal", "UUUU", "c...",
	  .weight = { 0, 5, 0, 0 }, .taken = ".x..",
	  .want = { 0, 0, 1, 1 } },

	/* P10 */
	{ "P10 L3", "the client is new to it, and no candidate", "UUUU", "c...",
	  .weight = { 9, 1, 2, 3 }, .client = "..x.", .want = { 0, 1, 0, 3 } },
	{ "P10 L5", "all but the client are used: all used again", "UUU", "uc.",
	  .client = "..x", .want = { 1, 1, 0 }, .forget = true },
	{ "P10 L5", "only the client is Up and new: Down and new", "UUD", "c..",
	  .client = ".x.", .want = { 0, 0, 1 } },

	/* The administrative states come first. */
	{ "L3 S6", "down though it answers is no candidate", "UxUU", "c...",
	  .want = { 0, 0, 1, 1 } },
	{ "L3 S6", "no move to a draining one", "UwUU", "c...",
	  .weight = { 1, 9, 2, 3 }, .want = { 0, 0, 2, 3 } },
	{ "L3 S6", "from a draining one: the others", "wUU", "c..",
	  .want = { 0, 1, 1 } },
	{ "L3 S6 M6", "from one that is down: the others", "xUU", "c..",
	  .want = { 0, 1, 1 } },
	{ "L3 S6", "administratively up is Up", "UFD", "c..",
	  .want = { 0, 1, 0 } },
	{ "L5 S6", "all used but a draining one: all used again", "UUw", "uc.",
	  .want = { 1, 1, 0 }, .forget = true },
	{ "L5 S6", "all Up used but a draining one: Down and new", "UDw",
	  "c..", .want = { 0, 1, 0 } },
	{ "L4 S6 S8", "none Up but a draining one: Down and new", "DDw",
	  "c..", .want = { 0, 1, 0 }, .none_up = true },
	{ "L3 S6", "only draining left: as if auto", "wWw", "c..",
	  .want = { 0, 0, 1 } },
	{ "L3 S6", "draining rather than down", "xwwx", "uc..",
	  .want = { 0, 0, 1, 0 } },
	{ "L4 S6 S8", "all down: those that it has not used", "XXX", "c..",
	  .weight = { 1, 2, 3 }, .want = { 0, 2, 3 }, .none_up = true },
};

static void fill_history(struct select_history *history, const char *been)
{
	const char *current = strchr(been, 'c');

	history->used = places(been, "uc");
	history->at = current ? current - been : SELECT_NONE;
	history->copies = 2;
}

static bool check_move(const struct move *move, bool share)
{
	struct select_history history;
	struct select_choice choice;
	struct select_list list;
	struct select_now now;
	bool ok;

	fill(&list, &now, move->servers);
	fill_weights(&list, move->weight);
	fill_history(&history, move->been);
	list.share = share;
	now.recent = move->recent - 1;
	if (move->taken)
		now.avoid = places(move->taken, "x");
	if (move->client)
		now.barred = places(move->client, "x");

	choice = select_next(&list, &now, &history);
	ok = strlen(move->been) == list.count &&
	     shares_are(&list, &choice, move->want) &&
	     choice.none_up == move->none_up && choice.forget == move->forget;
	/* Beside a client's own host, other states count (P10). */
	if (!move->client)
		ok &= !(choice.candidates & ~list.eligible);
	if (!ok)
		unit_note("%s %s: none up %d, forget %d", move->servers,
			  move->been, choice.none_up, choice.forget);
	return ok;
}

static void test_moves(void)
{
	size_t i;

	for (i = 0; i < unit_count(master_backups); i++)
		unit_result(check_move(&master_backups[i], false),
			    "%s move, master-backup, %s",
			    master_backups[i].rules, master_backups[i].what);
	for (i = 0; i < unit_count(loading_shares); i++)
		unit_result(check_move(&loading_shares[i], true),
			    "%s move, loading-share, %s",
			    loading_shares[i].rules, loading_shares[i].what);
}

static const struct {
	const char *rules;
	const char *what;
	const char *servers;
	const char *been;
	unsigned int copies;
	unsigned int retransmit;
	bool stays;
} stays[] = {
	{ "M6 M7", "limit 1, second copy", "UU", "c.", 1, 1, true },
	{ "M6 M7", "limit 1, third copy", "UU", "c.", 2, 1, false },
	{ "M7", "limit 0, second copy", "UU", "c.", 1, 0, false },
	{ "M7", "limit 5, sixth copy", "UU", "c.", 5, 5, true },
	{ "M7", "limit 5, seventh copy", "UU", "c.", 6, 5, false },
	{ "M7", "limit lowered below the copies sent", "UU", "c.", 4, 1,
	  false },
	{ "M7", "limit raised above the copies sent", "UU", "c.", 2, 5, true },
	{ "M6", "its server has gone Down", "DU", "c.", 1, 1, true },
	{ "M6", "its server has gone Down, a backup", "UDU", "uc.", 1, 1,
	  true },
	{ "M6 S8", "none is Up", "DD", "c.", 1, 1, true },
	{ "M6 S6", "its server is draining", "wU", "c.", 1, 1, true },
	{ "M6 S6", "its server is draining and Down", "WU", "c.", 1, 1, true },
	{ "M6 S6", "its server is draining, the others are down", "wxx", "c..",
	  1, 1, true },
	{ "M7 S6", "its server is draining, limit reached", "wU", "c.", 2, 1,
	  false },
	{ "M6 S6", "its server is administratively up", "FU", "c.", 1, 1,
	  true },
	{ "M6 S6", "its server is down though it answers", "xU", "c.", 1, 5,
	  false },
	{ "M6 S6", "its server is down and Down", "UXU", "uc.", 1, 5, false },
	{ "M6 S6", "its server is down, the other is Down", "xD", "c.", 1, 5,
	  false },
	{ "M6 S6", "its server is down, the other is draining", "xw", "c.",
	  1, 5, false },
	{ "M6 S6", "another is down", "Ux", "c.", 1, 1, true },
	{ "M6 S6 S8", "all are down", "xx", "c.", 1, 1, true },
	{ "M7 S6", "all are down, limit reached", "xx", "c.", 2, 1, false },
	{ "M6", "its server was removed", "UU", "u.", 1, 5, false },
	{ "M6", "its server was removed, the list is empty", "", "", 1, 5,
	  false },
};

static void test_stays(void)
{
	int share;
	size_t i;

	for (share = 0; share <= 1; share++)
		for (i = 0; i < unit_count(stays); i++) {
			struct select_history history;
			struct select_list list;
			struct select_now now;

			fill(&list, &now, stays[i].servers);
			fill_history(&history, stays[i].been);
			list.share = share;
			history.copies = stays[i].copies;
			unit_result(select_stays(&list, &history,
						 stays[i].retransmit) ==
				    stays[i].stays,
				    "%s %s, %s: %s", share ? "L8" :
				    stays[i].rules, share ? "loading-share" :
				    "master-backup", stays[i].what,
				    stays[i].stays ? "stays" : "moves");
		}
}

/*
 * All copies of a request, and where they go: a digit for the place of each.
 * The states can change before the copy number .turn.
 */
static const struct {
	const char *rules;
	const char *what;
	const char *servers;
	unsigned int turn;
	const char *then;
	bool share;
	int recent;
	unsigned int retransmit;
	const char *want;
} routes[] = {
	{ "M7 M10", "limit 0: another server for each copy", "UUU",
	  .retransmit = 0, .want = "012121212" },
	{ "M7 M10", "limit 1: two copies each", "UUU",
	  .retransmit = 1, .want = "001122112211" },
	{ "M7 M10", "limit 5: six copies each", "UUU",
	  .retransmit = 5, .want = "000000111111222222111111" },
	{ "M7 M8", "limit 1, a recent backup", "UUUU", .recent = RECENT(2),
	  .retransmit = 1, .want = "0022331122" },
	{ "M8 M10", "the recent backup is used once", "UUU",
	  .recent = RECENT(2), .retransmit = 0, .want = "0212121" },
	{ "M10 S8", "none Up: on and on around the backups", "DDDD",
	  .retransmit = 0, .want = "01231231231231231231231231231231" },
	{ "M10 M2", "one backup: to and fro", "UU",
	  .retransmit = 1, .want = "001100110011" },
	{ "M10 M3", "one backup, the master is Down: stays there", "DU",
	  .retransmit = 1, .want = "1111111" },
	{ "M10 M4 S8", "one backup, none Up: to and fro", "DD",
	  .retransmit = 0, .want = "01010101" },
	{ "M7 M10", "one server: there for ever", "U",
	  .retransmit = 1, .want = "0000000000" },
	{ "M6 M7", "its server goes Down: no move before the limit", "UUU",
	  .turn = 2, .then = "DUU", .retransmit = 2, .want = "00011122" },
	{ "M6", "all go Down: no move before the limit", "UUU",
	  .turn = 2, .then = "DDD", .retransmit = 1, .want = "00112211" },
	{ "M6 M8 S6", "its server is taken down: moves at once", "UUU",
	  .turn = 2, .then = "xUU", .retransmit = 5, .want = "0111111222" },
	{ "M6 M8 S6", "its server is taken down, a recent backup", "UUU",
	  .turn = 3, .then = "xUU", .recent = RECENT(2), .retransmit = 5,
	  .want = "002222221" },
	{ "M6 S6", "its server is drained: no move before the limit", "UUU",
	  .turn = 2, .then = "wUU", .retransmit = 2, .want = "000111222" },
	{ "M8 M10", "the master comes back: the request goes on", "DUU",
	  .turn = 3, .then = "UUU", .retransmit = 1, .want = "11221122" },
	{ "M5 M6", "the master comes back: the request stays", "DUU",
	  .turn = 2, .then = "UUU", .retransmit = 3, .want = "1111" },
	{ "M8", "the last copy sets the only backup Down: M4 again", "DU",
	  .turn = 3, .then = "DD", .retransmit = 1, .want = "110011" },
	{ "M8", "the last copy sets the next backup Down: past it", "UUUU",
	  .turn = 5, .then = "UUUD", .retransmit = 1, .want = "00112211" },
	{ "L8", "limit 0: another server for each copy", "UUU", .share = true,
	  .retransmit = 0, .want = "012012012" },
	{ "L8", "limit 2: three copies each", "UUU", .share = true,
	  .retransmit = 2, .want = "000111222000" },
	{ "L8 L5", "the Up ones, those Down, then all anew", "UDU",
	  .share = true, .retransmit = 0, .want = "021021021" },
	{ "L8", "its server goes Down: no move before the limit", "UUU",
	  .share = true, .turn = 2, .then = "DUU", .retransmit = 2,
	  .want = "000111222111" },
	{ "L8 S6", "its server is taken down: moves at once", "UUU",
	  .share = true, .turn = 2, .then = "xUU", .retransmit = 2,
	  .want = "0111222111" },
	{ "L8 L5", "one server: there for ever", "U", .share = true,
	  .retransmit = 1, .want = "00000" },
};

/* The next copy, as a caller sends it; of tickets always the first. */
static int send(const struct select_list *list, struct select_now *now,
		struct select_history *history, unsigned int retransmit)
{
	struct select_choice choice;

	if (history->used && select_stays(list, history, retransmit)) {
		history->copies++;
		return history->at;
	}

	if (history->used)
		choice = select_next(list, now, history);
	else
		choice = select_first(list, now);
	history->at = select_draw(list, &choice, 0);
	history->copies = 1;
	if (choice.forget)
		history->used = 0;
	if (history->at >= 0)
		history->used |= BIT_ULL(history->at);
	if (history->at > 0)
		now->recent = history->at;
	return history->at;
}

static void test_routes(void)
{
	char route[UNIT_TITLE_MAX];
	size_t i, copy;

	for (i = 0; i < unit_count(routes); i++) {
		struct select_history history = { .at = SELECT_NONE };
		size_t copies = strlen(routes[i].want);
		struct select_list list;
		struct select_now now;
		int recent;

		fill(&list, &now, routes[i].servers);
		recent = routes[i].recent - 1;
		for (copy = 0; copy < copies; copy++) {
			if (routes[i].then && copy + 1 == routes[i].turn)
				fill(&list, &now, routes[i].then);
			list.share = routes[i].share;
			now.recent = recent;
			route[copy] = '0' + send(&list, &now, &history,
						 routes[i].retransmit);
			recent = now.recent;
		}
		route[copies] = '\0';
		if (strcmp(route, routes[i].want))
			unit_note("%s, want %s", route, routes[i].want);
		unit_result(!strcmp(route, routes[i].want),
			    "%s route, %s-%s, %s", routes[i].rules,
			    routes[i].share ? "loading" : "master",
			    routes[i].share ? "share" : "backup",
			    routes[i].what);
	}
}

/* M11: what retransmissions do is no matter to first sends. */
static void test_first_in_between(void)
{
	struct select_history history = { .at = SELECT_NONE };
	struct select_list list;
	struct select_now now;
	bool ok = true;
	int copy;

	fill(&list, &now, "UUU");
	for (copy = 0; copy < 12; copy++) {
		send(&list, &now, &history, 1);
		ok &= select_first(&list, &now).candidates == BIT_ULL(0);
	}
	ok &= history.at > 0 && now.recent == history.at;
	unit_result(ok, "M11 M5 first sends keep to the master meanwhile");

	ok = true;
	for (copy = 0; copy < 12; copy++) {
		send(&list, &now, &history, 1);
		now.up &= ~BIT_ULL(0);
		ok &= select_first(&list, &now).candidates ==
		      BIT_ULL(history.at);
		now.up |= BIT_ULL(0);
	}
	unit_result(ok, "M9 M3 a move makes its backup the most recent one");
}

static u64 next_of(const struct select_list *list, u64 up, u64 used,
		   int at, int recent)
{
	struct select_history history = {
		.used = used, .at = at, .copies = 2,
	};
	struct select_now now = { .up = up, .recent = recent };

	return select_next(list, &now, &history).candidates;
}

static void test_master_backup_64(void)
{
	struct select_list list = { .count = 64, .eligible = ~0ULL };
	bool next = true, recent = true, again = true, down = true;
	bool far = true;
	int i, j;

	for (i = 0; i < 64; i++) {
		u64 after = BIT_ULL(i < 63 ? i + 1 : 1);

		next &= next_of(&list, ~0ULL, BIT_ULL(i), i, SELECT_NONE) ==
			after;
		again &= next_of(&list, ~0ULL, ~0ULL, i, 1) == after;
		down &= next_of(&list, 0, BIT_ULL(i), i, SELECT_NONE) == after;
		if (i)
			recent &= next_of(&list, ~0ULL, 1, 0, i) == BIT_ULL(i);
		for (j = 1; j < 64; j++)
			if (i != j)
				far &= next_of(&list, BIT_ULL(j) | BIT_ULL(i),
					       BIT_ULL(i), i, SELECT_NONE) ==
				       BIT_ULL(j);
	}
	unit_result(next, "M10 64 servers: from each place to the next");
	unit_result(far, "M10 64 servers: from each place to each other");
	unit_result(again, "M10 64 servers, all used: to the next");
	unit_result(down, "M10 64 servers, none Up: to the next");
	unit_result(recent, "M8 64 servers: the recent backup at each place");
}

static void test_loading_share_64(void)
{
	struct select_list list = {
		.count = 64, .share = true, .eligible = ~0ULL,
	};
	bool fresh = true, last = true, none_up = true;
	int i;

	for (i = 0; i < 64; i++) {
		fresh &= next_of(&list, ~0ULL, BIT_ULL(i), i, SELECT_NONE) ==
			 ~BIT_ULL(i);
		last &= next_of(&list, ~0ULL, ~BIT_ULL(i), SELECT_NONE,
				SELECT_NONE) == BIT_ULL(i);
		none_up &= next_of(&list, 0, BIT_ULL(i), i, SELECT_NONE) ==
			   ~BIT_ULL(i);
	}
	unit_result(fresh, "L3 64 servers: all but the one that was used");
	unit_result(last, "L3 64 servers: the one that was not used");
	unit_result(none_up, "L4 64 servers, none Up: all but the used one");
	unit_result(next_of(&list, 0xff, ~0ULL, 9, SELECT_NONE) == 0xff,
		    "L5 64 servers, all used: the Up ones again");
}

int main(void)
{
	unit_plan(unit_count(master_backups) + unit_count(loading_shares) +
		  2 * unit_count(stays) + unit_count(routes) + 11);
	test_moves();
	test_stays();
	test_routes();
	test_first_in_between();
	test_master_backup_64();
	test_loading_share_64();
	return unit_end();
}
