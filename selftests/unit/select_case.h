/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of the selection rules, for the programs that have them in tables.
 *
 * A list is written as one letter a server:
 *
 *	U D	auto, Up or Down
 *	F	administratively up
 *	x X	administratively down, otherwise Up or Down
 *	w W	draining, otherwise Up or Down
 */
#ifndef _UNIT_SELECT_CASE_H
#define _UNIT_SELECT_CASE_H

#include <linux/bits.h>
#include "select.h"
#include "unit.h"

#define SERVERS_FEW	8

/* The place of a backup, as a column .recent has it. */
#define RECENT(place)	((place) + 1)

/* The servers that have one of the letters. */
static inline u64 places(const char *servers, const char *letters)
{
	u64 mask = 0;
	int i;

	for (i = 0; servers[i]; i++)
		if (strchr(letters, servers[i]))
			mask |= BIT_ULL(i);
	return mask;
}

static inline void fill(struct select_list *list, struct select_now *now,
			const char *servers)
{
	memset(list, 0, sizeof(*list));
	list->count = strlen(servers);
	list->down = places(servers, "xX");
	list->drain = places(servers, "wW");
	list->eligible = select_eligible(list->down, list->drain, list->count);
	*now = (struct select_now){
		.up = places(servers, "UFxw"),
		.recent = SELECT_NONE,
	};
}

static inline void fill_weights(struct select_list *list, const u16 *weight)
{
	int i;

	list->sum = 0;
	for (i = 0; i < list->count; i++) {
		list->weight[i] = weight[i];
		list->sum += weight[i];
	}
}

/*
 * Draw every ticket, and hold the share of each server against what is wanted
 * of the sum of all @want.
 */
static inline bool shares_are(const struct select_list *list,
			      const struct select_choice *choice,
			      const u32 *want)
{
	u32 held[SERVERS_FEW] = { 0 };
	u64 whole = 0, ticket;
	bool ok;
	int i;

	for (i = 0; i < list->count; i++)
		whole += want[i];
	for (ticket = 0; ticket < choice->tickets; ticket++) {
		int server = select_draw(list, choice, ticket);

		if (server < 0 || server >= list->count) {
			unit_note("ticket %llu: server %d", ticket, server);
			return false;
		}
		held[server]++;
	}

	ok = whole && choice->tickets > 0;
	for (i = 0; i < list->count; i++) {
		/* Shares are equal as fractions; the wholes can differ. */
		ok &= held[i] * whole == (u64)want[i] * choice->tickets;
		/* A chance implies that one is a candidate. */
		if (want[i])
			ok &= choice->candidates >> i & 1;
	}
	ok &= !(choice->candidates >> list->count);
	if (!list->share)
		ok &= choice->tickets == 1;
	ok &= select_draw(list, choice, choice->tickets) == SELECT_NONE;
	ok &= select_draw(list, choice, 0xffffffff) == SELECT_NONE;

	if (!ok) {
		unit_note("%u tickets, candidates 0x%llx, none up %d, forget %d",
			  choice->tickets, choice->candidates, choice->none_up,
			  choice->forget);
		for (i = 0; i < list->count; i++)
			unit_note("server %d: %u of %u, want %u of %llu", i,
				  held[i], choice->tickets, want[i], whole);
	}
	return ok;
}

#endif /* _UNIT_SELECT_CASE_H */
