/* SPDX-License-Identifier: GPL-2.0 */
/* What tells one request from another: shared by what looks for requests. */
#ifndef _RADSTEER_REQUEST_MATCH_H
#define _RADSTEER_REQUEST_MATCH_H

#include <linux/ktime.h>
#include "config.h"
#include "packet.h"
#include "request_table.h"

static inline u8 packet_code(const struct radsteer_packet *packet)
{
	return packet->radius[RADIUS_OFFSET_CODE];
}

static inline u8 packet_identifier(const struct radsteer_packet *packet)
{
	return packet->radius[RADIUS_OFFSET_IDENTIFIER];
}

static inline const u8 *
packet_authenticator(const struct radsteer_packet *packet)
{
	return packet->radius + RADIUS_OFFSET_AUTHENTICATOR;
}

static inline bool request_is_from(const struct radsteer_request *request,
				   const struct radsteer_endpoint *client,
				   u8 identifier)
{
	return request->identifier == identifier &&
	       radsteer_endpoint_equal(&request->client, client);
}

/* The same packet, whatever has become of its destination. */
static inline bool request_is_quoted(const struct radsteer_request *request,
				     const struct radsteer_packet *packet)
{
	return request->code == packet_code(packet) &&
	       !memcmp(request->authenticator, packet_authenticator(packet),
		       sizeof(request->authenticator));
}

/* Microseconds that wrap; 0 is for "not measured". */
static inline u32 request_clock(void)
{
	u32 us = ktime_to_us(ktime_get());

	return us ?: 1;
}

/* Its last copy, duplicates included, came less than that long ago. */
static inline bool request_seen_within(const struct radsteer_request *request,
				       unsigned int ms)
{
	return (u32)jiffies - READ_ONCE(request->seen) < msecs_to_jiffies(ms);
}

/* R2: the server of a request that listens there, NULL if none does. */
static inline struct radsteer_server *
request_sent_to(const struct radsteer_request *request,
		const struct radsteer_endpoint *at)
{
	const struct radsteer_former *former = request->former;
	unsigned int i;

	if (radsteer_endpoint_equal(&request->server->at, at))
		return request->server;
	for (i = 0; former && i < former->count; i++)
		if (radsteer_endpoint_equal(&former->server[i]->at, at))
			return former->server[i];
	return NULL;
}

#endif /* _RADSTEER_REQUEST_MATCH_H */
