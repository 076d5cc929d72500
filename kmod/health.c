// SPDX-License-Identifier: GPL-2.0
/*
 * The liveness of a server: a machine of three states, driven by lost copies,
 * answers, the administrator and time.
 *
 * PURE: functions from arguments to results, compiled in user space too.
 *
 *              losses (S2)              dead-time (S4)
 *	  Up -----------------> Down ------------------> assumed-up
 *	  ^                     |  ^                      |      |
 *	  |     answer (S3)     |  | losses (S2), or one  |      |
 *	  +---------------------+  | request's copies     |      |
 *	  |                        | all lost (S5)        |      |
 *	  |                        +----------------------+      |
 *	  +------------------------------------------------------+
 *	                  answer (S3)
 *
 * A loss counts towards Down as long as no answer comes: it takes dead-count of
 * them in a row, and more than dead-interval from the first to the last. What
 * was lost before a server is assumed-up is not held against it any longer: S2
 * counts from anew, and S5 waits for one request to have lost all its copies.
 *
 * Times come from one clock that never goes back, in milliseconds.
 */
#include "health.h"

static enum health_reason health_change(struct health *health, u64 now,
					enum health_state state,
					enum health_reason reason)
{
	health->state = state;
	health->since = now;
	return reason;
}

/**
 * health_init() - begin: a new server is Up (S6)
 * @health: the liveness of the server
 * @now: the time in ms
 *
 * Context: any.
 */
void health_init(struct health *health, u64 now)
{
	*health = (struct health){ .since = now, .state = HEALTH_UP };
}

/**
 * health_lost() - a copy was lost (S1)
 * @health: the liveness of the server it was sent to
 * @settings: what is set
 * @now: the time in ms
 * @exhausted: the server had all copies of this request that are its due, and
 *	all of them are lost
 *
 * Implements S2, S5.
 *
 * Context: any; the caller serializes.
 * Return: why the state changed, HEALTH_SAME if it did not.
 */
enum health_reason health_lost(struct health *health,
			       const struct health_settings *settings, u64 now,
			       bool exhausted)
{
	if (!health->losses)
		health->first = now;
	if (health->losses < ~0U)
		health->losses++;

	if (health->pinned || health->state == HEALTH_DOWN)
		return HEALTH_SAME;
	if (health->state == HEALTH_ASSUMED_UP && exhausted)
		return health_change(health, now, HEALTH_DOWN,
				     HEALTH_EXHAUSTED);
	if (health->losses < settings->dead_count)
		return HEALTH_SAME;
	if (settings->dead_interval &&
	    now - health->first <= settings->dead_interval)
		return HEALTH_SAME;
	return health_change(health, now, HEALTH_DOWN, HEALTH_LOSSES);
}

/**
 * health_answered() - an answer came (S3)
 * @health: the liveness of the server it came from
 * @now: the time in ms
 *
 * Context: any; the caller serializes.
 * Return: why the state changed, HEALTH_SAME if it did not.
 */
enum health_reason health_answered(struct health *health, u64 now)
{
	health->losses = 0;
	if (health->state == HEALTH_UP)
		return HEALTH_SAME;
	return health_change(health, now, HEALTH_UP, HEALTH_ANSWER);
}

/**
 * health_pin() - an administrator says that a server is Up, or that the rules
 *	are to tell (S6)
 * @health: the liveness of the server
 * @now: the time in ms
 * @pinned: it is Up, whatever happens
 *
 * What was lost before does not count afterwards.
 *
 * Context: any; the caller serializes.
 * Return: why the state changed, HEALTH_SAME if it did not.
 */
enum health_reason health_pin(struct health *health, u64 now, bool pinned)
{
	if (health->pinned == pinned)
		return HEALTH_SAME;
	health->pinned = pinned;
	health->losses = 0;
	if (health->state == HEALTH_UP)
		return HEALTH_SAME;
	return health_change(health, now, HEALTH_UP, HEALTH_ADMIN);
}

/**
 * health_revival() - tell when a Down server is assumed-up (S4)
 * @health: the liveness of the server, Down
 * @settings: what is set
 *
 * Context: any.
 * Return: the time in ms.
 */
u64 health_revival(const struct health *health,
		   const struct health_settings *settings)
{
	return health->since + settings->dead_time;
}

/**
 * health_tick() - time went by (S4)
 * @health: the liveness of the server
 * @settings: what is set
 * @now: the time in ms
 *
 * Context: any; the caller serializes.
 * Return: why the state changed, HEALTH_SAME if it did not.
 */
enum health_reason health_tick(struct health *health,
			       const struct health_settings *settings, u64 now)
{
	if (health->state != HEALTH_DOWN ||
	    now < health_revival(health, settings))
		return HEALTH_SAME;
	health->losses = 0;
	return health_change(health, now, HEALTH_ASSUMED_UP, HEALTH_DEAD_TIME);
}
