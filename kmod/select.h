/* SPDX-License-Identifier: GPL-2.0 */
/* The selection rules, as functions of a list, a history and a number. */
#ifndef _RADSTEER_SELECT_H
#define _RADSTEER_SELECT_H

#include <linux/types.h>

/* One bit of a u64 for each server of a list. */
#define SELECT_SERVERS_MAX	64

/* No server: an empty list, or no backup used yet. */
#define SELECT_NONE		(-1)

/**
 * struct select_list - what the rules see of one server list
 * @up: bit i is set if server i is Up; assumed-up and administratively up
 *	count as Up
 * @eligible: bit i is set if the administrative states let server i take a
 *	first send, see select_eligible()
 * @sum: sum of all weights of the list, Up or not (L2)
 * @count: servers in the list, in configured order; server 0 is the master
 * @share: true for loading-share, false for master-backup
 * @weight: weight of each server (L1)
 */
struct select_list {
	u64 up;
	u64 eligible;
	u32 sum;
	u8 count;
	bool share;
	u16 weight[SELECT_SERVERS_MAX];
};

/**
 * struct select_choice - the outcome of the rules, before any draw
 * @candidates: bit i is set if server i can be drawn
 * @tickets: number of equally likely tickets to draw from; 1 if the rules
 *	name one server, 0 if the list is empty
 * @equal: true if every candidate holds one ticket, false if each holds as
 *	many as its weight
 * @none_up: true if no server that could take a first send is Up (S8)
 */
struct select_choice {
	u64 candidates;
	u32 tickets;
	bool equal;
	bool none_up;
};

u64 select_eligible(u64 down, u64 drain, unsigned int count);
struct select_choice select_first(const struct select_list *list, int recent);
int select_draw(const struct select_list *list,
		const struct select_choice *choice, u32 ticket);

#endif /* _RADSTEER_SELECT_H */
