/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of remembered States, sessions and users: find, age, bounds. */
#ifndef _RADSTEER_BINDING_TABLE_H
#define _RADSTEER_BINDING_TABLE_H

#include <linux/rhashtable-types.h>
#include <linux/siphash.h>
#include "radsteer.h"

enum {
	/* Parts of a table, each with a lock of its own. */
	RADSTEER_SHARDS		= 64,
	/* States, sessions, users: enum radsteer_kind. */
	RADSTEER_BINDINGS	= RADSTEER_KIND_USER + 1,
	/* What is hashed with a key of its own, see keys.c. */
	RADSTEER_KEYS		= 5,
};

/**
 * struct radsteer_binding - what is bound to a server
 * @node: in radsteer_binding_table.index
 * @age: in a list of its shard; becomes @rcu when it has left that
 * @rcu: frees it a grace period after it left the index
 * @key: what is bound, a keyed hash: see keys.c
 * @server: the server, referenced: of authentication after an Access-Challenge
 *	or Access-Accept, of accounting as soon as accounting began
 * @group: the group that bound it last
 * @since: when it was bound, in jiffies
 * @used: when it was used last, in jiffies, never 0
 * @session: users: low half of the key of the session that is theirs, or 0
 * @ended: the Stop was answered (A7)
 * @renewed: sessions: an Access-Accept came after accounting began
 *
 * All but @node and @rcu are under the lock of the shard.
 */
struct radsteer_binding {
	struct rhash_head node;
	union {
		struct list_head age;
		struct rcu_head rcu;
	};
	u64 key;
	struct radsteer_server *server;
	const struct radsteer_group *group;
	u32 since;
	u32 used;
	u32 session;
	bool ended;
	bool renewed;
};

/**
 * struct radsteer_shard - a part of a table, by key
 * @lock: guards its bindings and all that is in them
 * @age: the bindings by last use, the oldest first; those that ended in the
 *	second list
 */
struct radsteer_shard {
	spinlock_t lock;
	struct list_head age[2];
} ____cacheline_aligned_in_smp;

/**
 * struct radsteer_binding_table - bindings of one kind
 * @index: the bindings by key
 * @shard: RADSTEER_SHARDS of them
 * @rn: the namespace
 * @limit: bindings at most, read at any time
 * @lifetime: how long one is kept, in jiffies, read at any time
 * @kind: enum radsteer_kind
 * @oldest: when the oldest binding of each list was used last, in jiffies, 0 if
 *	there is none; written under the lock of the shard, read at any time
 */
struct radsteer_binding_table {
	struct rhashtable index;
	struct radsteer_shard *shard;
	struct radsteer_net *rn;
	u32 limit;
	u32 lifetime;
	u8 kind;
	u32 oldest[2][RADSTEER_SHARDS];
};

/**
 * struct radsteer_bindings - the tables of one namespace
 * @key: of the hashes, secret: clients choose what is hashed
 * @table: one for each enum radsteer_kind
 */
struct radsteer_bindings {
	siphash_key_t key[RADSTEER_KEYS];
	struct radsteer_binding_table table[RADSTEER_BINDINGS];
};

int radsteer_binding_cache_create(void);
void radsteer_binding_cache_destroy(void);

struct radsteer_bindings *radsteer_bindings_alloc(struct radsteer_net *rn);
void radsteer_bindings_free(struct radsteer_bindings *bindings);
void radsteer_bindings_end(struct radsteer_bindings *bindings,
			   const struct radsteer_group *group);
void radsteer_bindings_settings(struct radsteer_net *rn);
void radsteer_bindings_run(struct radsteer_bindings *bindings, bool *waits,
			   unsigned long *next);
unsigned long radsteer_bindings_count(const struct radsteer_net *rn,
				      unsigned int kind);

struct radsteer_shard *
radsteer_binding_lock(struct radsteer_binding_table *table, u64 key)
	__acquires(shard);
void radsteer_binding_unlock(struct radsteer_shard *shard)
	__releases(shard);
struct radsteer_binding *
radsteer_binding_find(struct radsteer_binding_table *table, u64 key);
struct radsteer_binding *
radsteer_binding_obtain(struct radsteer_binding_table *table, u64 key,
			struct radsteer_server *server,
			const struct radsteer_group *group,
			struct radsteer_shard **shard, bool *made)
	__acquires(*shard);
void radsteer_binding_use(struct radsteer_binding_table *table,
			  struct radsteer_binding *binding);
void radsteer_binding_change(struct radsteer_binding_table *table,
			     struct radsteer_binding *binding,
			     struct radsteer_server *server,
			     const struct radsteer_group *group);
void radsteer_binding_finish(struct radsteer_binding_table *table,
			     struct radsteer_binding *binding);
void radsteer_binding_remove(struct radsteer_binding_table *table,
			     struct radsteer_binding *binding);
u32 radsteer_binding_left(const struct radsteer_binding_table *table,
			  const struct radsteer_binding *binding);

#endif /* _RADSTEER_BINDING_TABLE_H */
