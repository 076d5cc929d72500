// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of requests and answers.
 *
 * A packet to a server is one of four: the first copy of a new request, for
 * which a server is selected; a duplicate of the copy before, which goes where
 * that went (T1); a further copy, which stays with its server or moves (M6,
 * M7); or a copy of an answered request, which goes where the answer is (R3).
 *
 * The first answer goes back to the client, whichever server it comes from, and
 * so do further ones of that server. What other servers say to the request then
 * is swallowed, and proves no more than that they live (R2, S3).
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "config.h"
#include "group.h"
#include "liveness.h"
#include "request.h"
#include "request_match.h"

enum {
	/* Places for former servers when a request moves for the first time. */
	FORMER_ROOM		= 4,
	/* One request in so many has its round trip measured. */
	RTT_SAMPLE		= 16,
	/* The share of one measurement in the smoothed round-trip time. */
	RTT_SHARE		= 8,
};

/**
 * struct sending - a packet on its way to a server
 * @requests: the table
 * @snapshot: the group
 * @list: the list of the service
 * @packet: the packet
 * @bucket: the bucket of its request, locked
 * @service: enum radsteer_service
 * @shared: the bucket has so many requests of the same client and Identifier
 *	that are not the one of this packet (P9)
 */
struct sending {
	struct radsteer_requests *requests;
	const struct radsteer_snapshot *snapshot;
	const struct radsteer_list *list;
	const struct radsteer_packet *packet;
	struct radsteer_bucket *bucket;
	unsigned int service;
	unsigned int shared;
};

/*
 * Find the request that a packet is a copy of, or that it takes the Identifier
 * of: the same but, maybe, for the Authenticator.
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

/* The place of a server in a list, SELECT_NONE if it was taken off. */
static int list_place(const struct radsteer_list *list,
		      const struct radsteer_server *server)
{
	unsigned int i;

	for (i = 0; i < list->rules.count; i++)
		if (list->member[i]->server == server)
			return i;
	return SELECT_NONE;
}

/* The bits of a list for one server, none if it is not there. */
static u64 list_bit(const struct radsteer_list *list,
		    const struct radsteer_server *server)
{
	int i = list_place(list, server);

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

static struct radsteer_server *sending_draw(const struct sending *sending,
					    const struct select_choice *choice,
					    u64 shared)
{
	const struct radsteer_list *list = sending->list;
	struct radsteer_net *rn = sending->requests->rn;
	u32 ticket = 0;
	int place;

	if (choice->tickets > 1)
		ticket = get_random_u32_below(choice->tickets);
	place = select_draw(&list->rules, choice, ticket);
	this_cpu_inc(*list->member[place]->selected);
	if (choice->none_up)
		radsteer_stats_inc(rn->stats, NONE_UP);
	if (shared & BIT_ULL(place))
		radsteer_stats_inc(rn->stats, CONFLICTS);
	return list->member[place]->server;
}

/* Choose the server of a first send by the rules, and count it. */
static struct radsteer_server *select_server(const struct sending *sending)
{
	const struct radsteer_list *list = sending->list;
	struct select_now now = {
		.up = atomic64_read(&list->up),
		.avoid = shared_servers(sending, NULL),
		.recent = SELECT_NONE,
	};
	struct select_choice choice;

	/* The most-recent backup matters without a master to take it alone. */
	if (!list->rules.share &&
	    !(now.up & list->rules.eligible & BIT_ULL(0)))
		now.recent = radsteer_group_recent(sending->snapshot->group,
						   list, sending->service);
	choice = select_first(&list->rules, &now);
	return sending_draw(sending, &choice, now.avoid);
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

static u32 time_us(void)
{
	u32 us = ktime_to_us(ktime_get());

	return us ?: 1;
}

/* A copy goes out now, and its server has some time to answer. */
static void request_sent(const struct sending *sending,
			 struct radsteer_request *request)
{
	const struct radsteer_settings *set = &sending->snapshot->settings;

	/* C3: it ends with the group that steered it last. */
	request->group = sending->snapshot->group;
	request->sent = jiffies;
	request->seen = request->sent;
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

/* The first copy of a request. */
static struct radsteer_server *send_first(const struct sending *sending,
					  bool room)
{
	const struct radsteer_packet *packet = sending->packet;
	struct radsteer_net *rn = sending->requests->rn;
	struct radsteer_request *request = NULL;
	struct radsteer_server *server;
	unsigned long count;

	server = select_server(sending);
	backup_used(sending, server);
	count = this_cpu_inc_return(server->stats->requests);
	if (sending->shared >= RADSTEER_REQUESTS_SHARED)
		shared_evict(sending);
	if (room)
		request = radsteer_requests_add(sending->requests,
						sending->bucket, server);
	if (!request) {
		/* P6: it is steered all the same. */
		radsteer_stats_inc(rn->stats, UNREMEMBERED);
		return server;
	}

	request->client = packet->source;
	request->asked = packet->destination;
	request->sent_us = count % RTT_SAMPLE == 1 ? time_us() : 0;
	request->code = packet_code(packet);
	request->identifier = packet_identifier(packet);
	request->copies = 1;
	request->failovers = 0;
	memcpy(request->authenticator, packet_authenticator(packet),
	       sizeof(request->authenticator));
	request_sent(sending, request);
	return server;
}

/*
 * Room for one more server, where former ones are kept. The last resort is to
 * lose sight of the one that is longest ago: its answer will be a stray one.
 */
static struct radsteer_former *former_room(struct radsteer_former *former)
{
	unsigned int room = former ? 2 * former->room : FORMER_ROOM;
	struct radsteer_former *more;

	if (former && former->count < former->room)
		return former;
	if (room <= RADSTEER_SERVERS_MAX) {
		more = krealloc(former, struct_size(more, server, room),
				GFP_ATOMIC | __GFP_NOWARN);
		if (more) {
			if (!former)
				*more = (struct radsteer_former){ };
			more->room = room;
			return more;
		}
	}
	if (former) {
		percpu_ref_put(&former->server[0]->ref);
		former->count--;
		if (former->forgotten)
			former->forgotten--;
		memmove(former->server, former->server + 1,
			former->count * sizeof(former->server[0]));
	}
	return former;
}

/* Keep the server that a request leaves; its reference goes with it. */
static bool former_keep(struct radsteer_request *request)
{
	struct radsteer_former *former = former_room(request->former);

	if (!former) {
		percpu_ref_put(&request->server->ref);
		return false;
	}
	request->former = former;
	former->server[former->count++] = request->server;
	return true;
}

/* A request comes back to a server: it is no former one any more. */
static void former_drop(struct radsteer_request *request,
			const struct radsteer_server *server)
{
	struct radsteer_former *former = request->former;
	unsigned int i;

	for (i = 0; former && i < former->count; i++) {
		if (former->server[i] != server)
			continue;
		percpu_ref_put(&former->server[i]->ref);
		former->count--;
		if (i < former->forgotten)
			former->forgotten--;
		memmove(former->server + i, former->server + i + 1,
			(former->count - i) * sizeof(former->server[0]));
		return;
	}
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
	former_drop(request, server);
	if (!former_keep(request))
		radsteer_stats_inc(requests->rn->stats, UNREMEMBERED);
	request->server = server;
	radsteer_requests_waits(requests, request, true);
}

/* M8, M10, L3 to L5: a request has to go on from where it is. */
static void select_move(const struct sending *sending,
			struct radsteer_request *request,
			struct select_history *history)
{
	const struct radsteer_list *list = sending->list;
	struct select_now now = {
		.up = atomic64_read(&list->up),
		.avoid = shared_servers(sending, request),
		.recent = radsteer_group_recent(sending->snapshot->group, list,
						sending->service),
	};
	struct select_choice choice;
	struct radsteer_server *server;

	history->used = servers_used(list, request);
	choice = select_next(&list->rules, &now, history);
	server = sending_draw(sending, &choice, now.avoid);

	/* An answered one that has to move asks anew. */
	if (request->answered) {
		request->answered = false;
		radsteer_requests_waits(sending->requests, request, true);
	}
	if (server != request->server)
		request_move(sending, request, server);
	if (choice.forget && request->former)
		request->former->forgotten = request->former->count;
	this_cpu_inc(server->stats->requests);
	request->copies = 1;
}

/* A further copy of a request. */
static struct radsteer_server *send_again(const struct sending *sending,
					  struct radsteer_request *request)
{
	const struct radsteer_list *list = sending->list;
	struct radsteer_requests *requests = sending->requests;
	struct radsteer_net *rn = requests->rn;
	struct select_history history;

	/* T1: the path made two of one, or the client is in a great hurry. */
	if (time_before(jiffies, request->seen +
				 msecs_to_jiffies(READ_ONCE(rn->window)))) {
		request->seen = jiffies;
		radsteer_stats_inc(rn->stats, DUPLICATES);
		return request->server;
	}

	radsteer_stats_inc(rn->stats, RETRANSMISSIONS);
	request->sent_us = 0;
	/* S1, M8: the copy before it is judged first. */
	radsteer_requests_lost(requests, request);

	/* R3: the server that has the answer gives it as often as asked. */
	history.copies = request->answered ? 0 : request->copies;
	history.at = list_place(list, request->server);
	if (select_stays(&list->rules, &history,
			 sending->snapshot->settings.retransmit)) {
		this_cpu_inc(request->server->stats->retransmissions);
		if (request->copies < U8_MAX)
			request->copies++;
	} else {
		select_move(sending, request, &history);
	}
	backup_used(sending, request->server);
	request_sent(sending, request);
	return request->server;
}

/* T2: the client uses the Identifier of a request for another one. */
static void request_abandon(struct radsteer_requests *requests,
			    struct radsteer_request *request)
{
	if (!request->answered && request->code != RADIUS_STATUS_SERVER) {
		radsteer_stats_inc(requests->rn->stats, ABANDONED);
		/* The timer may be about to say so. */
		if (request->queue != RADSTEER_QUEUE_OVERDUE &&
		    !time_before(jiffies, request->deadline))
			radsteer_requests_lost(requests, request);
	}
	radsteer_requests_remove(requests, request);
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
		    time_before(jiffies, request->seen +
				msecs_to_jiffies(RADSTEER_PASSED_MS)))
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

/**
 * radsteer_request_send() - choose the server for a packet, and remember it
 * @requests: the table of the namespace
 * @snapshot: the group
 * @service: the service; its list is not empty
 * @packet: the packet, its RADIUS header well-formed
 * @to: filled in with where the server listens
 *
 * Implements M1 to M11, L1 to L8, P6, P9, R3, S1, T1, T2, T4.
 *
 * Context: a hook, under rcu_read_lock() of the one that read the snapshot.
 * Return: false if the packet is on its way to the server already.
 */
bool radsteer_request_send(struct radsteer_requests *requests,
			   const struct radsteer_snapshot *snapshot,
			   unsigned int service,
			   const struct radsteer_packet *packet,
			   struct radsteer_endpoint *to)
{
	struct sending sending = {
		.requests = requests,
		.snapshot = snapshot,
		.list = &snapshot->list[service],
		.packet = packet,
		.service = service,
	};
	struct radsteer_request *request;
	struct radsteer_server *server;
	bool room = true;

	sending_lock(&sending);
	request = request_find(&sending);
	if (!request && request_passed(&sending)) {
		radsteer_requests_unlock(sending.bucket);
		return false;
	}
	if (!request && radsteer_requests_full(requests)) {
		/* Another bucket may have the one that goes. */
		radsteer_requests_unlock(sending.bucket);
		room = radsteer_requests_evict(requests);
		sending_lock(&sending);
		request = request_find(&sending);
	}
	if (request && !request_is_copy(request, packet)) {
		request_abandon(requests, request);
		/* What comes behind it in the bucket was not seen yet. */
		request = request_find(&sending);
	}

	if (request)
		server = send_again(&sending, request);
	else
		server = send_first(&sending, room);
	*to = server->at;
	radsteer_requests_unlock(sending.bucket);
	return true;
}

/*
 * Find the request that a packet from a server answers: the newest that is
 * outstanding (P9), or else the newest that was answered before.
 */
static struct radsteer_request *
answer_find(const struct radsteer_bucket *bucket,
	    const struct radsteer_packet *packet)
{
	struct radsteer_request *request, *repeated = NULL;

	lockdep_assert_held(&bucket->lock);

	hlist_for_each_entry(request, &bucket->requests, node) {
		if (!request_is_from(request, &packet->destination,
				     packet_identifier(packet)) ||
		    !radius_answers(request->code, packet_code(packet)) ||
		    !request_sent_to(request, &packet->source))
			continue;
		if (!request->answered)
			return request;
		if (!repeated)
			repeated = request;
	}
	return repeated;
}

static void server_rtt(struct radsteer_server *server, u32 us)
{
	u32 rtt = READ_ONCE(server->rtt);

	/* Two at a time may lose one of the two, which is no matter. */
	if (rtt)
		us = rtt - rtt / RTT_SHARE + us / RTT_SHARE;
	WRITE_ONCE(server->rtt, us ?: 1);
}

/* The first answer to a request, from one of its servers. */
static void request_answered(struct radsteer_requests *requests,
			     struct radsteer_request *request,
			     struct radsteer_server *server)
{
	struct radsteer_former *former = request->former;
	unsigned int i;

	radsteer_requests_waits(requests, request, false);
	request->answered = true;
	if (request->sent_us)
		server_rtt(server, time_us() - request->sent_us);
	/* From here on it is the request of the server that answered. */
	for (i = 0; server != request->server && i < former->count; i++)
		if (former->server[i] == server)
			swap(former->server[i], request->server);
	radsteer_requests_queue(requests, request, RADSTEER_QUEUE_ANSWERED);
}

/* What tells one answer from another: no two have the same Authenticator. */
static u32 packet_mark(const struct radsteer_packet *packet)
{
	u32 mark;

	memcpy(&mark, packet_authenticator(packet), sizeof(mark));
	return mark;
}

/*
 * An answer that was given back and comes past again, from the address asked.
 * Where a group matches its own servers, this may be that of a server which the
 * request had left, and which proves nothing by it.
 */
static bool answer_passed(const struct radsteer_request *request,
			  const struct radsteer_server *server,
			  const struct radsteer_packet *packet)
{
	return request->answered && request->server != server &&
	       radsteer_endpoint_equal(&request->asked, &packet->source) &&
	       request->given == packet_mark(packet);
}

/**
 * radsteer_request_answer() - find out what a packet from a server answers
 * @requests: the table of the namespace
 * @packet: the packet, its RADIUS header well-formed
 * @asked: filled in with where the client sent the request to, if the packet
 *	goes to the client
 *
 * Implements R1, R2, R4, R5, S3, P9.
 *
 * Context: a hook, under rcu_read_lock() of the one that read the
 *	configuration.
 * Return: what becomes of the packet.
 */
enum radsteer_answer
radsteer_request_answer(struct radsteer_requests *requests,
			const struct radsteer_packet *packet,
			struct radsteer_endpoint *asked)
{
	enum radsteer_answer answer = RADSTEER_ANSWER_STRAY;
	struct radsteer_request *request;
	struct radsteer_bucket *bucket;
	struct radsteer_server *server;

	bucket = radsteer_requests_lock(requests, &packet->destination,
					packet_identifier(packet));
	request = answer_find(bucket, packet);
	if (!request)
		goto unlock;

	server = request_sent_to(request, &packet->source);
	if (answer_passed(request, server, packet)) {
		answer = RADSTEER_ANSWER_AGAIN;
		goto unlock;
	}
	radsteer_liveness_answered(requests->rn, server);
	if (!request->answered)
		request_answered(requests, request, server);
	if (request->server == server) {
		answer = RADSTEER_ANSWER_DELIVER;
		request->given = packet_mark(packet);
		*asked = request->asked;
		radsteer_stats_answer(server->stats, packet_code(packet));
	} else {
		answer = RADSTEER_ANSWER_LATE;
		this_cpu_inc(server->stats->late);
	}
unlock:
	radsteer_requests_unlock(bucket);
	return answer;
}
