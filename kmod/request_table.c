// SPDX-License-Identifier: GPL-2.0
/*
 * The table of requests: which server each was sent to, so that its further
 * copies go to the same one and its answer finds the way back.
 *
 * A request and its answer meet in one bucket, since the hash covers what both
 * have in common: the client's address and port, and the Identifier. The lock
 * of the bucket covers the whole decision on a packet, so that two copies that
 * come at a time cannot go to two servers.
 */
#include <linux/list.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "liveness.h"
#include "request_former.h"
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

/**
 * radsteer_requests_serve() - expect answers from ports
 * @requests: the table
 * @ports: bits of the ports, see radsteer_port_bit()
 *
 * They are expected as long as the table is there: a request may outlive its
 * server's place in a list.
 *
 * Context: process, radsteer_net.lock held; before a packet can be sent there.
 */
void radsteer_requests_serve(struct radsteer_requests *requests,
			     const unsigned long *ports)
{
	unsigned int bit;

	for_each_set_bit(bit, ports, RADSTEER_PORT_BITS)
		set_bit(bit, requests->served);
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
		radsteer_record_migrate(requests, request, to);
		bucket_append(bucket, request);
		spin_unlock(&bucket->lock);
	}
}

/* What a bucket should have may still be in an old one: bring it here first. */
static void bucket_complete(struct radsteer_requests *requests, u32 hash,
			    struct radsteer_buckets *buckets,
			    struct radsteer_buckets *old)
{
	struct radsteer_bucket *bucket;

	if (likely(!old || old == buckets))
		return;
	bucket = &old->bucket[hash & old->mask];
	spin_lock_bh(&bucket->lock);
	bucket_migrate(requests, bucket, buckets);
	spin_unlock_bh(&bucket->lock);
}

/**
 * radsteer_requests_lock() - find and lock the bucket of a request and its
 *	answer
 * @requests: the table
 * @client: the client
 * @identifier: Identifier
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
		buckets = radsteer_requests_buckets(requests, &old);
		bucket_complete(requests, hash, buckets, old);
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

/**
 * radsteer_requests_unlock_other() - unlock one bucket of two
 * @bucket: the one that stays locked
 * @other: the other, which may be the same
 *
 * Context: any, both locked by radsteer_requests_lock_two().
 */
void radsteer_requests_unlock_other(struct radsteer_bucket *bucket,
				    struct radsteer_bucket *other)
	__releases(other)
{
	if (other != bucket)
		spin_unlock(&other->lock);
	else
		__release(&other->lock);
}

/**
 * radsteer_requests_lock_two() - find and lock the buckets of two requests
 * @requests: the table
 * @client: the client of one
 * @identifier: its Identifier
 * @other: the client of the other
 * @other_identifier: its Identifier
 * @other_bucket: filled in with the bucket of the other, which may be the same
 *
 * Of two buckets the one with the lower address is locked first.
 *
 * Context: any, under rcu_read_lock(), no bucket locked; bottom halves are off
 *	until radsteer_requests_unlock(), which comes last.
 * Return: the bucket of the one.
 */
struct radsteer_bucket *
radsteer_requests_lock_two(struct radsteer_requests *requests,
			   const struct radsteer_endpoint *client,
			   u8 identifier, const struct radsteer_endpoint *other,
			   u8 other_identifier,
			   struct radsteer_bucket **other_bucket)
	__acquires(bucket)
	__acquires(other_bucket)
{
	u32 other_hash = requests_hash(requests, other, other_identifier);
	u32 hash = requests_hash(requests, client, identifier);
	struct radsteer_buckets *buckets, *old;
	struct radsteer_bucket *one, *two;

	for (;;) {
		buckets = radsteer_requests_buckets(requests, &old);
		bucket_complete(requests, hash, buckets, old);
		bucket_complete(requests, other_hash, buckets, old);
		one = &buckets->bucket[hash & buckets->mask];
		two = &buckets->bucket[other_hash & buckets->mask];
		spin_lock_bh(&min(one, two)->lock);
		if (one != two)
			spin_lock_nested(&max(one, two)->lock,
					 SINGLE_DEPTH_NESTING);
		else
			__acquire(&two->lock);
		*other_bucket = two;
		/* See radsteer_requests_lock(). */
		if (likely(rcu_access_pointer(requests->buckets) == buckets))
			return one;
		radsteer_requests_unlock_other(one, two);
		spin_unlock_bh(&one->lock);
	}
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
 * @spare: what radsteer_requests_detach() has left of another request of the
 *	bucket, to be used for this one, or NULL
 *
 * Context: any, under the lock of @bucket.
 * Return: the request, in its bucket, still to be filled in and queued before
 *	the lock is let go; NULL without memory, which does not happen with
 *	@spare.
 */
struct radsteer_request *
radsteer_requests_add(struct radsteer_requests *requests,
		      struct radsteer_bucket *bucket,
		      struct radsteer_server *server,
		      struct radsteer_request *spare)
{
	struct radsteer_request *request = spare;

	lockdep_assert_held(&bucket->lock);

	if (!request) {
		request = kmem_cache_alloc(request_cache,
					   GFP_ATOMIC | __GFP_NOWARN);
		if (!request)
			return NULL;
		percpu_counter_add_batch(&requests->count, 1,
					 READ_ONCE(requests->batch));
		INIT_LIST_HEAD(&request->age);
		request->bucket = bucket;
		request->home = this_cpu_ptr(requests->queue);
	} else if (request->home != this_cpu_ptr(requests->queue)) {
		/* It is to wait where its packets are. */
		radsteer_requests_leave(request);
		request->home = this_cpu_ptr(requests->queue);
	}

	percpu_ref_get(&server->ref);
	request->server = server;
	request->former = NULL;
	request->stamp_kind = 0;
	request->stop = false;
	request->answered = false;
	request->replaced = false;
	hlist_add_head(&request->node, &bucket->requests);
	radsteer_requests_waits(requests, request, true);
	return request;
}

/**
 * radsteer_requests_detach() - take a request out of its bucket
 * @requests: the table
 * @request: the request; it goes on as another one with
 *	radsteer_requests_add(), or to radsteer_requests_free()
 *
 * It stays in its queue, where nobody makes anything of a request that is not
 * in its bucket.
 *
 * Context: any, under the lock of its bucket, which is not to be let go before.
 */
void radsteer_requests_detach(struct radsteer_requests *requests,
			      struct radsteer_request *request)
{
	lockdep_assert_held(&request->bucket->lock);

	hlist_del(&request->node);
	radsteer_record_unlink(requests, request);
	if (!request->answered)
		radsteer_requests_waits(requests, request, false);
	radsteer_former_free(request->former);
	percpu_ref_put(&request->server->ref);
}

/**
 * radsteer_requests_free() - free what was detached
 * @requests: the table
 * @request: what radsteer_requests_detach() has left
 *
 * Context: any, under the lock of its bucket.
 */
void radsteer_requests_free(struct radsteer_requests *requests,
			    struct radsteer_request *request)
{
	lockdep_assert_held(&request->bucket->lock);

	radsteer_requests_leave(request);
	percpu_counter_add_batch(&requests->count, -1,
				 READ_ONCE(requests->batch));
	kmem_cache_free(request_cache, request);
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
	radsteer_requests_detach(requests, request);
	radsteer_requests_free(requests, request);
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
		INIT_HLIST_HEAD(&buckets->bucket[i].records);
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
	requests->bindings = radsteer_bindings_alloc(rn);
	if (!requests->bindings)
		goto err_buckets;
	for (i = 0; i < RADSTEER_RECORD_LOCKS; i++)
		spin_lock_init(&requests->record_lock[i]);

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

err_buckets:
	kvfree(buckets);
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
	/* See radsteer_requests_buckets(). */
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
	radsteer_bindings_free(requests->bindings);
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
