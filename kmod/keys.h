/* SPDX-License-Identifier: GPL-2.0 */
/* What a packet is known by: hashes of what its attributes say. */
#ifndef _RADSTEER_KEYS_H
#define _RADSTEER_KEYS_H

#include "binding_table.h"
#include "packet.h"

/**
 * enum radsteer_stamp - what tells one report of a session from the next (T3)
 * @RADSTEER_STAMP_NONE: nothing
 * @RADSTEER_STAMP_EVENT: Event-Timestamp
 * @RADSTEER_STAMP_SESSION: Acct-Session-Time
 */
enum radsteer_stamp {
	RADSTEER_STAMP_NONE,
	RADSTEER_STAMP_EVENT,
	RADSTEER_STAMP_SESSION,
};

/**
 * struct radsteer_keys - what a request is known by; keys are 0 for nothing
 * @state: client and State (E1)
 * @session: client and Acct-Session-Id (A3)
 * @user: client and Calling-Station-Id, or User-Name (A3)
 * @record: what all retransmissions of an accounting request share (T3)
 * @status: Acct-Status-Type, 0 if there is none
 * @delay: Acct-Delay-Time, 0 if there is none
 * @stamp: value of what @stamp_kind says
 * @stamp_kind: enum radsteer_stamp
 * @follow: it is accounting that follows authentication (A1)
 */
struct radsteer_keys {
	u64 state;
	u64 session;
	u64 user;
	u64 record;
	u32 status;
	u32 delay;
	u32 stamp;
	u8 stamp_kind;
	bool follow;
};

void radsteer_keys_access(struct radsteer_keys *keys,
			  const struct radsteer_bindings *bindings,
			  const struct radsteer_packet *packet, bool follow);
void radsteer_keys_accounting(struct radsteer_keys *keys,
			      const struct radsteer_bindings *bindings,
			      const struct radsteer_packet *packet,
			      const struct radsteer_group *group, bool follow);
u64 radsteer_keys_challenge(const struct radsteer_bindings *bindings,
			    const struct radsteer_packet *packet);

#endif /* _RADSTEER_KEYS_H */
