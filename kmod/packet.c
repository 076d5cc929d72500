// SPDX-License-Identifier: GPL-2.0
/*
 * What is read of a packet. Nothing is believed that was not checked against
 * the datagram itself: a length in a header never makes a packet longer.
 */
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/ip.h>
#include "packet.h"

/**
 * radsteer_packet_ipv4() - read the endpoints of an IPv4 packet
 * @packet: filled in, but for the RADIUS header, if the packet is UDP
 * @skb: the packet, skb->data at its IPv4 header
 *
 * Context: a hook. Raw sockets bring packets of any form to LOCAL_OUT.
 * Return: the kind of packet.
 */
enum radsteer_packet_kind radsteer_packet_ipv4(struct radsteer_packet *packet,
					       const struct sk_buff *skb)
{
	const struct iphdr *ip;
	const struct udphdr *udp;
	struct iphdr ip_copy;
	struct udphdr udp_copy;
	unsigned int length, udp_length;

	ip = skb_header_pointer(skb, 0, sizeof(ip_copy), &ip_copy);
	if (!ip || ip->protocol != IPPROTO_UDP || ip->ihl < 5)
		return RADSTEER_PACKET_NOT_UDP;
	if (ip_is_fragment(ip))
		return RADSTEER_PACKET_FRAGMENT;

	packet->udp = ip->ihl * 4;
	udp = skb_header_pointer(skb, packet->udp, sizeof(udp_copy), &udp_copy);
	if (!udp)
		return RADSTEER_PACKET_NOT_UDP;

	packet->family = NFPROTO_IPV4;
	packet->source.addr = (union nf_inet_addr){ .ip = ip->saddr };
	packet->source.port = udp->source;
	packet->destination.addr = (union nf_inet_addr){ .ip = ip->daddr };
	packet->destination.port = udp->dest;

	/* A UDP header that lies about its length leaves no payload. */
	length = skb->len - packet->udp;
	udp_length = ntohs(udp->len);
	if (udp_length < sizeof(*udp) || udp_length > length)
		packet->payload = 0;
	else
		packet->payload = udp_length - sizeof(*udp);
	return RADSTEER_PACKET_UDP;
}

/**
 * radsteer_packet_radius() - read the RADIUS header of a UDP packet (P1)
 * @packet: what radsteer_packet_ipv4() read; the RADIUS header is filled in
 * @skb: the packet
 *
 * Context: a hook.
 * Return: true if the datagram holds a well-formed RADIUS header.
 */
bool radsteer_packet_radius(struct radsteer_packet *packet,
			    const struct sk_buff *skb)
{
	if (packet->payload < RADIUS_LENGTH_MIN)
		return false;
	if (skb_copy_bits(skb, packet->udp + sizeof(struct udphdr),
			  packet->radius, sizeof(packet->radius)))
		return false;
	return radius_well_formed(packet->radius, packet->payload);
}
