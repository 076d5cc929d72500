// SPDX-License-Identifier: GPL-2.0
/*
 * The selection rules: which server of a list takes a copy of a request.
 *
 * PURE: functions from arguments to results, compiled in user space too.
 *
 * A selection has two steps, so that no random source is needed here:
 * select_first() or select_next() applies the rules and says how many equally
 * likely tickets there are, the caller draws one of them, and select_draw()
 * says whose ticket it is. Where the rules leave no choice there is one ticket.
 *
 * A first send (select_first):
 *
 *   Master-backup (M1 to M5): the master, the first server of the list, if it
 *   is Up. Else the backup that was used most recently, if it is Up. Else the
 *   first Up server in configured order. With none Up, the first server.
 *   Nothing is remembered of the master's absence, so a master that is Up again
 *   takes the next first send.
 *
 *   Loading-share (L2 to L7): a draw among the Up servers, each with the chance
 *   that its weight has in the sum of theirs; with none Up, among all. Equal
 *   chances where the weights give none: when the list's weights sum to 0, or
 *   when every candidate has weight 0.
 *
 * A further copy stays where the request is (select_stays), until that server
 * had all the copies that are its due, or may not be used (M6, M7, L8). Then it
 * moves (select_next):
 *
 *   Master-backup (M8, M10): from the master to the most-recent backup, if that
 *   is Up and new to the request. Else, and from a backup, to the next backup
 *   around the list: one that is Up and new to the request; or else one that is
 *   Up; or else the next one, whatever its state. Where there is no other
 *   backup, as a first send. A request whose server was taken off the list has
 *   no place to go on from: it goes to the master, if that is Up and new to it,
 *   and else on as if from the master.
 *
 *   Loading-share (L3 to L5): a draw as above, among the Up servers that are
 *   new to the request; or else among all that are new to it. When none is, all
 *   that it used is forgotten.
 *
 * The administrative states come first (S6): both algorithms see the eligible
 * servers alone, as if the others were Down and never to be had. The same holds
 * for a server that is barred (P10), and the administrative states are applied
 * without it.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include "select.h"

static u64 first_servers(unsigned int count)
{
	return count ? ~0ULL >> (SELECT_SERVERS_MAX - count) : 0;
}

static u64 eligible_among(u64 all, u64 down, u64 drain)
{
	if (all & ~down & ~drain)
		return all & ~down & ~drain;
	if (all & ~down)
		return all & ~down;
	return all;
}

/**
 * select_eligible() - apply the administrative states (S6)
 * @down: bit i is set if server i is administratively down
 * @drain: bit i is set if server i is draining; no server is both
 * @count: servers in the list, at most SELECT_SERVERS_MAX
 *
 * Servers in state auto or up are eligible. Where there is none, draining
 * servers are, since traffic has to flow (S8) and a server that is down is
 * selected only when all are. Where there is none of these either, all are.
 *
 * Context: any.
 * Return: bit i is set if server i can be selected.
 */
u64 select_eligible(u64 down, u64 drain, unsigned int count)
{
	return eligible_among(first_servers(count), down, drain);
}

/* S6, P10: the servers that can be selected where some are barred, which is rare. */
static noinline u64 eligible_without(const struct select_list *list, u64 barred)
{
	return eligible_among(first_servers(list->count) & ~barred, list->down,
			      list->drain);
}

/* S6, P10: the servers that can be selected for one request. */
static u64 eligible_now(const struct select_list *list,
			const struct select_now *now)
{
	if (likely(!now->barred))
		return list->eligible;
	return eligible_without(list, now->barred);
}

static u64 lowest(u64 servers)
{
	return servers & -servers;
}

/* The first of some servers, not @i, going around the list from there. */
static u64 next_after(u64 servers, int i)
{
	return lowest(servers & (~0ULL << i)) ?: lowest(servers);
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

/* M8, M10: the one server that master-backup moves a request to. */
static u64 master_backup_move(u64 up, u64 eligible, int recent,
			      const struct select_history *history)
{
	int at = history->at < 0 ? 0 : history->at;
	u64 backups = eligible & ~BIT_ULL(0) & ~BIT_ULL(at);
	u64 fresh = up & ~history->used;

	if (history->at < 0 && fresh & BIT_ULL(0))
		return BIT_ULL(0);
	if (!at && recent > 0 && fresh & BIT_ULL(recent))
		return BIT_ULL(recent);
	if (!backups)
		return master_backup(up, eligible, recent);
	return next_after((backups & fresh) ?: (backups & up) ?: backups,
			  at);
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

/* L2, L6, P9: how the candidates share the chances. */
static void share_out(const struct select_list *list, u64 avoid,
		      struct select_choice *choice)
{
	if (choice->candidates & ~avoid)
		choice->candidates &= ~avoid;
	if (list->sum)
		choice->tickets = tickets_by_weight(list, choice->candidates);
	if (choice->tickets)
		choice->equal = false;
	else
		choice->tickets = hweight64(choice->candidates);
}

/**
 * select_first() - choose the server of a first send
 * @list: the list
 * @now: the state of things
 *
 * Implements M1 to M5, L2 to L6, S8, P9, P10.
 *
 * Context: any.
 * Return: the candidates and the number of tickets to draw from.
 */
struct select_choice select_first(const struct select_list *list,
				  const struct select_now *now)
{
	u64 eligible = eligible_now(list, now);
	u64 up = now->up & eligible;
	struct select_choice choice = { .none_up = !up, .equal = true };

	if (!eligible)
		return choice;

	if (!list->share) {
		choice.candidates = master_backup(up, eligible, now->recent);
		choice.tickets = 1;
		return choice;
	}
	choice.candidates = up ?: eligible;
	share_out(list, now->avoid, &choice);
	return choice;
}

/**
 * select_some_up() - tell whether there is a server to go on with (S1)
 * @list: the list
 * @now: the state of things
 *
 * Implements S1, P10: an Up server that drains answers what it has, though it is
 * not selected while another one is not draining (S6).
 *
 * Context: any.
 * Return: true if a server is Up that is not barred.
 */
bool select_some_up(const struct select_list *list,
		    const struct select_now *now)
{
	return now->up & first_servers(list->count) & ~now->barred;
}

/**
 * select_stays() - tell whether a further copy stays with its server
 * @list: the list
 * @history: what the request has been through
 * @retransmit: retransmissions that go to one server
 *
 * Implements M6, M7, L8, S6: below the limit it does, whether that server is
 * Up, Down or draining. A server that was taken off the list, or one that is
 * administratively down while another is not, has reached its limit.
 *
 * Context: any.
 * Return: true if it stays, false if it moves.
 */
bool select_stays(const struct select_list *list,
		  const struct select_history *history,
		  unsigned int retransmit)
{
	if (history->at < 0)
		return false;
	if (list->down & ~list->eligible & BIT_ULL(history->at))
		return false;
	return history->copies <= retransmit;
}

/**
 * select_next() - choose the server that a request moves to
 * @list: the list
 * @now: the state of things, after the copy before was judged (M8)
 * @history: what the request has been through
 *
 * Implements M8, M10, L2 to L6, S8, P9, P10.
 *
 * Context: any.
 * Return: the candidates and the number of tickets to draw from.
 */
struct select_choice select_next(const struct select_list *list,
				 const struct select_now *now,
				 const struct select_history *history)
{
	u64 eligible = eligible_now(list, now);
	u64 up = now->up & eligible;
	struct select_choice choice = { .none_up = !up, .equal = true };
	u64 fresh = eligible & ~history->used;

	if (!eligible)
		return choice;

	if (!list->share) {
		choice.candidates = master_backup_move(up, eligible,
						       now->recent, history);
		choice.tickets = 1;
		return choice;
	}
	choice.forget = !fresh;
	if (choice.forget)
		fresh = eligible;
	choice.candidates = (up & fresh) ?: fresh;
	share_out(list, now->avoid, &choice);
	return choice;
}

/**
 * select_ticket() - draw one of a few tickets by a random octet (L7)
 * @octet: uniformly random
 * @tickets: 1 to SELECT_SERVERS_MAX
 * @ticket: takes the ticket, uniform below @tickets
 *
 * Of the 256 octets each ticket has as many; those that are left over would favour
 * some.
 *
 * Context: any.
 * Return: false if the octet is one that is left over, and another is to be drawn.
 */
bool select_ticket(u8 octet, u32 tickets, u32 *ticket)
{
	u32 product = octet * tickets;

	*ticket = product >> 8;
	/* The division is for the few octets that may be left over. */
	return (u8)product >= tickets || (u8)product >= 256 % tickets;
}

/**
 * select_draw() - say whose ticket was drawn (L2, L7)
 * @list: the list that the choice is of
 * @choice: what select_first() or select_next() said of it
 * @ticket: a number below @choice->tickets, drawn uniformly
 *
 * Context: any.
 * Return: index of the server, SELECT_NONE if there is no such ticket.
 */
int select_draw(const struct select_list *list,
		const struct select_choice *choice, u32 ticket)
{
	u64 candidates = choice->candidates;

	/* With equal chances for all of the list, the ticket is the place. */
	if (choice->equal && candidates == first_servers(list->count))
		return ticket < list->count ? (int)ticket : SELECT_NONE;
	for (; candidates; candidates &= candidates - 1) {
		int server = __ffs64(candidates);
		u32 held = choice->equal ? 1 : list->weight[server];

		if (ticket < held)
			return server;
		ticket -= held;
	}
	return SELECT_NONE;
}
