// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family: the sessions and users that are bound. */
#include <net/sock.h>
#include "netlink.h"
#include "request_table.h"

enum {
	/* Those of sessions, and those of users. */
	RADSTEER_SESSION_LISTS	= 2 * RADSTEER_SHARDS * 2,
};

/* Which server it is bound to, and nothing of whom it is about. */
static int put_session(struct sk_buff *skb,
		       const struct radsteer_binding_table *table,
		       const struct radsteer_binding *binding)
{
	const struct radsteer_endpoint *at = &binding->server->at;
	s32 idle = (u32)jiffies - binding->used;
	u64 left = jiffies_to_msecs(radsteer_binding_left(table, binding));

	if (nla_put_u8(skb, RADSTEER_A_SESSION_KIND, table->kind) ||
	    nla_put_u64_64bit(skb, RADSTEER_A_SESSION_KEY, binding->key,
			      RADSTEER_A_SESSION_PAD) ||
	    nla_put_string(skb, RADSTEER_A_SESSION_GROUP,
			   binding->group->name) ||
	    nla_put_u8(skb, RADSTEER_A_SESSION_SERVICE,
		       binding->server->service) ||
	    radsteer_netlink_address(skb, RADSTEER_A_SESSION_SERVER_ADDRESS,
				     &at->addr, at->family) ||
	    nla_put_be16(skb, RADSTEER_A_SESSION_SERVER_PORT, at->port) ||
	    nla_put_u64_64bit(skb, RADSTEER_A_SESSION_IDLE,
			      jiffies_to_msecs(max(idle, 0)),
			      RADSTEER_A_SESSION_PAD) ||
	    nla_put_u64_64bit(skb, RADSTEER_A_SESSION_LEFT, left,
			      RADSTEER_A_SESSION_PAD))
		return -EMSGSIZE;
	if (binding->ended && nla_put_flag(skb, RADSTEER_A_SESSION_ENDED))
		return -EMSGSIZE;
	return 0;
}

/* Dump what is left of a list, behind the one that was dumped last. */
static int dump_list(struct sk_buff *skb, struct netlink_callback *cb,
		     struct radsteer_session_dump *dump,
		     struct radsteer_binding_table *table,
		     struct radsteer_shard *shard, bool ended)
{
	struct list_head *list = &shard->age[ended];
	struct radsteer_binding *binding = NULL;
	unsigned int i = 0;
	int err = 0;

	spin_lock_bh(&shard->lock);
	/* It may have gone, or moved: then count from the first. */
	if (dump->key)
		binding = radsteer_binding_find(table, dump->key);
	if (binding && binding->ended == ended && binding->used == dump->used)
		i = dump->skip;
	else
		binding = list_entry(list, struct radsteer_binding, age);

	list_for_each_entry_continue(binding, list, age) {
		void *header;

		if (i++ < dump->skip)
			continue;
		header = radsteer_netlink_dump(skb, cb,
					       RADSTEER_CMD_SESSION_GET);
		err = header ? put_session(skb, table, binding) : -EMSGSIZE;
		if (err) {
			if (header)
				genlmsg_cancel(skb, header);
			break;
		}
		genlmsg_end(skb, header);
		dump->key = binding->key;
		dump->used = binding->used;
		dump->skip = i;
	}
	spin_unlock_bh(&shard->lock);
	return err;
}

/**
 * radsteer_session_get_dumpit() - dump the sessions and users that are bound
 * @skb: takes as many as fit
 * @cb: the dump
 *
 * They come, go and are used all the while. One that is there from the
 * beginning of the dump to its end is in it; but where one of its list is used
 * or goes between two messages, it may be there twice or not at all.
 *
 * Context: process; may sleep.
 * Return: octets in @skb, 0 at the end, -EMSGSIZE if not even one fits.
 */
int radsteer_session_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb)
{
	struct radsteer_net *rn = radsteer_net(sock_net(skb->sk));
	struct radsteer_session_dump *dump = (void *)cb->ctx;
	int err = 0;

	BUILD_BUG_ON(sizeof(*dump) > sizeof(cb->ctx));

	mutex_lock(&rn->lock);
	cb->seq = rn->generation;
	for (; rn->requests && dump->list < RADSTEER_SESSION_LISTS;
	     dump->list++) {
		struct radsteer_binding_table *table;
		struct radsteer_shard *shard;
		unsigned int kind;

		/* By kind, by shard, and those that ended after the others. */
		kind = RADSTEER_KIND_SESSION +
		       dump->list / 2 / RADSTEER_SHARDS;
		table = &rn->requests->bindings->table[kind];
		shard = &table->shard[dump->list / 2 % RADSTEER_SHARDS];
		err = dump_list(skb, cb, dump, table, shard, dump->list % 2);
		if (err)
			break;
		dump->key = 0;
		dump->skip = 0;
	}
	mutex_unlock(&rn->lock);
	return skb->len ?: err;
}
