// SPDX-License-Identifier: GPL-2.0
/*
 * The liveness of servers: takes the events to the state machine of health.c
 * one after another, and what comes of them to every list that has the server
 * and to whoever listens.
 *
 * Packets see a server's state as one bit in each list that has it. A list is
 * told of changes as long as it is the newest of its group; one that was
 * replaced is left as it is to the packets that still go by it.
 */
#include <linux/jiffies.h>
#include "event.h"
#include "liveness.h"
#include "timer.h"

static u64 liveness_now(void)
{
	return jiffies64_to_msecs(get_jiffies_64());
}

/* S4, S6: as the selection sees the server. */
static bool server_is_up(const struct radsteer_server *server)
{
	switch (server->admin) {
	case RADSTEER_ADMIN_DOWN:
		return false;
	case RADSTEER_ADMIN_UP:
		return true;
	default:
		return server->health.state != HEALTH_DOWN;
	}
}

static void list_show(struct radsteer_list *list, unsigned int position,
		      const struct radsteer_server *server)
{
	u64 up = atomic64_read(&list->up);

	if (server_is_up(server))
		up |= BIT_ULL(position);
	else
		up &= ~BIT_ULL(position);
	atomic64_set(&list->up, up);
}

static void server_show(struct radsteer_net *rn,
			const struct radsteer_server *server)
{
	const struct radsteer_member *member;

	lockdep_assert_held(&rn->health_lock);

	list_for_each_entry(member, &server->places, place)
		list_show(member->list, member->position, server);
}

/* Let the timer run when the server is to be assumed-up. */
static void server_await_revival(struct radsteer_net *rn,
				 const struct radsteer_server *server)
{
	u64 at = health_revival(&server->health, &rn->health_settings);
	u64 now = liveness_now();

	/* A jiffy more, since the clock of ms is the rougher one. */
	radsteer_timer_by(rn, jiffies + 1 +
			  (at > now ? msecs_to_jiffies(at - now) : 0));
}

/* S7: the state changed for a reason; tell everybody. */
static void server_changed(struct radsteer_net *rn,
			   struct radsteer_server *server,
			   const struct health *old, enum health_reason reason)
{
	lockdep_assert_held(&rn->health_lock);

	if (reason == HEALTH_SAME)
		return;
	list_del_init(&server->down);
	if (server->health.state == HEALTH_DOWN) {
		list_add_tail(&server->down, &rn->down);
		server_await_revival(rn, server);
	}
	server_show(rn, server);
	radsteer_event_state(rn, server, old, reason);
}

/**
 * radsteer_liveness_init() - begin with a new server, which is Up (S6)
 * @server: the server, which nobody else sees yet
 *
 * Context: any.
 */
void radsteer_liveness_init(struct radsteer_server *server)
{
	INIT_LIST_HEAD(&server->places);
	INIT_LIST_HEAD(&server->down);
	health_init(&server->health, liveness_now());
}

/**
 * radsteer_liveness_end() - no list has the server any more
 * @rn: the namespace
 * @server: the server; requests may still hold it
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_liveness_end(struct radsteer_net *rn,
			   struct radsteer_server *server)
{
	spin_lock_bh(&rn->health_lock);
	server->retired = true;
	list_del_init(&server->down);
	spin_unlock_bh(&rn->health_lock);
}

static void member_leave(struct radsteer_member *member)
{
	list_del_init(&member->place);
	member->list = NULL;
}

/**
 * radsteer_liveness_place() - make a snapshot the newest of its group
 * @rn: the namespace
 * @old: the snapshot that it replaces, NULL if it is the first
 * @snapshot: the snapshot, settled, about to be published
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_liveness_place(struct radsteer_net *rn,
			     struct radsteer_snapshot *old,
			     struct radsteer_snapshot *snapshot)
{
	unsigned int service, i;

	lockdep_assert_held(&rn->lock);

	spin_lock_bh(&rn->health_lock);
	for (service = 0; service < RADSTEER_SERVICES; service++) {
		struct radsteer_list *list = &snapshot->list[service];

		for (i = 0; old && i < old->list[service].rules.count; i++)
			member_leave(old->list[service].member[i]);
		for (i = 0; i < list->rules.count; i++) {
			struct radsteer_member *member = list->member[i];

			/* The new lists are the first that are to show it. */
			member->server->admin = member->server->admin_next;
			member->list = list;
			member->position = i;
			list_add(&member->place, &member->server->places);
			list_show(list, i, member->server);
		}
	}
	spin_unlock_bh(&rn->health_lock);
}

/**
 * radsteer_liveness_leave() - let a list be told no more of a server
 * @rn: the namespace
 * @member: the server's place in that list
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_liveness_leave(struct radsteer_net *rn,
			     struct radsteer_member *member)
{
	spin_lock_bh(&rn->health_lock);
	member_leave(member);
	spin_unlock_bh(&rn->health_lock);
}

/**
 * radsteer_liveness_pin() - let the administrative state take effect (S6)
 * @rn: the namespace
 * @server: the server, its administrative state in force
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_liveness_pin(struct radsteer_net *rn,
			   struct radsteer_server *server)
{
	struct health old;

	lockdep_assert_held(&rn->lock);

	spin_lock_bh(&rn->health_lock);
	old = server->health;
	server_changed(rn, server, &old,
		       health_pin(&server->health, liveness_now(),
				  server->admin == RADSTEER_ADMIN_UP));
	spin_unlock_bh(&rn->health_lock);
}

/**
 * radsteer_liveness_settings() - set what liveness goes by
 * @rn: the namespace
 * @settings: the settings, checked
 *
 * Context: process, radsteer_net.lock held.
 */
void radsteer_liveness_settings(struct radsteer_net *rn,
				const struct health_settings *settings)
{
	struct radsteer_server *server;

	lockdep_assert_held(&rn->lock);

	spin_lock_bh(&rn->health_lock);
	rn->health_settings = *settings;
	/* The first to go Down is the first to be assumed-up. */
	server = list_first_entry_or_null(&rn->down, struct radsteer_server,
					  down);
	if (server)
		server_await_revival(rn, server);
	spin_unlock_bh(&rn->health_lock);
}

/**
 * radsteer_liveness_read() - read the liveness of a server
 * @rn: the namespace
 * @server: the server
 * @health: filled in
 * @age: filled in with the time in ms since the state changed
 *
 * Context: process.
 */
void radsteer_liveness_read(struct radsteer_net *rn,
			    const struct radsteer_server *server,
			    struct health *health, u64 *age)
{
	spin_lock_bh(&rn->health_lock);
	*health = server->health;
	spin_unlock_bh(&rn->health_lock);
	*age = liveness_now() - health->since;
}

/**
 * radsteer_liveness_lost() - a copy to a server was lost (S2, S5)
 * @rn: the namespace
 * @server: the server
 * @exhausted: it had all copies of this request that are its due, and all of
 *	them are lost
 *
 * Context: any, under the lock of the bucket of the request.
 */
void radsteer_liveness_lost(struct radsteer_net *rn,
			    struct radsteer_server *server, bool exhausted)
{
	struct health old;

	spin_lock_bh(&rn->health_lock);
	if (!server->retired) {
		old = server->health;
		server_changed(rn, server, &old,
			       health_lost(&server->health,
					   &rn->health_settings,
					   liveness_now(), exhausted));
	}
	spin_unlock_bh(&rn->health_lock);
}

/**
 * __radsteer_liveness_answered() - an answer changes something (S3)
 * @rn: the namespace
 * @server: the server that answered
 *
 * Context: any, under the lock of the bucket of the request.
 */
void __radsteer_liveness_answered(struct radsteer_net *rn,
				  struct radsteer_server *server)
{
	struct health old;

	spin_lock_bh(&rn->health_lock);
	if (!server->retired) {
		old = server->health;
		server_changed(rn, server, &old,
			       health_answered(&server->health,
					       liveness_now()));
	}
	spin_unlock_bh(&rn->health_lock);
}

/**
 * radsteer_liveness_run() - let time go by for the servers that are Down (S4)
 * @rn: the namespace
 * @waits: set if one is still Down
 * @next: when the first of them is assumed-up in jiffies, if that is before
 *	what is there or @waits was not set
 *
 * Context: process.
 */
void radsteer_liveness_run(struct radsteer_net *rn, bool *waits,
			   unsigned long *next)
{
	struct radsteer_server *server;
	u64 now, at;

	spin_lock_bh(&rn->health_lock);
	now = liveness_now();
	while ((server = list_first_entry_or_null(&rn->down,
						  struct radsteer_server,
						  down))) {
		struct health old = server->health;
		enum health_reason reason;

		reason = health_tick(&server->health, &rn->health_settings,
				     now);
		if (reason == HEALTH_SAME)
			break;
		server_changed(rn, server, &old, reason);
	}
	if (server) {
		unsigned long deadline;

		at = health_revival(&server->health, &rn->health_settings);
		deadline = jiffies + 1 + msecs_to_jiffies(at - now);
		if (!*waits || time_before(deadline, *next))
			*next = deadline;
		*waits = true;
	}
	spin_unlock_bh(&rn->health_lock);
}
