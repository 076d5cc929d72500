/* SPDX-License-Identifier: GPL-2.0 */
/* The configuration as packets see it: which group steers which address. */
#ifndef _RADSTEER_CONFIG_H
#define _RADSTEER_CONFIG_H

#include <linux/bitmap.h>
#include <linux/string.h>
#include "radsteer.h"
#include "request_table.h"

/**
 * struct radsteer_target - an address and port that the configuration knows
 * @at: the address and port; port 0 marks an empty place in the table
 * @server: a server that listens there, NULL if no list has one; a snapshot
 *	holds it
 * @snapshot: the group that matches it for each service, NULL if none does
 */
struct radsteer_target {
	struct radsteer_endpoint at;
	struct radsteer_server *server;
	const struct radsteer_snapshot *snapshot[RADSTEER_SERVICES];
};

/**
 * struct radsteer_config - the table of what the configuration knows
 * @rcu: frees it a grace period after it was replaced
 * @bits: of a hash, so many are a place of the table
 * @mask: places in the table less one; at least half of them are empty
 * @target: the table, open addressing
 * @requests: the table of requests
 * @known: the ports that are matched or where servers listen, see
 *	radsteer_port_bit()
 * @served: the ports where servers listen
 * @count: snapshots held
 * @snapshot: the snapshots, referenced
 */
struct radsteer_config {
	struct rcu_head rcu;
	u32 bits;
	u32 mask;
	struct radsteer_target *target;
	struct radsteer_requests *requests;
	DECLARE_BITMAP(known, RADSTEER_PORT_BITS);
	DECLARE_BITMAP(served, RADSTEER_PORT_BITS);
	unsigned int count;
	struct radsteer_snapshot *snapshot[];
};

/**
 * radsteer_config_knows() - tell quickly that a packet goes to none of ours
 * @config: the configuration
 * @port: where it is sent to, network byte order
 *
 * Context: any, under rcu_read_lock() of the one that read @config.
 * Return: false if the port is neither matched nor a server's, at any address.
 */
static inline bool
radsteer_config_knows(const struct radsteer_config *config, __be16 port)
{
	return test_bit(radsteer_port_bit(port), config->known);
}

/**
 * radsteer_config_requests() - find the table of requests
 * @config: the configuration
 *
 * Context: any, under rcu_read_lock() of the one that read @config.
 * Return: the table, never NULL.
 */
static inline struct radsteer_requests *
radsteer_config_requests(const struct radsteer_config *config)
{
	return config->requests;
}

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
const struct radsteer_target *
radsteer_config_target(const struct radsteer_config *config,
		       const struct radsteer_endpoint *at);

#endif /* _RADSTEER_CONFIG_H */
