// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: the operations that read.
 *
 * A dump goes by the ids of groups and members, which are never used twice, so
 * it goes on rightly whatever changed between two of its messages; a change
 * marks it as interrupted.
 */
#include <net/sock.h>
#include "compat.h"
#include "group.h"
#include "liveness.h"
#include "netlink.h"
#include "request_table.h"

/**
 * radsteer_netlink_address() - put an address into a message
 * @skb: the message
 * @attr: the attribute
 * @addr: the address
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int radsteer_netlink_address(struct sk_buff *skb, int attr,
			     const union nf_inet_addr *addr, u8 family)
{
	return nla_put(skb, attr, family == NFPROTO_IPV4 ? sizeof(addr->in) :
							   sizeof(addr->in6),
		       addr);
}

static int put_match(struct sk_buff *skb, const struct radsteer_match *match)
{
	struct nlattr *nest = nla_nest_start(skb, RADSTEER_A_GROUP_MATCH);

	if (!nest)
		return -EMSGSIZE;
	if (!match) {
		if (nla_put_flag(skb, RADSTEER_A_MATCH_SERVERS))
			return -EMSGSIZE;
	} else if (radsteer_netlink_address(skb, RADSTEER_A_MATCH_ADDRESS,
					    &match->addr, match->family) ||
		   nla_put_be16(skb, RADSTEER_A_MATCH_AUTH_PORT,
				match->port[RADSTEER_SERVICE_AUTHENTICATION]) ||
		   nla_put_be16(skb, RADSTEER_A_MATCH_ACCT_PORT,
				match->port[RADSTEER_SERVICE_ACCOUNTING])) {
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_group(struct sk_buff *skb, const struct radsteer_group *group)
{
	const struct radsteer_snapshot *snapshot = group->snapshot;
	const struct radsteer_settings *settings = &snapshot->settings;
	unsigned int i;

	if (nla_put_string(skb, RADSTEER_A_GROUP_NAME, group->name) ||
	    nla_put_u8(skb, RADSTEER_A_GROUP_ALGORITHM, settings->algorithm) ||
	    nla_put_u8(skb, RADSTEER_A_GROUP_ACCOUNTING,
		       settings->accounting) ||
	    nla_put_u8(skb, RADSTEER_A_GROUP_ACCOUNTING_EFFECTIVE,
		       radsteer_group_accounting(settings)) ||
	    nla_put_u8(skb, RADSTEER_A_GROUP_RETRANSMIT,
		       settings->retransmit) ||
	    nla_put_u8(skb, RADSTEER_A_GROUP_TIMEOUT, settings->timeout))
		return -EMSGSIZE;
	if (snapshot->family != NFPROTO_UNSPEC &&
	    nla_put_u16(skb, RADSTEER_A_GROUP_FAMILY,
			snapshot->family == NFPROTO_IPV4 ? AF_INET : AF_INET6))
		return -EMSGSIZE;
	if (settings->match_servers && put_match(skb, NULL))
		return -EMSGSIZE;
	for (i = 0; i < settings->matches; i++)
		if (put_match(skb, &settings->match[i]))
			return -EMSGSIZE;
	return 0;
}

/**
 * radsteer_netlink_reply() - begin an answer
 * @skb: takes the answer
 * @info: the request
 *
 * Context: process.
 * Return: the header, NULL without room.
 */
void *radsteer_netlink_reply(struct sk_buff *skb, const struct genl_info *info)
{
	return genlmsg_put(skb, info->snd_portid, info->snd_seq,
			   &radsteer_family, 0, info->genlhdr->cmd);
}

/**
 * radsteer_group_get_doit() - answer with one group
 * @skb: the request
 * @info: the request, parsed
 *
 * Context: process; may sleep.
 * Return: 0 or a negative error.
 */
int radsteer_group_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct radsteer_net *rn = radsteer_net(genl_info_net(info));
	const struct radsteer_group *group;
	struct sk_buff *reply;
	int err = -ENOENT;
	void *header;

	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;

	mutex_lock(&rn->lock);
	group = radsteer_netlink_group(rn, info->attrs[RADSTEER_A_GROUP_NAME],
				       info->extack);
	if (group) {
		header = radsteer_netlink_reply(reply, info);
		err = header ? put_group(reply, group) : -EMSGSIZE;
	}
	mutex_unlock(&rn->lock);

	if (err) {
		nlmsg_free(reply);
		return err;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

static struct radsteer_dump *dump_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct radsteer_dump) > sizeof(cb->ctx));
	return (struct radsteer_dump *)cb->ctx;
}

/* The first group from an id on that a dump is to show. */
static const struct radsteer_group *dump_group(const struct radsteer_net *rn,
					       const struct radsteer_dump *dump,
					       u32 id)
{
	const struct radsteer_group *group;

	lockdep_assert_held(&rn->lock);

	list_for_each_entry(group, &rn->groups, node)
		if (group->id >= id && (!dump->only || group->id == dump->only))
			return group;
	return NULL;
}

/**
 * radsteer_netlink_dump() - begin one message of a dump
 * @skb: takes the message
 * @cb: the dump
 * @cmd: the command of the message
 *
 * Context: process.
 * Return: the header, NULL without room.
 */
void *radsteer_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
			    u8 cmd)
{
	void *header;

	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
			     cb->nlh->nlmsg_seq, &radsteer_family, NLM_F_MULTI,
			     cmd);
	if (header)
		genl_dump_check_consistent(cb, header);
	return header;
}

/* A dump may be of one group alone. */
static int dump_start(struct netlink_callback *cb, const struct nlattr *name)
{
	struct radsteer_net *rn = radsteer_net(sock_net(cb->skb->sk));
	const struct radsteer_group *group;
	int err = 0;

	if (!name)
		return 0;

	mutex_lock(&rn->lock);
	group = radsteer_netlink_group(rn, name, cb->extack);
	if (group)
		dump_of(cb)->only = group->id;
	else
		err = -ENOENT;
	mutex_unlock(&rn->lock);
	return err;
}

/**
 * radsteer_group_get_start() - begin a dump of groups
 * @cb: the dump; a group can be named to dump that alone
 *
 * Context: process; may sleep.
 * Return: 0, or -ENOENT if there is no group of that name.
 */
int radsteer_group_get_start(struct netlink_callback *cb)
{
	return dump_start(cb, dump_attrs(cb)[RADSTEER_A_GROUP_NAME]);
}

/**
 * radsteer_group_get_dumpit() - dump the groups
 * @skb: takes as many as fit
 * @cb: the dump
 *
 * Context: process; may sleep.
 * Return: octets in @skb, 0 at the end, -EMSGSIZE if not even one fits.
 */
int radsteer_group_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct radsteer_net *rn = radsteer_net(sock_net(skb->sk));
	struct radsteer_dump *dump = dump_of(cb);
	const struct radsteer_group *group;
	int err = 0;

	mutex_lock(&rn->lock);
	cb->seq = rn->generation;
	while ((group = dump_group(rn, dump, dump->group + 1))) {
		void *header = radsteer_netlink_dump(skb, cb,
						     RADSTEER_CMD_GROUP_GET);

		err = header ? put_group(skb, group) : -EMSGSIZE;
		if (err) {
			if (header)
				genlmsg_cancel(skb, header);
			break;
		}
		genlmsg_end(skb, header);
		dump->group = group->id;
	}
	mutex_unlock(&rn->lock);
	return skb->len ?: err;
}

/* What a first send would pick now; nothing but a draw does under a share. */
static int list_active(const struct radsteer_group *group, unsigned int service)
{
	const struct radsteer_list *list = &group->snapshot->list[service];
	struct select_now now = {
		.up = atomic64_read(&list->up),
		.recent = radsteer_group_recent(group, list, service),
	};
	struct select_choice choice;

	if (list->rules.share)
		return SELECT_NONE;
	choice = select_first(&list->rules, &now);
	return select_draw(&list->rules, &choice, 0);
}

static int put_counter(struct sk_buff *skb, int attr, unsigned long value)
{
	return nla_put_u64_64bit(skb, attr, value, RADSTEER_A_SERVER_PAD);
}

static int put_server_stats(struct sk_buff *skb,
			    const struct radsteer_member *member)
{
	static const struct {
		u8 attr;
		u8 offset;
	} counters[] = {
#define COUNTER(ATTR, name) \
	{ RADSTEER_A_SERVER_##ATTR, offsetof(struct radsteer_server_stats, name) }
		COUNTER(REQUESTS, requests),
		COUNTER(RETRANSMISSIONS, retransmissions),
		COUNTER(ANSWERS, answers),
		COUNTER(ACCEPTS, accepts),
		COUNTER(REJECTS, rejects),
		COUNTER(CHALLENGES, challenges),
		COUNTER(LOST, lost),
		COUNTER(LATE, late),
		COUNTER(UNREACHABLE, unreachable),
		COUNTER(FAILOVERS, failovers),
#undef COUNTER
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++)
		if (put_counter(skb, counters[i].attr,
				radsteer_stats_sum(member->server->stats,
						   counters[i].offset)))
			return -EMSGSIZE;
	if (put_counter(skb, RADSTEER_A_SERVER_OUTSTANDING,
			radsteer_stats_level(member->server->stats,
					     offsetof(struct radsteer_server_stats,
						      outstanding))))
		return -EMSGSIZE;
	return put_counter(skb, RADSTEER_A_SERVER_SELECTED,
			   radsteer_stats_sum(member->selected, 0));
}

/**
 * radsteer_netlink_state() - the user API's word for a state
 * @state: enum health_state
 *
 * Context: any.
 * Return: enum radsteer_state.
 */
u8 radsteer_netlink_state(u8 state)
{
	switch (state) {
	case HEALTH_UP:
		return RADSTEER_STATE_UP;
	case HEALTH_DOWN:
		return RADSTEER_STATE_DOWN;
	default:
		return RADSTEER_STATE_ASSUMED_UP;
	}
}

static int put_health(struct sk_buff *skb, struct radsteer_net *rn,
		      const struct radsteer_server *server)
{
	u32 rtt = READ_ONCE(server->rtt);
	struct health health;
	u64 age;

	radsteer_liveness_read(rn, server, &health, &age);
	if (nla_put_u8(skb, RADSTEER_A_SERVER_STATE,
		       radsteer_netlink_state(health.state)) ||
	    nla_put_u64_64bit(skb, RADSTEER_A_SERVER_STATE_AGE, age,
			      RADSTEER_A_SERVER_PAD) ||
	    nla_put_u32(skb, RADSTEER_A_SERVER_LOSSES, health.losses) ||
	    nla_put_u32(skb, RADSTEER_A_SERVER_RTT, rtt))
		return -EMSGSIZE;
	return 0;
}

static int put_server(struct sk_buff *skb, struct radsteer_net *rn,
		      const struct radsteer_group *group, unsigned int service,
		      unsigned int position)
{
	const struct radsteer_list *list = &group->snapshot->list[service];
	const struct radsteer_member *member = list->member[position];
	const struct radsteer_server *server = member->server;

	if (nla_put_string(skb, RADSTEER_A_SERVER_GROUP, group->name) ||
	    nla_put_u8(skb, RADSTEER_A_SERVER_SERVICE, service) ||
	    radsteer_netlink_address(skb, RADSTEER_A_SERVER_ADDRESS,
				     &server->at.addr, server->at.family) ||
	    nla_put_be16(skb, RADSTEER_A_SERVER_PORT, server->at.port) ||
	    nla_put_u16(skb, RADSTEER_A_SERVER_WEIGHT,
			list->rules.weight[position]) ||
	    nla_put_u8(skb, RADSTEER_A_SERVER_ADMIN, server->admin) ||
	    nla_put_u8(skb, RADSTEER_A_SERVER_POSITION, position) ||
	    put_health(skb, rn, server))
		return -EMSGSIZE;
	if (list_active(group, service) == position &&
	    nla_put_flag(skb, RADSTEER_A_SERVER_ACTIVE))
		return -EMSGSIZE;
	return put_server_stats(skb, member);
}

/* The member of a group with the lowest id above the last that was dumped. */
static bool dump_member(const struct radsteer_snapshot *snapshot, u32 last,
			unsigned int *service, unsigned int *position)
{
	unsigned int s, i;
	u32 lowest = 0;

	for (s = 0; s < RADSTEER_SERVICES; s++) {
		const struct radsteer_list *list = &snapshot->list[s];

		for (i = 0; i < list->rules.count; i++) {
			u32 id = list->member[i]->id;

			if (id <= last || (lowest && id > lowest))
				continue;
			lowest = id;
			*service = s;
			*position = i;
		}
	}
	return lowest;
}

/* Dump what is left of a group. */
static int dump_servers(struct sk_buff *skb, struct netlink_callback *cb,
			struct radsteer_net *rn,
			const struct radsteer_group *group)
{
	const struct radsteer_snapshot *snapshot = group->snapshot;
	struct radsteer_dump *dump = dump_of(cb);
	unsigned int service, position;

	while (dump_member(snapshot, dump->member, &service, &position)) {
		void *header = radsteer_netlink_dump(skb, cb,
						     RADSTEER_CMD_SERVER_GET);

		if (!header)
			return -EMSGSIZE;
		if (put_server(skb, rn, group, service, position)) {
			genlmsg_cancel(skb, header);
			return -EMSGSIZE;
		}
		genlmsg_end(skb, header);
		dump->member = snapshot->list[service].member[position]->id;
	}
	return 0;
}

/**
 * radsteer_server_get_start() - begin a dump of servers
 * @cb: the dump; a group can be named to dump that group's alone
 *
 * Context: process; may sleep.
 * Return: 0, or -ENOENT if there is no group of that name.
 */
int radsteer_server_get_start(struct netlink_callback *cb)
{
	return dump_start(cb, dump_attrs(cb)[RADSTEER_A_SERVER_GROUP]);
}

/**
 * radsteer_server_get_dumpit() - dump the servers of the lists
 * @skb: takes as many as fit
 * @cb: the dump
 *
 * Context: process; may sleep.
 * Return: octets in @skb, 0 at the end, -EMSGSIZE if not even one fits.
 */
int radsteer_server_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct radsteer_net *rn = radsteer_net(sock_net(skb->sk));
	struct radsteer_dump *dump = dump_of(cb);
	const struct radsteer_group *group;
	int err = 0;

	mutex_lock(&rn->lock);
	cb->seq = rn->generation;
	while ((group = dump_group(rn, dump, dump->group))) {
		if (group->id != dump->group)
			dump->member = 0;
		dump->group = group->id;
		err = dump_servers(skb, cb, rn, group);
		if (err)
			break;
		dump->group++;
		dump->member = 0;
	}
	mutex_unlock(&rn->lock);
	return skb->len ?: err;
}

/* A counter, or what is counted only now. */
static unsigned long stats_value(const struct radsteer_net *rn, int attr)
{
	switch (attr) {
	case RADSTEER_A_STATS_REMEMBERED:
		return radsteer_requests_count(rn);
	case RADSTEER_A_STATS_STATES:
		return radsteer_bindings_count(rn, RADSTEER_KIND_STATE);
	case RADSTEER_A_STATS_SESSIONS:
		return radsteer_bindings_count(rn, RADSTEER_KIND_SESSION);
	case RADSTEER_A_STATS_USERS:
		return radsteer_bindings_count(rn, RADSTEER_KIND_USER);
	}
	if (attr == RADSTEER_A_STATS_OUTSTANDING)
		return radsteer_stats_level(rn->stats,
					    attr * sizeof(unsigned long));
	return radsteer_stats_sum(rn->stats, attr * sizeof(unsigned long));
}

static int put_stats(struct sk_buff *skb, const struct radsteer_net *rn)
{
	int attr;

	for (attr = RADSTEER_A_STATS_PAD + 1; attr <= RADSTEER_A_STATS_MAX;
	     attr++)
		if (nla_put_u64_64bit(skb, attr, stats_value(rn, attr),
				      RADSTEER_A_STATS_PAD))
			return -EMSGSIZE;
	return 0;
}

/**
 * radsteer_stats_get_doit() - answer with the counters
 * @skb: the request
 * @info: the request, parsed
 *
 * Context: process; may sleep.
 * Return: 0 or a negative error.
 */
int radsteer_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct radsteer_net *rn = radsteer_net(genl_info_net(info));
	struct sk_buff *reply;
	void *header;
	int err;

	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;

	mutex_lock(&rn->lock);
	header = radsteer_netlink_reply(reply, info);
	err = header ? put_stats(reply, rn) : -EMSGSIZE;
	mutex_unlock(&rn->lock);

	if (err) {
		nlmsg_free(reply);
		return err;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}
