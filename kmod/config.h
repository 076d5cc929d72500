/* SPDX-License-Identifier: GPL-2.0 */
/* The configuration as packets see it: which group steers which address. */
#ifndef _RADSTEER_CONFIG_H
#define _RADSTEER_CONFIG_H

#include <linux/string.h>
#include "radsteer.h"

/**
 * struct radsteer_target - an address and port that the configuration knows
 * @at: the address and port; port 0 marks an empty place in the table
 * @server: some list has a server there
 * @snapshot: the group that matches it for each service, NULL if none does
 */
struct radsteer_target {
	struct radsteer_endpoint at;
	bool server;
	const struct radsteer_snapshot *snapshot[RADSTEER_SERVICES];
};

/**
 * radsteer_endpoint_equal() - compare two endpoints
 * @a: one
 * @b: the other
 *
 * Context: any.
 * Return: true if family, address and port are equal.
 */
static inline bool radsteer_endpoint_equal(const struct radsteer_endpoint *a,
					   const struct radsteer_endpoint *b)
{
	return a->port == b->port && a->family == b->family &&
	       nf_inet_addr_cmp(&a->addr, &b->addr);
}

int radsteer_config_commit(struct radsteer_net *rn,
			   const struct radsteer_group *changes,
			   struct netlink_ext_ack *extack);
void radsteer_config_withdraw(struct radsteer_net *rn);
struct radsteer_requests *
radsteer_config_requests(const struct radsteer_config *config);
const struct radsteer_target *
radsteer_config_target(const struct radsteer_config *config,
		       const struct radsteer_endpoint *at);

#endif /* _RADSTEER_CONFIG_H */
