// SPDX-License-Identifier: GPL-2.0
/*
 * The selection rules: which server of a list takes a first send.
 *
 * PURE: functions from arguments to results, compiled in user space too.
 *
 * A selection has two steps, so that no random source is needed here:
 * select_first() applies the rules and says how many equally likely tickets
 * there are, the caller draws one of them, and select_draw() says whose ticket
 * it is. Where the rules leave no choice there is one ticket.
 *
 * Master-backup (M1 to M5): the master, the first server of the list, if it is
 * Up. Else the backup that was used most recently, if it is Up. Else the first
 * Up server in configured order. With none Up, the first server. Nothing is
 * remembered of the master's absence, so a master that is Up again takes the
 * next first send.
 *
 * Loading-share (L2 to L7): a draw among the Up servers, each with the chance
 * that its weight has in the sum of theirs; with none Up, among all. Equal
 * chances where the weights give none: when the list's weights sum to 0, or
 * when every candidate has weight 0.
 *
 * The administrative states come first (S6): both algorithms see the eligible
 * servers alone, as if the others were not in the list.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include "select.h"

static u64 first_servers(unsigned int count)
{
	return count ? ~0ULL >> (SELECT_SERVERS_MAX - count) : 0;
}

/**
 * select_eligible() - apply the administrative states to first sends (S6)
 * @down: bit i is set if server i is administratively down
 * @drain: bit i is set if server i is draining; no server is both
 * @count: servers in the list, at most SELECT_SERVERS_MAX
 *
 * Servers in state auto or up are eligible. Where there is none, draining
 * servers are, since traffic has to flow (S8) and a server that is down is
 * selected only when all are. Where there is none of these either, all are.
 *
 * Context: any.
 * Return: bit i is set if server i can take a first send.
 */
u64 select_eligible(u64 down, u64 drain, unsigned int count)
{
	u64 all = first_servers(count);

	if (all & ~down & ~drain)
		return all & ~down & ~drain;
	if (all & ~down)
		return all & ~down;
	return all;
}

static u64 lowest(u64 servers)
{
	return servers & -servers;
}

/* M2 to M4: the one server that master-backup names. */
static u64 master_backup(u64 up, u64 eligible, int recent)
{
	if (up & BIT_ULL(0))
		return BIT_ULL(0);
	if (recent > 0 && up & BIT_ULL(recent))
		return BIT_ULL(recent);
	return lowest(up ?: eligible);
}

/* L2, L6: the tickets of the candidates by weight, 0 if none has any. */
static u32 tickets_by_weight(const struct select_list *list, u64 candidates)
{
	u32 tickets = 0;

	/* A list whose servers are all candidates needs no walk. */
	if (candidates == first_servers(list->count))
		return list->sum;
	for (; candidates; candidates &= candidates - 1)
		tickets += list->weight[__ffs64(candidates)];
	return tickets;
}

/**
 * select_first() - choose the server of a first send (M1 to M5, L2 to L6, S8)
 * @list: the list, as it is now
 * @recent: index of the most-recent backup (M9), SELECT_NONE if there is none
 *
 * Context: any.
 * Return: the candidates and the number of tickets to draw from.
 */
struct select_choice select_first(const struct select_list *list, int recent)
{
	u64 up = list->up & list->eligible;
	struct select_choice choice = { .none_up = !up, .equal = true };

	if (!list->count)
		return choice;

	if (!list->share) {
		choice.candidates = master_backup(up, list->eligible, recent);
		choice.tickets = 1;
		return choice;
	}

	choice.candidates = up ?: list->eligible;
	if (list->sum)
		choice.tickets = tickets_by_weight(list, choice.candidates);
	if (choice.tickets)
		choice.equal = false;
	else
		choice.tickets = hweight64(choice.candidates);
	return choice;
}

/**
 * select_draw() - say whose ticket was drawn (L2, L7)
 * @list: the list that select_first() saw
 * @choice: what select_first() said of it
 * @ticket: a number below @choice->tickets, drawn uniformly
 *
 * Context: any.
 * Return: index of the server, SELECT_NONE if there is no such ticket.
 */
int select_draw(const struct select_list *list,
		const struct select_choice *choice, u32 ticket)
{
	u64 candidates = choice->candidates;

	for (; candidates; candidates &= candidates - 1) {
		int server = __ffs64(candidates);
		u32 held = choice->equal ? 1 : list->weight[server];

		if (ticket < held)
			return server;
		ticket -= held;
	}
	return SELECT_NONE;
}
