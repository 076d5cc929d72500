/* SPDX-License-Identifier: GPL-2.0 */
/* The table of requests: buckets, queues by age, bounds. */
#ifndef _RADSTEER_REQUEST_TABLE_H
#define _RADSTEER_REQUEST_TABLE_H

#include <linux/percpu_counter.h>
#include <linux/siphash.h>
#include "radius.h"
#include "radsteer.h"

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
 * @home: the queues of the CPU that made it, never changes
 * @group: the group that chose
 * @server: the server it was sent to last, or the one that answered it first
 *	(R2); referenced
 * @former: the servers it was sent to before, NULL if there is none
 * @client: where the client sends from
 * @asked: where the client sends to
 * @deadline: when its queue is done with it, in jiffies
 * @sent: when the last copy was sent that was no duplicate, in jiffies
 * @seen: when the last copy came, duplicates included, in jiffies
 * @sent_us: the same in microseconds, if the round trip is to be measured, or 0
 * @given: the first octets of the Authenticator of the answer that was given back
 *	last, if it is answered
 * @queue: enum radsteer_queue_index
 * @code: Code
 * @identifier: Identifier
 * @copies: copies that @server got
 * @retransmit: retransmissions that were its due when it got the last of them
 * @failovers: how often it moved
 * @answered: an answer went back to the client
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
	unsigned long deadline;
	unsigned long sent;
	unsigned long seen;
	u32 sent_us;
	u32 given;
	u8 queue;
	u8 code;
	u8 identifier;
	u8 copies;
	u8 retransmit;
	u8 failovers;
	bool answered;
	bool lost;
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
 * @RADSTEER_QUEUE_OVERDUE: to be forgotten, the last copy lost
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
 * @filled: bit i is set if there may be something in queue i
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
 * @buckets: the buckets, replaced under radsteer_net.lock
 * @old: the buckets before, while there may be requests in them; else NULL;
 *	freed a grace period after the last request left them
 */
struct radsteer_requests {
	hsiphash_key_t key;
	struct percpu_counter count;
	s32 batch;
	s32 limit;
	struct radsteer_queue __percpu *queue;
	struct radsteer_net *rn;
	struct radsteer_buckets __rcu *buckets;
	struct radsteer_buckets __rcu *old;
};

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
bool radsteer_requests_full(struct radsteer_requests *requests);
bool radsteer_requests_evict(struct radsteer_requests *requests);
struct radsteer_request *
radsteer_requests_add(struct radsteer_requests *requests,
		      struct radsteer_bucket *bucket,
		      struct radsteer_server *server);
void radsteer_requests_remove(struct radsteer_requests *requests,
			      struct radsteer_request *request);
void radsteer_requests_queue(struct radsteer_requests *requests,
			     struct radsteer_request *request,
			     unsigned int queue);
void radsteer_requests_lost(struct radsteer_requests *requests,
			    struct radsteer_request *request);
void radsteer_requests_waits(struct radsteer_requests *requests,
			     struct radsteer_request *request, bool waits);

#endif /* _RADSTEER_REQUEST_TABLE_H */
