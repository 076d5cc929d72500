/* SPDX-License-Identifier: GPL-2.0 */
/* The table of requests: buckets, queues by age, bounds. */
#ifndef _RADSTEER_REQUEST_TABLE_H
#define _RADSTEER_REQUEST_TABLE_H

#include <linux/percpu_counter.h>
#include <linux/siphash.h>
#include "binding_table.h"
#include "radius.h"
#include "radsteer.h"

enum {
	/* Locks for the records of all buckets. */
	RADSTEER_RECORD_LOCKS	= 64,
};

/**
 * struct radsteer_former - the servers that a request was sent to before
 * @count: servers in @server
 * @forgotten: the first of them, which do not count for the selection (L5);
 *	their answers still find the way back
 * @room: places in @server
 * @server: the servers, referenced, in the order of their last copy
 */
struct radsteer_former {
	u8 count;
	u8 forgotten;
	u8 room;
	struct radsteer_server *server[];
};

/**
 * struct radsteer_request - a request that a server was chosen for
 * @node: in the bucket, the newest first
 * @age: in a queue of @home
 * @bucket: the bucket; changes under the locks of both buckets and that of
 *	@home
 * @home: the queues of a CPU; changes under the lock of the bucket, while it is
 *	in none of them
 * @group: the group that chose
 * @server: the server it was sent to last, or the one that answered it first
 *	(R2); referenced
 * @former: the servers it was sent to before, NULL if there is none
 * @client: where the client sends from
 * @asked: where the client sends to
 * @deadline: when its queue is done with it, in jiffies
 * @access: of an Access-Request
 * @access.session: key of the session, 0 for nothing to learn (A3)
 * @access.user: key of the user, 0 for nothing to learn (A3)
 * @record: of an Accounting-Request
 * @record.node: in a bucket's records, while it is not answered (T3)
 * @record.key: what its retransmissions share, 0 if nothing is known (T3)
 * @record.session: key of the session, 0 if it is not bound (A4)
 * @record.delay: Acct-Delay-Time
 * @record.stamp: what tells it from the next report, see enum radsteer_stamp
 * @sent: when the last copy was sent that was no duplicate, or the last answer was
 *	given back, in jiffies; written under the lock of the bucket
 * @seen: when the last copy came, duplicates included, in jiffies
 * @sent_us: until it is answered: when it was sent in microseconds, if the round
 *	trip is to be measured, or 0
 * @given: once it is answered: the first octets of the Authenticator of the
 *	answer that was given back last
 * @queue: enum radsteer_queue_index
 * @code: Code
 * @identifier: Identifier
 * @copies: copies that @server got
 * @retransmit: retransmissions that were its due when it got the last of them
 * @failovers: how often it moved
 * @stamp_kind: what @record.stamp is, enum radsteer_stamp
 * @stop: it is the Stop of a session (A7)
 * @answered: an answer went back to the client, or @replaced
 * @replaced: a later copy with another Identifier took its place, and it has no
 *	answer itself (T3)
 * @lost: the last copy is lost (S1)
 * @authenticator: Request Authenticator
 */
struct radsteer_request {
	struct hlist_node node;
	struct list_head age;
	struct radsteer_bucket *bucket;
	struct radsteer_queue *home;
	const struct radsteer_group *group;
	struct radsteer_server *server;
	struct radsteer_former *former;
	struct radsteer_endpoint client;
	struct radsteer_endpoint asked;
	union {
		struct {
			u64 session;
			u64 user;
		} access;
		struct {
			struct hlist_node node;
			u64 key;
			u64 session;
			u32 delay;
			u32 stamp;
		} record;
	};
	u32 deadline;
	u32 sent;
	u32 seen;
	union {
		u32 sent_us;
		u32 given;
	};
	u8 queue;
	u8 code;
	u8 identifier;
	u8 copies;
	u8 retransmit;
	u8 failovers;
	u8 stamp_kind;
	u8 stop : 1;
	u8 answered : 1;
	u8 replaced : 1;
	u8 lost : 1;
	u8 authenticator[RADIUS_AUTHENTICATOR_SIZE];
};

/**
 * struct radsteer_bucket - requests of one hash
 * @lock: guards @requests, and all that is in these
 * @requests: the requests, the newest first
 * @records: Accounting-Requests whose record.key belongs here, at most
 *	RADSTEER_REQUESTS_SHARED of one key, under radsteer_requests.record_lock
 */
struct radsteer_bucket {
	spinlock_t lock;
	struct hlist_head requests;
	struct hlist_head records;
};

/**
 * struct radsteer_buckets - all buckets
 * @mask: the number of buckets less one
 * @bucket: the buckets
 */
struct radsteer_buckets {
	u32 mask;
	struct radsteer_bucket bucket[];
};

/**
 * enum radsteer_queue_index - what requests wait for
 * @RADSTEER_QUEUE_ANSWERED: to be forgotten, answered
 * @RADSTEER_QUEUE_WAITING: the timeout of their last copy; this and the next
 *	ones are for timeouts of 1, 2 and more seconds
 * @RADSTEER_QUEUE_OVERDUE: to be forgotten, the last copy lost or replaced
 * @RADSTEER_QUEUES: the number of queues
 */
enum radsteer_queue_index {
	RADSTEER_QUEUE_ANSWERED,
	RADSTEER_QUEUE_WAITING,
	RADSTEER_QUEUE_OVERDUE = RADSTEER_QUEUE_WAITING + RADSTEER_TIMEOUT_MAX,
	RADSTEER_QUEUES,
};

/**
 * struct radsteer_queue - requests by age, for each CPU
 * @lock: guards the queues
 * @filled: bit i is set if there may be something in queue i; then the timer is
 *	armed for it, or runs, or whoever set the bit is about to arm it
 * @requests: the queues; all that are put into one wait equally long
 */
struct radsteer_queue {
	spinlock_t lock;
	u64 filled;
	struct list_head requests[RADSTEER_QUEUES];
};

/**
 * struct radsteer_requests - the table of one namespace
 * @key: of the hash, secret: clients choose what is hashed
 * @count: requests in the table
 * @batch: what each CPU may add to @count before it tells the others
 * @limit: requests, as @count has them without asking each CPU, from which on
 *	one has to go before another comes
 * @queue: the queues of each CPU
 * @rn: the namespace
 * @bindings: remembered States, sessions and users
 * @buckets: the buckets, replaced under radsteer_net.lock
 * @old: the buckets before, while there may be requests in them; else NULL;
 *	freed a grace period after the last request left them
 * @served: the ports where servers listen or ever did, see radsteer_port_bit();
 *	bits are only set, under radsteer_net.lock, and read at any time
 * @record_lock: guard the records of all buckets, by the low bits of their keys
 */
struct radsteer_requests {
	hsiphash_key_t key;
	struct percpu_counter count;
	s32 batch;
	s32 limit;
	struct radsteer_queue __percpu *queue;
	struct radsteer_net *rn;
	struct radsteer_bindings *bindings;
	struct radsteer_buckets __rcu *buckets;
	struct radsteer_buckets __rcu *old;
	DECLARE_BITMAP(served, RADSTEER_PORT_BITS);
	spinlock_t record_lock[RADSTEER_RECORD_LOCKS]
		____cacheline_aligned_in_smp;
};

/**
 * radsteer_requests_buckets() - find the buckets of a table
 * @requests: the table
 * @old: takes the buckets before, if there may be something in them, else NULL
 *
 * Context: any, under rcu_read_lock().
 * Return: the buckets.
 */
static inline struct radsteer_buckets *
radsteer_requests_buckets(const struct radsteer_requests *requests,
			  struct radsteer_buckets **old)
{
	struct radsteer_buckets *buckets = rcu_dereference(requests->buckets);

	/*
	 * Who sees new buckets is to see the old ones as well: pairs with
	 * rcu_assign_pointer() in requests_rehash().
	 */
	smp_rmb();
	*old = rcu_dereference(requests->old);
	return buckets;
}

/**
 * radsteer_requests_serves() - tell quickly that a packet is from no server
 * @requests: the table
 * @port: a port of it, network byte order
 *
 * Context: any.
 * Return: false if no request of the table can have gone to such a port.
 */
static inline bool
radsteer_requests_serves(const struct radsteer_requests *requests, __be16 port)
{
	return test_bit(radsteer_port_bit(port), requests->served);
}

void radsteer_requests_serve(struct radsteer_requests *requests,
			     const unsigned long *ports);

int radsteer_request_cache_create(void);
void radsteer_request_cache_destroy(void);

int radsteer_requests_init(struct radsteer_net *rn);
void radsteer_requests_exit(struct radsteer_net *rn);
void radsteer_requests_end(struct radsteer_net *rn,
			   const struct radsteer_group *group);
unsigned long radsteer_requests_count(const struct radsteer_net *rn);
void radsteer_requests_run(struct radsteer_net *rn, bool *waits,
			   unsigned long *next);

int radsteer_requests_resize(struct radsteer_net *rn, u32 max);

struct radsteer_bucket *
radsteer_requests_lock(struct radsteer_requests *requests,
		       const struct radsteer_endpoint *client, u8 identifier)
	__acquires(bucket);
void radsteer_requests_unlock(struct radsteer_bucket *bucket)
	__releases(bucket);
struct radsteer_bucket *
radsteer_requests_lock_two(struct radsteer_requests *requests,
			   const struct radsteer_endpoint *client,
			   u8 identifier, const struct radsteer_endpoint *other,
			   u8 other_identifier,
			   struct radsteer_bucket **other_bucket)
	__acquires(bucket)
	__acquires(other_bucket);
void radsteer_requests_unlock_other(struct radsteer_bucket *bucket,
				    struct radsteer_bucket *other)
	__releases(other);
void radsteer_record_link(struct radsteer_requests *requests,
			  struct radsteer_request *request);
void radsteer_record_unlink(struct radsteer_requests *requests,
			    struct radsteer_request *request);
void radsteer_record_migrate(struct radsteer_requests *requests,
			     struct radsteer_request *request,
			     struct radsteer_buckets *to);
bool radsteer_requests_full(struct radsteer_requests *requests);
bool radsteer_requests_evict(struct radsteer_requests *requests);
struct radsteer_request *
radsteer_requests_add(struct radsteer_requests *requests,
		      struct radsteer_bucket *bucket,
		      struct radsteer_server *server,
		      struct radsteer_request *spare);
void radsteer_requests_detach(struct radsteer_requests *requests,
			      struct radsteer_request *request);
void radsteer_requests_free(struct radsteer_requests *requests,
			    struct radsteer_request *request);
void radsteer_requests_remove(struct radsteer_requests *requests,
			      struct radsteer_request *request);
void radsteer_requests_queue(struct radsteer_requests *requests,
			     struct radsteer_request *request,
			     unsigned int queue);
void radsteer_requests_leave(struct radsteer_request *request);
void radsteer_requests_lost(struct radsteer_requests *requests,
			    struct radsteer_request *request);
void radsteer_requests_waits(struct radsteer_requests *requests,
			     struct radsteer_request *request, bool waits);

#endif /* _RADSTEER_REQUEST_TABLE_H */
