// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of requests.
 *
 * A packet to a server is one of four: the first copy of a new request, which
 * goes on with a conversation (E2), follows its user (A1), or has a server
 * selected; a duplicate of the copy before, which goes where that went (T1); a
 * further copy, which stays with its server or moves (M6, M7), whether it looks
 * like the one before or new (T3); or a copy of an answered request, which goes
 * where the answer is (R3).
 */
#include <linux/random.h>
#include "binding.h"
#include "config.h"
#include "group.h"
#include "liveness.h"
#include "request.h"
#include "request_former.h"
#include "request_match.h"
#include "request_record.h"

enum {
	/* One request in so many has its round trip measured. */
	RTT_SAMPLE		= 16,
};

/**
 * struct sending - a packet on its way to a server
 * @requests: the table
 * @snapshot: the group
 * @list: the list of the service
 * @packet: the packet
 * @keys: what it is known by; by itself, as it need not be cleared first
 * @bucket: the bucket of its request, locked
 * @spare: what is left of the request before with this Identifier (T2), to be used
 *	for the new one, or NULL
 * @service: enum radsteer_service
 * @forwarded: the packet was not generated here (P10)
 * @shared: the bucket has so many requests of the same client and Identifier
 *	that are not the one of this packet (P9)
 */
struct sending {
	struct radsteer_requests *requests;
	const struct radsteer_snapshot *snapshot;
	const struct radsteer_list *list;
	const struct radsteer_packet *packet;
	struct radsteer_keys *keys;
	struct radsteer_bucket *bucket;
	struct radsteer_request *spare;
	unsigned int service;
	unsigned int shared;
	bool forwarded;
};

/*
 * Find the request that a packet is a copy of, or that it takes the Identifier
 * of: the same but, maybe, for the Authenticator. There is one at most, since
 * whoever takes an Identifier removes the request that had it.
 */
static struct radsteer_request *request_find(struct sending *sending)
{
	const struct radsteer_packet *packet = sending->packet;
	struct radsteer_request *request, *found = NULL;

	lockdep_assert_held(&sending->bucket->lock);

	sending->shared = 0;
	hlist_for_each_entry(request, &sending->bucket->requests, node) {
		if (!request_is_from(request, &packet->source,
				     packet_identifier(packet)))
			continue;
		if (request->code == packet_code(packet) &&
		    radsteer_endpoint_equal(&request->asked,
					    &packet->destination))
			found = request;
		else
			sending->shared++;
	}
	return found;
}

/*
 * Tell whether a packet is a further copy of the request that was found. If it
 * is not, the client gave that request up and uses its Identifier again (T2).
 * Status-Server has no copies (T4): each asks anew.
 */
static bool request_is_copy(const struct radsteer_request *request,
			    const struct radsteer_packet *packet)
{
	return request->code != RADIUS_STATUS_SERVER &&
	       !memcmp(request->authenticator, packet_authenticator(packet),
		       sizeof(request->authenticator));
}

/* The bits of a list for one server, none if it is not there. */
static u64 list_bit(const struct radsteer_list *list,
		    const struct radsteer_server *server)
{
	int i = radsteer_list_place(list, server);

	return i < 0 ? 0 : BIT_ULL(i);
}

/* The servers of a list that a request was sent to. */
static u64 servers_used(const struct radsteer_list *list,
			const struct radsteer_request *request)
{
	const struct radsteer_former *former = request->former;
	u64 used = list_bit(list, request->server);
	unsigned int i;

	for (i = former ? former->forgotten : 0; former && i < former->count;
	     i++)
		used |= list_bit(list, former->server[i]);
	return used;
}

/*
 * P9: where requests of this client and Identifier are outstanding, but for the
 * one that the packet is of, if it is known.
 */
static u64 shared_servers(const struct sending *sending,
			  const struct radsteer_request *own)
{
	const struct radsteer_packet *packet = sending->packet;
	const struct radsteer_request *request;
	u64 servers = 0;

	if (!sending->shared)
		return 0;
	hlist_for_each_entry(request, &sending->bucket->requests, node)
		if (request != own && !request->answered &&
		    request_is_from(request, &packet->source,
				    packet_identifier(packet)))
			servers |= servers_used(sending->list, request);
	return servers;
}

/*
 * L7: a number below @tickets, uniform. The kernel makes random numbers by the
 * octet, and tickets of equal chances need one and not four: most of a draw is to
 * make these.
 */
static u32 draw_ticket(u32 tickets)
{
	u32 ticket;

	if (tickets > SELECT_SERVERS_MAX)
		return get_random_u32_below(tickets);
	while (!select_ticket(get_random_u8(), tickets, &ticket))
		;
	return ticket;
}

static bool is_on_host(const struct radsteer_server *server,
		       const union nf_inet_addr *host)
{
	return nf_inet_addr_cmp(&server->at.addr, host);
}

/* P10: the servers of a list on the client's host, by whatever port. */
static u64 servers_barred(const struct radsteer_list *list,
			  const union nf_inet_addr *client)
{
	u64 servers = 0;
	unsigned int i;

	for (i = 0; i < list->rules.count; i++)
		if (is_on_host(list->member[i]->server, client))
			servers |= BIT_ULL(i);
	return servers;
}

/* M, L: the place of a server, SELECT_NONE if the list has no candidate. */
static int sending_draw(const struct sending *sending,
			const struct select_choice *choice)
{
	u32 ticket = 0;

	if (choice->tickets > 1)
		ticket = draw_ticket(choice->tickets);
	return select_draw(&sending->list->rules, choice, ticket);
}

/* M9 */
static int recent_backup(const struct sending *sending)
{
	return radsteer_group_recent(sending->snapshot->group, sending->list,
				     sending->service);
}

/*
 * P10: tell whether the server at a place, if that is one, is on the host that the
 * request was forwarded from: it would get its own packet back, and drop it. What
 * this machine generates comes to a server on it by the loopback device. What is
 * kept of conversations and sessions is kept for a client, and so names no server
 * on its host.
 */
static __always_inline bool sends_back(const struct sending *sending, int place)
{
	return place >= 0 &&
	       unlikely(is_on_host(sending->list->member[place]->server,
				   &sending->packet->source.addr)) &&
	       sending->forwarded;
}

/*
 * P10: bar all servers on the client's host, for a selection to be made once more.
 * Few requests come from the host of a server, so that is seen to when such a
 * server has been drawn: had it been barred before, all others would have had the
 * same chances as in the second draw.
 */
static noinline void sending_bar(const struct sending *sending,
				 struct select_now *now)
{
	now->barred = servers_barred(sending->list,
				     &sending->packet->source.addr);
	now->recent = recent_backup(sending);
}

/* Count a selection. Gives back NULL if no server is left (P10). */
static struct radsteer_server *sending_selected(const struct sending *sending,
						const struct select_choice *choice,
						int place, u64 avoid)
{
	const struct radsteer_list *list = sending->list;
	struct radsteer_net *rn = sending->requests->rn;

	if (unlikely(place < 0))
		return NULL;
	this_cpu_inc(*list->member[place]->selected);
	if (choice->none_up)
		radsteer_stats_inc(rn->stats, NONE_UP);
	if (avoid & BIT_ULL(place))
		radsteer_stats_inc(rn->stats, CONFLICTS);
	return list->member[place]->server;
}

/* A server that the packet belongs to, which is no selection. */
static struct radsteer_server *sending_place(const struct sending *sending,
					     int place, u64 shared)
{
	if (shared & BIT_ULL(place))
		radsteer_stats_inc(sending->requests->rn->stats, CONFLICTS);
	return sending->list->member[place]->server;
}

/* Choose the server of a first send by the rules, NULL if none is left. */
static struct radsteer_server *select_server(const struct sending *sending)
{
	const struct radsteer_list *list = sending->list;
	struct select_now now = {
		.up = atomic64_read(&list->up),
		.avoid = sending->shared ? shared_servers(sending, NULL) : 0,
		.recent = SELECT_NONE,
	};
	struct select_choice choice;
	int place;

	/* The most-recent backup matters without a master to take it alone. */
	if (!list->rules.share &&
	    !(now.up & list->rules.eligible & BIT_ULL(0)))
		now.recent = recent_backup(sending);
	for (;;) {
		choice = select_first(&list->rules, &now);
		place = sending_draw(sending, &choice);
		if (!sends_back(sending, place))
			break;
		sending_bar(sending, &now);
	}
	return sending_selected(sending, &choice, place, now.avoid);
}

/* A1 to A4: where the accounting of a session goes, which is bound to it. */
static struct radsteer_server *follow_server(const struct sending *sending)
{
	struct radsteer_bindings *bindings = sending->requests->bindings;
	const struct radsteer_keys *keys = sending->keys;
	struct radsteer_server *server;
	bool bound = false;
	int place;

	place = radsteer_session_place(bindings, keys, sending->list, &bound);
	if (place >= 0)
		server = sending_place(sending, place,
				       shared_servers(sending, NULL));
	else
		server = select_server(sending);
	if (server && keys->session && !bound)
		server = radsteer_session_bind(bindings, keys->session,
					       sending->list, server,
					       sending->snapshot->group, false);
	return server;
}

/* Where the first copy of a request goes, NULL for nowhere (P10). */
static struct radsteer_server *first_server(const struct sending *sending)
{
	const struct radsteer_keys *keys = sending->keys;
	int place;

	if (keys->follow)
		return follow_server(sending);
	if (!keys->state)
		return select_server(sending);
	place = radsteer_conversation_place(sending->requests->bindings,
					    keys->state, sending->list);
	if (place < 0)
		return select_server(sending);
	return sending_place(sending, place, shared_servers(sending, NULL));
}

/* M9: keep in mind which backup was used last, the master never counting. */
static void backup_used(const struct sending *sending,
			const struct radsteer_server *server)
{
	const struct radsteer_list *list = sending->list;
	u32 *recent;

	if (list->rules.share || list->member[0]->server == server)
		return;
	recent = &sending->snapshot->group->recent[sending->service];
	/* Most often it is the same, and no cache line has to move. */
	if (READ_ONCE(*recent) != server->id)
		WRITE_ONCE(*recent, server->id);
}

/* A copy goes out now, and its server has some time to answer. */
static void request_sent(const struct sending *sending,
			 struct radsteer_request *request)
{
	const struct radsteer_settings *set = &sending->snapshot->settings;

	/* C3: it ends with the group that steered it last. */
	request->group = sending->snapshot->group;
	WRITE_ONCE(request->sent, (u32)jiffies);
	WRITE_ONCE(request->seen, request->sent);
	/* R3: the memory of an answered one is not prolonged. */
	if (request->answered)
		return;
	request->retransmit = set->retransmit;
	request->lost = false;
	radsteer_requests_queue(sending->requests, request,
				RADSTEER_QUEUE_WAITING + set->timeout - 1);
}

/*
 * One client and Identifier have one bucket, whatever addresses are asked: it is
 * not to grow without end. The oldest goes, which comes last.
 */
static void shared_evict(const struct sending *sending)
{
	const struct radsteer_packet *packet = sending->packet;
	struct radsteer_request *request, *oldest = NULL;

	hlist_for_each_entry(request, &sending->bucket->requests, node)
		if (request_is_from(request, &packet->source,
				    packet_identifier(packet)))
			oldest = request;
	radsteer_requests_remove(sending->requests, oldest);
	radsteer_stats_inc(sending->requests->rn->stats, EVICTED);
}

/* What is to be known of a request when its answer comes, or its next copy. */
static void request_keys(const struct sending *sending,
			 struct radsteer_request *request)
{
	const struct radsteer_keys *keys = sending->keys;

	if (request->code == RADIUS_ACCESS_REQUEST) {
		request->access.session = keys->session;
		request->access.user = keys->user;
	}
	if (request->code != RADIUS_ACCOUNTING_REQUEST)
		return;
	INIT_HLIST_NODE(&request->record.node);
	request->record.key = keys->record;
	request->record.session = keys->session;
	request->record.delay = keys->delay;
	request->record.stamp = keys->stamp;
	request->stamp_kind = keys->stamp_kind;
	request->stop = keys->status == RADIUS_STATUS_STOP;
	radsteer_record_link(sending->requests, request);
}

/* Remember a request, if there is room and memory. */
static struct radsteer_request *request_new(struct sending *sending,
					    struct radsteer_server *server,
					    bool room)
{
	const struct radsteer_packet *packet = sending->packet;
	struct radsteer_request *request = NULL;

	if (sending->shared >= RADSTEER_REQUESTS_SHARED)
		shared_evict(sending);
	if (room)
		request = radsteer_requests_add(sending->requests,
						sending->bucket, server,
						sending->spare);
	if (!request) {
		/* P6: it is steered all the same. */
		radsteer_stats_inc(sending->requests->rn->stats, UNREMEMBERED);
		return NULL;
	}

	sending->spare = NULL;
	request->client = packet->source;
	request->asked = packet->destination;
	request->sent_us = 0;
	request->code = packet_code(packet);
	request->identifier = packet_identifier(packet);
	request->copies = 1;
	request->failovers = 0;
	memcpy(request->authenticator, packet_authenticator(packet),
	       sizeof(request->authenticator));
	/* Before the next copy of a report can find it. */
	WRITE_ONCE(request->seen, (u32)jiffies);
	request_keys(sending, request);
	return request;
}

/* The first copy of a request. */
static struct radsteer_server *send_first(struct sending *sending,
					  bool room)
{
	struct radsteer_request *request;
	struct radsteer_server *server;
	unsigned long count;

	server = first_server(sending);
	if (!server)
		return NULL;
	backup_used(sending, server);
	count = this_cpu_inc_return(server->stats->requests);
	request = request_new(sending, server, room);
	if (!request)
		return server;
	if (count % RTT_SAMPLE == 1)
		request->sent_us = request_clock();
	request_sent(sending, request);
	return server;
}

/* Let a request go to another server. */
static void request_move(const struct sending *sending,
			 struct radsteer_request *request,
			 struct radsteer_server *server)
{
	struct radsteer_requests *requests = sending->requests;

	radsteer_stats_inc(requests->rn->stats, FAILOVERS);
	this_cpu_inc(request->server->stats->failovers);
	if (request->failovers < U8_MAX)
		request->failovers++;

	radsteer_requests_waits(requests, request, false);
	percpu_ref_get(&server->ref);
	radsteer_former_drop(request, server);
	if (!radsteer_former_keep(request))
		radsteer_stats_inc(requests->rn->stats, UNREMEMBERED);
	request->server = server;
	radsteer_requests_waits(requests, request, true);
}

/*
 * A4: where the session of a request went on, if another request of it was the
 * first to leave their server.
 */
static struct radsteer_server *session_server(const struct sending *sending,
					      const struct radsteer_request *request,
					      u64 used, u64 shared)
{
	struct radsteer_bindings *bindings = sending->requests->bindings;
	int place;

	place = radsteer_session_moved_to(bindings, request->record.session,
					  sending->list);
	if (place < 0 || used & BIT_ULL(place))
		return NULL;
	return sending_place(sending, place, shared);
}

static bool has_session(const struct sending *sending,
			const struct radsteer_request *request)
{
	return request->code == RADIUS_ACCOUNTING_REQUEST &&
	       request->record.session && sending->snapshot->follow;
}

/*
 * M8, M10, L3 to L5: a request has to go on from where it is. Gives back false, and
 * the request stays as it is, if there is no server to go to (P10).
 */
static bool select_move(const struct sending *sending,
			struct radsteer_request *request,
			struct select_history *history)
{
	bool session = has_session(sending, request);
	const struct radsteer_list *list = sending->list;
	struct select_now now = {
		.up = atomic64_read(&list->up),
		.avoid = shared_servers(sending, request),
		.recent = recent_backup(sending),
	};
	struct select_choice choice = { };
	struct radsteer_server *server = NULL;
	int place;

	history->used = servers_used(list, request);
	if (session)
		server = session_server(sending, request, history->used,
					now.avoid);
	if (!server) {
		for (;;) {
			choice = select_next(&list->rules, &now, history);
			place = sending_draw(sending, &choice);
			if (!sends_back(sending, place))
				break;
			sending_bar(sending, &now);
		}
		server = sending_selected(sending, &choice, place, now.avoid);
		if (!server)
			return false;
		if (session)
			radsteer_session_bind(sending->requests->bindings,
					      request->record.session, list,
					      server, sending->snapshot->group,
					      server != request->server);
	}

	/* An answered one that has to move asks anew. */
	if (request->answered) {
		request->answered = false;
		request->replaced = false;
		request->sent_us = 0;
		radsteer_requests_waits(sending->requests, request, true);
		radsteer_record_link(sending->requests, request);
	}
	if (server != request->server)
		request_move(sending, request, server);
	if (choice.forget && request->former)
		request->former->forgotten = request->former->count;
	this_cpu_inc(server->stats->requests);
	request->copies = 1;
	return true;
}

/*
 * A further copy goes to the server of the one before, or moves (M6, M7). Gives
 * back NULL if it can do neither (P10).
 */
static struct radsteer_server *send_on(const struct sending *sending,
				       struct radsteer_request *request)
{
	const struct radsteer_list *list = sending->list;
	struct select_history history;

	/* R3: the server that has the answer gives it as often as asked. */
	history.copies = request->answered && !request->replaced ?
			 0 : request->copies;
	history.at = radsteer_list_place(list, request->server);
	if (select_stays(&list->rules, &history,
			 sending->snapshot->settings.retransmit)) {
		this_cpu_inc(request->server->stats->retransmissions);
		if (request->copies < U8_MAX)
			request->copies++;
	} else if (!select_move(sending, request, &history)) {
		return NULL;
	}
	backup_used(sending, request->server);
	request_sent(sending, request);
	return request->server;
}

/* A further copy of a request. */
static struct radsteer_server *send_again(const struct sending *sending,
					  struct radsteer_request *request)
{
	struct radsteer_requests *requests = sending->requests;
	struct radsteer_net *rn = requests->rn;

	/* T1: the path made two of one, or the client is in a great hurry. */
	if (request_seen_within(request, READ_ONCE(rn->window))) {
		WRITE_ONCE(request->seen, jiffies);
		radsteer_stats_inc(rn->stats, DUPLICATES);
		return request->server;
	}

	radsteer_stats_inc(rn->stats, RETRANSMISSIONS);
	if (!request->answered)
		request->sent_us = 0;
	/* S1, M8: the copy before it is judged first. */
	radsteer_requests_lost(requests, request);
	return send_on(sending, request);
}

/* A further copy below the limit may go to the server. */
static bool may_stay(const struct sending *sending,
		     const struct radsteer_server *server)
{
	const struct select_list *rules = &sending->list->rules;
	struct select_history history = {
		.at = radsteer_list_place(sending->list, server),
	};

	return select_stays(rules, &history, 0);
}

/* T3: a further copy, in the guise of a new request. */
static struct radsteer_server *send_renumbered(struct sending *sending,
					       struct radsteer_inherited *from,
					       bool room)
{
	struct radsteer_net *rn = sending->requests->rn;
	struct radsteer_request *request;
	struct radsteer_server *server;

	radsteer_stats_inc(rn->stats, RETRANSMISSIONS);
	radsteer_stats_inc(rn->stats, RENUMBERED);
	request = request_new(sending, from->server, room);
	if (!request)
		return may_stay(sending, from->server) ?
		       from->server : select_server(sending);
	request->former = from->former;
	from->former = NULL;
	request->copies = from->copies;
	request->failovers = from->failovers;
	server = send_on(sending, request);
	if (!server)
		radsteer_requests_remove(sending->requests, request);
	return server;
}

/* T2: the client uses the Identifier of a request for another one. */
static void request_abandon(struct sending *sending,
			    struct radsteer_request *request)
{
	struct radsteer_requests *requests = sending->requests;

	if (!request->answered && request->code != RADIUS_STATUS_SERVER) {
		radsteer_stats_inc(requests->rn->stats, ABANDONED);
		/* The timer may be about to say so. */
		if (request->queue != RADSTEER_QUEUE_OVERDUE &&
		    (s32)((u32)jiffies - request->deadline) >= 0)
			radsteer_requests_lost(requests, request);
	}
	radsteer_requests_detach(requests, request);
	sending->spare = request;
}

/*
 * Find the request that a packet was steered for a moment ago: it comes past a
 * second time, after it was sent back or came in once more. Where a group
 * matches its own servers, it would look like a request to one of these.
 */
static struct radsteer_request *request_passed(const struct sending *sending)
{
	const struct radsteer_packet *packet = sending->packet;
	struct radsteer_request *request;

	if (!sending->shared)
		return NULL;
	hlist_for_each_entry(request, &sending->bucket->requests, node)
		if (request_is_from(request, &packet->source,
				    packet_identifier(packet)) &&
		    request_is_quoted(request, packet) &&
		    radsteer_endpoint_equal(&request->server->at,
					    &packet->destination) &&
		    request_seen_within(request, RADSTEER_PASSED_MS))
			return request;
	return NULL;
}

static void sending_lock(struct sending *sending)
	__acquires(sending->bucket)
{
	const struct radsteer_packet *packet = sending->packet;

	sending->bucket = radsteer_requests_lock(sending->requests,
						 &packet->source,
						 packet_identifier(packet));
}

/* What the packet is known by, where that matters. */
static void sending_keys(struct sending *sending)
{
	const struct radsteer_bindings *bindings = sending->requests->bindings;
	const struct radsteer_snapshot *snapshot = sending->snapshot;

	switch (packet_code(sending->packet)) {
	case RADIUS_ACCESS_REQUEST:
		radsteer_keys_access(sending->keys, bindings, sending->packet,
				     snapshot->follow);
		break;
	case RADIUS_ACCOUNTING_REQUEST:
		radsteer_keys_accounting(sending->keys, bindings,
					 sending->packet, snapshot->group,
					 snapshot->follow);
		break;
	default:
		/* A Status-Server is nobody's (T4). */
		*sending->keys = (struct radsteer_keys){ };
		break;
	}
}

/*
 * T3: take over the history of the copy before, and make it that of the packet's
 * request before another CPU can see to the same packet: where the path made two of
 * it, the other one waits for the bucket. Gives back what is found there.
 */
static struct radsteer_request *
sending_inherit(struct sending *sending, const struct radsteer_record *record,
		struct radsteer_inherited *inherited)
	__acquires(sending->bucket)
{
	const struct radsteer_packet *packet = sending->packet;
	struct radsteer_endpoint client = packet->source;
	struct radsteer_request *request;
	struct radsteer_bucket *other;

	client.port = record->port;
	sending->bucket = radsteer_requests_lock_two(sending->requests,
						     &packet->source,
						     packet_identifier(packet),
						     &client,
						     record->identifier,
						     &other);
	request = request_find(sending);
	if (!request || !request_is_copy(request, packet))
		radsteer_record_take(sending->requests, other, record,
				     inherited);
	radsteer_requests_unlock_other(sending->bucket, other);
	return request;
}

/*
 * Get ready for a new request: make room for it, and see if it goes on with another
 * one (T3). Both take another bucket's lock, so the own one is let go of for that,
 * and what it had is to be looked for once more. Gives back what is found then,
 * which is @request if nothing had to be done.
 */
static struct radsteer_request *
sending_prepare(struct sending *sending, struct radsteer_request *request,
		bool *room, struct radsteer_inherited *inherited)
	__must_hold(sending->bucket)
{
	struct radsteer_requests *requests = sending->requests;
	struct radsteer_record record;
	bool renumbered, full;

	renumbered = sending->keys->record &&
		     radsteer_record_find(requests, sending->keys, &record);
	full = !request && radsteer_requests_full(requests);
	if (!renumbered && !full)
		return request;

	radsteer_requests_unlock(sending->bucket);
	if (full)
		*room = radsteer_requests_evict(requests);
	if (renumbered)
		return sending_inherit(sending, &record, inherited);
	sending_lock(sending);
	return request_find(sending);
}

/**
 * radsteer_request_send() - choose the server for a packet, and remember it
 * @requests: the table of the namespace
 * @snapshot: the group
 * @service: the service; its list is not empty
 * @forwarded: the packet was not generated on this machine
 * @packet: the packet, its RADIUS header well-formed
 * @to: filled in with where the server listens, if the packet goes there
 *
 * Implements A1 to A6, A8, E2 to E4, M1 to M11, L1 to L8, P6, P9, P10, R3, S1, T1
 * to T4.
 *
 * Context: a hook, under rcu_read_lock() of the one that read the snapshot.
 * Return: what becomes of the packet.
 */
enum radsteer_sent
radsteer_request_send(struct radsteer_requests *requests,
		      const struct radsteer_snapshot *snapshot,
		      unsigned int service, bool forwarded,
		      const struct radsteer_packet *packet,
		      struct radsteer_endpoint *to)
{
	struct radsteer_keys keys;
	struct sending sending = {
		.keys = &keys,
		.requests = requests,
		.snapshot = snapshot,
		.list = &snapshot->list[service],
		.packet = packet,
		.service = service,
		.forwarded = forwarded,
	};
	struct radsteer_inherited inherited = { };
	struct radsteer_request *request;
	struct radsteer_server *server;
	bool room = true;

	sending_keys(&sending);
	sending_lock(&sending);
	request = request_find(&sending);
	if (!request && request_passed(&sending)) {
		radsteer_requests_unlock(sending.bucket);
		return RADSTEER_SENT_AGAIN;
	}
	if (!request || !request_is_copy(request, packet))
		request = sending_prepare(&sending, request, &room, &inherited);
	if (request && !request_is_copy(request, packet)) {
		request_abandon(&sending, request);
		request = NULL;
	}

	if (request)
		server = send_again(&sending, request);
	else if (inherited.server)
		server = send_renumbered(&sending, &inherited, room);
	else
		server = send_first(&sending, room);
	if (sending.spare)
		radsteer_requests_free(requests, sending.spare);
	if (server)
		*to = server->at;
	radsteer_requests_unlock(sending.bucket);
	if (inherited.server)
		radsteer_inherited_put(&inherited);
	return server ? RADSTEER_SENT_STEERED : RADSTEER_SENT_HAIRPIN;
}

/**
 * radsteer_request_has_up() - tell whether an Up server could answer a request
 * @snapshot: the group
 * @service: the service
 * @client: the host that the request comes from, NULL for this one
 *
 * Implements S6, P10.
 *
 * Context: under rcu_read_lock() of the one that read the snapshot.
 * Return: true if a copy of it could.
 */
bool radsteer_request_has_up(const struct radsteer_snapshot *snapshot,
			     unsigned int service,
			     const union nf_inet_addr *client)
{
	const struct radsteer_list *list = &snapshot->list[service];
	const struct select_now now = {
		.up = atomic64_read(&list->up),
		.barred = client ? servers_barred(list, client) : 0,
		.recent = SELECT_NONE,
	};

	return select_some_up(&list->rules, &now);
}
