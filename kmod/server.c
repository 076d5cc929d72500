// SPDX-License-Identifier: GPL-2.0
/*
 * Servers, shared by every list that has them, and their places in the lists.
 */
#include <linux/slab.h>
#include "config.h"
#include "group.h"
#include "liveness.h"
#include "route.h"
#include "server.h"

/* The server that listens there, NULL if no list has it. */
static struct radsteer_server *
server_find(const struct radsteer_net *rn, unsigned int service,
	    const struct radsteer_endpoint *at)
{
	struct radsteer_server *server;

	lockdep_assert_held(&rn->lock);

	list_for_each_entry(server, &rn->servers, node)
		if (server->service == service &&
		    radsteer_endpoint_equal(&server->at, at))
			return server;
	return NULL;
}

/* The last reference went, maybe in softirq. */
static void server_release(struct percpu_ref *ref)
{
	struct radsteer_server *server;

	server = container_of(ref, struct radsteer_server, ref);
	percpu_ref_exit(&server->ref);
	radsteer_route_exit(&server->route);
	free_percpu(server->stats);
	kfree(server);
}

static struct radsteer_server *
server_alloc(struct radsteer_net *rn, unsigned int service,
	     const struct radsteer_endpoint *at)
{
	struct radsteer_server *server;

	server = kzalloc(sizeof(*server), GFP_KERNEL_ACCOUNT);
	if (!server)
		return NULL;
	server->stats = alloc_percpu_gfp(struct radsteer_server_stats,
					 GFP_KERNEL_ACCOUNT);
	if (!server->stats)
		goto err_free;
	if (radsteer_route_init(&server->route))
		goto err_stats;
	if (percpu_ref_init(&server->ref, server_release, 0,
			    GFP_KERNEL_ACCOUNT))
		goto err_route;

	server->at = *at;
	server->service = service;
	server->id = ++rn->last_id;
	radsteer_liveness_init(server);
	list_add_tail(&server->node, &rn->servers);
	return server;

err_route:
	radsteer_route_exit(&server->route);
err_stats:
	free_percpu(server->stats);
err_free:
	kfree(server);
	return NULL;
}

/* The last list let go of it. Members and requests may still hold it. */
static void server_retire(struct radsteer_net *rn,
			  struct radsteer_server *server)
{
	list_del(&server->node);
	radsteer_liveness_end(rn, server);
	percpu_ref_kill(&server->ref);
}

/*
 * Make a server's place in a list, and the server if no list has it yet. The
 * caller has the one reference.
 */
static struct radsteer_member *
member_alloc(struct radsteer_net *rn, unsigned int service,
	     const struct radsteer_endpoint *at)
{
	struct radsteer_server *server;
	struct radsteer_member *member;

	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return NULL;
	member->selected = alloc_percpu_gfp(unsigned long, GFP_KERNEL_ACCOUNT);
	if (!member->selected)
		goto err_free;
	server = server_find(rn, service, at);
	if (!server)
		server = server_alloc(rn, service, at);
	if (!server)
		goto err_selected;

	server->members++;
	percpu_ref_get(&server->ref);
	kref_init(&member->ref);
	INIT_LIST_HEAD(&member->place);
	member->server = server;
	member->id = ++rn->last_id;
	return member;

err_selected:
	free_percpu(member->selected);
err_free:
	kfree(member);
	return NULL;
}

/**
 * radsteer_member_leave() - take a server's place in a list away
 * @rn: the namespace
 * @member: the member, of no group's newest snapshot any more
 *
 * Older snapshots keep the member, and through it the server, for the packets
 * that still see them.
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_member_leave(struct radsteer_net *rn,
			   struct radsteer_member *member)
{
	radsteer_liveness_leave(rn, member);
	if (!--member->server->members)
		server_retire(rn, member->server);
}

static void member_release(struct kref *ref)
{
	struct radsteer_member *member;

	member = container_of(ref, struct radsteer_member, ref);
	percpu_ref_put(&member->server->ref);
	free_percpu(member->selected);
	kfree(member);
}

/**
 * radsteer_member_put() - put a reference on a member
 * @member: the member
 *
 * Context: any.
 */
void radsteer_member_put(struct radsteer_member *member)
{
	kref_put(&member->ref, member_release);
}

/* The index of the server in the list, SELECT_NONE if it is not there. */
static int list_find(const struct radsteer_list *list,
		     const struct radsteer_endpoint *at)
{
	unsigned int i;

	for (i = 0; i < list->rules.count; i++)
		if (radsteer_endpoint_equal(&list->member[i]->server->at, at))
			return i;
	return SELECT_NONE;
}

static void list_insert(struct radsteer_list *list, unsigned int i,
			struct radsteer_member *member, u16 weight)
{
	unsigned int behind = list->rules.count - i;

	memmove(&list->member[i + 1], &list->member[i],
		behind * sizeof(list->member[0]));
	memmove(&list->rules.weight[i + 1], &list->rules.weight[i],
		behind * sizeof(list->rules.weight[0]));
	list->member[i] = member;
	list->rules.weight[i] = weight;
	list->rules.count++;
}

static void list_remove(struct radsteer_list *list, unsigned int i)
{
	unsigned int behind = --list->rules.count - i;

	memmove(&list->member[i], &list->member[i + 1],
		behind * sizeof(list->member[0]));
	memmove(&list->rules.weight[i], &list->rules.weight[i + 1],
		behind * sizeof(list->rules.weight[0]));
}

/*
 * The group that changes is settled. If the administrative state changes, all
 * lists that have the server are to see it.
 */
static int server_prepare_all(struct radsteer_net *rn,
			      const struct radsteer_server *server, bool all)
{
	struct radsteer_group *group;

	list_for_each_entry(group, &rn->groups, node) {
		const struct radsteer_snapshot *now;
		struct radsteer_snapshot *next;

		if (!group->next && !all)
			continue;
		now = group->next ?: group->snapshot;
		if (list_find(&now->list[server->service], &server->at) < 0)
			continue;
		next = radsteer_group_prepare(group);
		if (!next)
			return -ENOMEM;
		radsteer_snapshot_settle(next);
	}
	return 0;
}

/*
 * Put a change of one list into force, and with it the administrative state of
 * its server, which is the same in all lists.
 */
static int server_commit(struct radsteer_net *rn,
			 const struct radsteer_group *group,
			 struct radsteer_server *server,
			 const struct radsteer_server_change *change,
			 struct netlink_ext_ack *extack)
{
	int err;

	if (change->set_admin)
		server->admin_next = change->admin;
	err = server_prepare_all(rn, server, change->set_admin);
	if (err)
		radsteer_group_abort(rn);
	else
		err = radsteer_config_commit(rn, group, extack);
	if (err)
		server->admin_next = server->admin;
	else if (change->set_admin)
		radsteer_liveness_pin(rn, server);
	return err;
}

/**
 * radsteer_server_new() - add a server to a list
 * @rn: the namespace
 * @group: the group of the list
 * @change: the server
 * @extack: takes the reason of a refusal
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0, -EEXIST, -ENOSPC if the list is full, -ENOENT if there is no
 *	server to go before, -EAFNOSUPPORT, -ENOMEM.
 */
int radsteer_server_new(struct radsteer_net *rn, struct radsteer_group *group,
			const struct radsteer_server_change *change,
			struct netlink_ext_ack *extack)
{
	struct radsteer_snapshot *next;
	struct radsteer_member *member;
	struct radsteer_list *list;
	int i, err;

	lockdep_assert_held(&rn->lock);

	if (group->snapshot->family != NFPROTO_UNSPEC &&
	    group->snapshot->family != change->at.family) {
		NL_SET_ERR_MSG(extack, "the group is of another address family");
		return -EAFNOSUPPORT;
	}
	list = &group->snapshot->list[change->service];
	if (list_find(list, &change->at) >= 0) {
		NL_SET_ERR_MSG(extack, "the list has that server already");
		return -EEXIST;
	}
	if (list->rules.count == RADSTEER_SERVERS_MAX) {
		NL_SET_ERR_MSG(extack,
			       "the list has 64 servers, and no more fit");
		return -ENOSPC;
	}
	i = list->rules.count;
	if (change->before.port)
		i = list_find(list, &change->before);
	if (i < 0) {
		NL_SET_ERR_MSG(extack,
			       "the list has no such server to go before");
		return -ENOENT;
	}

	next = radsteer_group_prepare(group);
	if (!next)
		return -ENOMEM;
	member = member_alloc(rn, change->service, &change->at);
	if (!member) {
		radsteer_group_abort(rn);
		return -ENOMEM;
	}
	list_insert(&next->list[change->service], i, member, change->weight);

	/* An error puts the snapshot, and the member must outlive that. */
	kref_get(&member->ref);
	err = server_commit(rn, group, member->server, change, extack);
	if (err)
		radsteer_member_leave(rn, member);
	radsteer_member_put(member);
	return err;
}

static int server_missing(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "the list has no such server");
	return -ENOENT;
}

/**
 * radsteer_server_set() - change a server's weight in a list, or its state
 * @rn: the namespace
 * @group: the group of the list
 * @change: the server and what is to change
 * @extack: takes the reason of a refusal
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0, -ENOENT, -ENOMEM.
 */
int radsteer_server_set(struct radsteer_net *rn, struct radsteer_group *group,
			const struct radsteer_server_change *change,
			struct netlink_ext_ack *extack)
{
	struct radsteer_snapshot *next;
	struct radsteer_list *list;
	int i;

	lockdep_assert_held(&rn->lock);

	i = list_find(&group->snapshot->list[change->service], &change->at);
	if (i < 0)
		return server_missing(extack);
	next = radsteer_group_prepare(group);
	if (!next)
		return -ENOMEM;
	list = &next->list[change->service];
	if (change->set_weight)
		list->rules.weight[i] = change->weight;
	return server_commit(rn, group, list->member[i]->server, change,
			     extack);
}

/**
 * radsteer_server_del() - take a server from a list
 * @rn: the namespace
 * @group: the group of the list
 * @change: the server
 * @extack: takes the reason of a refusal
 *
 * Its requests keep it until they end, so that its answers still find their
 * way (C2).
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0, -ENOENT, -ENOMEM.
 */
int radsteer_server_del(struct radsteer_net *rn, struct radsteer_group *group,
			const struct radsteer_server_change *change,
			struct netlink_ext_ack *extack)
{
	struct radsteer_snapshot *next;
	struct radsteer_member *member;
	struct radsteer_list *list;
	int i, err;

	lockdep_assert_held(&rn->lock);

	i = list_find(&group->snapshot->list[change->service], &change->at);
	if (i < 0)
		return server_missing(extack);
	next = radsteer_group_prepare(group);
	if (!next)
		return -ENOMEM;
	list = &next->list[change->service];
	member = list->member[i];
	list_remove(list, i);
	radsteer_snapshot_settle(next);
	err = radsteer_config_commit(rn, group, extack);
	if (!err)
		radsteer_member_leave(rn, member);
	/* The reference that the next snapshot had. */
	radsteer_member_put(member);
	return err;
}
