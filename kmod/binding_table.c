// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of remembered States, sessions and users: which server each is
 * bound to.
 *
 * A key says which shard a binding is in, and the lock of the shard covers all
 * that is done with it. A shard has its bindings by last use, so the oldest is
 * the first, and neither the timer nor eviction has to search: they look at one
 * number for each shard. The index is common to all shards and read under RCU.
 */
#include <linux/list.h>
#include <linux/random.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include "binding_table.h"
#include "request_table.h"
#include "timer.h"

enum {
	AGE_LIVE,
	AGE_ENDED,
	AGES,
};

static struct kmem_cache *binding_cache;

/* Two for each session, so it is to stay small. */
static_assert(sizeof(struct radsteer_binding) <= 64);

static const struct rhashtable_params index_params = {
	.key_len		= sizeof_field(struct radsteer_binding, key),
	.key_offset		= offsetof(struct radsteer_binding, key),
	.head_offset		= offsetof(struct radsteer_binding, node),
	.automatic_shrinking	= true,
};

/* What is counted when one is forgotten. */
static const struct {
	u8 expired;
	u8 evicted;
} counters[RADSTEER_BINDINGS] = {
	[RADSTEER_KIND_STATE] = {
		RADSTEER_A_STATS_STATE_EXPIRED, RADSTEER_A_STATS_STATE_EVICTED
	},
	[RADSTEER_KIND_SESSION] = {
		RADSTEER_A_STATS_SESSION_EXPIRED,
		RADSTEER_A_STATS_SESSION_EVICTED
	},
	[RADSTEER_KIND_USER] = {
		RADSTEER_A_STATS_USER_EXPIRED, RADSTEER_A_STATS_USER_EVICTED
	},
};

/**
 * radsteer_binding_cache_create() - make the slab cache of bindings
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int radsteer_binding_cache_create(void)
{
	binding_cache = KMEM_CACHE(radsteer_binding, SLAB_HWCACHE_ALIGN);
	return binding_cache ? 0 : -ENOMEM;
}

/**
 * radsteer_binding_cache_destroy() - free the slab cache, empty by now
 *
 * Context: process; may sleep.
 */
void radsteer_binding_cache_destroy(void)
{
	kmem_cache_destroy(binding_cache);
}

/* 0 is for "never". */
static u32 binding_now(void)
{
	return (u32)jiffies ?: 1;
}

static unsigned int shard_number(u64 key)
{
	return key % RADSTEER_SHARDS;
}

/* Say when the oldest of a list was used, after the list changed. */
static void shard_note(struct radsteer_binding_table *table,
		       unsigned int number, unsigned int age)
{
	struct radsteer_shard *shard = &table->shard[number];
	const struct radsteer_binding *oldest;
	u32 used;

	lockdep_assert_held(&shard->lock);

	oldest = list_first_entry_or_null(&shard->age[age],
					  struct radsteer_binding, age);
	used = oldest ? oldest->used : 0;
	/* Other shards have theirs in the same cache line. */
	if (table->oldest[age][number] != used)
		WRITE_ONCE(table->oldest[age][number], used);
}

/* How long a binding of a list is kept, from its last use on. */
static u32 age_lifetime(const struct radsteer_binding_table *table,
			unsigned int age)
{
	return age == AGE_ENDED ? RADSTEER_ENDED_SECONDS * HZ :
				  READ_ONCE(table->lifetime);
}

/**
 * radsteer_binding_left() - tell how long a binding is still kept
 * @table: its table
 * @binding: the binding
 *
 * A State counts from when it was given, whoever uses it (E1); a session and a
 * user from when they were used last (A7).
 *
 * Context: any, under the lock of the shard.
 * Return: jiffies, 0 if its time is over.
 */
u32 radsteer_binding_left(const struct radsteer_binding_table *table,
			  const struct radsteer_binding *binding)
{
	u32 from = table->kind == RADSTEER_KIND_STATE ? binding->since :
							   binding->used;
	u32 lifetime = age_lifetime(table, binding->ended);
	u32 gone = (u32)jiffies - from;

	/* A moment that is marked as the next one has not come yet. */
	if ((s32)gone < 0)
		return lifetime;
	return gone < lifetime ? lifetime - gone : 0;
}

/**
 * radsteer_binding_lock() - lock what a key belongs to
 * @table: the table
 * @key: the key
 *
 * Context: any; bottom halves are off until radsteer_binding_unlock().
 * Return: the shard.
 */
struct radsteer_shard *
radsteer_binding_lock(struct radsteer_binding_table *table, u64 key)
	__acquires(shard)
{
	struct radsteer_shard *shard = &table->shard[shard_number(key)];

	spin_lock_bh(&shard->lock);
	return shard;
}

/**
 * radsteer_binding_unlock() - unlock a shard
 * @shard: the shard
 *
 * Context: any.
 */
void radsteer_binding_unlock(struct radsteer_shard *shard)
	__releases(shard)
{
	spin_unlock_bh(&shard->lock);
}

static void binding_free_rcu(struct rcu_head *rcu)
{
	kmem_cache_free(binding_cache,
			container_of(rcu, struct radsteer_binding, rcu));
}

/**
 * radsteer_binding_remove() - forget a binding
 * @table: its table
 * @binding: the binding
 *
 * Context: any, under the lock of the shard.
 */
void radsteer_binding_remove(struct radsteer_binding_table *table,
			     struct radsteer_binding *binding)
{
	unsigned int number = shard_number(binding->key);

	lockdep_assert_held(&table->shard[number].lock);

	rhashtable_remove_fast(&table->index, &binding->node, index_params);
	list_del(&binding->age);
	shard_note(table, number, binding->ended);
	percpu_ref_put(&binding->server->ref);
	call_rcu(&binding->rcu, binding_free_rcu);
}

/* Forget one that has to go, and count it. */
static void binding_drop(struct radsteer_binding_table *table,
			 struct radsteer_binding *binding, unsigned int counter)
{
	this_cpu_inc(table->rn->stats->value[counter]);
	radsteer_binding_remove(table, binding);
}

/**
 * radsteer_binding_find() - look a binding up
 * @table: the table
 * @key: its key
 *
 * Context: any, under the lock of the shard.
 * Return: the binding, NULL if there is none or its time is over.
 */
struct radsteer_binding *
radsteer_binding_find(struct radsteer_binding_table *table, u64 key)
{
	struct radsteer_binding *binding;

	lockdep_assert_held(&table->shard[shard_number(key)].lock);

	binding = rhashtable_lookup_fast(&table->index, &key, index_params);
	if (binding && !radsteer_binding_left(table, binding)) {
		binding_drop(table, binding, counters[table->kind].expired);
		return NULL;
	}
	return binding;
}

/* The lists are by last use, so it goes to the end of one. */
static void binding_stamp(struct radsteer_binding_table *table,
			  struct radsteer_binding *binding)
{
	unsigned int number = shard_number(binding->key);
	struct radsteer_shard *shard = &table->shard[number];

	lockdep_assert_held(&shard->lock);

	binding->used = binding_now();
	list_move_tail(&binding->age, &shard->age[binding->ended]);
	shard_note(table, number, binding->ended);
}

/**
 * radsteer_binding_use() - a packet went where a binding says
 * @table: its table
 * @binding: the binding
 *
 * Context: any, under the lock of the shard.
 */
void radsteer_binding_use(struct radsteer_binding_table *table,
			  struct radsteer_binding *binding)
{
	/* A repeated Stop does not make its session live longer (A7). */
	if (!binding->ended && binding->used != binding_now())
		binding_stamp(table, binding);
}

/**
 * radsteer_binding_change() - bind what is bound already, from now on
 * @table: its table
 * @binding: the binding, ended or not
 * @server: the server that it is bound to
 * @group: the group that says so
 *
 * Context: any, under the lock of the shard.
 */
void radsteer_binding_change(struct radsteer_binding_table *table,
			     struct radsteer_binding *binding,
			     struct radsteer_server *server,
			     const struct radsteer_group *group)
{
	bool ended = binding->ended;

	percpu_ref_get(&server->ref);
	percpu_ref_put(&binding->server->ref);
	binding->server = server;
	binding->group = group;
	binding->since = binding_now();
	binding->ended = false;
	binding->renewed = false;
	binding_stamp(table, binding);
	if (ended)
		shard_note(table, shard_number(binding->key), AGE_ENDED);
}

/**
 * radsteer_binding_finish() - a binding comes to its end (A7)
 * @table: its table
 * @binding: the binding
 *
 * It is kept for a while, in case the same is said once more.
 *
 * Context: any, under the lock of the shard.
 */
void radsteer_binding_finish(struct radsteer_binding_table *table,
			     struct radsteer_binding *binding)
{
	if (binding->ended)
		return;
	binding->ended = true;
	binding_stamp(table, binding);
	shard_note(table, shard_number(binding->key), AGE_LIVE);
	radsteer_timer_by(table->rn,
			  jiffies + age_lifetime(table, AGE_ENDED) + 1);
}

static bool table_full(const struct radsteer_binding_table *table)
{
	return (u32)atomic_read(&table->index.nelems) >=
	       READ_ONCE(table->limit);
}

/* The shard whose list has what was used before all others. */
static int table_oldest(const struct radsteer_binding_table *table,
			unsigned int age)
{
	u32 now = binding_now(), most = 0;
	int number, found = -1;

	for (number = 0; number < RADSTEER_SHARDS; number++) {
		u32 used = READ_ONCE(table->oldest[age][number]);

		if (!used || (found >= 0 && now - used <= most))
			continue;
		most = now - used;
		found = number;
	}
	return found;
}

/*
 * Make room: one that ended, or the least recently used. Another CPU may be
 * faster, and then there is room as well.
 */
static bool table_evict(struct radsteer_binding_table *table)
{
	unsigned int age;

	for (age = AGES; age-- > 0;) {
		int number = table_oldest(table, age);
		struct radsteer_binding *binding;
		struct radsteer_shard *shard;

		if (number < 0)
			continue;
		shard = &table->shard[number];
		spin_lock_bh(&shard->lock);
		binding = list_first_entry_or_null(&shard->age[age],
						   struct radsteer_binding,
						   age);
		if (binding)
			binding_drop(table, binding,
				     counters[table->kind].evicted);
		spin_unlock_bh(&shard->lock);
		return true;
	}
	return false;
}

static struct radsteer_binding *
binding_add(struct radsteer_binding_table *table, u64 key,
	    struct radsteer_server *server, const struct radsteer_group *group)
{
	struct radsteer_binding *binding;

	if (table_full(table))
		return NULL;
	binding = kmem_cache_zalloc(binding_cache, GFP_ATOMIC | __GFP_NOWARN);
	if (!binding)
		return NULL;
	binding->key = key;
	if (rhashtable_insert_fast(&table->index, &binding->node,
				   index_params)) {
		kmem_cache_free(binding_cache, binding);
		return NULL;
	}
	percpu_ref_get(&server->ref);
	binding->server = server;
	binding->group = group;
	binding->since = binding_now();
	INIT_LIST_HEAD(&binding->age);
	binding_stamp(table, binding);
	radsteer_timer_by(table->rn, jiffies + READ_ONCE(table->lifetime) + 1);
	return binding;
}

/**
 * radsteer_binding_obtain() - find a binding, or make it
 * @table: the table
 * @key: its key
 * @server: the server, if it is made
 * @group: the group that binds it, if it is made
 * @shard: takes the shard, locked
 * @made: takes whether it was made
 *
 * Context: any, no shard locked; bottom halves are off until
 *	radsteer_binding_unlock().
 * Return: the binding; NULL if there is no memory or no room, with the shard
 *	locked all the same.
 */
struct radsteer_binding *
radsteer_binding_obtain(struct radsteer_binding_table *table, u64 key,
			struct radsteer_server *server,
			const struct radsteer_group *group,
			struct radsteer_shard **shard, bool *made)
	__acquires(*shard)
{
	struct radsteer_binding *binding;

	*made = false;
	*shard = radsteer_binding_lock(table, key);
	binding = radsteer_binding_find(table, key);
	if (!binding && table_full(table)) {
		/* Another shard may have the one that goes. */
		radsteer_binding_unlock(*shard);
		table_evict(table);
		*shard = radsteer_binding_lock(table, key);
		binding = radsteer_binding_find(table, key);
	}
	if (binding)
		return binding;
	binding = binding_add(table, key, server, group);
	*made = binding;
	return binding;
}

/* Forget what is over in a list, some at a time. */
static bool shard_expire(struct radsteer_binding_table *table,
			 struct radsteer_shard *shard, unsigned int age)
{
	u32 lifetime = age_lifetime(table, age);
	struct radsteer_binding *binding, *next;
	unsigned int done = 0;

	spin_lock_bh(&shard->lock);
	list_for_each_entry_safe(binding, next, &shard->age[age], age) {
		if ((s32)((u32)jiffies - binding->used) < (s32)lifetime ||
		    ++done > RADSTEER_EXPIRY_BATCH)
			break;
		binding_drop(table, binding, counters[table->kind].expired);
	}
	spin_unlock_bh(&shard->lock);
	return done > RADSTEER_EXPIRY_BATCH;
}

static void table_run(struct radsteer_binding_table *table, bool *waits,
		      unsigned long *next)
{
	unsigned int age, number;

	for (age = 0; age < AGES; age++) {
		u32 lifetime = age_lifetime(table, age);

		for (number = 0; number < RADSTEER_SHARDS; number++) {
			unsigned long deadline;
			u32 used;

			used = READ_ONCE(table->oldest[age][number]);
			if (used && (s32)((u32)jiffies - used) >= (s32)lifetime)
				while (shard_expire(table,
						    &table->shard[number], age))
					cond_resched();
			used = READ_ONCE(table->oldest[age][number]);
			if (!used)
				continue;
			deadline = jiffies +
				   (s32)(used + lifetime + 1 - (u32)jiffies);
			if (!*waits || time_before(deadline, *next))
				*next = deadline;
			*waits = true;
		}
	}
}

/**
 * radsteer_bindings_run() - let time go by for the bindings of a namespace
 * @bindings: the tables
 * @waits: set if a binding waits for its end
 * @next: when the first of them is over in jiffies, if @waits
 *
 * Context: process, the timer of the namespace; may sleep.
 */
void radsteer_bindings_run(struct radsteer_bindings *bindings, bool *waits,
			   unsigned long *next)
{
	unsigned int kind;

	for (kind = 0; kind < RADSTEER_BINDINGS; kind++)
		table_run(&bindings->table[kind], waits, next);
}

static u32 table_limit(const struct radsteer_net *rn, unsigned int kind)
{
	return kind == RADSTEER_KIND_STATE ? rn->states_max :
						rn->sessions_max;
}

static u32 table_lifetime(const struct radsteer_net *rn, unsigned int kind)
{
	return HZ * (kind == RADSTEER_KIND_STATE ? rn->state_time :
						      rn->session_time);
}

/**
 * radsteer_bindings_settings() - let the tables go by changed settings
 * @rn: the namespace
 *
 * Where there are more than there may be, the least recently used are
 * forgotten.
 *
 * Context: process, radsteer_net.lock held; may sleep.
 */
void radsteer_bindings_settings(struct radsteer_net *rn)
{
	struct radsteer_bindings *bindings;
	unsigned int kind;

	lockdep_assert_held(&rn->lock);

	if (!rn->requests)
		return;
	bindings = rn->requests->bindings;
	for (kind = 0; kind < RADSTEER_BINDINGS; kind++) {
		struct radsteer_binding_table *table = &bindings->table[kind];

		WRITE_ONCE(table->limit, table_limit(rn, kind));
		WRITE_ONCE(table->lifetime, table_lifetime(rn, kind));
		while ((u32)atomic_read(&table->index.nelems) > table->limit &&
		       table_evict(table))
			cond_resched();
	}
	radsteer_timer_by(rn, jiffies);
}

/**
 * radsteer_bindings_count() - count the bindings of a namespace
 * @rn: the namespace
 * @kind: enum radsteer_kind
 *
 * Context: process, radsteer_net.lock held.
 * Return: bindings of that kind.
 */
unsigned long radsteer_bindings_count(const struct radsteer_net *rn,
				      unsigned int kind)
{
	lockdep_assert_held(&rn->lock);
	if (!rn->requests)
		return 0;
	return atomic_read(&rn->requests->bindings->table[kind].index.nelems);
}

/* End the bindings of a group in a list: some, then let others have the lock. */
static void shard_end(struct radsteer_binding_table *table,
		      struct radsteer_shard *shard, unsigned int age,
		      const struct radsteer_group *group)
{
	struct radsteer_binding *binding, *next;
	unsigned int done;
	LIST_HEAD(passed);

	/*
	 * No packet binds anything for the group any more. What stays is set
	 * aside until the list is through; what is used meanwhile goes back to
	 * its end and is looked at twice.
	 */
	do {
		done = 0;
		spin_lock_bh(&shard->lock);
		list_for_each_entry_safe(binding, next, &shard->age[age], age) {
			if (++done > RADSTEER_EXPIRY_BATCH)
				break;
			if (!group || binding->group == group)
				radsteer_binding_remove(table, binding);
			else
				list_move_tail(&binding->age, &passed);
		}
		if (done <= RADSTEER_EXPIRY_BATCH)
			list_splice_init(&passed, &shard->age[age]);
		shard_note(table, shard - table->shard, age);
		spin_unlock_bh(&shard->lock);
		cond_resched();
	} while (done > RADSTEER_EXPIRY_BATCH);
}

/**
 * radsteer_bindings_end() - end the bindings of a group (C3)
 * @bindings: the tables
 * @group: the group, which no packet sees any more, or NULL for all groups
 *
 * Context: process, radsteer_net.lock held; may sleep.
 */
void radsteer_bindings_end(struct radsteer_bindings *bindings,
			   const struct radsteer_group *group)
{
	unsigned int kind, number, age;

	for (kind = 0; kind < RADSTEER_BINDINGS; kind++) {
		struct radsteer_binding_table *table = &bindings->table[kind];

		for (number = 0; number < RADSTEER_SHARDS; number++)
			for (age = 0; age < AGES; age++)
				shard_end(table, &table->shard[number], age,
					  group);
	}
	/* What was set aside meanwhile, the timer has not seen. */
	if (group)
		radsteer_timer_by(bindings->table[0].rn, jiffies);
}

static int table_init(struct radsteer_binding_table *table,
		      struct radsteer_net *rn, unsigned int kind)
{
	unsigned int number, age;
	int err;

	table->shard = kvcalloc(RADSTEER_SHARDS, sizeof(*table->shard),
				GFP_KERNEL_ACCOUNT);
	if (!table->shard)
		return -ENOMEM;
	err = rhashtable_init(&table->index, &index_params);
	if (err) {
		kvfree(table->shard);
		return err;
	}
	for (number = 0; number < RADSTEER_SHARDS; number++) {
		spin_lock_init(&table->shard[number].lock);
		for (age = 0; age < AGES; age++)
			INIT_LIST_HEAD(&table->shard[number].age[age]);
	}
	table->rn = rn;
	table->kind = kind;
	table->limit = table_limit(rn, kind);
	table->lifetime = table_lifetime(rn, kind);
	return 0;
}

static void table_exit(struct radsteer_binding_table *table)
{
	rhashtable_destroy(&table->index);
	kvfree(table->shard);
}

/**
 * radsteer_bindings_alloc() - make the tables of a namespace
 * @rn: the namespace
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: the tables, NULL without memory.
 */
struct radsteer_bindings *radsteer_bindings_alloc(struct radsteer_net *rn)
{
	struct radsteer_bindings *bindings;
	unsigned int kind;

	bindings = kzalloc(sizeof(*bindings), GFP_KERNEL_ACCOUNT);
	if (!bindings)
		return NULL;
	for (kind = 0; kind < RADSTEER_BINDINGS; kind++)
		if (table_init(&bindings->table[kind], rn, kind))
			goto err;
	get_random_bytes(&bindings->key, sizeof(bindings->key));
	return bindings;

err:
	while (kind-- > 0)
		table_exit(&bindings->table[kind]);
	kfree(bindings);
	return NULL;
}

/**
 * radsteer_bindings_free() - free the tables of a namespace
 * @bindings: the tables, which no packet sees any more
 *
 * Context: process, radsteer_net.lock held, the timer stopped; may sleep.
 */
void radsteer_bindings_free(struct radsteer_bindings *bindings)
{
	unsigned int kind;

	radsteer_bindings_end(bindings, NULL);
	for (kind = 0; kind < RADSTEER_BINDINGS; kind++)
		table_exit(&bindings->table[kind]);
	kfree(bindings);
}
