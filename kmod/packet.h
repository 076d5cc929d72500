/* SPDX-License-Identifier: GPL-2.0 */
/* What is read of a packet. */
#ifndef _RADSTEER_PACKET_H
#define _RADSTEER_PACKET_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ip.h>
#include "radius.h"
#include "radsteer.h"

/**
 * struct radsteer_packet - what was read of a packet
 * @source: where it comes from
 * @destination: where it goes
 * @udp: offset of the UDP header from skb->data
 * @payload: octets of UDP payload, by the UDP header
 * @radius: the RADIUS header, from radsteer_packet_radius() on
 * @attributes: what is behind it, from radsteer_packet_attributes() on, as long
 *	as nothing is written to the packet
 * @attributes_length: octets of that, by the Length of the header
 */
struct radsteer_packet {
	struct radsteer_endpoint source;
	struct radsteer_endpoint destination;
	unsigned int udp;
	unsigned int payload;
	u8 radius[RADIUS_LENGTH_MIN];
	const u8 *attributes;
	unsigned int attributes_length;
};

/**
 * struct radsteer_ports - the ports of a packet
 * @source: where it comes from, network byte order
 * @destination: where it goes, network byte order
 */
struct radsteer_ports {
	__be16 source;
	__be16 destination;
};

/**
 * enum radsteer_glance - what can be seen of a packet at a glance
 * @RADSTEER_GLANCE_UDP: it is UDP and whole, with these ports
 * @RADSTEER_GLANCE_OTHER: it is neither UDP nor an error about it
 * @RADSTEER_GLANCE_UNCLEAR: it takes another look
 */
enum radsteer_glance {
	RADSTEER_GLANCE_UDP,
	RADSTEER_GLANCE_OTHER,
	RADSTEER_GLANCE_UNCLEAR,
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

/**
 * radsteer_packet_glance() - see if a packet can be one of ours at all
 * @ports: filled in if it is UDP
 * @skb: the packet, skb->data at its IP header
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 *
 * This is what every packet of the machine has to pay.
 *
 * Context: a hook.
 * Return: what it seems to be.
 */
static inline enum radsteer_glance
radsteer_packet_glance(struct radsteer_ports *ports, const struct sk_buff *skb,
		       u8 family)
{
	unsigned int room = skb_headlen(skb), offset;
	const struct udphdr *udp;
	u8 protocol;

	if (family == NFPROTO_IPV4) {
		const struct iphdr *ip = (const struct iphdr *)skb->data;

		if (room < sizeof(*ip) || ip_is_fragment(ip) || ip->ihl < 5)
			return RADSTEER_GLANCE_UNCLEAR;
		offset = ip->ihl * 4;
		protocol = ip->protocol;
	} else {
		const struct ipv6hdr *ip6 = (const struct ipv6hdr *)skb->data;

		if (room < sizeof(*ip6))
			return RADSTEER_GLANCE_UNCLEAR;
		offset = sizeof(*ip6);
		protocol = ip6->nexthdr;
	}
	if (protocol == IPPROTO_TCP)
		return RADSTEER_GLANCE_OTHER;
	if (protocol != IPPROTO_UDP || room < offset + sizeof(*udp))
		return RADSTEER_GLANCE_UNCLEAR;
	udp = (const struct udphdr *)(skb->data + offset);
	ports->source = udp->source;
	ports->destination = udp->dest;
	return RADSTEER_GLANCE_UDP;
}

enum radsteer_packet_kind
radsteer_packet_read_any(struct radsteer_packet *packet,
			 const struct sk_buff *skb, u8 family);

/**
 * radsteer_endpoint_ipv4() - fill in an IPv4 address
 * @at: takes it
 * @addr: the address
 *
 * Context: any.
 */
static inline void radsteer_endpoint_ipv4(struct radsteer_endpoint *at,
					  __be32 addr)
{
	at->family = NFPROTO_IPV4;
	at->addr.ip = addr;
	at->addr.all[1] = 0;
	at->addr.all[2] = 0;
	at->addr.all[3] = 0;
}

/**
 * radsteer_packet_udp() - read ports and length where the UDP header is at hand
 * @packet: filled in
 * @skb: the packet
 * @offset: offset of the UDP header, which is in the linear part
 *
 * Context: a hook.
 * Return: false if the UDP header lies about its length.
 */
static inline bool radsteer_packet_udp(struct radsteer_packet *packet,
				       const struct sk_buff *skb,
				       unsigned int offset)
{
	const struct udphdr *udp = (const struct udphdr *)(skb->data + offset);
	unsigned int length = ntohs(udp->len);

	if (length < sizeof(*udp) || length > skb->len - offset)
		return false;
	packet->source.port = udp->source;
	packet->destination.port = udp->dest;
	packet->udp = offset;
	packet->payload = length - sizeof(*udp);
	return true;
}

/**
 * radsteer_packet_read() - read the endpoints of a packet
 * @packet: filled in, but for the RADIUS header, if the packet is UDP
 * @skb: the packet, skb->data at its IP header
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 *
 * Most are without options or extension headers, in one piece, and right.
 *
 * Context: a hook. Raw sockets bring packets of any form to LOCAL_OUT.
 * Return: the kind of packet.
 */
static inline enum radsteer_packet_kind
radsteer_packet_read(struct radsteer_packet *packet, const struct sk_buff *skb,
		     u8 family)
{
	if (family == NFPROTO_IPV4) {
		const struct iphdr *ip = (const struct iphdr *)skb->data;

		if (skb_headlen(skb) < sizeof(*ip) + sizeof(struct udphdr) ||
		    ip->ihl != sizeof(*ip) / 4 || ip->protocol != IPPROTO_UDP ||
		    ip_is_fragment(ip) ||
		    !radsteer_packet_udp(packet, skb, sizeof(*ip)))
			goto other;
		radsteer_endpoint_ipv4(&packet->source, ip->saddr);
		radsteer_endpoint_ipv4(&packet->destination, ip->daddr);
	} else {
		const struct ipv6hdr *ip6 = (const struct ipv6hdr *)skb->data;

		if (skb_headlen(skb) < sizeof(*ip6) + sizeof(struct udphdr) ||
		    ip6->nexthdr != IPPROTO_UDP ||
		    !radsteer_packet_udp(packet, skb, sizeof(*ip6)))
			goto other;
		packet->source.family = NFPROTO_IPV6;
		packet->source.addr.in6 = ip6->saddr;
		packet->destination.family = NFPROTO_IPV6;
		packet->destination.addr.in6 = ip6->daddr;
	}
	return RADSTEER_PACKET_UDP;

other:
	return radsteer_packet_read_any(packet, skb, family);
}

/**
 * radsteer_packet_radius() - read the RADIUS header of a UDP packet (P1)
 * @packet: what radsteer_packet_read() read; the RADIUS header is filled in
 * @skb: the packet
 *
 * Context: a hook.
 * Return: true if the datagram holds a well-formed RADIUS header.
 */
static inline bool radsteer_packet_radius(struct radsteer_packet *packet,
					  const struct sk_buff *skb)
{
	unsigned int offset = packet->udp + sizeof(struct udphdr);

	if (packet->payload < RADIUS_LENGTH_MIN)
		return false;
	if (offset + sizeof(packet->radius) <= skb_headlen(skb))
		memcpy(packet->radius, skb->data + offset,
		       sizeof(packet->radius));
	else if (skb_copy_bits(skb, offset, packet->radius,
			       sizeof(packet->radius)))
		return false;
	return radius_well_formed(packet->radius, packet->payload);
}

bool radsteer_packet_attributes(struct radsteer_packet *packet,
				struct sk_buff *skb);
bool radsteer_packet_sum(const struct radsteer_packet *packet,
			 const struct sk_buff *skb);

/**
 * radsteer_packet_intact() - check the UDP checksum of a packet
 * @packet: what was read of it
 * @skb: the packet
 *
 * A device or a socket may have vouched for it.
 *
 * Context: a hook.
 * Return: true if the packet is what was sent.
 */
static inline bool radsteer_packet_intact(const struct radsteer_packet *packet,
					  const struct sk_buff *skb)
{
	return skb_csum_unnecessary(skb) || radsteer_packet_sum(packet, skb);
}

bool radsteer_packet_icmp(struct radsteer_icmp *icmp,
			  const struct sk_buff *skb, u8 family);
bool radsteer_packet_icmp_intact(const struct radsteer_icmp *icmp,
				 struct sk_buff *skb,
				 const struct nf_hook_state *state);

#endif /* _RADSTEER_PACKET_H */
