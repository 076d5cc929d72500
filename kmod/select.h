/* SPDX-License-Identifier: GPL-2.0 */
/* The selection rules, as functions of a list, a history and a number. */
#ifndef _RADSTEER_SELECT_H
#define _RADSTEER_SELECT_H

#include <linux/types.h>

/* One bit of a u64 for each server of a list. */
#define SELECT_SERVERS_MAX	64

/* No server: an empty list, no backup used yet, or a server that is gone. */
#define SELECT_NONE		(-1)

/**
 * struct select_list - what the rules see of one server list
 * @eligible: bit i is set if the administrative states let server i be
 *	selected, see select_eligible()
 * @down: bit i is set if server i is administratively down
 * @drain: bit i is set if server i is draining
 * @sum: sum of all weights of the list, Up or not (L2)
 * @count: servers in the list, in configured order; server 0 is the master
 * @share: true for loading-share, false for master-backup
 * @weight: weight of each server (L1)
 */
struct select_list {
	u64 eligible;
	u64 down;
	u64 drain;
	u32 sum;
	u8 count;
	bool share;
	u16 weight[SELECT_SERVERS_MAX];
};

/**
 * struct select_now - what differs from one selection to the next
 * @up: bit i is set if server i is Up; assumed-up and administratively up
 *	count as Up
 * @avoid: bit i is set if server i has another request of this client and
 *	Identifier outstanding (P9)
 * @barred: bit i is set if server i is no candidate for this request, as the
 *	request would be sent back to the host that it comes from (P10)
 * @recent: index of the most-recent backup (M9), SELECT_NONE if there is none
 */
struct select_now {
	u64 up;
	u64 avoid;
	u64 barred;
	int recent;
};

/**
 * struct select_history - what a request has been through
 * @used: bit i is set if the request was sent to server i
 * @at: index of the server that it was sent to last, SELECT_NONE if that
 *	one is not in the list any more
 * @copies: copies of the request that went to that server
 */
struct select_history {
	u64 used;
	int at;
	unsigned int copies;
};

/**
 * struct select_choice - the outcome of the rules, before any draw
 * @candidates: bit i is set if server i can be drawn
 * @tickets: number of equally likely tickets to draw from; 1 if the rules
 *	name one server, 0 if the list has none that is not barred
 * @equal: true if every candidate holds one ticket, false if each holds as
 *	many as its weight
 * @none_up: true if no server that could be selected is Up (S8)
 * @forget: true if the servers that the request used do not count any more
 *	(L5); the one that is drawn now is then the first
 */
struct select_choice {
	u64 candidates;
	u32 tickets;
	bool equal;
	bool none_up;
	bool forget;
};

u64 select_eligible(u64 down, u64 drain, unsigned int count);
struct select_choice select_first(const struct select_list *list,
				  const struct select_now *now);
bool select_some_up(const struct select_list *list,
		    const struct select_now *now);
bool select_stays(const struct select_list *list,
		  const struct select_history *history,
		  unsigned int retransmit);
struct select_choice select_next(const struct select_list *list,
				 const struct select_now *now,
				 const struct select_history *history);
bool select_ticket(u8 octet, u32 tickets, u32 *ticket);
int select_draw(const struct select_list *list,
		const struct select_choice *choice, u32 ticket);

#endif /* _RADSTEER_SELECT_H */
