/* SPDX-License-Identifier: GPL-2.0 */
/* The objects of the module, their locking and their lifetime. */
#ifndef _RADSTEER_H
#define _RADSTEER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/percpu-refcount.h>
#include <linux/ratelimit_types.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/dst_cache.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <uapi/linux/radsteer.h>

#include "health.h"
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
 *	other hooks in softirq, hence the _bh. The lock of a bucket that the
 *	table grew out of comes before that of the new one.
 *
 * radsteer_net.health_lock
 *	Spinlock with bottom halves off, taken inside a bucket's lock, under
 *	radsteer_net.lock, or alone. It guards the liveness of all servers, the settings
 *	that liveness goes by, which lists have a server, and who is Up in
 *	these. It is for what happens seldom: a copy is lost, a server answers
 *	that lost one before, a change. Packets read who is Up without it.
 *
 * radsteer_queue.lock
 *	Spinlock, one for each CPU, taken inside a bucket's lock or alone with
 *	bottom halves off. It guards the queues of that CPU by age. A request
 *	comes to its bucket and to a queue, and leaves both, under its bucket's
 *	lock.
 *
 * radsteer_requests.record_lock
 *	Spinlocks, taken inside a bucket's lock. They guard where Accounting-
 *	Requests are looked for by what they report.
 *
 * radsteer_shard.lock
 *	Spinlock with bottom halves off, taken inside a bucket's lock or alone.
 *	It guards the bindings of a part of a table: States, sessions or users.
 *	No two of them are held at a time.
 *
 * radsteer_timer.lock
 *	Spinlock with bottom halves off, taken inside any of the above. It
 *	guards when the timer of the namespace is to run.
 *
 * Order: radsteer_net.lock, radsteer_bucket.lock, radsteer_net.health_lock,
 * and then radsteer_queue.lock, radsteer_requests.record_lock or
 * radsteer_shard.lock, and then radsteer_timer.lock.
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
 *	Held by its members, by the requests that were sent to it and by what
 *	is bound to it, and by the namespace as long as some list has it. The
 *	last reference may be put in softirq. Its liveness ends when the last
 *	list lets go of it. It holds routes of its namespace, which waits for
 *	the last of its servers before it ends.
 *
 * radsteer_group
 *	Belongs to the namespace. Requests and snapshots point to it without a
 *	reference: deleting a group publishes a configuration without it, waits
 *	a grace period, ends its requests and bindings (C3), and frees it then.
 *
 * radsteer_request
 *	Belongs to the table. Nobody keeps a pointer past the bucket's lock. Its
 *	memory may become another request of the bucket, which takes its
 *	Identifier, without leaving its queue in between (T2).
 *
 * radsteer_binding
 *	Belongs to its table. Nobody keeps a pointer past the shard's lock, but
 *	who looks in the index passes others under RCU: it is freed a grace
 *	period after it was removed. Holds a reference on its server. What a
 *	group bound ends with the group (C3).
 *
 * radsteer_buckets
 *	Belong to the table. When it takes others, the old ones are looked at
 *	as well until they are empty, and freed a grace period after that.
 *
 * A namespace ends in two steps: .pre_exit takes the hooks off and unpublishes
 * the configuration, the core waits a grace period, .exit frees what is left.
 */

/* Every bound of the module that is not in the user API. */
enum {
	/* Requests that are remembered in one namespace, if nothing is set. */
	RADSTEER_REQUESTS_DEFAULT	= 65536,
	/* Requests to a bucket of the table when it is full. */
	RADSTEER_REQUESTS_PER_BUCKET	= 4,
	/* Buckets of the smallest table. */
	RADSTEER_BUCKETS_MIN		= 256,
	/* What each CPU may count before it tells the others. */
	RADSTEER_COUNT_BATCH		= 32,
	/* Requests that are forgotten at a time to make room. */
	RADSTEER_EVICTION_BATCH		= 16,
	/* How often that is tried while others do the same. */
	RADSTEER_EVICTION_TRIES		= 4,
	/* Of anything remembered at most in what is not the initial user namespace. */
	RADSTEER_UNPRIVILEGED		= 65536,
	/* Requests of one client, port and Identifier, to several addresses. */
	RADSTEER_REQUESTS_SHARED	= 64,
	/* Seconds that an answered request is remembered (R3). */
	RADSTEER_ANSWERED_SECONDS	= 30,
	/* Seconds after its last copy was lost that one can have an answer. */
	RADSTEER_OVERDUE_SECONDS	= 60,
	/* Expired requests that are seen to before others may run. */
	RADSTEER_EXPIRY_BATCH		= 256,
	/* Errors that quote no RADIUS header and are looked into in a second. */
	RADSTEER_SHORT_ERRORS		= 100,
	/* Milliseconds in which a steered packet that comes past is known again. */
	RADSTEER_PASSED_MS		= 50,
	/* Seconds that a session is kept after its Stop was answered (A7). */
	RADSTEER_ENDED_SECONDS		= 30,
	/* Runs of the timer in a second, at most. */
	RADSTEER_TIMER_RATE		= 10,
	/* Jiffies that a route to a server is kept without looking for another. */
	RADSTEER_ROUTE_TIME		= HZ,
	/* Values of a new namespace. */
	RADSTEER_DEAD_COUNT_DEFAULT	= 10,
	RADSTEER_DEAD_INTERVAL_DEFAULT	= 5,
	RADSTEER_DEAD_TIME_DEFAULT	= 180,
	RADSTEER_DUPLICATE_WINDOW_DEFAULT = 50,
	RADSTEER_SESSIONS_DEFAULT	= 1048576,
	RADSTEER_STATES_DEFAULT		= 262144,
	RADSTEER_STATE_TIME_DEFAULT	= 120,
	RADSTEER_SESSION_TIME_DEFAULT	= 86400,
	/* Values of a new group. */
	RADSTEER_RETRANSMIT_DEFAULT	= 1,
	RADSTEER_TIMEOUT_DEFAULT	= 5,
	/* Bits that ports fall on, see radsteer_port_bit(). */
	RADSTEER_PORT_BITS		= 256,
	/* Hooks of a namespace. */
	RADSTEER_HOOKS			= 8,
	/* The number of services, for arrays. */
	RADSTEER_SERVICES		= 2,
};

/**
 * struct radsteer_endpoint - a UDP address and port
 * @addr: address; octets beyond those of the family are zero
 * @port: port, network byte order
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 */
struct radsteer_endpoint {
	union nf_inet_addr addr;
	__be16 port;
	u8 family;
};

/**
 * struct radsteer_route - a route to a server, for what is sent here
 * @until: when it is looked for anew, in jiffies; of no consequence if several
 *	CPUs set it at a time
 * @cache: the route that each CPU found last, and the source address it is from;
 *	bottom halves are off for whoever uses it
 */
struct radsteer_route {
	unsigned long until;
	struct dst_cache cache;
};

/**
 * struct radsteer_server - a server, shared by every group that lists it
 * @ref: members, requests and bindings; released from any context
 * @node: in radsteer_net.servers, under radsteer_net.lock
 * @at: where it listens
 * @id: never used twice in a namespace, not 0
 * @members: lists that have it, under radsteer_net.lock
 * @rtt: smoothed round-trip time in microseconds, 0 before the first one;
 *	written by packets, read and written whole
 * @service: enum radsteer_service
 * @admin: enum radsteer_admin, written under radsteer_net.lock and
 *	radsteer_net.health_lock, read under either
 * @admin_next: what @admin is to be once a change is in force, the same as
 *	@admin where none is prepared, under radsteer_net.lock
 * @retired: no list has it any more, under radsteer_net.health_lock
 * @health: its liveness, under radsteer_net.health_lock
 * @places: its members in the newest lists, under radsteer_net.health_lock
 * @down: in radsteer_net.down while it is Down, under radsteer_net.health_lock
 * @stats: its counters
 * @route: the route to it
 */
struct radsteer_server {
	struct percpu_ref ref;
	struct list_head node;
	struct radsteer_endpoint at;
	u32 id;
	u32 members;
	u32 rtt;
	u8 service;
	u8 admin;
	u8 admin_next;
	bool retired;
	struct health health;
	struct list_head places;
	struct list_head down;
	struct radsteer_server_stats __percpu *stats;
	struct radsteer_route route;
};

/**
 * struct radsteer_member - a server's place in a group's list
 * @ref: snapshots that show it
 * @server: the server, referenced
 * @selected: selections that this list gave it, first sends and moves
 * @id: never used twice in a namespace, not 0; dumps go by it
 * @position: its index in @list, under radsteer_net.health_lock
 * @list: the newest list, NULL while none has it, under
 *	radsteer_net.health_lock
 * @place: in radsteer_server.places while @list is there, under
 *	radsteer_net.health_lock
 */
struct radsteer_member {
	struct kref ref;
	struct radsteer_server *server;
	unsigned long __percpu *selected;
	u32 id;
	u32 position;
	struct radsteer_list *list;
	struct list_head place;
};

/**
 * struct radsteer_list - the servers of one service of a group
 * @rules: the list as the selection rules see it, immutable
 * @up: bit i is set if server i is Up; kept true as long as the list is the
 *	newest, read at any time, written under radsteer_net.health_lock
 * @member: the members in configured order, rules.count of them
 */
struct radsteer_list {
	struct select_list rules;
	atomic64_t up;
	struct radsteer_member *member[RADSTEER_SERVERS_MAX];
};

/**
 * struct radsteer_match - what a group steers (P2)
 * @addr: the matched address
 * @port: the matched port of each service, network byte order
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 */
struct radsteer_match {
	union nf_inet_addr addr;
	__be16 port[RADSTEER_SERVICES];
	u8 family;
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
 * struct radsteer_snapshot - a group as packets and dumps see it, immutable but
 *	for who is Up
 * @ref: the group and the configurations that hold it
 * @group: the group, for what outlives a snapshot
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6, NFPROTO_UNSPEC while the group has no
 *	address
 * @follow: accounting follows authentication, and there is some to do so (A1)
 * @settings: what was set
 * @list: the servers of each service
 */
struct radsteer_snapshot {
	struct kref ref;
	struct radsteer_group *group;
	u8 family;
	bool follow;
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

/**
 * radsteer_port_bit() - find the bit of a port among RADSTEER_PORT_BITS
 * @port: the port, network byte order
 *
 * Most packets are none of ours, and a port whose bit is not set says so.
 *
 * Context: any.
 * Return: the bit, which other ports share.
 */
static inline unsigned int radsteer_port_bit(__be16 port)
{
	u32 number = (__force u16)port;

	return (number ^ number >> 8) % RADSTEER_PORT_BITS;
}

struct radsteer_config;
struct radsteer_requests;

/**
 * struct radsteer_timer - the one timer of a namespace
 * @lock: guards @at and @armed
 * @work: runs it
 * @at: when it is to run, in jiffies
 * @armed: it is to run; not set while there is nothing to wait for
 */
struct radsteer_timer {
	spinlock_t lock;
	struct delayed_work work;
	unsigned long at;
	bool armed;
};

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
 * @window: how long after a copy another one is a duplicate (T1), in ms,
 *	written under @lock, read at any time
 * @requests_max: requests that are remembered at most, under @lock
 * @sessions_max: sessions that are bound at most, under @lock
 * @states_max: States that are remembered at most, under @lock
 * @state_time: seconds that a State is remembered (E1), under @lock
 * @session_time: seconds that a session is bound without traffic (A7), under
 *	@lock
 * @hooks: the hooks, while there is a group, under @lock
 * @short_errors: how many ICMP errors may be looked into that quote no RADIUS
 *	header
 * @timer: wakes up what waits
 * @health_lock: guards liveness
 * @health_settings: what liveness goes by, under @health_lock
 * @down: the servers that are Down, in the order in which they went, under
 *	@health_lock
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
	u32 window;
	u32 requests_max;
	u32 sessions_max;
	u32 states_max;
	u32 state_time;
	u32 session_time;

	struct nf_hook_ops hooks[RADSTEER_HOOKS];
	struct ratelimit_state short_errors;
	struct radsteer_timer timer;
	spinlock_t health_lock;
	struct health_settings health_settings;
	struct list_head down;
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
