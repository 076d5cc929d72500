// SPDX-License-Identifier: GPL-2.0
/*
 * The one timer of a namespace: copies that are lost, requests and bindings that
 * are forgotten and servers that are assumed-up all wait for it. It is armed for
 * the earliest of them, runs ten times a second at most, every two seconds at
 * least, and not at all while nothing waits.
 */
#include <linux/workqueue.h>
#include "liveness.h"
#include "request_table.h"
#include "timer.h"

/**
 * radsteer_timer_by() - see to it that the timer runs by a time
 * @rn: the namespace
 * @deadline: the time, in jiffies
 *
 * What waits has to be in its place already: a run that begins meanwhile
 * either finds it there, or lets itself be armed once more.
 *
 * Context: any, with the locks of what waits or without.
 */
void radsteer_timer_by(struct radsteer_net *rn, unsigned long deadline)
{
	struct radsteer_timer *timer = &rn->timer;

	/* Pairs with the barrier in timer_run(). */
	smp_mb();
	/* A timer that is set far ahead is rough: see to it in steps. */
	if (time_after(deadline, jiffies + 2 * HZ - 1))
		deadline = jiffies + 2 * HZ - 1;
	if (READ_ONCE(timer->armed) &&
	    !time_before(deadline, READ_ONCE(timer->at)))
		return;

	spin_lock_bh(&timer->lock);
	if (!timer->armed || time_before(deadline, timer->at)) {
		unsigned long now = jiffies;

		WRITE_ONCE(timer->at, deadline);
		WRITE_ONCE(timer->armed, true);
		mod_delayed_work(system_highpri_wq, &timer->work,
				 time_before(now, deadline) ? deadline - now :
							      0);
	}
	spin_unlock_bh(&timer->lock);
}

static void timer_run(struct work_struct *work)
{
	unsigned long next, soonest;
	struct radsteer_net *rn;
	bool waits = false;

	rn = container_of(to_delayed_work(work), struct radsteer_net,
			  timer.work);

	spin_lock_bh(&rn->timer.lock);
	WRITE_ONCE(rn->timer.armed, false);
	spin_unlock_bh(&rn->timer.lock);
	/* Pairs with the barrier in radsteer_timer_by(). */
	smp_mb();

	radsteer_requests_run(rn, &waits, &next);
	radsteer_bindings_run(rn->requests->bindings, &waits, &next);
	radsteer_liveness_run(rn, &waits, &next);
	if (!waits)
		return;
	soonest = jiffies + HZ / RADSTEER_TIMER_RATE;
	radsteer_timer_by(rn, time_before(next, soonest) ? soonest : next);
}

/**
 * radsteer_timer_init() - make the timer of a new namespace
 * @rn: the namespace
 *
 * Context: process.
 */
void radsteer_timer_init(struct radsteer_net *rn)
{
	spin_lock_init(&rn->timer.lock);
	INIT_DELAYED_WORK(&rn->timer.work, timer_run);
}

/**
 * radsteer_timer_stop() - stop the timer
 * @rn: the namespace; there is nothing that could arm it any more but the
 *	timer itself
 *
 * Context: process, radsteer_net.lock held, which the timer never takes; may
 *	sleep.
 */
void radsteer_timer_stop(struct radsteer_net *rn)
{
	cancel_delayed_work_sync(&rn->timer.work);
	rn->timer.armed = false;
}
