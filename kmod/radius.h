/* SPDX-License-Identifier: GPL-2.0 */
/* RADIUS packets: what is a request, what answers it, what its attributes say. */
#ifndef _RADSTEER_RADIUS_H
#define _RADSTEER_RADIUS_H

#include <linux/types.h>

/* RFC 2865 section 3: Code, Identifier, Length, Authenticator. */
enum {
	RADIUS_OFFSET_CODE		= 0,
	RADIUS_OFFSET_IDENTIFIER	= 1,
	RADIUS_OFFSET_LENGTH		= 2,
	RADIUS_OFFSET_AUTHENTICATOR	= 4,
	RADIUS_AUTHENTICATOR_SIZE	= 16,
	RADIUS_LENGTH_MIN		= 20,
	RADIUS_LENGTH_MAX		= 4096,
};

enum {
	RADIUS_ACCESS_REQUEST		= 1,
	RADIUS_ACCESS_ACCEPT		= 2,
	RADIUS_ACCESS_REJECT		= 3,
	RADIUS_ACCOUNTING_REQUEST	= 4,
	RADIUS_ACCOUNTING_RESPONSE	= 5,
	RADIUS_ACCESS_CHALLENGE		= 11,
	RADIUS_STATUS_SERVER		= 12,
	RADIUS_PROTOCOL_ERROR		= 52,
};

/* Acct-Status-Type, RFC 2866 section 5.1. */
enum {
	RADIUS_STATUS_START		= 1,
	RADIUS_STATUS_STOP		= 2,
	RADIUS_STATUS_ACCOUNTING_ON	= 7,
	RADIUS_STATUS_ACCOUNTING_OFF	= 8,
};

/* The attributes that are looked for; their Types are in radius.c. */
enum radius_attribute {
	RADIUS_USER_NAME,
	RADIUS_NAS_IP_ADDRESS,
	RADIUS_STATE,
	RADIUS_CALLING_STATION_ID,
	RADIUS_NAS_IDENTIFIER,
	RADIUS_ACCT_STATUS_TYPE,
	RADIUS_ACCT_DELAY_TIME,
	RADIUS_ACCT_SESSION_ID,
	RADIUS_ACCT_SESSION_TIME,
	RADIUS_EVENT_TIMESTAMP,
	RADIUS_NAS_IPV6_ADDRESS,

	RADIUS_ATTRIBUTES
};

#define RADIUS_WANTED(NAME)	(1U << RADIUS_##NAME)

/**
 * struct radius_found - where the attributes of a packet are
 * @seen: bit i is set if attribute i, enum radius_attribute, was found
 * @value: the value of each that was, within the packet
 * @length: octets of that, 1 to 253
 */
struct radius_found {
	u32 seen;
	const u8 *value[RADIUS_ATTRIBUTES];
	u8 length[RADIUS_ATTRIBUTES];
};

void radius_walk(struct radius_found *found, const u8 *attributes,
		 size_t length, u32 wanted);
const u8 *radius_state(const u8 *attributes, size_t length, u8 *own);
bool radius_number(const struct radius_found *found,
		   enum radius_attribute attribute, u32 *number);

unsigned int radius_length(const u8 *header);
bool radius_well_formed(const u8 *header, size_t payload);
bool radius_is_request(u8 code);
bool radius_is_answer(u8 code);
bool radius_answers(u8 request, u8 answer);

#endif /* _RADSTEER_RADIUS_H */
