// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: what is set for them, and their snapshots.
 *
 * A change prepares the next snapshot of each group that it concerns, and then
 * puts them all into force in one step, or none of them.
 */
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "config.h"
#include "group.h"
#include "hook.h"
#include "request_table.h"
#include "server.h"

/**
 * radsteer_group_find() - look a group up
 * @rn: the namespace
 * @name: its name
 *
 * Context: process, radsteer_net.lock held.
 * Return: the group, NULL if there is none of that name.
 */
struct radsteer_group *radsteer_group_find(const struct radsteer_net *rn,
					   const char *name)
{
	struct radsteer_group *group;

	lockdep_assert_held(&rn->lock);

	list_for_each_entry(group, &rn->groups, node)
		if (!strcmp(group->name, name))
			return group;
	return NULL;
}

/**
 * radsteer_group_accounting() - tell what the accounting setting means (A2)
 * @settings: settings of the group
 *
 * Context: any.
 * Return: RADSTEER_ACCOUNTING_FOLLOW or RADSTEER_ACCOUNTING_INDEPENDENT.
 */
u8 radsteer_group_accounting(const struct radsteer_settings *settings)
{
	if (settings->accounting != RADSTEER_ACCOUNTING_AUTO)
		return settings->accounting;

	switch (settings->algorithm) {
	case RADSTEER_ALGORITHM_MASTER_BACKUP:
	case RADSTEER_ALGORITHM_MASTER_BACKUP_STRICT:
		return RADSTEER_ACCOUNTING_INDEPENDENT;
	default:
		return RADSTEER_ACCOUNTING_FOLLOW;
	}
}

/**
 * radsteer_group_recent() - find the most-recent backup in a list (M9)
 * @group: the group
 * @list: a list of it
 * @service: the service of the list
 *
 * Context: any.
 * Return: index of the backup, SELECT_NONE if none was used or it is gone.
 */
int radsteer_group_recent(const struct radsteer_group *group,
			  const struct radsteer_list *list,
			  unsigned int service)
{
	u32 id = READ_ONCE(group->recent[service]);
	unsigned int i;

	for (i = 0; id && i < list->rules.count; i++)
		if (list->member[i]->server->id == id)
			return i;
	return SELECT_NONE;
}

/**
 * radsteer_list_place() - find a server in a list
 * @list: the list
 * @server: the server
 *
 * Context: any.
 * Return: its index, SELECT_NONE if it was taken off.
 */
int radsteer_list_place(const struct radsteer_list *list,
			const struct radsteer_server *server)
{
	unsigned int i;

	for (i = 0; i < list->rules.count; i++)
		if (list->member[i]->server == server)
			return i;
	return SELECT_NONE;
}

static void snapshot_release(struct kref *ref)
{
	struct radsteer_snapshot *snapshot;
	unsigned int service, i;

	snapshot = container_of(ref, struct radsteer_snapshot, ref);
	for (service = 0; service < RADSTEER_SERVICES; service++) {
		struct radsteer_list *list = &snapshot->list[service];

		for (i = 0; i < list->rules.count; i++)
			radsteer_member_put(list->member[i]);
	}
	kfree(snapshot);
}

/**
 * radsteer_snapshot_put() - put a reference on a snapshot
 * @snapshot: the snapshot
 *
 * Context: any.
 */
void radsteer_snapshot_put(struct radsteer_snapshot *snapshot)
{
	kref_put(&snapshot->ref, snapshot_release);
}

static void list_settle(struct radsteer_list *list, bool share)
{
	struct select_list *rules = &list->rules;
	u64 down = 0, drain = 0;
	unsigned int i;

	rules->share = share;
	rules->sum = 0;
	for (i = 0; i < rules->count; i++) {
		u8 admin = list->member[i]->server->admin_next;

		if (admin == RADSTEER_ADMIN_DOWN)
			down |= BIT_ULL(i);
		else if (admin == RADSTEER_ADMIN_DRAIN)
			drain |= BIT_ULL(i);
		rules->sum += rules->weight[i];
	}
	rules->down = down;
	rules->drain = drain;
	rules->eligible = select_eligible(down, drain, rules->count);
}

/**
 * radsteer_snapshot_settle() - work out what follows from settings and lists
 * @snapshot: a snapshot in preparation, all else of it in place
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_snapshot_settle(struct radsteer_snapshot *snapshot)
{
	unsigned int service;
	bool share;

	snapshot->family = NFPROTO_UNSPEC;
	if (snapshot->settings.matches)
		snapshot->family = snapshot->settings.match[0].family;
	share = snapshot->settings.algorithm ==
		RADSTEER_ALGORITHM_LOADING_SHARE;
	for (service = 0; service < RADSTEER_SERVICES; service++) {
		struct radsteer_list *list = &snapshot->list[service];

		list_settle(list, share);
		if (list->rules.count)
			snapshot->family = list->member[0]->server->at.family;
	}
	snapshot->follow =
		radsteer_group_accounting(&snapshot->settings) ==
			RADSTEER_ACCOUNTING_FOLLOW &&
		snapshot->list[RADSTEER_SERVICE_ACCOUNTING].rules.count;
}

/**
 * radsteer_group_prepare() - begin a change of a group, or go on with it
 * @group: the group
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: the next snapshot, to be changed and settled; NULL without memory.
 */
struct radsteer_snapshot *radsteer_group_prepare(struct radsteer_group *group)
{
	struct radsteer_snapshot *next;
	unsigned int service, i;

	if (group->next)
		return group->next;

	if (group->snapshot)
		next = kmemdup(group->snapshot, sizeof(*next),
			       GFP_KERNEL_ACCOUNT);
	else
		next = kzalloc(sizeof(*next), GFP_KERNEL_ACCOUNT);
	if (!next)
		return NULL;

	kref_init(&next->ref);
	next->group = group;
	for (service = 0; service < RADSTEER_SERVICES; service++) {
		struct radsteer_list *list = &next->list[service];

		for (i = 0; i < list->rules.count; i++)
			kref_get(&list->member[i]->ref);
	}
	group->next = next;
	return next;
}

/**
 * radsteer_group_abort() - give up the changes that were prepared
 * @rn: the namespace
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_group_abort(struct radsteer_net *rn)
{
	struct radsteer_group *group;

	lockdep_assert_held(&rn->lock);

	list_for_each_entry(group, &rn->groups, node) {
		if (group->next)
			radsteer_snapshot_put(group->next);
		group->next = NULL;
	}
}

/* The first group of a namespace brings the table and the hooks. */
static int group_first(struct radsteer_net *rn, struct netlink_ext_ack *extack)
{
	int err;

	err = radsteer_requests_init(rn);
	if (err) {
		NL_SET_ERR_MSG(extack, "no memory for the table of requests");
		return err;
	}
	err = radsteer_hooks_register(rn);
	if (err) {
		NL_SET_ERR_MSG(extack, "the netfilter hooks were refused");
		radsteer_requests_exit(rn);
	}
	return err;
}

/* The last group takes them with it. No packet sees the table any more. */
static void group_last(struct radsteer_net *rn)
{
	radsteer_hooks_unregister(rn);
	radsteer_requests_exit(rn);
}

static void group_unlink(struct radsteer_net *rn, struct radsteer_group *group)
{
	list_del(&group->node);
	rn->group_count--;
}

/**
 * radsteer_group_new() - add a group
 * @rn: the namespace
 * @name: its name, checked
 * @settings: its settings, checked
 * @extack: takes the reason of a refusal
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0, -EEXIST, -ENOSPC if there are too many groups, -ENOMEM.
 */
int radsteer_group_new(struct radsteer_net *rn, const char *name,
		       const struct radsteer_settings *settings,
		       struct netlink_ext_ack *extack)
{
	struct radsteer_snapshot *next;
	struct radsteer_group *group;
	int err;

	if (radsteer_group_find(rn, name)) {
		NL_SET_ERR_MSG(extack, "there is a group of that name already");
		return -EEXIST;
	}
	if (rn->group_count == RADSTEER_GROUPS_MAX) {
		NL_SET_ERR_MSG(extack, "there are 1024 groups, and no more fit");
		return -ENOSPC;
	}

	group = kzalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return -ENOMEM;
	strscpy(group->name, name, sizeof(group->name));
	next = radsteer_group_prepare(group);
	if (!next) {
		err = -ENOMEM;
		goto err_free;
	}
	next->settings = *settings;
	radsteer_snapshot_settle(next);

	if (!rn->group_count) {
		err = group_first(rn, extack);
		if (err)
			goto err_next;
	}
	group->id = ++rn->last_id;
	list_add_tail(&group->node, &rn->groups);
	rn->group_count++;

	err = radsteer_config_commit(rn, group, extack);
	if (!err)
		return 0;

	/* The commit put the snapshot already. */
	group_unlink(rn, group);
	if (!rn->group_count)
		group_last(rn);
	kfree(group);
	return err;

err_next:
	radsteer_snapshot_put(next);
err_free:
	kfree(group);
	return err;
}

/* A group has one family: that of its servers, if it has one. */
static bool group_takes(const struct radsteer_group *group,
			const struct radsteer_settings *settings)
{
	unsigned int service;

	for (service = 0; service < RADSTEER_SERVICES; service++) {
		const struct radsteer_list *list;

		list = &group->snapshot->list[service];
		if (list->rules.count && settings->matches &&
		    list->member[0]->server->at.family !=
		    settings->match[0].family)
			return false;
	}
	return true;
}

/**
 * radsteer_group_set() - change the settings of a group
 * @rn: the namespace
 * @group: the group
 * @settings: all its settings, changed and unchanged, checked
 * @extack: takes the reason of a refusal
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0, -EEXIST if another group matches the same (P2), -EAFNOSUPPORT,
 *	-ENOMEM.
 */
int radsteer_group_set(struct radsteer_net *rn, struct radsteer_group *group,
		       const struct radsteer_settings *settings,
		       struct netlink_ext_ack *extack)
{
	struct radsteer_snapshot *next;

	if (!group_takes(group, settings)) {
		NL_SET_ERR_MSG(extack,
			       "the servers of the group are of another address family");
		return -EAFNOSUPPORT;
	}
	next = radsteer_group_prepare(group);
	if (!next)
		return -ENOMEM;
	next->settings = *settings;
	radsteer_snapshot_settle(next);
	return radsteer_config_commit(rn, group, extack);
}

static void group_leave(struct radsteer_net *rn,
			const struct radsteer_group *group)
{
	unsigned int service, i;

	for (service = 0; service < RADSTEER_SERVICES; service++) {
		struct radsteer_list *list = &group->snapshot->list[service];

		for (i = 0; i < list->rules.count; i++)
			radsteer_member_leave(rn, list->member[i]);
	}
}

/* No packet sees the group any more, nor any request. */
static void group_free(struct radsteer_net *rn, struct radsteer_group *group)
{
	group_leave(rn, group);
	radsteer_snapshot_put(group->snapshot);
	kfree(group);
}

/**
 * radsteer_group_del() - delete a group, its requests and bindings with it (C3)
 * @rn: the namespace
 * @group: the group
 * @extack: takes the reason of a refusal
 *
 * Context: process, radsteer_net.lock held; waits a grace period.
 * Return: 0, or -ENOMEM with the group as it was.
 */
int radsteer_group_del(struct radsteer_net *rn, struct radsteer_group *group,
		       struct netlink_ext_ack *extack)
{
	struct list_head *before = group->node.prev;
	int err;

	group_unlink(rn, group);
	if (rn->group_count) {
		err = radsteer_config_commit(rn, group, extack);
		if (err) {
			list_add(&group->node, before);
			rn->group_count++;
			return err;
		}
	} else {
		radsteer_config_withdraw(rn);
	}

	/* A packet may have found the group before and remember a request. */
	synchronize_rcu();
	radsteer_requests_end(rn, group);
	/* Answers to these bound something until now. */
	radsteer_bindings_end(rn->requests->bindings, group);
	group_free(rn, group);
	if (!rn->group_count)
		group_last(rn);
	return 0;
}

/**
 * radsteer_group_flush() - free all that a namespace has (C4)
 * @rn: the namespace; its hooks are gone and its configuration withdrawn, and
 *	a grace period went by since
 *
 * Context: process; may sleep.
 */
void radsteer_group_flush(struct radsteer_net *rn)
{
	struct radsteer_group *group, *next;

	mutex_lock(&rn->lock);
	radsteer_requests_exit(rn);
	list_for_each_entry_safe(group, next, &rn->groups, node) {
		group_unlink(rn, group);
		group_free(rn, group);
	}
	mutex_unlock(&rn->lock);
}
