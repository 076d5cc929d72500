// SPDX-License-Identifier: GPL-2.0
/*
 * Retransmitted accounting that looks new (T3).
 *
 * A client that tells how long a report has been delayed has to make a new
 * packet of it each time, with another Identifier and Authenticator. Reports
 * that wait for an answer are kept by what all copies of one have in common as
 * well, so that the next copy finds the one before, and goes on with its
 * history. The one before stays in the table, so that an answer to it still finds
 * its way back.
 *
 * What is looked at here under a record's lock alone does not change while a
 * request can be found: its key, delay and stamp, its client and Identifier. When
 * it was seen last is read whole.
 */
#include "request_former.h"
#include "request_match.h"
#include "request_record.h"

/*
 * All keys of one chain have one lock: the bits that tell locks apart are among
 * those that tell chains apart, however many there are.
 */
static spinlock_t *record_lock(struct radsteer_requests *requests, u64 key)
{
	static_assert(RADSTEER_BUCKETS_MIN % RADSTEER_RECORD_LOCKS == 0);

	return &requests->record_lock[key % RADSTEER_RECORD_LOCKS];
}

static void record_add(struct radsteer_requests *requests,
		       struct radsteer_request *request,
		       struct radsteer_buckets *buckets)
{
	u64 key = request->record.key;

	lockdep_assert_held(record_lock(requests, key));

	hlist_add_head(&request->record.node,
		       &buckets->bucket[key & buckets->mask].records);
}

/*
 * Reports that are never answered are not to make a chain without end: of one
 * key no more than so many are found, the newest ones.
 */
static void record_bound(struct radsteer_buckets *buckets, u64 key)
{
	struct radsteer_bucket *bucket = &buckets->bucket[key & buckets->mask];
	struct radsteer_request *request, *oldest = NULL;
	unsigned int count = 0;

	hlist_for_each_entry(request, &bucket->records, record.node) {
		if (request->record.key != key)
			continue;
		/* Where the table changed its size, they are in no order. */
		if (!oldest || (s32)(READ_ONCE(request->seen) -
				     READ_ONCE(oldest->seen)) <= 0)
			oldest = request;
		count++;
	}
	if (count >= RADSTEER_REQUESTS_SHARED)
		hlist_del_init(&oldest->record.node);
}

static bool has_record(const struct radsteer_request *request)
{
	return request->code == RADIUS_ACCOUNTING_REQUEST &&
	       request->record.key;
}

/**
 * radsteer_record_link() - let the next copy of a report find this one
 * @requests: the table
 * @request: any request, but not linked
 *
 * Context: any, under rcu_read_lock() and the lock of its bucket.
 */
void radsteer_record_link(struct radsteer_requests *requests,
			  struct radsteer_request *request)
{
	struct radsteer_buckets *buckets;
	spinlock_t *lock;

	if (!has_record(request))
		return;
	lock = record_lock(requests, request->record.key);
	spin_lock(lock);
	buckets = rcu_dereference(requests->buckets);
	record_bound(buckets, request->record.key);
	record_add(requests, request, buckets);
	spin_unlock(lock);
}

/**
 * radsteer_record_unlink() - let nobody find this copy any more
 * @requests: the table
 * @request: any request, linked or not
 *
 * Context: any, under the lock of its bucket.
 */
void radsteer_record_unlink(struct radsteer_requests *requests,
			    struct radsteer_request *request)
{
	spinlock_t *lock;

	lockdep_assert_held(&request->bucket->lock);

	if (!has_record(request))
		return;
	lock = record_lock(requests, request->record.key);
	/* With another bucket locked, record_bound() may just unlink it. */
	spin_lock(lock);
	hlist_del_init(&request->record.node);
	spin_unlock(lock);
}

/**
 * radsteer_record_migrate() - bring a request to other buckets
 * @requests: the table
 * @request: any request, linked or not
 * @to: the buckets
 *
 * Context: any, under the lock of its bucket.
 */
void radsteer_record_migrate(struct radsteer_requests *requests,
			     struct radsteer_request *request,
			     struct radsteer_buckets *to)
{
	spinlock_t *lock;

	if (!has_record(request))
		return;
	lock = record_lock(requests, request->record.key);
	spin_lock(lock);
	if (!hlist_unhashed(&request->record.node)) {
		hlist_del(&request->record.node);
		record_add(requests, request, to);
	}
	spin_unlock(lock);
}

/* Event-Timestamp, or Acct-Session-Time where there is none, did not change. */
static bool same_stamp(const struct radsteer_request *request,
		       const struct radsteer_keys *keys)
{
	if (request->stamp_kind != keys->stamp_kind ||
	    request->record.stamp != keys->stamp)
		return false;
	/*
	 * Without either, a session has one Start and one Stop, but may have
	 * several Interim-Updates.
	 */
	return keys->stamp_kind != RADSTEER_STAMP_NONE ||
	       keys->status == RADIUS_STATUS_START ||
	       keys->status == RADIUS_STATUS_STOP;
}

/*
 * The copy before among the records of one bucket: a better one than @found,
 * which is the one of the same moment, or else the one with the next lower
 * delay. What a client reports twice at the same moment without any delay is
 * not sent again but sent twice.
 */
static const struct radsteer_request *
bucket_find(const struct radsteer_net *rn,
	    const struct radsteer_buckets *buckets,
	    const struct radsteer_keys *keys,
	    const struct radsteer_request *found)
{
	const struct radsteer_bucket *bucket;
	const struct radsteer_request *request;

	bucket = &buckets->bucket[keys->record & buckets->mask];
	hlist_for_each_entry(request, &bucket->records, record.node) {
		bool grown = keys->delay > request->record.delay;

		if (request->record.key != keys->record)
			continue;
		if (!grown &&
		    request_seen_within(request, READ_ONCE(rn->window)))
			continue;
		if (same_stamp(request, keys))
			return request;
		if (grown && (!found ||
			      request->record.delay > found->record.delay))
			found = request;
	}
	return found;
}

/**
 * radsteer_record_find() - look for the copy before of a report (T3)
 * @requests: the table
 * @keys: what the Accounting-Request is known by
 * @record: filled in with where it is
 *
 * Context: any, under rcu_read_lock(), with a bucket locked or none.
 * Return: true if there is one that waits for its answer.
 */
bool radsteer_record_find(struct radsteer_requests *requests,
			  const struct radsteer_keys *keys,
			  struct radsteer_record *record)
{
	spinlock_t *lock = record_lock(requests, keys->record);
	const struct radsteer_request *found;
	struct radsteer_buckets *buckets, *old;

	spin_lock_bh(lock);
	buckets = radsteer_requests_buckets(requests, &old);
	found = bucket_find(requests->rn, buckets, keys, NULL);
	/* While the table changes its size, it may not have come over yet. */
	if (unlikely(old))
		found = bucket_find(requests->rn, old, keys, found);
	if (found) {
		record->request = found;
		record->key = keys->record;
		record->delay = found->record.delay;
		record->stamp = found->record.stamp;
		record->stamp_kind = found->stamp_kind;
		record->port = found->client.port;
		record->identifier = found->identifier;
	}
	spin_unlock_bh(lock);
	return found;
}

/* It is the report that was found, and none that came in its place. */
static bool is_record(const struct radsteer_request *request,
		      const struct radsteer_record *record)
{
	return request == record->request && has_record(request) &&
	       request->record.key == record->key &&
	       request->record.delay == record->delay &&
	       request->record.stamp == record->stamp &&
	       request->stamp_kind == record->stamp_kind;
}

/**
 * radsteer_record_take() - take over the history of the copy before (T3)
 * @requests: the table
 * @bucket: the bucket of the copy before, see radsteer_record_lock()
 * @record: where the copy before was found
 * @inherited: filled in, to be put by radsteer_inherited_put(), or left as it is
 *
 * The copy before is judged as any other is when the next one comes (S1, M8).
 * After that nothing waits for it, but the first answer to it still goes to the
 * client. Nothing is taken over if it was answered meanwhile, or is gone.
 *
 * Context: any, under the lock of @bucket.
 */
void radsteer_record_take(struct radsteer_requests *requests,
			  struct radsteer_bucket *bucket,
			  const struct radsteer_record *record,
			  struct radsteer_inherited *inherited)
{
	struct radsteer_request *request;

	lockdep_assert_held(&bucket->lock);

	hlist_for_each_entry(request, &bucket->requests, node)
		if (is_record(request, record) && !request->answered)
			goto found;
	return;

found:
	radsteer_requests_lost(requests, request);
	*inherited = (struct radsteer_inherited){
		.server = request->server,
		.copies = request->copies,
		.failovers = request->failovers,
	};
	percpu_ref_get(&request->server->ref);
	if (request->former) {
		inherited->former = radsteer_former_copy(request->former);
		if (!inherited->former)
			radsteer_stats_inc(requests->rn->stats, UNREMEMBERED);
	}
	radsteer_requests_waits(requests, request, false);
	request->answered = true;
	request->replaced = true;
	request->given = 0;
	radsteer_record_unlink(requests, request);
	/* R1: its answer may be as late as that of any other copy. */
	radsteer_requests_queue(requests, request, RADSTEER_QUEUE_OVERDUE);
}

/**
 * radsteer_inherited_put() - be done with what was taken over
 * @inherited: what it was; of its former servers, those are put that nobody
 *	took
 *
 * Context: any.
 */
void radsteer_inherited_put(struct radsteer_inherited *inherited)
{
	radsteer_former_free(inherited->former);
	percpu_ref_put(&inherited->server->ref);
}
