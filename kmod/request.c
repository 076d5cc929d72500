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
 * Requests age in queues, one for those outstanding and one for those answered
 * on each CPU. All that enter a queue wait equally long, so the head is always
 * the oldest, and neither expiry nor eviction has to search.
 */
#include <linux/list.h>
#include <linux/percpu_counter.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include "config.h"
#include "group.h"
#include "request.h"

/**
 * struct radsteer_request - a request that a server was chosen for
 * @node: in the bucket, the newest first
 * @age: in a queue of @home
 * @bucket: the bucket, never changes
 * @home: the queues of the CPU that made it, never changes
 * @group: the group that chose
 * @server: the server it was sent to last, referenced
 * @client: where the client sends from
 * @asked: where the client sends to
 * @deadline: when it is forgotten, in jiffies
 * @code: Code
 * @identifier: Identifier
 * @answered: an answer went back to the client
 * @authenticator: Request Authenticator
 */
struct radsteer_request {
	struct hlist_node node;
	struct list_head age;
	struct radsteer_bucket *bucket;
	struct radsteer_queue *home;
	const struct radsteer_group *group;
	struct radsteer_server *server;
	struct radsteer_endpoint client;
	struct radsteer_endpoint asked;
	unsigned long deadline;
	u8 code;
	u8 identifier;
	bool answered;
	u8 authenticator[RADIUS_AUTHENTICATOR_SIZE];
};

/**
 * struct radsteer_bucket - requests of one hash
 * @lock: guards the bucket and its requests
 * @requests: the requests, the newest first
 */
struct radsteer_bucket {
	spinlock_t lock;
	struct hlist_head requests;
};

/**
 * struct radsteer_queue - requests by age, for each CPU
 * @lock: guards the queues
 * @outstanding: unanswered requests, by the time of their last copy
 * @answered: answered requests, by the time of their first answer
 */
struct radsteer_queue {
	spinlock_t lock;
	struct list_head outstanding;
	struct list_head answered;
};

/**
 * struct radsteer_requests - the table of one namespace
 * @key: of the hash, secret: clients choose what is hashed
 * @count: requests in the table
 * @queue: the queues of each CPU
 * @rn: the namespace
 * @expiry: forgets what is past its deadline, runs while there are requests
 * @armed: 1 while @expiry is to run
 * @bucket: the buckets
 */
struct radsteer_requests {
	hsiphash_key_t key;
	struct percpu_counter count;
	struct radsteer_queue __percpu *queue;
	struct radsteer_net *rn;
	struct delayed_work expiry;
	atomic_t armed;
	struct radsteer_bucket bucket[BIT(RADSTEER_REQUEST_BUCKETS_SHIFT)];
};

static struct kmem_cache *request_cache;

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

static struct radsteer_bucket *
requests_bucket(struct radsteer_requests *requests,
		const struct radsteer_endpoint *client, u8 identifier)
{
	u32 low = (__force u16)client->port << 8 | identifier;
	u32 hash = hsiphash_2u32((__force u32)client->addr.ip, low,
				 &requests->key);

	return &requests->bucket[hash &
				 (BIT(RADSTEER_REQUEST_BUCKETS_SHIFT) - 1)];
}

/* Put a request at the end of the queue of its state. */
static void request_queue(struct radsteer_request *request)
{
	struct radsteer_queue *home = request->home;
	unsigned int seconds;

	lockdep_assert_held(&request->bucket->lock);

	seconds = request->answered ? RADSTEER_ANSWERED_SECONDS :
				      RADSTEER_OUTSTANDING_SECONDS;
	spin_lock(&home->lock);
	request->deadline = jiffies + seconds * HZ;
	list_move_tail(&request->age, request->answered ? &home->answered :
							  &home->outstanding);
	spin_unlock(&home->lock);
}

static void request_settled(struct radsteer_requests *requests,
			    struct radsteer_request *request)
{
	this_cpu_dec(request->server->stats->outstanding);
	this_cpu_dec(requests->rn->stats->value[RADSTEER_A_STATS_OUTSTANDING]);
}

static void request_outstanding(struct radsteer_requests *requests,
				struct radsteer_request *request)
{
	this_cpu_inc(request->server->stats->outstanding);
	radsteer_stats_inc(requests->rn->stats, OUTSTANDING);
}

/* Forget a request. */
static void request_free(struct radsteer_requests *requests,
			 struct radsteer_request *request)
{
	lockdep_assert_held(&request->bucket->lock);

	hlist_del(&request->node);
	spin_lock(&request->home->lock);
	list_del(&request->age);
	spin_unlock(&request->home->lock);
	if (!request->answered)
		request_settled(requests, request);
	percpu_ref_put(&request->server->ref);
	percpu_counter_dec(&requests->count);
	kmem_cache_free(request_cache, request);
}

/*
 * The head of a queue, and its bucket, to be locked by the caller. The bucket
 * comes before the queue in the order of locks, so the request may be gone or
 * changed by then: until it was found in the bucket again, its address is only
 * a number.
 */
static struct radsteer_request *queue_head(struct radsteer_queue *queue,
					   struct list_head *head,
					   struct radsteer_bucket **bucket,
					   unsigned long *deadline)
{
	struct radsteer_request *request;

	/* A queue that fills at this moment is looked at the next time. */
	if (list_empty(head))
		return NULL;

	spin_lock_bh(&queue->lock);
	request = list_first_entry_or_null(head, struct radsteer_request, age);
	if (request) {
		*bucket = request->bucket;
		*deadline = request->deadline;
	}
	spin_unlock_bh(&queue->lock);
	return request;
}

/* Forget a request that was the head of a queue, unless it changed since. */
static bool queue_forget(struct radsteer_requests *requests,
			 const struct radsteer_request *head,
			 struct radsteer_bucket *bucket, unsigned long deadline,
			 bool *answered)
{
	struct radsteer_request *request;
	bool found = false;

	spin_lock_bh(&bucket->lock);
	hlist_for_each_entry(request, &bucket->requests, node) {
		if (request != head || request->deadline != deadline)
			continue;
		*answered = request->answered;
		request_free(requests, request);
		found = true;
		break;
	}
	spin_unlock_bh(&bucket->lock);
	return found;
}

/* Forget the expired requests of one queue. */
static void queue_expire(struct radsteer_requests *requests,
			 struct radsteer_queue *queue, struct list_head *head)
{
	unsigned int done = 0;

	for (;;) {
		const struct radsteer_request *request;
		struct radsteer_bucket *bucket;
		unsigned long deadline;
		bool answered;

		request = queue_head(queue, head, &bucket, &deadline);
		if (!request || time_before(jiffies, deadline))
			return;
		if (queue_forget(requests, request, bucket, deadline,
				 &answered) && !answered)
			radsteer_stats_inc(requests->rn->stats, EXPIRED);
		if (++done % RADSTEER_EXPIRY_BATCH == 0)
			cond_resched();
	}
}

/* Forget the oldest request of one kind, whatever CPU has it. */
static bool requests_evict_oldest(struct radsteer_requests *requests,
				  bool answered)
{
	struct radsteer_bucket *bucket, *oldest_bucket = NULL;
	struct radsteer_request *request, *oldest = NULL;
	unsigned long deadline, oldest_deadline = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct radsteer_queue *queue;

		queue = per_cpu_ptr(requests->queue, cpu);
		request = queue_head(queue, answered ? &queue->answered :
						       &queue->outstanding,
				     &bucket, &deadline);
		if (!request ||
		    (oldest && !time_before(deadline, oldest_deadline)))
			continue;
		oldest = request;
		oldest_bucket = bucket;
		oldest_deadline = deadline;
	}
	return oldest && queue_forget(requests, oldest, oldest_bucket,
				      oldest_deadline, &answered);
}

/* Make room for one request: an answered one goes first, then the oldest. */
static bool requests_evict(struct radsteer_requests *requests)
{
	if (!requests_evict_oldest(requests, true) &&
	    !requests_evict_oldest(requests, false))
		return false;
	radsteer_stats_inc(requests->rn->stats, EVICTED);
	return true;
}

static bool requests_full(struct radsteer_requests *requests)
{
	return percpu_counter_compare(&requests->count,
				      RADSTEER_REQUESTS_MAX) >= 0;
}

static void requests_arm(struct radsteer_requests *requests)
{
	if (!atomic_read(&requests->armed) &&
	    !atomic_xchg(&requests->armed, 1))
		queue_delayed_work(system_power_efficient_wq, &requests->expiry,
				   HZ);
}

static void requests_expire(struct work_struct *work)
{
	struct radsteer_requests *requests;
	int cpu;

	requests = container_of(to_delayed_work(work), struct radsteer_requests,
				expiry);
	for_each_possible_cpu(cpu) {
		struct radsteer_queue *queue;

		queue = per_cpu_ptr(requests->queue, cpu);
		queue_expire(requests, queue, &queue->answered);
		queue_expire(requests, queue, &queue->outstanding);
	}

	/*
	 * Whoever adds a request counts it and then looks at armed; here it is
	 * the other way round, so one of the two sees the other.
	 */
	atomic_set(&requests->armed, 0);
	/* Pairs with the barrier in request_add(). */
	smp_mb();
	if (percpu_counter_sum(&requests->count) > 0)
		requests_arm(requests);
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
	unsigned int i;
	int cpu;

	requests = kvzalloc(sizeof(*requests), GFP_KERNEL_ACCOUNT);
	if (!requests)
		return -ENOMEM;
	requests->queue = alloc_percpu_gfp(struct radsteer_queue,
					   GFP_KERNEL_ACCOUNT);
	if (!requests->queue)
		goto err_free;
	if (percpu_counter_init(&requests->count, 0, GFP_KERNEL_ACCOUNT))
		goto err_queue;

	for_each_possible_cpu(cpu) {
		struct radsteer_queue *queue;

		queue = per_cpu_ptr(requests->queue, cpu);
		spin_lock_init(&queue->lock);
		INIT_LIST_HEAD(&queue->outstanding);
		INIT_LIST_HEAD(&queue->answered);
	}
	for (i = 0; i < ARRAY_SIZE(requests->bucket); i++) {
		spin_lock_init(&requests->bucket[i].lock);
		INIT_HLIST_HEAD(&requests->bucket[i].requests);
	}
	get_random_bytes(&requests->key, sizeof(requests->key));
	INIT_DELAYED_WORK(&requests->expiry, requests_expire);
	requests->rn = rn;
	rn->requests = requests;
	return 0;

err_queue:
	free_percpu(requests->queue);
err_free:
	kvfree(requests);
	return -ENOMEM;
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
	struct radsteer_requests *requests = rn->requests;
	struct radsteer_request *request;
	struct hlist_node *next;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(requests->bucket); i++) {
		struct radsteer_bucket *bucket = &requests->bucket[i];

		if (hlist_empty(&bucket->requests))
			continue;
		spin_lock_bh(&bucket->lock);
		hlist_for_each_entry_safe(request, next, &bucket->requests,
					  node)
			if (!group || request->group == group)
				request_free(requests, request);
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
	cancel_delayed_work_sync(&requests->expiry);
	radsteer_requests_end(rn, NULL);
	percpu_counter_destroy(&requests->count);
	free_percpu(requests->queue);
	kvfree(requests);
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

static const u8 *packet_authenticator(const struct radsteer_packet *packet)
{
	return packet->radius + RADIUS_OFFSET_AUTHENTICATOR;
}

static bool request_is_from(const struct radsteer_request *request,
			    const struct radsteer_endpoint *client,
			    u8 identifier)
{
	return request->identifier == identifier &&
	       radsteer_endpoint_equal(&request->client, client);
}

/*
 * Find the request that a packet is a copy of, or that it takes the Identifier
 * of: the same but, maybe, for the Authenticator.
 */
static struct radsteer_request *
bucket_find_request(const struct radsteer_bucket *bucket,
		    const struct radsteer_packet *packet)
{
	u8 code = packet->radius[RADIUS_OFFSET_CODE];
	struct radsteer_request *request;

	hlist_for_each_entry(request, &bucket->requests, node) {
		if (request->code == code &&
		    request_is_from(request, &packet->source,
				    packet->radius[RADIUS_OFFSET_IDENTIFIER]) &&
		    radsteer_endpoint_equal(&request->asked,
					    &packet->destination))
			return request;
	}
	return NULL;
}

/*
 * Find the request that a packet from a server answers: the newest that is
 * outstanding, or else the newest that was answered before.
 */
static struct radsteer_request *
bucket_find_answered(const struct radsteer_bucket *bucket,
		     const struct radsteer_packet *packet)
{
	struct radsteer_request *request, *repeated = NULL;

	hlist_for_each_entry(request, &bucket->requests, node) {
		if (!request_is_from(request, &packet->destination,
				     packet->radius[RADIUS_OFFSET_IDENTIFIER]))
			continue;
		if (!radsteer_endpoint_equal(&request->server->at,
					     &packet->source) ||
		    !radius_answers(request->code,
				    packet->radius[RADIUS_OFFSET_CODE]))
			continue;
		if (!request->answered)
			return request;
		if (!repeated)
			repeated = request;
	}
	return repeated;
}

/* Choose by the rules, and count it. */
static int list_select(struct radsteer_net *rn,
		       const struct radsteer_snapshot *snapshot,
		       unsigned int service)
{
	const struct radsteer_list *list = &snapshot->list[service];
	int recent = SELECT_NONE, server;
	struct select_choice choice;
	u32 ticket = 0;

	/* The most-recent backup matters without a master to take it alone. */
	if (!list->rules.share &&
	    !(list->rules.up & list->rules.eligible & BIT_ULL(0)))
		recent = radsteer_group_recent(snapshot->group, list, service);

	choice = select_first(&list->rules, recent);
	if (choice.tickets > 1)
		ticket = get_random_u32_below(choice.tickets);
	server = select_draw(&list->rules, &choice, ticket);

	this_cpu_inc(*list->member[server]->selected);
	if (choice.none_up)
		radsteer_stats_inc(rn->stats, NONE_UP);
	return server;
}

/* M9: keep in mind which backup was used last, the master never counting. */
static void list_used(const struct radsteer_snapshot *snapshot,
		      unsigned int service, int server)
{
	const struct radsteer_list *list = &snapshot->list[service];
	u32 *recent = &snapshot->group->recent[service];
	u32 id;

	if (!server || list->rules.share)
		return;
	id = list->member[server]->server->id;
	/* Most often it is the same, and no cache line has to move. */
	if (READ_ONCE(*recent) != id)
		WRITE_ONCE(*recent, id);
}

/* The place of a server in a list, SELECT_NONE if it was taken off. */
static int list_place(const struct radsteer_list *list,
		      const struct radsteer_server *server)
{
	unsigned int i;

	for (i = 0; i < list->rules.count; i++)
		if (list->member[i]->server == server)
			return i;
	return SELECT_NONE;
}

/*
 * A further copy stays with its server, even if that takes no first sends now
 * (M6); only one that was removed or is administratively down loses it.
 */
static int list_stay(const struct radsteer_list *list,
		     const struct radsteer_server *server)
{
	int i = list_place(list, server);

	if (i < 0)
		return SELECT_NONE;
	if (list->down & ~list->rules.eligible & BIT_ULL(i))
		return SELECT_NONE;
	return i;
}

static void request_add(struct radsteer_requests *requests,
			struct radsteer_bucket *bucket,
			const struct radsteer_packet *packet,
			const struct radsteer_group *group,
			struct radsteer_server *server)
{
	struct radsteer_request *request;

	/* P6: without memory it is steered all the same. */
	request = kmem_cache_alloc(request_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!request) {
		radsteer_stats_inc(requests->rn->stats, UNREMEMBERED);
		return;
	}

	percpu_ref_get(&server->ref);
	request->bucket = bucket;
	request->home = this_cpu_ptr(requests->queue);
	request->group = group;
	request->server = server;
	request->client = packet->source;
	request->asked = packet->destination;
	request->code = packet->radius[RADIUS_OFFSET_CODE];
	request->identifier = packet->radius[RADIUS_OFFSET_IDENTIFIER];
	request->answered = false;
	memcpy(request->authenticator, packet_authenticator(packet),
	       sizeof(request->authenticator));

	INIT_LIST_HEAD(&request->age);
	request_queue(request);
	hlist_add_head(&request->node, &bucket->requests);
	request_outstanding(requests, request);
	percpu_counter_inc(&requests->count);
	/* Pairs with the barrier in requests_expire(). */
	smp_mb();
	requests_arm(requests);
}

/* Move a request, whose server is not to be used any more. */
static void request_move(struct radsteer_requests *requests,
			 struct radsteer_request *request,
			 struct radsteer_server *server)
{
	if (!request->answered)
		request_settled(requests, request);
	percpu_ref_put(&request->server->ref);
	percpu_ref_get(&server->ref);
	request->server = server;
	if (!request->answered)
		request_outstanding(requests, request);
}

/*
 * Tell whether a packet is a further copy of the request that was found. If it
 * is not, the client gave that request up and uses its Identifier again (T2).
 * Status-Server has no copies (T4): each asks anew.
 */
static bool request_is_copy(const struct radsteer_request *request,
			    const struct radsteer_packet *packet)
{
	return request->code != RADIUS_STATUS_SERVER &&
	       !memcmp(request->authenticator, packet_authenticator(packet),
		       sizeof(request->authenticator));
}

/**
 * radsteer_request_send() - choose the server for a packet, and remember it
 * @requests: the table of the namespace
 * @snapshot: the group
 * @service: the service; its list is not empty
 * @packet: the packet, its RADIUS header well-formed
 * @to: filled in with where the server listens
 *
 * Implements M1 to M5, M6 below the limit, M9, L1 to L8, P6, T2, T4.
 *
 * Context: a hook, under rcu_read_lock() of the one that read the snapshot.
 */
void radsteer_request_send(struct radsteer_requests *requests,
			   const struct radsteer_snapshot *snapshot,
			   unsigned int service,
			   const struct radsteer_packet *packet,
			   struct radsteer_endpoint *to)
{
	const struct radsteer_list *list = &snapshot->list[service];
	struct radsteer_net *rn = requests->rn;
	struct radsteer_request *request;
	struct radsteer_bucket *bucket;
	struct radsteer_server *server;
	bool room = true;
	int place;

	bucket = requests_bucket(requests, &packet->source,
				 packet->radius[RADIUS_OFFSET_IDENTIFIER]);
	spin_lock_bh(&bucket->lock);
	request = bucket_find_request(bucket, packet);
	if (!request && requests_full(requests)) {
		/* Another bucket may have the one that goes. */
		spin_unlock_bh(&bucket->lock);
		room = requests_evict(requests);
		spin_lock_bh(&bucket->lock);
		request = bucket_find_request(bucket, packet);
	}
	if (request && !request_is_copy(request, packet)) {
		if (!request->answered)
			radsteer_stats_inc(rn->stats, ABANDONED);
		request_free(requests, request);
		request = NULL;
	}

	place = request ? list_stay(list, request->server) : SELECT_NONE;
	if (place < 0)
		place = list_select(rn, snapshot, service);
	list_used(snapshot, service, place);
	server = list->member[place]->server;

	if (!request) {
		this_cpu_inc(server->stats->requests);
		/* P6: without room it is steered all the same. */
		if (room)
			request_add(requests, bucket, packet, snapshot->group,
				    server);
		else
			radsteer_stats_inc(rn->stats, UNREMEMBERED);
	} else {
		/* C3: it ends with the group that steered it last. */
		request->group = snapshot->group;
		radsteer_stats_inc(rn->stats, RETRANSMISSIONS);
		if (request->server == server) {
			this_cpu_inc(server->stats->retransmissions);
		} else {
			this_cpu_inc(server->stats->requests);
			request_move(requests, request, server);
		}
		/* R3: the memory of an answered one is not prolonged. */
		if (!request->answered)
			request_queue(request);
	}
	*to = server->at;
	spin_unlock_bh(&bucket->lock);
}

/**
 * radsteer_request_answer() - find the request that a packet answers (R1, R5)
 * @requests: the table of the namespace
 * @packet: the packet, its RADIUS header well-formed
 * @asked: filled in with where the client sent the request to
 *
 * Context: a hook, under rcu_read_lock() of the one that read the
 *	configuration.
 * Return: true if the packet is an answer, false if nothing matches (R4).
 */
bool radsteer_request_answer(struct radsteer_requests *requests,
			     const struct radsteer_packet *packet,
			     struct radsteer_endpoint *asked)
{
	struct radsteer_request *request;
	struct radsteer_bucket *bucket;

	bucket = requests_bucket(requests, &packet->destination,
				 packet->radius[RADIUS_OFFSET_IDENTIFIER]);
	spin_lock_bh(&bucket->lock);
	request = bucket_find_answered(bucket, packet);
	if (request) {
		*asked = request->asked;
		radsteer_stats_answer(request->server->stats,
				      packet->radius[RADIUS_OFFSET_CODE]);
		if (!request->answered) {
			request_settled(requests, request);
			request->answered = true;
			request_queue(request);
		}
	}
	spin_unlock_bh(&bucket->lock);
	return request;
}
