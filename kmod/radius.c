// SPDX-License-Identifier: GPL-2.0
/*
 * The RADIUS header: what is a request, and what answers it.
 *
 * PURE: functions from arguments to results, compiled in user space too.
 */
#include "radius.h"

/**
 * radius_well_formed() - judge a RADIUS header against its datagram (P1)
 * @header: the first RADIUS_LENGTH_MIN octets of the datagram's payload
 * @payload: octets of UDP payload in the datagram, as UDP counts them
 *
 * Octets past Length are padding and no fault; a Length past the datagram is.
 *
 * Context: any.
 * Return: true if 20 <= Length <= 4096 and Length <= @payload.
 */
bool radius_well_formed(const u8 *header, size_t payload)
{
	size_t length = header[RADIUS_OFFSET_LENGTH] << 8 |
			header[RADIUS_OFFSET_LENGTH + 1];

	return length >= RADIUS_LENGTH_MIN && length <= RADIUS_LENGTH_MAX &&
	       length <= payload;
}

/**
 * radius_is_request() - tell the codes that are steered (P1)
 * @code: Code of a RADIUS header
 *
 * Context: any.
 * Return: true for Access-Request, Accounting-Request and Status-Server.
 */
bool radius_is_request(u8 code)
{
	return code == RADIUS_ACCESS_REQUEST ||
	       code == RADIUS_ACCOUNTING_REQUEST ||
	       code == RADIUS_STATUS_SERVER;
}

/**
 * radius_is_answer() - tell the codes that answer some request (R5)
 * @code: Code of a RADIUS header
 *
 * Context: any.
 * Return: true if a steered request can have an answer of this code.
 */
bool radius_is_answer(u8 code)
{
	/* Status-Server takes every answer that there is. */
	return radius_answers(RADIUS_STATUS_SERVER, code);
}

/**
 * radius_answers() - tell whether a code answers a request's code (R5)
 * @request: Code of the request
 * @answer: Code of what came from its server
 *
 * Context: any.
 * Return: true if @answer is one of those that @request can have.
 */
bool radius_answers(u8 request, u8 answer)
{
	switch (answer) {
	case RADIUS_ACCESS_ACCEPT:
	case RADIUS_ACCESS_REJECT:
	case RADIUS_ACCESS_CHALLENGE:
		return request == RADIUS_ACCESS_REQUEST ||
		       request == RADIUS_STATUS_SERVER;
	case RADIUS_ACCOUNTING_RESPONSE:
		return request == RADIUS_ACCOUNTING_REQUEST ||
		       request == RADIUS_STATUS_SERVER;
	case RADIUS_PROTOCOL_ERROR:
		return radius_is_request(request);
	default:
		return false;
	}
}
