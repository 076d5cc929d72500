/* SPDX-License-Identifier: GPL-2.0 */
/* What is read of a packet. */
#ifndef _RADSTEER_PACKET_H
#define _RADSTEER_PACKET_H

#include <linux/skbuff.h>
#include "radius.h"
#include "radsteer.h"

/**
 * struct radsteer_packet - what was read of a packet
 * @source: where it comes from
 * @destination: where it goes
 * @udp: offset of the UDP header from skb->data
 * @payload: octets of UDP payload, by the UDP header
 * @radius: the RADIUS header, from radsteer_packet_radius() on
 */
struct radsteer_packet {
	struct radsteer_endpoint source;
	struct radsteer_endpoint destination;
	unsigned int udp;
	unsigned int payload;
	u8 radius[RADIUS_LENGTH_MIN];
};

/**
 * enum radsteer_packet_kind - what kind of packet it is
 * @RADSTEER_PACKET_UDP: UDP, the endpoints were read
 * @RADSTEER_PACKET_NOT_UDP: something else, or too short for the headers
 * @RADSTEER_PACKET_FRAGMENT: a fragment that was not reassembled
 */
enum radsteer_packet_kind {
	RADSTEER_PACKET_UDP,
	RADSTEER_PACKET_NOT_UDP,
	RADSTEER_PACKET_FRAGMENT,
};

/**
 * struct radsteer_icmp - an ICMP error, and the packet that it quotes
 * @packet: the quoted packet; its offset is from skb->data of the error
 * @header: offset of the ICMP header from skb->data
 * @quote: offset of the quoted IP header from skb->data
 * @unreachable: the packet did not get where it should (S1)
 * @whole: the RADIUS header is quoted, and well-formed
 */
struct radsteer_icmp {
	struct radsteer_packet packet;
	unsigned int header;
	unsigned int quote;
	bool unreachable;
	bool whole;
};

enum radsteer_packet_kind radsteer_packet_read(struct radsteer_packet *packet,
					       const struct sk_buff *skb,
					       u8 family);
bool radsteer_packet_radius(struct radsteer_packet *packet,
			    const struct sk_buff *skb);
bool radsteer_packet_intact(const struct radsteer_packet *packet,
			    const struct sk_buff *skb);
bool radsteer_packet_icmp(struct radsteer_icmp *icmp,
			  const struct sk_buff *skb, u8 family);
bool radsteer_packet_icmp_intact(const struct radsteer_icmp *icmp,
				 struct sk_buff *skb,
				 const struct nf_hook_state *state);

#endif /* _RADSTEER_PACKET_H */
