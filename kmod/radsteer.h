/* SPDX-License-Identifier: GPL-2.0 */
/* The objects of the module, their locking and their lifetime. */
#ifndef _RADSTEER_H
#define _RADSTEER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/percpu-refcount.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <uapi/linux/radsteer.h>

#include "select.h"
#include "stats.h"

/**
 * DOC: Locking
 *
 * radsteer_net.lock
 *	Mutex, one for each namespace. Held by whoever changes the
 *	configuration: the list of groups, the list of servers, the lists in a
 *	group, administrative states. Packets never take it.
 *
 * radsteer_net.config
 *	RCU. A packet reads it once, in the hook, and works with what it got to
 *	its end. It is replaced as a whole, so that no packet sees half of a
 *	change (C1).
 *
 * radsteer_bucket.lock
 *	Spinlock with bottom halves off, one for each bucket of the table of
 *	requests. It guards every request of the bucket and all that is in the
 *	request. LOCAL_OUT runs in process context with bottom halves on, the
 *	other hooks in softirq, hence the _bh.
 *
 * radsteer_queue.lock
 *	Spinlock, one for each CPU, taken inside a bucket's lock or alone with
 *	bottom halves off. It guards the queues of that CPU by age. A request
 *	is on a queue exactly as long as it is in its bucket, and leaves both
 *	under both locks, so holding either keeps it alive.
 *
 * Order: radsteer_net.lock, radsteer_bucket.lock, radsteer_queue.lock.
 */

/**
 * DOC: Lifetime
 *
 * radsteer_config
 *	Made and published under radsteer_net.lock, freed a grace period after
 *	the next one was published. Holds a reference on its snapshots.
 *
 * radsteer_snapshot
 *	A group as the packets see it, immutable. Held by the group, while it
 *	is the newest, and by each configuration made with it.
 *
 * radsteer_member
 *	A server's place in a group's list. Held by the snapshots that show it.
 *
 * radsteer_server
 *	Held by its members and by the requests that were sent to it, and by
 *	the namespace as long as some list has it. The last reference may be
 *	put in softirq.
 *
 * radsteer_group
 *	Belongs to the namespace. Requests and snapshots point to it without a
 *	reference: deleting a group publishes a configuration without it, waits
 *	a grace period, ends its requests (C3), and frees it then.
 *
 * radsteer_request
 *	Belongs to the table. Nobody keeps a pointer past the bucket's lock.
 *
 * A namespace ends in two steps: .pre_exit takes the hooks off and unpublishes
 * the configuration, the core waits a grace period, .exit frees what is left.
 */

/* Every bound of the module that is not in the user API. */
enum {
	/* Requests that are remembered in one namespace. */
	RADSTEER_REQUESTS_MAX		= 65536,
	/* Buckets of the table, four requests to each when it is full. */
	RADSTEER_REQUEST_BUCKETS_SHIFT	= 14,
	/* Seconds that an answered request is remembered (R3). */
	RADSTEER_ANSWERED_SECONDS	= 30,
	/* Seconds after its last copy that a request can have an answer. */
	RADSTEER_OUTSTANDING_SECONDS	= 60,
	/* Expired requests that are freed before others may run. */
	RADSTEER_EXPIRY_BATCH		= 256,
	/* Values of a new group. */
	RADSTEER_RETRANSMIT_DEFAULT	= 1,
	RADSTEER_TIMEOUT_DEFAULT	= 5,
	/* The number of services, for arrays. */
	RADSTEER_SERVICES		= 2,
};

/**
 * struct radsteer_endpoint - a UDP address and port
 * @addr: address; octets beyond those of the family are zero
 * @port: port, network byte order
 */
struct radsteer_endpoint {
	union nf_inet_addr addr;
	__be16 port;
};

/**
 * struct radsteer_server - a server, shared by every group that lists it
 * @ref: members and requests; released from any context
 * @node: in radsteer_net.servers, under radsteer_net.lock
 * @at: where it listens
 * @id: never used twice in a namespace, not 0
 * @members: lists that have it, under radsteer_net.lock
 * @family: NFPROTO_IPV4
 * @service: enum radsteer_service
 * @admin: enum radsteer_admin, under radsteer_net.lock
 * @stats: its counters
 */
struct radsteer_server {
	struct percpu_ref ref;
	struct list_head node;
	struct radsteer_endpoint at;
	u32 id;
	u32 members;
	u8 family;
	u8 service;
	u8 admin;
	struct radsteer_server_stats __percpu *stats;
};

/**
 * struct radsteer_member - a server's place in a group's list
 * @ref: snapshots that show it
 * @server: the server, referenced
 * @selected: first sends that this list gave it
 * @id: never used twice in a namespace, not 0; dumps go by it
 */
struct radsteer_member {
	struct kref ref;
	struct radsteer_server *server;
	unsigned long __percpu *selected;
	u32 id;
};

/**
 * struct radsteer_list - the servers of one service of a group, immutable
 * @rules: the list as the selection rules see it
 * @down: bit i is set if server i is administratively down
 * @member: the members in configured order, rules.count of them
 */
struct radsteer_list {
	struct select_list rules;
	u64 down;
	struct radsteer_member *member[RADSTEER_SERVERS_MAX];
};

/**
 * struct radsteer_match - what a group steers (P2)
 * @addr: the matched address
 * @port: the matched port of each service, network byte order
 */
struct radsteer_match {
	union nf_inet_addr addr;
	__be16 port[RADSTEER_SERVICES];
};

/**
 * struct radsteer_settings - what an administrator set for a group
 * @matches: matched addresses in use
 * @match: the matched addresses
 * @match_servers: match the group's own servers as well
 * @algorithm: enum radsteer_algorithm
 * @accounting: enum radsteer_accounting
 * @retransmit: retransmissions to one server
 * @timeout: seconds until a copy is lost
 */
struct radsteer_settings {
	unsigned int matches;
	struct radsteer_match match[RADSTEER_MATCHES_MAX];
	bool match_servers;
	u8 algorithm;
	u8 accounting;
	u8 retransmit;
	u8 timeout;
};

/**
 * struct radsteer_snapshot - a group as packets and dumps see it, immutable
 * @ref: the group and the configurations that hold it
 * @group: the group, for what outlives a snapshot
 * @family: NFPROTO_IPV4, NFPROTO_UNSPEC while the group has no address
 * @settings: what was set
 * @list: the servers of each service
 */
struct radsteer_snapshot {
	struct kref ref;
	struct radsteer_group *group;
	u8 family;
	struct radsteer_settings settings;
	struct radsteer_list list[RADSTEER_SERVICES];
};

/**
 * struct radsteer_group - what stays of a group through its changes
 * @node: in radsteer_net.groups, ascending by @id, under radsteer_net.lock
 * @id: never used twice in a namespace, not 0; dumps go by it
 * @name: its name
 * @snapshot: the newest snapshot, NULL before the first one is in force, under
 *	radsteer_net.lock
 * @next: the snapshot of a change that is prepared, else NULL, under
 *	radsteer_net.lock
 * @recent: server id of the most-recent backup of each service (M9), 0 if
 *	there is none yet; written by packets, read and written whole
 */
struct radsteer_group {
	struct list_head node;
	u32 id;
	char name[RADSTEER_NAME_MAX + 1];
	struct radsteer_snapshot *snapshot;
	struct radsteer_snapshot *next;
	u32 recent[RADSTEER_SERVICES];
};

struct radsteer_config;
struct radsteer_requests;

/**
 * struct radsteer_net - a network namespace
 * @config: what packets go by, NULL while there is no group
 * @stats: its counters
 * @requests: the table of requests, NULL while there is no group, under @lock;
 *	packets take it from @config, and it goes a grace period after that
 * @lock: held by whoever changes the configuration
 * @groups: the groups, ascending by id, under @lock
 * @servers: the servers of all lists, under @lock
 * @net: the namespace, which outlives this
 * @generation: changes of the configuration so far, never 0, under @lock
 * @group_count: entries of @groups, under @lock
 * @last_id: the last id given to a group, member or server, under @lock
 */
struct radsteer_net {
	struct radsteer_config __rcu *config;
	struct radsteer_stats __percpu *stats;
	struct radsteer_requests *requests;

	struct mutex lock;
	struct list_head groups;
	struct list_head servers;
	struct net *net;
	unsigned int generation;
	unsigned int group_count;
	u32 last_id;
};

extern unsigned int radsteer_net_id;

/**
 * radsteer_net() - find what the module has of a namespace
 * @net: the namespace
 *
 * Context: any.
 * Return: its structure; never NULL while the module is loaded.
 */
static inline struct radsteer_net *radsteer_net(const struct net *net)
{
	return net_generic(net, radsteer_net_id);
}

#endif /* _RADSTEER_H */
