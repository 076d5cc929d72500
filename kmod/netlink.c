// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: policies, and the operations that change.
 *
 * Documentation/netlink/specs/radsteer.yaml is the specification. A message is
 * read whole and checked before anything is changed, and each refusal leaves
 * one sentence in the extended acknowledgement.
 */
#include <linux/ctype.h>
#include <linux/inet.h>
#include <linux/in.h>
#include <linux/module.h>
#include <net/ipv6.h>
#include "compat.h"
#include "config.h"
#include "group.h"
#include "netlink.h"
#include "server.h"

/* That it is of one or the other length is seen when it is read. */
#define ADDRESS_POLICY \
	NLA_POLICY_RANGE(NLA_BINARY, sizeof(struct in_addr), \
			 sizeof(struct in6_addr))

static const struct nla_policy match_policy[RADSTEER_A_MATCH_MAX + 1] = {
	[RADSTEER_A_MATCH_SERVERS]	= { .type = NLA_FLAG },
	[RADSTEER_A_MATCH_ADDRESS]	=
		ADDRESS_POLICY,
	[RADSTEER_A_MATCH_AUTH_PORT]	= NLA_POLICY_MIN(NLA_BE16, 1),
	[RADSTEER_A_MATCH_ACCT_PORT]	= NLA_POLICY_MIN(NLA_BE16, 1),
};

#define NAME_POLICY { .type = NLA_NUL_STRING, .len = RADSTEER_NAME_MAX }

static const struct nla_policy group_policy[RADSTEER_A_GROUP_MATCH + 1] = {
	[RADSTEER_A_GROUP_NAME]		= NAME_POLICY,
	[RADSTEER_A_GROUP_ALGORITHM]	=
		NLA_POLICY_MAX(NLA_U8, RADSTEER_ALGORITHM_LOADING_SHARE),
	[RADSTEER_A_GROUP_ACCOUNTING]	=
		NLA_POLICY_MAX(NLA_U8, RADSTEER_ACCOUNTING_INDEPENDENT),
	[RADSTEER_A_GROUP_RETRANSMIT]	=
		NLA_POLICY_MAX(NLA_U8, RADSTEER_RETRANSMIT_MAX),
	[RADSTEER_A_GROUP_TIMEOUT]	=
		NLA_POLICY_RANGE(NLA_U8, 1, RADSTEER_TIMEOUT_MAX),
	[RADSTEER_A_GROUP_MATCH]	= NLA_POLICY_NESTED(match_policy),
};

static const struct nla_policy group_name_policy[RADSTEER_A_GROUP_NAME + 1] = {
	[RADSTEER_A_GROUP_NAME]		= NAME_POLICY,
};

#define SERVER_POLICY							\
	[RADSTEER_A_SERVER_GROUP]	= NAME_POLICY,			\
	[RADSTEER_A_SERVER_SERVICE]	=				\
		NLA_POLICY_MAX(NLA_U8, RADSTEER_SERVICE_ACCOUNTING),	\
	[RADSTEER_A_SERVER_ADDRESS]	=				\
		ADDRESS_POLICY,						\
	[RADSTEER_A_SERVER_PORT]	= NLA_POLICY_MIN(NLA_BE16, 1)

#define SERVER_VALUES_POLICY						\
	[RADSTEER_A_SERVER_WEIGHT]	= { .type = NLA_U16 },		\
	[RADSTEER_A_SERVER_ADMIN]	=				\
		NLA_POLICY_MAX(NLA_U8, RADSTEER_ADMIN_DRAIN)

/*
 * The operations on a server share a reader, which looks at every attribute
 * that any of them takes: the policies all reach as far, and what one does not
 * list, it rejects.
 */
#define SERVER_ATTRS (RADSTEER_A_SERVER_BEFORE_PORT + 1)

static const struct nla_policy server_new_policy[SERVER_ATTRS] = {
	SERVER_POLICY,
	SERVER_VALUES_POLICY,
	[RADSTEER_A_SERVER_BEFORE_ADDRESS] =
		ADDRESS_POLICY,
	[RADSTEER_A_SERVER_BEFORE_PORT]	= NLA_POLICY_MIN(NLA_BE16, 1),
};

static const struct nla_policy server_set_policy[SERVER_ATTRS] = {
	SERVER_POLICY,
	SERVER_VALUES_POLICY,
};

static const struct nla_policy server_del_policy[SERVER_ATTRS] = {
	SERVER_POLICY,
};

static const struct nla_policy
server_get_policy[RADSTEER_A_SERVER_GROUP + 1] = {
	[RADSTEER_A_SERVER_GROUP]	= NAME_POLICY,
};

/* Names go unquoted into commands, files and logs. */
static bool name_valid(const char *name)
{
	if (!isascii(*name) || !isalnum(*name))
		return false;
	for (; *name; name++)
		if (!isascii(*name) ||
		    (!isalnum(*name) && !strchr("._-", *name)))
			return false;
	return true;
}

static const char *why_not_ipv4(__be32 ip)
{
	if (ipv4_is_zeronet(ip) || ipv4_is_multicast(ip) || ipv4_is_lbcast(ip))
		return "the address is not that of one host";
	return NULL;
}

static const char *why_not_ipv6(const struct in6_addr *in6)
{
	int type = ipv6_addr_type(in6);

	if (type == IPV6_ADDR_ANY || type & IPV6_ADDR_MULTICAST ||
	    type & IPV6_ADDR_MAPPED)
		return "the address is not that of one host";
	if (type & IPV6_ADDR_LINKLOCAL)
		return "a link-local address needs a device, which a server does not have";
	return NULL;
}

/* Read an address that a server can have, or be asked at. */
static int get_address(union nf_inet_addr *addr, u8 *family,
		       const struct nlattr *attr,
		       struct netlink_ext_ack *extack)
{
	const char *why_not;

	*addr = (union nf_inet_addr){ };
	memcpy(addr, nla_data(attr), nla_len(attr));
	switch (nla_len(attr)) {
	case sizeof(struct in_addr):
		*family = NFPROTO_IPV4;
		why_not = why_not_ipv4(addr->ip);
		break;
	case sizeof(struct in6_addr):
		*family = NFPROTO_IPV6;
		why_not = why_not_ipv6(&addr->in6);
		break;
	default:
		why_not = "an address has 4 octets, or 16";
	}
	if (!why_not)
		return 0;
	NL_SET_BAD_ATTR(extack, attr);
	extack->_msg = why_not;
	return -EINVAL;
}

static __be16 get_port(const struct nlattr *attr, unsigned int service)
{
	if (attr)
		return nla_get_be16(attr);
	return htons(service == RADSTEER_SERVICE_AUTHENTICATION ?
		     RADSTEER_PORT_AUTHENTICATION : RADSTEER_PORT_ACCOUNTING);
}

static int get_match(struct radsteer_settings *settings,
		     const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RADSTEER_A_MATCH_MAX + 1];
	struct radsteer_match *match;
	int err;

	err = nla_parse_nested(tb, RADSTEER_A_MATCH_MAX, attr, match_policy,
			       extack);
	if (err)
		return err;

	if (tb[RADSTEER_A_MATCH_SERVERS]) {
		if (tb[RADSTEER_A_MATCH_ADDRESS] ||
		    tb[RADSTEER_A_MATCH_AUTH_PORT] ||
		    tb[RADSTEER_A_MATCH_ACCT_PORT]) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "a match is either the servers or an address");
			return -EINVAL;
		}
		settings->match_servers = true;
		return 0;
	}
	if (!tb[RADSTEER_A_MATCH_ADDRESS]) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a match needs an address, or the servers");
		return -EINVAL;
	}
	if (settings->matches == RADSTEER_MATCHES_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a group matches 16 addresses at most");
		return -ENOSPC;
	}
	match = &settings->match[settings->matches++];
	match->port[RADSTEER_SERVICE_AUTHENTICATION] =
		get_port(tb[RADSTEER_A_MATCH_AUTH_PORT],
			 RADSTEER_SERVICE_AUTHENTICATION);
	match->port[RADSTEER_SERVICE_ACCOUNTING] =
		get_port(tb[RADSTEER_A_MATCH_ACCT_PORT],
			 RADSTEER_SERVICE_ACCOUNTING);
	err = get_address(&match->addr, &match->family,
			  tb[RADSTEER_A_MATCH_ADDRESS], extack);
	if (!err && match->family != settings->match[0].family) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "a group matches addresses of one family");
		return -EAFNOSUPPORT;
	}
	return err;
}

/* The matches that are given, all together, replace those of the group. */
static int get_matches(struct radsteer_settings *settings,
		       struct genl_info *info)
{
	const struct nlattr *attr;
	int rem, err;

	if (!info->attrs[RADSTEER_A_GROUP_MATCH])
		return 0;

	settings->matches = 0;
	memset(settings->match, 0, sizeof(settings->match));
	settings->match_servers = false;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != RADSTEER_A_GROUP_MATCH)
			continue;
		err = get_match(settings, attr, info->extack);
		if (err)
			return err;
	}
	return 0;
}

static int get_settings(struct radsteer_settings *settings,
			struct genl_info *info)
{
	struct nlattr **tb = info->attrs;

	if (tb[RADSTEER_A_GROUP_ALGORITHM])
		settings->algorithm =
			nla_get_u8(tb[RADSTEER_A_GROUP_ALGORITHM]);
	if (tb[RADSTEER_A_GROUP_ACCOUNTING])
		settings->accounting =
			nla_get_u8(tb[RADSTEER_A_GROUP_ACCOUNTING]);
	if (tb[RADSTEER_A_GROUP_RETRANSMIT])
		settings->retransmit =
			nla_get_u8(tb[RADSTEER_A_GROUP_RETRANSMIT]);
	if (tb[RADSTEER_A_GROUP_TIMEOUT])
		settings->timeout = nla_get_u8(tb[RADSTEER_A_GROUP_TIMEOUT]);
	return get_matches(settings, info);
}

static int group_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct radsteer_net *rn = radsteer_net(genl_info_net(info));
	struct radsteer_settings settings = {
		.match_servers = true,
		.retransmit = RADSTEER_RETRANSMIT_DEFAULT,
		.timeout = RADSTEER_TIMEOUT_DEFAULT,
	};
	const char *name;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, RADSTEER_A_GROUP_NAME)) {
		NL_SET_ERR_MSG(info->extack, "a group needs a name");
		return -EINVAL;
	}
	name = nla_data(info->attrs[RADSTEER_A_GROUP_NAME]);
	if (!name_valid(name)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[RADSTEER_A_GROUP_NAME],
				    "a name is letters, digits, '.', '_' and '-', the first a letter or a digit");
		return -EINVAL;
	}
	err = get_settings(&settings, info);
	if (err)
		return err;

	mutex_lock(&rn->lock);
	err = radsteer_group_new(rn, name, &settings, info->extack);
	mutex_unlock(&rn->lock);
	return err;
}

/**
 * radsteer_netlink_group() - find the group that a message names
 * @rn: the namespace
 * @name: the attribute with the name, or NULL
 * @extack: takes the reason if there is no such group
 *
 * Context: process, radsteer_net.lock held.
 * Return: the group, NULL if the message names none that is there.
 */
struct radsteer_group *radsteer_netlink_group(const struct radsteer_net *rn,
					      const struct nlattr *name,
					      struct netlink_ext_ack *extack)
{
	struct radsteer_group *group;

	if (!name) {
		NL_SET_ERR_MSG(extack, "the name of the group is missing");
		return NULL;
	}
	group = radsteer_group_find(rn, nla_data(name));
	if (!group)
		NL_SET_ERR_MSG_ATTR(extack, name,
				    "there is no group of that name");
	return group;
}

static int group_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct radsteer_net *rn = radsteer_net(genl_info_net(info));
	struct radsteer_settings settings;
	struct radsteer_group *group;
	int err = -ENOENT;

	mutex_lock(&rn->lock);
	group = radsteer_netlink_group(rn, info->attrs[RADSTEER_A_GROUP_NAME],
				       info->extack);
	if (!group)
		goto unlock;
	settings = group->snapshot->settings;
	err = get_settings(&settings, info);
	if (!err)
		err = radsteer_group_set(rn, group, &settings, info->extack);
unlock:
	mutex_unlock(&rn->lock);
	return err;
}

static int group_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct radsteer_net *rn = radsteer_net(genl_info_net(info));
	struct radsteer_group *group;
	int err = -ENOENT;

	mutex_lock(&rn->lock);
	group = radsteer_netlink_group(rn, info->attrs[RADSTEER_A_GROUP_NAME],
				       info->extack);
	if (group)
		err = radsteer_group_del(rn, group, info->extack);
	mutex_unlock(&rn->lock);
	return err;
}

static int get_server(struct radsteer_server_change *change,
		      struct genl_info *info)
{
	struct nlattr **tb = info->attrs;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, RADSTEER_A_SERVER_SERVICE) ||
	    GENL_REQ_ATTR_CHECK(info, RADSTEER_A_SERVER_ADDRESS)) {
		NL_SET_ERR_MSG(info->extack,
			       "a server is named by group, service and address");
		return -EINVAL;
	}
	change->service = nla_get_u8(tb[RADSTEER_A_SERVER_SERVICE]);
	change->at.port = get_port(tb[RADSTEER_A_SERVER_PORT], change->service);
	err = get_address(&change->at.addr, &change->at.family,
			  tb[RADSTEER_A_SERVER_ADDRESS], info->extack);
	if (err)
		return err;

	if (tb[RADSTEER_A_SERVER_WEIGHT]) {
		change->weight = nla_get_u16(tb[RADSTEER_A_SERVER_WEIGHT]);
		change->set_weight = true;
	}
	if (tb[RADSTEER_A_SERVER_ADMIN]) {
		change->admin = nla_get_u8(tb[RADSTEER_A_SERVER_ADMIN]);
		change->set_admin = true;
	}
	if (tb[RADSTEER_A_SERVER_BEFORE_ADDRESS]) {
		change->before.port = get_port(tb[RADSTEER_A_SERVER_BEFORE_PORT],
					       change->service);
		return get_address(&change->before.addr,
				   &change->before.family,
				   tb[RADSTEER_A_SERVER_BEFORE_ADDRESS],
				   info->extack);
	}
	if (tb[RADSTEER_A_SERVER_BEFORE_PORT]) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    tb[RADSTEER_A_SERVER_BEFORE_PORT],
				    "a port to go before needs an address");
		return -EINVAL;
	}
	return 0;
}

/* The three operations on a server differ in what they do in the end. */
static int server_doit(struct genl_info *info,
		       int (*apply)(struct radsteer_net *rn,
				    struct radsteer_group *group,
				    const struct radsteer_server_change *change,
				    struct netlink_ext_ack *extack))
{
	struct radsteer_net *rn = radsteer_net(genl_info_net(info));
	struct radsteer_server_change change = { };
	struct radsteer_group *group;
	int err;

	err = get_server(&change, info);
	if (err)
		return err;

	mutex_lock(&rn->lock);
	group = radsteer_netlink_group(rn, info->attrs[RADSTEER_A_SERVER_GROUP],
				       info->extack);
	err = group ? apply(rn, group, &change, info->extack) : -ENOENT;
	mutex_unlock(&rn->lock);
	return err;
}

static int server_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	return server_doit(info, radsteer_server_new);
}

static int server_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	return server_doit(info, radsteer_server_set);
}

static int server_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return server_doit(info, radsteer_server_del);
}

static const struct genl_ops radsteer_ops[] = {
	{
		.cmd		= RADSTEER_CMD_GROUP_NEW,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= group_policy,
		.maxattr	= ARRAY_SIZE(group_policy) - 1,
		.doit		= group_new_doit,
	},
	{
		.cmd		= RADSTEER_CMD_GROUP_SET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= group_policy,
		.maxattr	= ARRAY_SIZE(group_policy) - 1,
		.doit		= group_set_doit,
	},
	{
		.cmd		= RADSTEER_CMD_GROUP_DEL,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= group_name_policy,
		.maxattr	= ARRAY_SIZE(group_name_policy) - 1,
		.doit		= group_del_doit,
	},
	{
		.cmd		= RADSTEER_CMD_GROUP_GET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= group_name_policy,
		.maxattr	= ARRAY_SIZE(group_name_policy) - 1,
		.doit		= radsteer_group_get_doit,
		.start		= radsteer_group_get_start,
		.dumpit		= radsteer_group_get_dumpit,
	},
	{
		.cmd		= RADSTEER_CMD_SERVER_NEW,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= server_new_policy,
		.maxattr	= ARRAY_SIZE(server_new_policy) - 1,
		.doit		= server_new_doit,
	},
	{
		.cmd		= RADSTEER_CMD_SERVER_SET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= server_set_policy,
		.maxattr	= ARRAY_SIZE(server_set_policy) - 1,
		.doit		= server_set_doit,
	},
	{
		.cmd		= RADSTEER_CMD_SERVER_DEL,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= server_del_policy,
		.maxattr	= ARRAY_SIZE(server_del_policy) - 1,
		.doit		= server_del_doit,
	},
	{
		.cmd		= RADSTEER_CMD_SERVER_GET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= server_get_policy,
		.maxattr	= ARRAY_SIZE(server_get_policy) - 1,
		.start		= radsteer_server_get_start,
		.dumpit		= radsteer_server_get_dumpit,
	},
	{
		.cmd		= RADSTEER_CMD_STATS_GET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= radsteer_stats_get_doit,
	},
	{
		.cmd		= RADSTEER_CMD_SETTINGS_SET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.policy		= radsteer_settings_policy,
		.maxattr	= RADSTEER_A_SETTINGS_MAX,
		.doit		= radsteer_settings_set_doit,
	},
	{
		.cmd		= RADSTEER_CMD_SETTINGS_GET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.doit		= radsteer_settings_get_doit,
	},
	{
		.cmd		= RADSTEER_CMD_REQUEST_GET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.dumpit		= radsteer_request_get_dumpit,
	},
	{
		.cmd		= RADSTEER_CMD_SESSION_GET,
		.flags		= GENL_UNS_ADMIN_PERM,
		.dumpit		= radsteer_session_get_dumpit,
	},
};

static const struct genl_multicast_group radsteer_mcgrps[] = {
	{
		.name		= RADSTEER_MCGRP_EVENTS,
		.flags		= GENL_MCAST_CAP_NET_ADMIN,
	},
};

struct genl_family radsteer_family __ro_after_init = {
	.name		= RADSTEER_FAMILY_NAME,
	.version	= RADSTEER_FAMILY_VERSION,
	.netnsok	= true,
	/* Each operation takes the lock of its namespace, and no other. */
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= radsteer_ops,
	.n_ops		= ARRAY_SIZE(radsteer_ops),
	.mcgrps		= radsteer_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(radsteer_mcgrps),
	/* Every operation is new enough to have its header checked. */
	.resv_start_op	= RADSTEER_CMD_GROUP_NEW,
};

/**
 * radsteer_netlink_register() - let user space in
 *
 * Context: process; may sleep.
 * Return: 0 or a negative error.
 */
int __init radsteer_netlink_register(void)
{
	return genl_register_family(&radsteer_family);
}

/**
 * radsteer_netlink_unregister() - let user space in no more
 *
 * Context: process; may sleep. No operation runs any more at the return.
 */
void radsteer_netlink_unregister(void)
{
	genl_unregister_family(&radsteer_family);
}
