/* SPDX-License-Identifier: GPL-2.0 */
/* The RADIUS header: what is a request, and what answers it. */
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

bool radius_well_formed(const u8 *header, size_t payload);
bool radius_is_request(u8 code);
bool radius_is_answer(u8 code);
bool radius_answers(u8 request, u8 answer);

#endif /* _RADSTEER_RADIUS_H */
