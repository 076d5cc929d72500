// SPDX-License-Identifier: GPL-2.0
/*
 * RADIUS packets: what is a request, what answers it, what its attributes say.
 *
 * PURE: functions from arguments to results, compiled in user space too.
 */
#include "radius.h"

/**
 * radius_length() - read the Length of a RADIUS header
 * @header: the first RADIUS_LENGTH_MIN octets of the packet
 *
 * Context: any.
 * Return: the Length, well-formed or not.
 */
unsigned int radius_length(const u8 *header)
{
	return header[RADIUS_OFFSET_LENGTH] << 8 |
	       header[RADIUS_OFFSET_LENGTH + 1];
}

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
	size_t length = radius_length(header);

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

enum {
	TYPE_STATE	= 24,
};

/* RFC 2865, 2866, 2869 and 3162. An attribute that is not looked for is 0. */
static const u8 attribute_of[] = {
	[1]	= RADIUS_USER_NAME + 1,
	[4]	= RADIUS_NAS_IP_ADDRESS + 1,
	[TYPE_STATE] = RADIUS_STATE + 1,
	[31]	= RADIUS_CALLING_STATION_ID + 1,
	[32]	= RADIUS_NAS_IDENTIFIER + 1,
	[40]	= RADIUS_ACCT_STATUS_TYPE + 1,
	[41]	= RADIUS_ACCT_DELAY_TIME + 1,
	[44]	= RADIUS_ACCT_SESSION_ID + 1,
	[46]	= RADIUS_ACCT_SESSION_TIME + 1,
	[55]	= RADIUS_EVENT_TIMESTAMP + 1,
	[95]	= RADIUS_NAS_IPV6_ADDRESS + 1,
};

/**
 * radius_walk() - look for attributes (P8)
 * @found: filled in
 * @attributes: the attributes of the packet, behind its header; may be NULL where
 *	there are none
 * @length: octets of them, by the Length of the packet
 * @wanted: bit i is set if attribute i, enum radius_attribute, is looked for
 *
 * The walk ends when all are found, at the end of the packet, or at an attribute
 * that is malformed: too short for itself, or beyond the end. What was found
 * before that counts. Of several of a kind the first one does; one without a
 * value says nothing.
 *
 * Context: any.
 */
void radius_walk(struct radius_found *found, const u8 *attributes,
		 size_t length, u32 wanted)
{
	found->seen = 0;
	while (wanted && length > 2) {
		unsigned int type = attributes[0], own = attributes[1];
		unsigned int i;

		if (own < 2 || own > length)
			return;
		i = type < sizeof(attribute_of) ? attribute_of[type] : 0;
		if (i-- && own > 2 && wanted & 1U << i) {
			found->value[i] = attributes + 2;
			found->length[i] = own - 2;
			found->seen |= 1U << i;
			wanted &= ~(1U << i);
		}
		attributes += own;
		length -= own;
	}
}

/**
 * radius_state() - look for State alone (P8)
 * @attributes: as radius_walk() has them
 * @length: octets of them
 * @own: takes the octets of the value, if there is one
 *
 * What radius_walk() finds, where most packets are asked for nothing else.
 *
 * Context: any.
 * Return: the value within the packet, NULL if there is none.
 */
const u8 *radius_state(const u8 *attributes, size_t length, u8 *own)
{
	while (length > 2) {
		unsigned int step = attributes[1];

		if (step < 2 || step > length)
			break;
		if (attributes[0] == TYPE_STATE && step > 2) {
			*own = step - 2;
			return attributes + 2;
		}
		attributes += step;
		length -= step;
	}
	return NULL;
}

/**
 * radius_number() - read the value of an attribute that holds a number
 * @found: what was found
 * @attribute: the attribute
 * @number: takes the number, 0 if there is none
 *
 * Context: any.
 * Return: true if the attribute is there and has four octets.
 */
bool radius_number(const struct radius_found *found,
		   enum radius_attribute attribute, u32 *number)
{
	const u8 *value;

	*number = 0;
	if (!(found->seen & 1U << attribute) || found->length[attribute] != 4)
		return false;
	value = found->value[attribute];
	*number = (u32)value[0] << 24 | value[1] << 16 | value[2] << 8 |
		  value[3];
	return true;
}
