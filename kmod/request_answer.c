// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of answers.
 *
 * The first answer goes back to the client, whichever server it comes from, and
 * so do further ones of that server. What other servers say to the request then
 * is swallowed, and proves no more than that they live (R2, S3).
 *
 * What an answer tells the client may bind it to the server: a State (E1), a user
 * and a session (A3); and the answer to a Stop ends a session (A7).
 */
#include "binding.h"
#include "liveness.h"
#include "request.h"
#include "request_match.h"

enum {
	/* The share of one measurement in the smoothed round-trip time. */
	RTT_SHARE		= 8,
};

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

	if (!request->replaced) {
		radsteer_requests_waits(requests, request, false);
		if (request->sent_us)
			server_rtt(server, request_clock() - request->sent_us);
	}
	request->answered = true;
	request->replaced = false;
	radsteer_record_unlink(requests, request);
	/* From here on it is the request of the server that answered. */
	for (i = 0; server != request->server && i < former->count; i++)
		if (former->server[i] == server)
			swap(former->server[i], request->server);
	radsteer_requests_queue(requests, request, RADSTEER_QUEUE_ANSWERED);
}

/*
 * What tells one answer from another. Servers share the secret, so two of them may
 * give the same one to the same request, octet for octet.
 */
static u32 packet_mark(const struct radsteer_packet *packet)
{
	u32 mark;

	memcpy(&mark, packet_authenticator(packet), sizeof(mark));
	return mark;
}

/*
 * An answer that was given back a moment ago and comes past again, from the address
 * asked. Where a group matches its own servers, this may be that of a server which
 * the request had left, and which proves nothing by it. Later it is an answer of
 * that server, which proves that it lives (S3).
 */
static bool answer_passed(const struct radsteer_request *request,
			  const struct radsteer_server *server,
			  const struct radsteer_packet *packet)
{
	return request->answered && request->server != server &&
	       (u32)jiffies - request->sent <
	       msecs_to_jiffies(RADSTEER_PASSED_MS) &&
	       radsteer_endpoint_equal(&request->asked, &packet->source) &&
	       request->given == packet_mark(packet);
}

/* What the client is told by an answer binds it to the server. */
static void answer_binds(struct radsteer_requests *requests,
			 const struct radsteer_request *request,
			 const struct radsteer_packet *packet, bool first,
			 u64 state)
{
	struct radsteer_bindings *bindings = requests->bindings;

	switch (packet_code(packet)) {
	case RADIUS_ACCESS_CHALLENGE:
		if (request->code == RADIUS_ACCESS_REQUEST && state)
			radsteer_conversation_begin(bindings, state,
						    request->server,
						    request->group);
		break;
	case RADIUS_ACCESS_ACCEPT:
		if (request->code == RADIUS_ACCESS_REQUEST && first &&
		    (request->access.session || request->access.user))
			radsteer_session_accepted(bindings,
						  request->access.session,
						  request->access.user,
						  request->server,
						  request->group);
		break;
	case RADIUS_ACCOUNTING_RESPONSE:
		if (request->code == RADIUS_ACCOUNTING_REQUEST && first &&
		    request->stop && request->record.session)
			radsteer_session_stopped(bindings,
						 request->record.session);
		break;
	}
}

/**
 * radsteer_request_answer() - find out what a packet from a server answers
 * @requests: the table of the namespace
 * @packet: the packet, its RADIUS header well-formed
 * @state: key of client and State, if it is an Access-Challenge with one, or 0
 * @asked: filled in with where the client sent the request to, if the packet
 *	goes to the client
 *
 * Implements A3, A7, E1, R1, R2, R4, R5, S3, P9.
 *
 * Context: a hook, under rcu_read_lock() of the one that read the
 *	configuration.
 * Return: what becomes of the packet.
 */
enum radsteer_answer
radsteer_request_answer(struct radsteer_requests *requests,
			const struct radsteer_packet *packet, u64 state,
			struct radsteer_endpoint *asked)
{
	enum radsteer_answer answer = RADSTEER_ANSWER_STRAY;
	struct radsteer_request *request;
	struct radsteer_bucket *bucket;
	struct radsteer_server *server;
	bool first;

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
	first = !request->answered || request->replaced;
	if (first)
		request_answered(requests, request, server);
	if (request->server == server) {
		answer = RADSTEER_ANSWER_DELIVER;
		answer_binds(requests, request, packet, first, state);
		request->given = packet_mark(packet);
		WRITE_ONCE(request->sent, (u32)jiffies);
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
