// SPDX-License-Identifier: GPL-2.0
/*
 * The configuration as packets see it: one immutable table for a namespace,
 * from address and port to the groups that match them. Every change makes a
 * new table and publishes it as a whole (C1).
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include "compat.h"
#include "config.h"
#include "group.h"
#include "liveness.h"

/*
 * The table holds what an administrator wrote, and nobody else can put anything
 * there, so no key is needed. Neighbours in address and port are to be apart.
 */
static u32 config_hash(const struct radsteer_config *config,
		       const struct radsteer_endpoint *at)
{
	const u32 *word = at->addr.all;
	u64 what = (u64)word[0] << 16;

	if (at->family != NFPROTO_IPV4)
		what = ((u64)word[0] << 32 | word[1]) * GOLDEN_RATIO_64 +
		       ((u64)word[2] << 32 | word[3]);
	return hash_64(what ^ (__force u16)at->port, config->bits);
}

/* The place that has the endpoint, or the empty one where it would go. */
static struct radsteer_target *
config_place(const struct radsteer_config *config,
	     const struct radsteer_endpoint *at)
{
	u32 i = config_hash(config, at);

	for (;; i++) {
		struct radsteer_target *target;

		target = &config->target[i & config->mask];
		if (!target->at.port || radsteer_endpoint_equal(&target->at, at))
			return target;
	}
}

/**
 * radsteer_config_target() - look an address and port up
 * @config: the configuration
 * @at: the address and port
 *
 * Context: any, under rcu_read_lock() of the one that read @config.
 * Return: what the configuration knows of it, NULL if nothing.
 */
const struct radsteer_target *
radsteer_config_target(const struct radsteer_config *config,
		       const struct radsteer_endpoint *at)
{
	const struct radsteer_target *target = config_place(config, at);

	/* Port 0 is no one's, and finds an empty place. */
	return target->at.port ? target : NULL;
}

static void config_free(struct radsteer_config *config)
{
	unsigned int i;

	for (i = 0; i < config->count; i++)
		radsteer_snapshot_put(config->snapshot[i]);
	kvfree(config->target);
	kvfree(config);
}

static void config_free_rcu(struct rcu_head *rcu)
{
	config_free(container_of(rcu, struct radsteer_config, rcu));
}

/* P2: a service of an address and port has one group, and no other. */
static int config_match(struct radsteer_config *config,
			const struct radsteer_group *changes,
			const struct radsteer_snapshot *snapshot,
			unsigned int service,
			const struct radsteer_endpoint *at,
			struct netlink_ext_ack *extack)
{
	struct radsteer_target *target = config_place(config, at);
	const struct radsteer_snapshot *other = target->snapshot[service];

	if (other && other != snapshot) {
		/* The one to name is not the one that changes. */
		if (other->group == changes)
			other = snapshot;
		if (at->family == NFPROTO_IPV4)
			NL_SET_ERR_MSG_FMT(extack,
					   "%pI4:%u is matched by group %s",
					   &at->addr.ip, ntohs(at->port),
					   other->group->name);
		else
			NL_SET_ERR_MSG_FMT(extack,
					   "[%pI6c]:%u is matched by group %s",
					   &at->addr.in6, ntohs(at->port),
					   other->group->name);
		return -EEXIST;
	}
	target->at = *at;
	target->snapshot[service] = snapshot;
	__set_bit(radsteer_port_bit(at->port), config->known);
	return 0;
}

static int config_add(struct radsteer_config *config,
		      const struct radsteer_group *changes,
		      const struct radsteer_snapshot *snapshot,
		      struct netlink_ext_ack *extack)
{
	const struct radsteer_settings *set = &snapshot->settings;
	unsigned int service, i;
	int err;

	for (service = 0; service < RADSTEER_SERVICES; service++) {
		const struct radsteer_list *list = &snapshot->list[service];

		for (i = 0; i < set->matches; i++) {
			struct radsteer_endpoint at = {
				.addr = set->match[i].addr,
				.port = set->match[i].port[service],
				.family = set->match[i].family,
			};

			err = config_match(config, changes, snapshot, service,
					   &at, extack);
			if (err)
				return err;
		}
		for (i = 0; i < list->rules.count; i++) {
			struct radsteer_server *server;
			struct radsteer_target *target;

			server = list->member[i]->server;
			target = config_place(config, &server->at);
			target->at = server->at;
			target->server = server;
			__set_bit(radsteer_port_bit(server->at.port),
				  config->served);
			__set_bit(radsteer_port_bit(server->at.port),
				  config->known);
			if (!set->match_servers)
				continue;
			err = config_match(config, changes, snapshot, service,
					   &server->at, extack);
			if (err)
				return err;
		}
	}
	return 0;
}

static unsigned int config_places(const struct radsteer_snapshot *snapshot)
{
	unsigned int service, places;

	places = snapshot->settings.matches * RADSTEER_SERVICES;
	for (service = 0; service < RADSTEER_SERVICES; service++)
		places += snapshot->list[service].rules.count;
	return places;
}

static struct radsteer_config *
config_build(struct radsteer_net *rn, const struct radsteer_group *changes,
	     struct netlink_ext_ack *extack)
{
	struct radsteer_config *config;
	struct radsteer_group *group;
	unsigned int places = 1;
	int err = -ENOMEM;

	config = kvzalloc(struct_size(config, snapshot, rn->group_count),
			  GFP_KERNEL_ACCOUNT);
	if (!config)
		return ERR_PTR(-ENOMEM);

	list_for_each_entry(group, &rn->groups, node) {
		struct radsteer_snapshot *snapshot;

		snapshot = group->next ?: group->snapshot;
		kref_get(&snapshot->ref);
		config->snapshot[config->count++] = snapshot;
		places += config_places(snapshot);
	}

	config->requests = rn->requests;
	places = roundup_pow_of_two(2 * places);
	config->mask = places - 1;
	config->bits = ilog2(places);
	config->target = kvcalloc(places, sizeof(*config->target),
				  GFP_KERNEL_ACCOUNT);
	if (!config->target)
		goto err;

	list_for_each_entry(group, &rn->groups, node) {
		err = config_add(config, changes,
				 group->next ?: group->snapshot, extack);
		if (err)
			goto err;
	}
	return config;

err:
	config_free(config);
	return ERR_PTR(err);
}

static void config_publish(struct radsteer_net *rn,
			   struct radsteer_config *config)
{
	struct radsteer_config *old;

	/* Answers come as long as the requests are there, whoever is listed. */
	if (config)
		radsteer_requests_serve(config->requests, config->served);
	old = rcu_replace_pointer(rn->config, config,
				  lockdep_is_held(&rn->lock));
	if (!++rn->generation)
		rn->generation = 1;
	if (old)
		call_rcu(&old->rcu, config_free_rcu);
}

/**
 * radsteer_config_commit() - put prepared changes into force, all or none (C1)
 * @rn: the namespace; every group that changes has its next snapshot, groups
 *	that come are on the list and those that go are off it
 * @changes: the group that is being changed; a refusal names the other one
 * @extack: takes the reason of a refusal
 *
 * Groups keep their next snapshots as the newest, or lose them on an error.
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0, -EEXIST if two groups match the same (P2), -ENOMEM.
 */
int radsteer_config_commit(struct radsteer_net *rn,
			   const struct radsteer_group *changes,
			   struct netlink_ext_ack *extack)
{
	struct radsteer_config *config;
	struct radsteer_group *group;

	lockdep_assert_held(&rn->lock);

	config = config_build(rn, changes, extack);
	if (!IS_ERR(config)) {
		list_for_each_entry(group, &rn->groups, node)
			if (group->next)
				radsteer_liveness_place(rn, group->snapshot,
							group->next);
		config_publish(rn, config);
	}

	list_for_each_entry(group, &rn->groups, node) {
		struct radsteer_snapshot *gone = group->next;

		if (!gone)
			continue;
		if (!IS_ERR(config))
			swap(gone, group->snapshot);
		group->next = NULL;
		if (gone)
			radsteer_snapshot_put(gone);
	}
	return PTR_ERR_OR_ZERO(config);
}

/**
 * radsteer_config_withdraw() - let packets see no configuration any more
 * @rn: the namespace
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_config_withdraw(struct radsteer_net *rn)
{
	lockdep_assert_held(&rn->lock);
	config_publish(rn, NULL);
}
