/* SPDX-License-Identifier: GPL-2.0 */
/* What becomes of requests and answers. */
#ifndef _RADSTEER_REQUEST_H
#define _RADSTEER_REQUEST_H

#include "packet.h"
#include "radsteer.h"

/**
 * enum radsteer_sent - what becomes of a packet that is a request
 * @RADSTEER_SENT_STEERED: it goes to the server that was chosen
 * @RADSTEER_SENT_AGAIN: it is on its way to its server already
 * @RADSTEER_SENT_HAIRPIN: only the host that it comes from could take it (P10)
 */
enum radsteer_sent {
	RADSTEER_SENT_STEERED,
	RADSTEER_SENT_AGAIN,
	RADSTEER_SENT_HAIRPIN,
};

/**
 * enum radsteer_answer - what a packet from a server is
 * @RADSTEER_ANSWER_STRAY: it answers nothing that is known (R4)
 * @RADSTEER_ANSWER_DELIVER: it goes to the client (R1)
 * @RADSTEER_ANSWER_LATE: another server answered before (R2)
 * @RADSTEER_ANSWER_AGAIN: it was given back, and comes past once more
 */
enum radsteer_answer {
	RADSTEER_ANSWER_STRAY,
	RADSTEER_ANSWER_DELIVER,
	RADSTEER_ANSWER_LATE,
	RADSTEER_ANSWER_AGAIN,
};

enum radsteer_sent
radsteer_request_send(struct radsteer_requests *requests,
		      const struct radsteer_snapshot *snapshot,
		      unsigned int service, bool forwarded,
		      const struct radsteer_packet *packet,
		      struct radsteer_endpoint *to);
bool radsteer_request_has_up(const struct radsteer_snapshot *snapshot,
			     unsigned int service,
			     const union nf_inet_addr *client);
void radsteer_request_direct(struct radsteer_requests *requests,
			     const struct radsteer_packet *packet);
enum radsteer_answer
radsteer_request_answer(struct radsteer_requests *requests,
			const struct radsteer_packet *packet, u64 state,
			struct radsteer_endpoint *asked);
bool radsteer_request_error(struct radsteer_requests *requests,
			    const struct radsteer_icmp *icmp,
			    struct radsteer_endpoint *asked, u8 *code);
bool radsteer_request_answer_error(struct radsteer_requests *requests,
				   const struct radsteer_icmp *icmp,
				   struct radsteer_endpoint *server);

#endif /* _RADSTEER_REQUEST_H */
