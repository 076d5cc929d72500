/* SPDX-License-Identifier: GPL-2.0 */
/* A server's liveness, as functions of events and time. */
#ifndef _RADSTEER_HEALTH_H
#define _RADSTEER_HEALTH_H

#include <linux/types.h>

/**
 * enum health_state - what is known of a server
 * @HEALTH_UP: it answers, or nothing says that it does not
 * @HEALTH_DOWN: it was silent for too long (S2, S5)
 * @HEALTH_ASSUMED_UP: it was Down for long enough to be tried again (S4); Up
 *	for the selection
 */
enum health_state {
	HEALTH_UP,
	HEALTH_DOWN,
	HEALTH_ASSUMED_UP,
};

/**
 * enum health_reason - why the state changed
 * @HEALTH_SAME: it did not
 * @HEALTH_LOSSES: dead-count losses in a row, over more than dead-interval (S2)
 * @HEALTH_EXHAUSTED: assumed-up, and all copies of one request were lost (S5)
 * @HEALTH_DEAD_TIME: dead-time went by (S4)
 * @HEALTH_ANSWER: it answered (S3)
 * @HEALTH_ADMIN: an administrator says that it is Up (S6)
 */
enum health_reason {
	HEALTH_SAME,
	HEALTH_LOSSES,
	HEALTH_EXHAUSTED,
	HEALTH_DEAD_TIME,
	HEALTH_ANSWER,
	HEALTH_ADMIN,
};

/**
 * struct health_settings - what an administrator set
 * @dead_count: losses in a row that take a server Down
 * @dead_interval: the time in ms that these have to exceed, 0 for any
 * @dead_time: the time in ms after which a Down server is assumed-up
 */
struct health_settings {
	u32 dead_count;
	u32 dead_interval;
	u32 dead_time;
};

/**
 * struct health - the liveness of a server
 * @since: when the state changed last, in ms
 * @first: when the first of the losses was, in ms; meaningless without one
 * @losses: losses since the last answer, or since it was assumed-up
 * @state: enum health_state
 * @pinned: an administrator says that it is Up, whatever happens
 */
struct health {
	u64 since;
	u64 first;
	u32 losses;
	u8 state;
	bool pinned;
};

void health_init(struct health *health, u64 now);
enum health_reason health_lost(struct health *health,
			       const struct health_settings *settings, u64 now,
			       bool exhausted);
enum health_reason health_answered(struct health *health, u64 now);
enum health_reason health_pin(struct health *health, u64 now, bool pinned);
u64 health_revival(const struct health *health,
		   const struct health_settings *settings);
enum health_reason health_tick(struct health *health,
			       const struct health_settings *settings, u64 now);

#endif /* _RADSTEER_HEALTH_H */
