/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family. */
#ifndef _RADSTEER_NETLINK_H
#define _RADSTEER_NETLINK_H

#include <net/genetlink.h>
#include "radsteer.h"

/**
 * struct radsteer_dump - where a dump goes on, in netlink_callback.ctx
 * @group: groups: id of the last that was dumped; servers: of the one that is
 *	being dumped, or more than that of the last
 * @member: id of the last member of @group that was dumped, 0 before the first
 * @only: dump the group with this id alone, 0 for all
 */
struct radsteer_dump {
	u32 group;
	u32 member;
	u32 only;
};

/**
 * struct radsteer_request_dump - where a dump of requests goes on
 * @bucket: the bucket that comes next
 * @skip: requests of it that were dumped already
 */
struct radsteer_request_dump {
	u32 bucket;
	u32 skip;
};

/**
 * struct radsteer_session_dump - where a dump of sessions goes on
 * @key: the binding that was dumped last, 0 before the first of a list
 * @used: when that was used last, in jiffies
 * @list: the list that comes next
 * @skip: bindings of it that were dumped already
 */
struct radsteer_session_dump {
	u64 key;
	u32 used;
	u32 list;
	u32 skip;
};

extern struct genl_family radsteer_family;

int radsteer_netlink_register(void);
void radsteer_netlink_unregister(void);
struct radsteer_group *radsteer_netlink_group(const struct radsteer_net *rn,
					      const struct nlattr *name,
					      struct netlink_ext_ack *extack);
void *radsteer_netlink_reply(struct sk_buff *skb, const struct genl_info *info);
void *radsteer_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
			    u8 cmd);
int radsteer_netlink_address(struct sk_buff *skb, int attr,
			     const union nf_inet_addr *addr, u8 family);
u8 radsteer_netlink_state(u8 state);

extern const struct nla_policy
radsteer_settings_policy[RADSTEER_A_SETTINGS_MAX + 1];

int radsteer_group_get_doit(struct sk_buff *skb, struct genl_info *info);
int radsteer_group_get_start(struct netlink_callback *cb);
int radsteer_group_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int radsteer_server_get_start(struct netlink_callback *cb);
int radsteer_server_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int radsteer_settings_set_doit(struct sk_buff *skb, struct genl_info *info);
int radsteer_settings_get_doit(struct sk_buff *skb, struct genl_info *info);
int radsteer_request_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int radsteer_session_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int radsteer_stats_get_doit(struct sk_buff *skb, struct genl_info *info);

#endif /* _RADSTEER_NETLINK_H */
