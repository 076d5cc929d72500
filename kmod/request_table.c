// SPDX-License-Identifier: GPL-2.0
/*
 * The table of requests: which server each was sent to, so that its further
 * copies go to the same one and its answer finds the way back.
 *
 * A request and its answer meet in one bucket, since the hash covers what both
 * have in common: the client's address and port, and the Identifier. The lock
 * of the bucket covers the whole decision on a packet, so that two copies that
 * come at a time cannot go to two servers.
 *
 * Requests age in queues on each CPU: one queue for those that were answered,
 * one for each timeout that a copy can have, and one for those whose last copy
 * is lost. All that enter a queue wait equally long, so the head is always the
 * oldest, and neither the timer nor eviction has to search.
 */
#include <linux/list.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "liveness.h"
#include "request_table.h"
#include "timer.h"

static struct kmem_cache *request_cache;

/* One for each request that waits, so it is to stay small. */
static_assert(sizeof(struct radsteer_request) <= 192);

/**
 * radsteer_request_cache_create() - make the slab cache of requests
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int radsteer_request_cache_create(void)
{
	request_cache = KMEM_CACHE(radsteer_request, SLAB_HWCACHE_ALIGN);
	return request_cache ? 0 : -ENOMEM;
}

/**
 * radsteer_request_cache_destroy() - free the slab cache, empty by now
 *
 * Context: process; may sleep.
 */
void radsteer_request_cache_destroy(void)
{
	kmem_cache_destroy(request_cache);
}

static u32 requests_hash(const struct radsteer_requests *requests,
			 const struct radsteer_endpoint *client, u8 identifier)
{
	struct {
		u32 addr[4];
		u32 low;
	} what;

	what.low = (__force u16)client->port << 8 | identifier;
	if (client->family == NFPROTO_IPV4)
		return hsiphash_2u32((__force u32)client->addr.ip, what.low,
				     &requests->key);
	memcpy(what.addr, client->addr.all, sizeof(what.addr));
	return hsiphash(&what, sizeof(what), &requests->key);
}

/* Older than all that is there: those come first that came here by themselves. */
static void bucket_append(struct radsteer_bucket *bucket,
			  struct radsteer_request *request)
{
	struct hlist_node *last = NULL, *node;

	for (node = bucket->requests.first; node; node = node->next)
		last = node;
	if (last)
		hlist_add_behind(&request->node, last);
	else
		hlist_add_head(&request->node, &bucket->requests);
}

/* Bring what is in an old bucket to the one where it is looked for now. */
static void bucket_migrate(struct radsteer_requests *requests,
			   struct radsteer_bucket *from,
			   struct radsteer_buckets *to)
{
	struct radsteer_request *request;
	struct hlist_node *next;

	lockdep_assert_held(&from->lock);

	hlist_for_each_entry_safe(request, next, &from->requests, node) {
		struct radsteer_bucket *bucket;
		u32 hash;

		hash = requests_hash(requests, &request->client,
				     request->identifier);
		bucket = &to->bucket[hash & to->mask];
		spin_lock_nested(&bucket->lock, SINGLE_DEPTH_NESTING);
		hlist_del(&request->node);
		spin_lock(&request->home->lock);
		request->bucket = bucket;
		spin_unlock(&request->home->lock);
		bucket_append(bucket, request);
		spin_unlock(&bucket->lock);
	}
}

/**
 * radsteer_requests_lock() - find and lock the bucket of a request and its
 *	answer
 * @requests: the table
 * @client: the client
 * @identifier: Identifier
 *
 * While the table changes its size, what the bucket should have may still be in
 * an old one, and is brought here first.
 *
 * Context: any, under rcu_read_lock(); bottom halves are off until
 *	radsteer_requests_unlock().
 * Return: the bucket.
 */
struct radsteer_bucket *
radsteer_requests_lock(struct radsteer_requests *requests,
		       const struct radsteer_endpoint *client, u8 identifier)
	__acquires(bucket)
{
	u32 hash = requests_hash(requests, client, identifier);
	struct radsteer_buckets *buckets, *old;
	struct radsteer_bucket *bucket;

	for (;;) {
		buckets = rcu_dereference(requests->buckets);
		/* Pairs with rcu_assign_pointer() in requests_rehash(). */
		old = rcu_dereference(requests->old);
		if (unlikely(old && old != buckets)) {
			bucket = &old->bucket[hash & old->mask];
			spin_lock_bh(&bucket->lock);
			bucket_migrate(requests, bucket, buckets);
			spin_unlock_bh(&bucket->lock);
		}
		bucket = &buckets->bucket[hash & buckets->mask];
		spin_lock_bh(&bucket->lock);
		/* Whoever emptied the bucket replaced the pointer before. */
		if (likely(rcu_access_pointer(requests->buckets) == buckets))
			return bucket;
		spin_unlock_bh(&bucket->lock);
	}
}

/**
 * radsteer_requests_unlock() - unlock a bucket
 * @bucket: the bucket
 *
 * Context: any.
 */
void radsteer_requests_unlock(struct radsteer_bucket *bucket)
	__releases(bucket)
{
	spin_unlock_bh(&bucket->lock);
}

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

	lockdep_assert_held(&request->bucket->lock);

	spin_lock(&home->lock);
	request->queue = queue;
	request->deadline = jiffies + queue_wait(queue);
	list_move_tail(&request->age, &home->requests[queue]);
	home->filled |= BIT_ULL(queue);
	spin_unlock(&home->lock);
	radsteer_timer_by(requests->rn, request->deadline);
}

/**
 * radsteer_requests_waits() - count that a request waits for an answer
 * @requests: the table
 * @request: the request
 * @waits: it does so now, or it does so no more
 *
 * Context: any, under the lock of its bucket.
 */
void radsteer_requests_waits(struct radsteer_requests *requests,
			     struct radsteer_request *request, bool waits)
{
	int one = waits ? 1 : -1;

	this_cpu_add(request->server->stats->outstanding, one);
	this_cpu_add(requests->rn->stats->value[RADSTEER_A_STATS_OUTSTANDING],
		     one);
}

/**
 * radsteer_requests_lost() - the last copy of a request is lost (S1)
 * @requests: the table
 * @request: the request
 *
 * Nothing happens if it is answered, or if that was said of this copy before.
 * A Status-Server is no test of a server that may not know it: it is not held
 * against the server, as it takes part in no retransmission rule (T4).
 *
 * Context: any, under the lock of its bucket.
 */
void radsteer_requests_lost(struct radsteer_requests *requests,
			    struct radsteer_request *request)
{
	lockdep_assert_held(&request->bucket->lock);

	if (request->answered || request->lost)
		return;
	request->lost = true;
	if (request->code == RADIUS_STATUS_SERVER)
		return;
	this_cpu_inc(request->server->stats->lost);
	radsteer_stats_inc(requests->rn->stats, LOST);
	radsteer_liveness_lost(requests->rn, request->server,
			       request->copies > request->retransmit);
}

/**
 * radsteer_requests_add() - remember a request
 * @requests: the table
 * @bucket: its bucket
 * @server: the server it is sent to
 *
 * Context: any, under the lock of @bucket.
 * Return: the request, in its bucket, still to be filled in and queued before
 *	the lock is let go; NULL without memory.
 */
struct radsteer_request *
radsteer_requests_add(struct radsteer_requests *requests,
		      struct radsteer_bucket *bucket,
		      struct radsteer_server *server)
{
	struct radsteer_request *request;

	lockdep_assert_held(&bucket->lock);

	request = kmem_cache_alloc(request_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!request)
		return NULL;

	percpu_ref_get(&server->ref);
	request->bucket = bucket;
	request->home = this_cpu_ptr(requests->queue);
	request->server = server;
	request->former = NULL;
	request->answered = false;
	INIT_LIST_HEAD(&request->age);
	hlist_add_head(&request->node, &bucket->requests);
	percpu_counter_add_batch(&requests->count, 1,
				 READ_ONCE(requests->batch));
	radsteer_requests_waits(requests, request, true);
	return request;
}

/**
 * radsteer_requests_remove() - forget a request
 * @requests: the table
 * @request: the request
 *
 * Context: any, under the lock of its bucket.
 */
void radsteer_requests_remove(struct radsteer_requests *requests,
			      struct radsteer_request *request)
{
	struct radsteer_former *former = request->former;

	lockdep_assert_held(&request->bucket->lock);

	hlist_del(&request->node);
	spin_lock(&request->home->lock);
	list_del(&request->age);
	spin_unlock(&request->home->lock);
	if (!request->answered)
		radsteer_requests_waits(requests, request, false);
	percpu_counter_add_batch(&requests->count, -1,
				 READ_ONCE(requests->batch));
	while (former && former->count)
		percpu_ref_put(&former->server[--former->count]->ref);
	kfree(former);
	percpu_ref_put(&request->server->ref);
	kmem_cache_free(request_cache, request);
}

/**
 * struct queue_head - the oldest request of a queue, as it was at one moment
 * @request: the request, only a number until it is found in the bucket again
 * @bucket: its bucket
 * @home: the queues of its CPU
 * @deadline: its deadline
 * @queued: when it was put there
 * @queue: the queue
 */
struct queue_head {
	const struct radsteer_request *request;
	struct radsteer_bucket *bucket;
	struct radsteer_queue *home;
	unsigned long deadline;
	unsigned long queued;
	unsigned int queue;
};

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
		head->deadline = request->deadline;
		head->queued = request->deadline - queue_wait(queue);
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
		    request->deadline == head->deadline)
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
			if (found && !time_before(head.queued, oldest->queued))
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

/**
 * radsteer_requests_full() - tell whether one has to go before another comes
 * @requests: the table
 *
 * Context: any.
 * Return: true if there is no room.
 */
bool radsteer_requests_full(struct radsteer_requests *requests)
{
	return percpu_counter_read(&requests->count) >=
	       READ_ONCE(requests->limit);
}

/*
 * No more than @max are to be remembered, and no CPU is to ask all others for
 * each packet: what they may not have told is taken off the limit, which is a
 * sixteenth of it at most.
 */
static void requests_limit(struct radsteer_requests *requests, u32 max)
{
	s32 batch;

	batch = clamp_t(s32, max / (16 * num_possible_cpus()), 1,
			RADSTEER_COUNT_BATCH);
	WRITE_ONCE(requests->batch, batch);
	/* By ones, each is told at once. */
	WRITE_ONCE(requests->limit,
		   batch > 1 ? max - batch * num_possible_cpus() : max);
}

static struct radsteer_buckets *buckets_alloc(u32 max)
{
	struct radsteer_buckets *buckets;
	unsigned int count, i;

	count = max(max / RADSTEER_REQUESTS_PER_BUCKET, 1U);
	count = max_t(unsigned int, roundup_pow_of_two(count),
		      RADSTEER_BUCKETS_MIN);
	buckets = kvzalloc(struct_size(buckets, bucket, count),
			   GFP_KERNEL_ACCOUNT);
	if (!buckets)
		return NULL;
	buckets->mask = count - 1;
	for (i = 0; i < count; i++) {
		spin_lock_init(&buckets->bucket[i].lock);
		INIT_HLIST_HEAD(&buckets->bucket[i].requests);
		if (i % RADSTEER_EXPIRY_BATCH == 0)
			cond_resched();
	}
	return buckets;
}

/**
 * radsteer_requests_init() - make the table of a namespace
 * @rn: the namespace, without a table
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0 or -ENOMEM.
 */
int radsteer_requests_init(struct radsteer_net *rn)
{
	struct radsteer_requests *requests;
	struct radsteer_buckets *buckets;
	unsigned int i;
	int cpu;

	requests = kzalloc(sizeof(*requests), GFP_KERNEL_ACCOUNT);
	if (!requests)
		return -ENOMEM;
	requests->queue = alloc_percpu_gfp(struct radsteer_queue,
					   GFP_KERNEL_ACCOUNT);
	if (!requests->queue)
		goto err_free;
	if (percpu_counter_init(&requests->count, 0, GFP_KERNEL_ACCOUNT))
		goto err_queue;
	buckets = buckets_alloc(rn->requests_max);
	if (!buckets)
		goto err_count;

	for_each_possible_cpu(cpu) {
		struct radsteer_queue *home;

		home = per_cpu_ptr(requests->queue, cpu);
		spin_lock_init(&home->lock);
		for (i = 0; i < RADSTEER_QUEUES; i++)
			INIT_LIST_HEAD(&home->requests[i]);
	}
	rcu_assign_pointer(requests->buckets, buckets);
	requests_limit(requests, rn->requests_max);
	get_random_bytes(&requests->key, sizeof(requests->key));
	requests->rn = rn;
	rn->requests = requests;
	return 0;

err_count:
	percpu_counter_destroy(&requests->count);
err_queue:
	free_percpu(requests->queue);
err_free:
	kfree(requests);
	return -ENOMEM;
}

/* Bring all requests to other buckets, while packets come. */
static void requests_rehash(struct radsteer_requests *requests,
			    struct radsteer_buckets *buckets)
{
	struct radsteer_buckets *old;
	unsigned int i;

	old = rcu_dereference_protected(requests->buckets,
					lockdep_is_held(&requests->rn->lock));
	/* Who sees the new buckets is to see where else to look. */
	rcu_assign_pointer(requests->old, old);
	rcu_assign_pointer(requests->buckets, buckets);
	/* After that nobody puts anything into the old ones. */
	synchronize_rcu();
	for (i = 0; i <= old->mask; i++) {
		spin_lock_bh(&old->bucket[i].lock);
		bucket_migrate(requests, &old->bucket[i], buckets);
		spin_unlock_bh(&old->bucket[i].lock);
		cond_resched();
	}
	RCU_INIT_POINTER(requests->old, NULL);
	synchronize_rcu();
	kvfree(old);
}

/**
 * radsteer_requests_resize() - set how many requests are remembered at most
 * @rn: the namespace
 * @max: so many
 *
 * Where there are more, they are forgotten as if others came in their place.
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0, or -ENOMEM with all as it was.
 */
int radsteer_requests_resize(struct radsteer_net *rn, u32 max)
{
	struct radsteer_requests *requests = rn->requests;
	struct radsteer_buckets *buckets;

	lockdep_assert_held(&rn->lock);

	if (!requests || max == rn->requests_max) {
		rn->requests_max = max;
		return 0;
	}
	buckets = buckets_alloc(max);
	if (!buckets)
		return -ENOMEM;
	rn->requests_max = max;
	requests_limit(requests, max);
	/* What does not fit goes while the buckets are as many as before. */
	while (percpu_counter_sum(&requests->count) > requests->limit &&
	       radsteer_requests_evict(requests))
		cond_resched();
	requests_rehash(requests, buckets);
	/* A dump goes by buckets. */
	if (!++rn->generation)
		rn->generation = 1;
	return 0;
}

/**
 * radsteer_requests_end() - end the requests of a group (C3)
 * @rn: the namespace
 * @group: the group, which no packet sees any more, or NULL for all groups
 *
 * Context: process, radsteer_net.lock held; may sleep.
 */
void radsteer_requests_end(struct radsteer_net *rn,
			   const struct radsteer_group *group)
{
	struct radsteer_request *request;
	struct radsteer_buckets *buckets;
	struct hlist_node *next;
	unsigned int i;

	buckets = rcu_dereference_protected(rn->requests->buckets,
					    lockdep_is_held(&rn->lock));
	for (i = 0; i <= buckets->mask; i++) {
		struct radsteer_bucket *bucket = &buckets->bucket[i];

		if (hlist_empty(&bucket->requests))
			continue;
		spin_lock_bh(&bucket->lock);
		hlist_for_each_entry_safe(request, next, &bucket->requests,
					  node)
			if (!group || request->group == group)
				radsteer_requests_remove(rn->requests, request);
		spin_unlock_bh(&bucket->lock);
		cond_resched();
	}
}

/**
 * radsteer_requests_exit() - free the table of a namespace
 * @rn: the namespace; no packet sees its table any more, nor can it again
 *
 * Context: process, radsteer_net.lock held; may sleep.
 */
void radsteer_requests_exit(struct radsteer_net *rn)
{
	struct radsteer_requests *requests = rn->requests;

	if (!requests)
		return;
	radsteer_timer_stop(rn);
	radsteer_requests_end(rn, NULL);
	percpu_counter_destroy(&requests->count);
	free_percpu(requests->queue);
	kvfree(rcu_dereference_protected(requests->buckets,
					 lockdep_is_held(&rn->lock)));
	kfree(requests);
	rn->requests = NULL;
}

/**
 * radsteer_requests_count() - count the requests of a namespace
 * @rn: the namespace
 *
 * Context: process, radsteer_net.lock held.
 * Return: the requests in the table, answered ones included.
 */
unsigned long radsteer_requests_count(const struct radsteer_net *rn)
{
	lockdep_assert_held(&rn->lock);
	return rn->requests ? percpu_counter_sum_positive(&rn->requests->count)
			    : 0;
}
