/* SPDX-License-Identifier: GPL-2.0 */
/* Everything that differs between kernel versions. */
#ifndef _RADSTEER_COMPAT_H
#define _RADSTEER_COMPAT_H

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/version.h>
#include <net/genetlink.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "radsteer needs Linux 6.1 or later"
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

#endif /* _RADSTEER_COMPAT_H */
