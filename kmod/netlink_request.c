// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family: the requests that wait for an answer. */
#include <net/sock.h>
#include "netlink.h"
#include "request_table.h"

static int put_endpoint(struct sk_buff *skb, int address, int port,
			const struct radsteer_endpoint *at)
{
	if (radsteer_netlink_address(skb, address, &at->addr, at->family) ||
	    nla_put_be16(skb, port, at->port))
		return -EMSGSIZE;
	return 0;
}

/* Who asks and who is asked, and nothing of what the request holds. */
static int put_request(struct sk_buff *skb,
		       const struct radsteer_request *request)
{
	u64 age = jiffies_to_msecs((u32)jiffies - request->sent);

	if (nla_put_string(skb, RADSTEER_A_REQUEST_GROUP,
			   request->group->name) ||
	    put_endpoint(skb, RADSTEER_A_REQUEST_CLIENT_ADDRESS,
			 RADSTEER_A_REQUEST_CLIENT_PORT, &request->client) ||
	    put_endpoint(skb, RADSTEER_A_REQUEST_ASKED_ADDRESS,
			 RADSTEER_A_REQUEST_ASKED_PORT, &request->asked) ||
	    put_endpoint(skb, RADSTEER_A_REQUEST_SERVER_ADDRESS,
			 RADSTEER_A_REQUEST_SERVER_PORT,
			 &request->server->at) ||
	    nla_put_u8(skb, RADSTEER_A_REQUEST_CODE, request->code) ||
	    nla_put_u8(skb, RADSTEER_A_REQUEST_IDENTIFIER,
		       request->identifier) ||
	    nla_put_u8(skb, RADSTEER_A_REQUEST_COPIES, request->copies) ||
	    nla_put_u8(skb, RADSTEER_A_REQUEST_FAILOVERS,
		       request->failovers) ||
	    nla_put_u64_64bit(skb, RADSTEER_A_REQUEST_AGE, age,
			      RADSTEER_A_REQUEST_PAD))
		return -EMSGSIZE;
	if (request->lost && nla_put_flag(skb, RADSTEER_A_REQUEST_LOST))
		return -EMSGSIZE;
	return 0;
}

/* Dump what is left of a bucket. */
static int dump_bucket(struct sk_buff *skb, struct netlink_callback *cb,
		       struct radsteer_request_dump *dump,
		       struct radsteer_bucket *bucket)
{
	const struct radsteer_request *request;
	unsigned int i = 0;
	int err = 0;

	if (hlist_empty(&bucket->requests))
		return 0;

	spin_lock_bh(&bucket->lock);
	hlist_for_each_entry(request, &bucket->requests, node) {
		void *header;

		if (i++ < dump->skip || request->answered)
			continue;
		header = radsteer_netlink_dump(skb, cb,
					       RADSTEER_CMD_REQUEST_GET);
		err = header ? put_request(skb, request) : -EMSGSIZE;
		if (err) {
			if (header)
				genlmsg_cancel(skb, header);
			break;
		}
		genlmsg_end(skb, header);
		dump->skip = i;
	}
	spin_unlock_bh(&bucket->lock);
	return err;
}

/**
 * radsteer_request_get_dumpit() - dump the requests that wait for an answer
 * @skb: takes as many as fit
 * @cb: the dump
 *
 * Requests come and go all the while. One that is there from the beginning of
 * the dump to its end is in it; where its bucket did not fit into one message
 * and changed between two, maybe twice or not at all. A table that changes its
 * size meanwhile marks the dump as interrupted.
 *
 * Context: process; may sleep.
 * Return: octets in @skb, 0 at the end, -EMSGSIZE if not even one fits.
 */
int radsteer_request_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb)
{
	struct radsteer_net *rn = radsteer_net(sock_net(skb->sk));
	struct radsteer_request_dump *dump = (void *)cb->ctx;
	struct radsteer_buckets *buckets = NULL;
	int err = 0;

	BUILD_BUG_ON(sizeof(*dump) > sizeof(cb->ctx));

	mutex_lock(&rn->lock);
	cb->seq = rn->generation;
	if (rn->requests)
		buckets = rcu_dereference_protected(rn->requests->buckets,
						    lockdep_is_held(&rn->lock));
	for (; buckets && dump->bucket <= buckets->mask; dump->bucket++) {
		err = dump_bucket(skb, cb, dump,
				  &buckets->bucket[dump->bucket]);
		if (err)
			break;
		dump->skip = 0;
		if (dump->bucket % RADSTEER_EXPIRY_BATCH == 0)
			cond_resched();
	}
	mutex_unlock(&rn->lock);
	return skb->len ?: err;
}
