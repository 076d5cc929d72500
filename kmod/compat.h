/* SPDX-License-Identifier: GPL-2.0 */
/* Everything that differs between kernel versions. */
#ifndef _RADSTEER_COMPAT_H
#define _RADSTEER_COMPAT_H

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/version.h>
#include <net/genetlink.h>
#include <net/xfrm.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "radsteer needs Linux 6.1 or later"
#endif

#if !IS_ENABLED(CONFIG_IPV6)
#error "radsteer needs a kernel with IPv6"
#endif

#if !IS_ENABLED(CONFIG_DST_CACHE)
#error "radsteer needs a kernel with DST_CACHE, as those with IP tunnels are"
#endif

/*
 * Linux 6.3 brought sentences with values in them. Before, a sentence had to
 * be there for good, so it is kept in one of a few places, used in turn: it is
 * copied into the acknowledgement right after the operation returned.
 */
#ifndef NL_SET_ERR_MSG_FMT
#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {			\
	static char __text[16][128];					\
	static atomic_t __turn;						\
	char *__line = __text[(unsigned int)atomic_inc_return(&__turn) %	\
			      ARRAY_SIZE(__text)];			\
									\
	snprintf(__line, sizeof(__text[0]), fmt, ##args);		\
	if (extack)							\
		(extack)->_msg = __line;				\
} while (0)
#endif

/* Linux 6.7 told the permissions of multicast groups from those of operations. */
#ifndef GENL_MCAST_CAP_NET_ADMIN
#define GENL_MCAST_CAP_NET_ADMIN	GENL_UNS_ADMIN_PERM
#endif

/* Linux 6.7 moved the attributes of a dump's request. */
static inline struct nlattr **dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
	return genl_dumpit_info(cb)->attrs;
#else
	return genl_dumpit_info(cb)->info.attrs;
#endif
}

/* Linux 6.5 gave segmentation a header of its own. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#include <net/gso.h>
#endif

#ifdef CONFIG_XFRM
/* Linux 6.8 wants to be told the namespace. */
static inline int decode_session(struct net *net, struct sk_buff *skb,
				 struct flowi *flow, u8 family)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
	return xfrm_decode_session(skb, flow, family);
#else
	return xfrm_decode_session(net, skb, flow, family);
#endif
}
#endif

#endif /* _RADSTEER_COMPAT_H */
