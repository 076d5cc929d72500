// SPDX-License-Identifier: GPL-2.0
/* Which request an ICMP error is about, and what it loses by that. */
#include <linux/ratelimit.h>
#include "request.h"
#include "request_match.h"

/* The copy that an error quotes did not arrive (S1). */
static void request_unreachable(struct radsteer_requests *requests,
				struct radsteer_request *request,
				const struct radsteer_packet *packet)
{
	if (request->answered || request->lost ||
	    !radsteer_endpoint_equal(&request->server->at,
				     &packet->destination))
		return;
	this_cpu_inc(request->server->stats->unreachable);
	radsteer_stats_inc(requests->rn->stats, UNREACHABLE);
	radsteer_requests_lost(requests, request);
}

/*
 * Find the request of a client, port and Identifier whose copy an error quotes.
 * Without its RADIUS header, the newest that was sent there.
 */
static struct radsteer_request *
error_find(const struct radsteer_bucket *bucket,
	   const struct radsteer_icmp *icmp, u8 identifier)
{
	const struct radsteer_packet *packet = &icmp->packet;
	struct radsteer_request *request;

	lockdep_assert_held(&bucket->lock);

	hlist_for_each_entry(request, &bucket->requests, node) {
		if (!request_is_from(request, &packet->source, identifier) ||
		    !request_sent_to(request, &packet->destination))
			continue;
		if (!icmp->whole || request_is_quoted(request, packet))
			return request;
	}
	return NULL;
}

/* The same for an error that quotes an answer, as the client got it. */
static struct radsteer_request *
answer_error_find(const struct radsteer_bucket *bucket,
		  const struct radsteer_icmp *icmp, u8 identifier)
{
	const struct radsteer_packet *packet = &icmp->packet;
	struct radsteer_request *request;

	lockdep_assert_held(&bucket->lock);

	hlist_for_each_entry(request, &bucket->requests, node)
		if (request_is_from(request, &packet->destination,
				    identifier) &&
		    radsteer_endpoint_equal(&request->asked, &packet->source) &&
		    (!icmp->whole || radius_answers(request->code,
						    packet_code(packet))))
			return request;
	return NULL;
}

/*
 * A router that quotes no more than it has to is to be understood as well. But
 * to look for its request takes time, so that whoever makes such errors up must
 * not have as many as he likes.
 */
static bool error_welcome(struct radsteer_requests *requests,
			  const struct radsteer_icmp *icmp)
{
	return icmp->whole || __ratelimit(&requests->rn->short_errors);
}

/*
 * Look for the request that an error is about, by the Identifier that it quotes
 * or by all, and fill in where the error goes: for one about an answer the
 * server of that, else where the client sent the request to.
 */
static bool error_lookup(struct radsteer_requests *requests,
			 const struct radsteer_icmp *icmp, bool answer,
			 struct radsteer_endpoint *to, u8 *code)
{
	const struct radsteer_packet *packet = &icmp->packet;
	unsigned int identifier = 0, last = U8_MAX;
	const struct radsteer_endpoint *client;
	struct radsteer_request *request;
	struct radsteer_bucket *bucket;
	bool found = false;

	if (!error_welcome(requests, icmp))
		return false;
	if (icmp->whole) {
		identifier = packet_identifier(packet);
		last = identifier;
	}
	client = answer ? &packet->destination : &packet->source;
	for (; !found && identifier <= last; identifier++) {
		bucket = radsteer_requests_lock(requests, client, identifier);
		request = answer ? answer_error_find(bucket, icmp, identifier) :
				   error_find(bucket, icmp, identifier);
		if (request) {
			found = true;
			*to = answer ? request->server->at : request->asked;
			*code = request->code;
			if (!answer && icmp->whole && icmp->unreachable)
				request_unreachable(requests, request, packet);
		}
		radsteer_requests_unlock(bucket);
	}
	return found;
}

/**
 * radsteer_request_error() - an ICMP error quotes what was sent to a server
 * @requests: the table
 * @icmp: the error
 * @asked: filled in with where the client sent the request to
 * @code: filled in with the Code of the request
 *
 * A copy that did not arrive is lost at once (S1). Only what quotes the
 * Authenticator is believed in that: who did not see the request cannot speak
 * against its server.
 *
 * Context: a hook, under rcu_read_lock() of the one that read the
 *	configuration.
 * Return: true if the request is known.
 */
bool radsteer_request_error(struct radsteer_requests *requests,
			    const struct radsteer_icmp *icmp,
			    struct radsteer_endpoint *asked, u8 *code)
{
	return error_lookup(requests, icmp, false, asked, code);
}

/**
 * radsteer_request_answer_error() - an ICMP error quotes an answer
 * @requests: the table
 * @icmp: the error, which was sent to where the client sent the request to
 * @server: filled in with the server whose answer it was
 *
 * Context: a hook, under rcu_read_lock() of the one that read the
 *	configuration.
 * Return: true if the request is known.
 */
bool radsteer_request_answer_error(struct radsteer_requests *requests,
				   const struct radsteer_icmp *icmp,
				   struct radsteer_endpoint *server)
{
	u8 code;

	return error_lookup(requests, icmp, true, server, &code);
}
