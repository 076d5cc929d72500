// SPDX-License-Identifier: GPL-2.0
/*
 * Conversations, and accounting that follows authentication.
 *
 * An Access-Challenge binds its State to the server that gave it (E). An
 * Access-Accept binds the session and the user to the server that accepted;
 * the first accounting of the session binds it to a server for accounting, and
 * from then on that is where it goes (A).
 *
 * A NAS may use the id of a session for another one later. A Start of a session
 * that ended, or whose user was accepted once more since its accounting began,
 * is that of a new one.
 */
#include "binding.h"
#include "group.h"

static struct radsteer_binding_table *
table_of(struct radsteer_bindings *bindings, enum radsteer_kind kind)
{
	return &bindings->table[kind];
}

/**
 * radsteer_conversation_begin() - a server gave a State to a client (E1)
 * @bindings: the tables of the namespace
 * @state: key of client and State
 * @server: the server
 * @group: the group that steered the request
 *
 * Context: any.
 */
void radsteer_conversation_begin(struct radsteer_bindings *bindings, u64 state,
				 struct radsteer_server *server,
				 const struct radsteer_group *group)
{
	struct radsteer_binding_table *table;
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;
	bool made;

	table = table_of(bindings, RADSTEER_KIND_STATE);
	binding = radsteer_binding_obtain(table, state, server, group, &shard,
					  &made);
	if (!binding)
		radsteer_stats_inc(table->rn->stats, UNREMEMBERED);
	else if (!made)
		radsteer_binding_change(table, binding, server, group);
	radsteer_binding_unlock(shard);
}

/*
 * A server of a list that is Up and may be sent what belongs to it. Where all are
 * administratively down, none counts as Up and each can be selected (S6): there,
 * too, what belongs together stays together.
 */
static int place_up(const struct radsteer_list *list, int place)
{
	u64 up = atomic64_read(&list->up) |
		 (list->rules.down & list->rules.eligible);

	return place >= 0 && up & BIT_ULL(place) ? place : SELECT_NONE;
}

/**
 * radsteer_conversation_place() - find the server that gave a State (E2, E3)
 * @bindings: the tables of the namespace
 * @state: key of client and State
 * @list: the list of the group that steers the request
 *
 * Context: any, under the RCU of the list.
 * Return: the place of the server, draining or not; SELECT_NONE if it is not
 *	known, Down or gone.
 */
int radsteer_conversation_place(struct radsteer_bindings *bindings, u64 state,
				const struct radsteer_list *list)
{
	struct radsteer_binding_table *table;
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;
	int place = SELECT_NONE;

	table = table_of(bindings, RADSTEER_KIND_STATE);
	shard = radsteer_binding_lock(table, state);
	binding = radsteer_binding_find(table, state);
	if (binding) {
		place = radsteer_list_place(list, binding->server);
		place = place_up(list, place);
		radsteer_binding_use(table, binding);
	}
	radsteer_binding_unlock(shard);

	if (place >= 0)
		radsteer_stats_inc(table->rn->stats, STATE_HITS);
	else
		radsteer_stats_inc(table->rn->stats, STATE_UNKNOWN);
	return place;
}

/*
 * A session is bound to whoever accepted its user. If its accounting is under
 * way, that is a user who was asked once more, and it stays where it is (A4).
 */
static void session_accepted(struct radsteer_binding_table *table, u64 session,
			     struct radsteer_server *server,
			     const struct radsteer_group *group)
{
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;
	bool made;

	binding = radsteer_binding_obtain(table, session, server, group, &shard,
					  &made);
	if (!binding) {
		radsteer_stats_inc(table->rn->stats, UNREMEMBERED);
	} else if (!made && !binding->ended &&
		   binding->server->service == RADSTEER_SERVICE_ACCOUNTING) {
		binding->renewed = true;
		radsteer_binding_use(table, binding);
	} else {
		if (made || binding->ended)
			radsteer_stats_inc(table->rn->stats, SESSION_MADE);
		if (!made)
			radsteer_binding_change(table, binding, server, group);
	}
	radsteer_binding_unlock(shard);
}

static void user_accepted(struct radsteer_binding_table *table, u64 user,
			  u64 session, struct radsteer_server *server,
			  const struct radsteer_group *group)
{
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;
	bool made;

	binding = radsteer_binding_obtain(table, user, server, group, &shard,
					  &made);
	if (binding) {
		if (!made)
			radsteer_binding_change(table, binding, server, group);
		binding->session = session;
	} else {
		radsteer_stats_inc(table->rn->stats, UNREMEMBERED);
	}
	radsteer_binding_unlock(shard);
}

/**
 * radsteer_session_accepted() - a server accepted a user (A3)
 * @bindings: the tables of the namespace
 * @session: key of the session, 0 if the request told none
 * @user: key of the user, 0 if the request told none
 * @server: the server
 * @group: the group that steered the request
 *
 * Context: any.
 */
void radsteer_session_accepted(struct radsteer_bindings *bindings, u64 session,
			       u64 user, struct radsteer_server *server,
			       const struct radsteer_group *group)
{
	if (session)
		session_accepted(table_of(bindings, RADSTEER_KIND_SESSION),
				 session, server, group);
	if (user)
		user_accepted(table_of(bindings, RADSTEER_KIND_USER), user,
			      session, server, group);
}

/*
 * A1: the server for accounting that a binding leads to: the one that it names,
 * or one at the address of the server for authentication that it names.
 */
static int follow_place(const struct radsteer_list *list,
			const struct radsteer_server *server)
{
	unsigned int i;

	if (server->service == RADSTEER_SERVICE_ACCOUNTING)
		return place_up(list, radsteer_list_place(list, server));
	for (i = 0; i < list->rules.count; i++)
		if (nf_inet_addr_cmp(&list->member[i]->server->at.addr,
				     &server->at.addr) &&
		    place_up(list, i) >= 0)
			return i;
	return SELECT_NONE;
}

/*
 * Look in one table. Gives back false if nothing is known there; what is found
 * may still be of no use.
 */
static bool session_find(struct radsteer_binding_table *table, u64 key,
			 const struct radsteer_keys *keys,
			 const struct radsteer_list *list, int *place,
			 bool *bound)
{
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;

	if (!key)
		return false;
	shard = radsteer_binding_lock(table, key);
	binding = radsteer_binding_find(table, key);
	/* The id of a session that is over, or of one that begins anew. */
	if (binding && keys->status == RADIUS_STATUS_START &&
	    (binding->ended || binding->renewed)) {
		radsteer_binding_remove(table, binding);
		binding = NULL;
	}
	if (binding) {
		*place = follow_place(list, binding->server);
		*bound = binding->server->service ==
			 RADSTEER_SERVICE_ACCOUNTING;
		radsteer_binding_use(table, binding);
	}
	radsteer_binding_unlock(shard);
	return binding;
}

/*
 * The user's latest session is this one, unless it is known that it is another;
 * with its Stop the user goes as well (A7). The Stop of an earlier one may come
 * when the user has logged in again.
 */
static void user_session(struct radsteer_binding_table *table,
			 const struct radsteer_keys *keys)
{
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;

	shard = radsteer_binding_lock(table, keys->user);
	binding = radsteer_binding_find(table, keys->user);
	if (binding && keys->status == RADIUS_STATUS_STOP &&
	    binding->session == (u32)keys->session)
		radsteer_binding_finish(table, binding);
	else if (binding && !binding->session &&
		 keys->status != RADIUS_STATUS_STOP)
		binding->session = keys->session;
	radsteer_binding_unlock(shard);
}

/**
 * radsteer_session_place() - find the server for accounting of a session (A1,
 *	A3, A4)
 * @bindings: the tables of the namespace
 * @keys: what the Accounting-Request is known by
 * @list: the servers for accounting of the group that steers it
 * @bound: takes whether the session is bound to the server that is found
 *
 * Context: any, under the RCU of the list.
 * Return: the place of the server; SELECT_NONE if the algorithm is to select.
 */
int radsteer_session_place(struct radsteer_bindings *bindings,
			   const struct radsteer_keys *keys,
			   const struct radsteer_list *list, bool *bound)
{
	struct radsteer_binding_table *sessions, *users;
	struct radsteer_net *rn;
	int place = SELECT_NONE;

	sessions = table_of(bindings, RADSTEER_KIND_SESSION);
	users = table_of(bindings, RADSTEER_KIND_USER);
	rn = sessions->rn;

	*bound = false;
	if (!session_find(sessions, keys->session, keys, list, &place, bound))
		session_find(users, keys->user, keys, list, &place, bound);
	if (keys->user && keys->session &&
	    (!*bound || keys->status == RADIUS_STATUS_STOP))
		user_session(users, keys);

	if (place >= 0)
		radsteer_stats_inc(rn->stats, SESSION_HITS);
	else if (*bound)
		radsteer_stats_inc(rn->stats, SESSION_MOVED);
	else
		radsteer_stats_inc(rn->stats, SESSION_UNKNOWN);
	if (place < 0)
		*bound = false;
	return place;
}

/**
 * radsteer_session_moved_to() - find where a session is bound by now (A4)
 * @bindings: the tables of the namespace
 * @session: key of the session
 * @list: the servers for accounting of the group
 *
 * Of several requests of a session that wait for the same server, the first one
 * to leave it says where the session goes on.
 *
 * Context: any, under the RCU of the list.
 * Return: the place of the server, SELECT_NONE if it is not known, Down or gone.
 */
int radsteer_session_moved_to(struct radsteer_bindings *bindings, u64 session,
			      const struct radsteer_list *list)
{
	struct radsteer_binding_table *table;
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;
	int place = SELECT_NONE;

	table = table_of(bindings, RADSTEER_KIND_SESSION);
	shard = radsteer_binding_lock(table, session);
	binding = radsteer_binding_find(table, session);
	if (binding)
		place = follow_place(list, binding->server);
	radsteer_binding_unlock(shard);
	return place;
}

/**
 * radsteer_session_bind() - bind a session to a server for accounting (A4)
 * @bindings: the tables of the namespace
 * @session: key of the session
 * @list: the servers for accounting of the group
 * @server: the server, of that list
 * @group: the group
 * @moved: the server before was silent, which is to be counted
 *
 * Unless it moved, another report of the session may have been faster, and both
 * are to go to one server.
 *
 * Context: any, under the RCU of the list.
 * Return: the server that the session is bound to.
 */
struct radsteer_server *
radsteer_session_bind(struct radsteer_bindings *bindings, u64 session,
		      const struct radsteer_list *list,
		      struct radsteer_server *server,
		      const struct radsteer_group *group, bool moved)
{
	struct radsteer_binding_table *table;
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;
	bool made;
	int place;

	table = table_of(bindings, RADSTEER_KIND_SESSION);
	binding = radsteer_binding_obtain(table, session, server, group, &shard,
					  &made);
	if (!binding) {
		radsteer_stats_inc(table->rn->stats, UNREMEMBERED);
	} else if (made) {
		radsteer_stats_inc(table->rn->stats, SESSION_MADE);
	} else if (!binding->ended) {
		place = SELECT_NONE;
		if (!moved &&
		    binding->server->service == RADSTEER_SERVICE_ACCOUNTING)
			place = follow_place(list, binding->server);
		if (place >= 0)
			server = list->member[place]->server;
		else
			radsteer_binding_change(table, binding, server, group);
	}
	radsteer_binding_unlock(shard);
	if (moved)
		radsteer_stats_inc(table->rn->stats, SESSION_MOVED);
	return server;
}

/**
 * radsteer_session_stopped() - the Stop of a session was answered (A7)
 * @bindings: the tables of the namespace
 * @session: key of the session
 *
 * Context: any.
 */
void radsteer_session_stopped(struct radsteer_bindings *bindings, u64 session)
{
	struct radsteer_binding_table *table;
	struct radsteer_binding *binding;
	struct radsteer_shard *shard;

	table = table_of(bindings, RADSTEER_KIND_SESSION);
	shard = radsteer_binding_lock(table, session);
	binding = radsteer_binding_find(table, session);
	if (binding && !binding->ended) {
		radsteer_binding_finish(table, binding);
		radsteer_stats_inc(table->rn->stats, SESSION_ENDED);
	}
	radsteer_binding_unlock(shard);
}
