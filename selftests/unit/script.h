/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sequence of events at one server list: made at random, and made as short
 * as can be once something has come of it.
 *
 * An event names requests and servers by a number that is taken modulo how
 * many there are at the time, so that what is left of a sequence still has a
 * meaning when events are taken out of it.
 */
#ifndef _UNIT_SCRIPT_H
#define _UNIT_SCRIPT_H

#include <linux/types.h>

/* Requests in flight at a time. */
#define SCRIPT_REQUESTS		4

/* A list of 64 servers, and 60 events. */
#define SCRIPT_EVENTS_MAX	124

enum script_kind {
	SCRIPT_FIRST,		/* a new request; .which, .value, .avoid */
	SCRIPT_COPY,		/* one more copy; .which, .value, .avoid */
	SCRIPT_LOST,		/* a copy is lost (S1); .which */
	SCRIPT_ANSWER,		/* .which, .value: server among those sent to */
	SCRIPT_TIME,		/* .value, in ms */
	SCRIPT_ADD,		/* a server; .where, .value: weight */
	SCRIPT_REMOVE,		/* .where */
	SCRIPT_MOVE,		/* .where, .how: to */
	SCRIPT_WEIGHT,		/* .where, .value */
	SCRIPT_ADMIN,		/* .where, .how: enum model_admin */
	SCRIPT_SHARE,		/* .how: loading-share or master-backup */
	SCRIPT_RETRANSMIT,	/* .how */
	SCRIPT_LIVENESS,	/* .which: dead-count; .where: dead-interval, */
				/* .how: dead-time, both in .value ms */
	SCRIPT_KINDS
};

struct script_event {
	u8 kind;
	u8 which;
	u8 where;
	u8 how;
	u32 value;
	u64 avoid;
};

struct script {
	int length;
	struct script_event event[SCRIPT_EVENTS_MAX];
};

void script_random(u64 *state, struct script *script);
void script_shrink(struct script *script,
		   bool (*fails)(const struct script *script));

#endif /* _UNIT_SCRIPT_H */
