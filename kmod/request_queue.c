// SPDX-License-Identifier: GPL-2.0
/*
 * The queues of requests by age.
 *
 * Requests age in queues on each CPU: one queue for those that were answered,
 * one for each timeout that a copy can have, and one for those whose last copy
 * is lost. All that enter a queue wait equally long, so the head is always the
 * oldest, and neither the timer nor eviction has to search.
 */
#include <linux/list.h>
#include "request_table.h"
#include "timer.h"

static unsigned long queue_wait(unsigned int queue)
{
	switch (queue) {
	case RADSTEER_QUEUE_ANSWERED:
		return RADSTEER_ANSWERED_SECONDS * HZ;
	case RADSTEER_QUEUE_OVERDUE:
		return RADSTEER_OVERDUE_SECONDS * HZ;
	default:
		/* A jiffy more, since the first one has begun already. */
		return (queue - RADSTEER_QUEUE_WAITING + 1) * HZ + 1;
	}
}

/**
 * radsteer_requests_queue() - let a request wait, from now on
 * @requests: the table
 * @request: the request, new or on a queue
 * @queue: what it waits for, enum radsteer_queue_index
 *
 * Context: any, under the lock of its bucket.
 */
void radsteer_requests_queue(struct radsteer_requests *requests,
			     struct radsteer_request *request,
			     unsigned int queue)
{
	struct radsteer_queue *home = request->home;
	unsigned long deadline = jiffies + queue_wait(queue);
	bool first;

	lockdep_assert_held(&request->bucket->lock);

	spin_lock(&home->lock);
	request->queue = queue;
	request->deadline = deadline;
	list_move_tail(&request->age, &home->requests[queue]);
	first = !(home->filled & BIT_ULL(queue));
	if (first)
		home->filled |= BIT_ULL(queue);
	spin_unlock(&home->lock);
	/* Else the timer is to look at this queue before, and finds it then. */
	if (first)
		radsteer_timer_by(requests->rn, deadline);
}

/**
 * radsteer_requests_leave() - take a request off its queue
 * @request: the request, on a queue or on none
 *
 * Context: any, under the lock of its bucket.
 */
void radsteer_requests_leave(struct radsteer_request *request)
{
	spin_lock(&request->home->lock);
	list_del_init(&request->age);
	spin_unlock(&request->home->lock);
}

/**
 * struct queue_head - the oldest request of a queue, as it was at one moment
 * @request: the request, only a number until it is found in the bucket again
 * @bucket: its bucket
 * @home: the queues of its CPU
 * @deadline: its deadline
 * @sent: when its last copy was sent, or its answer given
 * @queue: the queue
 */
struct queue_head {
	const struct radsteer_request *request;
	struct radsteer_bucket *bucket;
	struct radsteer_queue *home;
	unsigned long deadline;
	unsigned long sent;
	unsigned int queue;
};

/* Of a time in jiffies, a request has the low half. */
static unsigned long whole_time(u32 low)
{
	unsigned long now = jiffies;

	return now + (s32)(low - (u32)now);
}

/*
 * The head of a queue. The bucket comes before the queue in the order of
 * locks, so what is read here may be gone or changed when the bucket is locked.
 */
static bool queue_head(struct radsteer_queue *home, unsigned int queue,
		       struct queue_head *head)
{
	const struct radsteer_request *request;

	spin_lock_bh(&home->lock);
	request = list_first_entry_or_null(&home->requests[queue],
					   struct radsteer_request, age);
	if (request) {
		head->request = request;
		head->bucket = request->bucket;
		head->home = home;
		head->deadline = whole_time(request->deadline);
		head->sent = whole_time(READ_ONCE(request->sent));
		head->queue = queue;
	} else {
		home->filled &= ~BIT_ULL(queue);
	}
	spin_unlock_bh(&home->lock);
	return request;
}

/* What was the head of a queue, if it still is as it was. */
static struct radsteer_request *head_find(const struct queue_head *head)
{
	struct radsteer_request *request;

	lockdep_assert_held(&head->bucket->lock);

	hlist_for_each_entry(request, &head->bucket->requests, node)
		if (request == head->request && request->queue == head->queue &&
		    request->deadline == (u32)head->deadline)
			return request;
	return NULL;
}

static u64 queue_filled(struct radsteer_queue *home)
{
	u64 filled;

	spin_lock_bh(&home->lock);
	filled = home->filled;
	spin_unlock_bh(&home->lock);
	return filled;
}

/* A request has waited for as long as it should. */
static void request_due(struct radsteer_requests *requests,
			struct radsteer_request *request)
{
	switch (request->queue) {
	case RADSTEER_QUEUE_OVERDUE:
		/* One that was replaced waits for nothing (T3). */
		if (!request->answered)
			radsteer_stats_inc(requests->rn->stats, EXPIRED);
		fallthrough;
	case RADSTEER_QUEUE_ANSWERED:
		radsteer_requests_remove(requests, request);
		break;
	default:
		radsteer_requests_lost(requests, request);
		radsteer_requests_queue(requests, request,
					RADSTEER_QUEUE_OVERDUE);
	}
}

/* See to what is due in one queue, and say when the next is. */
static bool queue_run(struct radsteer_requests *requests,
		      struct radsteer_queue *home, unsigned int queue,
		      unsigned long *next)
{
	struct radsteer_request *request;
	unsigned int done = 0;
	struct queue_head head;
	bool waits;

	for (;;) {
		/* The bucket may be one that is about to be freed. */
		rcu_read_lock();
		waits = queue_head(home, queue, &head);
		if (!waits || time_before(jiffies, head.deadline))
			break;
		spin_lock_bh(&head.bucket->lock);
		request = head_find(&head);
		if (request)
			request_due(requests, request);
		spin_unlock_bh(&head.bucket->lock);
		rcu_read_unlock();
		if (++done % RADSTEER_EXPIRY_BATCH == 0)
			cond_resched();
	}
	rcu_read_unlock();
	*next = head.deadline;
	return waits;
}

/**
 * radsteer_requests_run() - let time go by for the requests of a namespace
 * @rn: the namespace, with a table
 * @waits: set if a request waits for something
 * @next: when the first of them is done with that in jiffies, if @waits
 *
 * Context: process, the timer of the namespace; may sleep.
 */
void radsteer_requests_run(struct radsteer_net *rn, bool *waits,
			   unsigned long *next)
{
	struct radsteer_requests *requests = rn->requests;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct radsteer_queue *home;
		u64 filled;

		home = per_cpu_ptr(requests->queue, cpu);
		filled = queue_filled(home);
		for (; filled; filled &= filled - 1) {
			unsigned long deadline;

			if (!queue_run(requests, home, __ffs64(filled),
				       &deadline))
				continue;
			if (!*waits || time_before(deadline, *next))
				*next = deadline;
			*waits = true;
		}
	}
}

/* The oldest request of some queues, whatever CPU has it. */
static bool requests_oldest(struct radsteer_requests *requests, u64 queues,
			    struct queue_head *oldest)
{
	bool found = false;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct radsteer_queue *home;
		struct queue_head head;
		u64 filled;

		home = per_cpu_ptr(requests->queue, cpu);
		filled = queue_filled(home) & queues;
		for (; filled; filled &= filled - 1) {
			if (!queue_head(home, __ffs64(filled), &head))
				continue;
			if (found && !time_before(head.sent, oldest->sent))
				continue;
			*oldest = head;
			found = true;
		}
	}
	return found;
}

/* Forget some requests from the head of a queue on. */
static unsigned int queue_evict(struct radsteer_requests *requests,
				struct queue_head *head, unsigned int count)
{
	struct radsteer_request *request;
	unsigned int done = 0;

	do {
		spin_lock_bh(&head->bucket->lock);
		request = head_find(head);
		if (request) {
			radsteer_requests_remove(requests, request);
			radsteer_stats_inc(requests->rn->stats, EVICTED);
			done++;
		}
		spin_unlock_bh(&head->bucket->lock);
	} while (--count && queue_head(head->home, head->queue, head));
	return done;
}

/**
 * radsteer_requests_evict() - make room: answered requests go first, then those
 *	that wait for the longest time
 * @requests: the table
 *
 * To find the oldest every CPU has to be asked, so some go at a time.
 *
 * Context: any, no bucket locked.
 * Return: true if there is room now, by this or by what others did meanwhile;
 *	false if there was nothing to forget.
 */
bool radsteer_requests_evict(struct radsteer_requests *requests)
{
	u64 queues = BIT_ULL(RADSTEER_QUEUE_ANSWERED);
	struct queue_head oldest;
	unsigned int count, tries;
	bool found;

	count = clamp_t(unsigned int, requests->limit / 64, 1,
			RADSTEER_EVICTION_BATCH);
	/* The buckets may be ones that are about to be freed. */
	rcu_read_lock();
	found = requests_oldest(requests, queues, &oldest);
	if (!found) {
		queues = ~queues;
		found = requests_oldest(requests, queues, &oldest);
	}
	for (tries = 0; found && tries < RADSTEER_EVICTION_TRIES; tries++) {
		if (queue_evict(requests, &oldest, count) ||
		    !requests_oldest(requests, queues, &oldest))
			break;
	}
	rcu_read_unlock();
	return found;
}
