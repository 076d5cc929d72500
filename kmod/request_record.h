/* SPDX-License-Identifier: GPL-2.0 */
/* Retransmitted accounting that looks new (T3). */
#ifndef _RADSTEER_REQUEST_RECORD_H
#define _RADSTEER_REQUEST_RECORD_H

#include "keys.h"
#include "request_table.h"

/**
 * struct radsteer_record - where the copy before of an accounting request is
 * @request: the request, only a number until it is found in its bucket again
 * @key: what it shares with its retransmissions
 * @delay: its Acct-Delay-Time; this and the next ones tell it from another report
 *	that has taken its Identifier, and maybe its memory (T2)
 * @stamp: value of what @stamp_kind says
 * @stamp_kind: enum radsteer_stamp
 * @port: port of the client, network byte order
 * @identifier: Identifier
 */
struct radsteer_record {
	const struct radsteer_request *request;
	u64 key;
	u32 delay;
	u32 stamp;
	u8 stamp_kind;
	__be16 port;
	u8 identifier;
};

/**
 * struct radsteer_inherited - what a request takes over from the copy before
 * @server: the server that it was sent to last, referenced
 * @former: the servers it was sent to before, NULL if there is none
 * @copies: copies that @server got
 * @failovers: how often it moved
 */
struct radsteer_inherited {
	struct radsteer_server *server;
	struct radsteer_former *former;
	u8 copies;
	u8 failovers;
};

bool radsteer_record_find(struct radsteer_requests *requests,
			  const struct radsteer_keys *keys,
			  struct radsteer_record *record);
void radsteer_record_take(struct radsteer_requests *requests,
			  struct radsteer_bucket *bucket,
			  const struct radsteer_record *record,
			  struct radsteer_inherited *inherited);
void radsteer_inherited_put(struct radsteer_inherited *inherited);

#endif /* _RADSTEER_REQUEST_RECORD_H */
