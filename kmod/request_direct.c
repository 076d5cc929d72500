// SPDX-License-Identifier: GPL-2.0
/* Requests that a client sends to a server itself, past the group. */
#include "request.h"
#include "request_former.h"
#include "request_match.h"

/*
 * The packet is the request itself, which has been steered a moment ago and comes
 * to the hook once more.
 */
static bool is_steered_copy(const struct radsteer_request *request,
			    const struct radsteer_packet *packet)
{
	return request_is_quoted(request, packet) &&
	       request_seen_within(request, RADSTEER_PASSED_MS);
}

/**
 * radsteer_request_direct() - let a request that was not steered have its answer
 * @requests: the table of the namespace
 * @packet: the packet, on its way to a server that its client asks itself; its
 *	RADIUS header well-formed
 *
 * Its answer looks like one to a request of the same port and Identifier that was
 * steered to the server. The newest packet decides, as it does at the server: the
 * steered request is forgotten, or, if it has moved on since, its copies at this
 * server are. A client that sends it again begins anew. Implements R1.
 *
 * Context: a hook, under rcu_read_lock() of the one that read the configuration.
 */
void radsteer_request_direct(struct radsteer_requests *requests,
			     const struct radsteer_packet *packet)
{
	u8 identifier = packet_identifier(packet);
	struct radsteer_request *request;
	struct radsteer_bucket *bucket;
	struct hlist_node *next;

	bucket = radsteer_requests_lock(requests, &packet->source, identifier);
	hlist_for_each_entry_safe(request, next, &bucket->requests, node) {
		struct radsteer_server *server;

		if (!request_is_from(request, &packet->source, identifier))
			continue;
		server = request_sent_to(request, &packet->destination);
		if (!server || is_steered_copy(request, packet))
			continue;
		if (server == request->server)
			radsteer_requests_remove(requests, request);
		else
			radsteer_former_drop(request, server);
	}
	radsteer_requests_unlock(bucket);
}
