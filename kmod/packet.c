// SPDX-License-Identifier: GPL-2.0
/*
 * What is read of a packet. Nothing is believed that was not checked against
 * the datagram itself: a length in a header never makes a packet longer.
 */
#include <linux/icmp.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/ip.h>
#include "packet.h"

/*
 * Read the endpoints of the IPv4 packet at an offset. Of what is quoted there is
 * no more to come, so a first fragment of it will do.
 */
static enum radsteer_packet_kind read_ipv4(struct radsteer_packet *packet,
					   const struct sk_buff *skb,
					   unsigned int offset)
{
	const struct iphdr *ip;
	const struct udphdr *udp;
	struct iphdr ip_copy;
	struct udphdr udp_copy;
	bool fragment;

	ip = skb_header_pointer(skb, offset, sizeof(ip_copy), &ip_copy);
	if (!ip || ip->protocol != IPPROTO_UDP || ip->ihl < 5)
		return RADSTEER_PACKET_NOT_UDP;
	fragment = ip_is_fragment(ip);
	if (offset)
		fragment = ip->frag_off & htons(IP_OFFSET);
	if (fragment)
		return RADSTEER_PACKET_FRAGMENT;

	packet->udp = offset + ip->ihl * 4;
	udp = skb_header_pointer(skb, packet->udp, sizeof(udp_copy), &udp_copy);
	if (!udp)
		return RADSTEER_PACKET_NOT_UDP;

	packet->family = NFPROTO_IPV4;
	packet->source.addr = (union nf_inet_addr){ .ip = ip->saddr };
	packet->source.port = udp->source;
	packet->destination.addr = (union nf_inet_addr){ .ip = ip->daddr };
	packet->destination.port = udp->dest;
	packet->payload = ntohs(udp->len);
	return RADSTEER_PACKET_UDP;
}

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
	enum radsteer_packet_kind kind = read_ipv4(packet, skb, 0);

	if (kind != RADSTEER_PACKET_UDP)
		return kind;
	/* A UDP header that lies about its length leaves no payload. */
	if (packet->payload < sizeof(struct udphdr) ||
	    packet->payload > skb->len - packet->udp)
		packet->payload = 0;
	else
		packet->payload -= sizeof(struct udphdr);
	return kind;
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

/**
 * radsteer_packet_unreachable() - read what an ICMP error says of a request
 * @packet: filled in with the packet that it quotes
 * @skb: the packet, skb->data at its IPv4 header
 *
 * Destination-unreachable counts, whatever was not reached (S1), but for
 * fragmentation-needed, which says that the way is there. The packet need not
 * be quoted whole, but its RADIUS header has to be.
 *
 * Context: a hook.
 * Return: true if a RADIUS packet could not be delivered.
 */
bool radsteer_packet_unreachable(struct radsteer_packet *packet,
				 const struct sk_buff *skb)
{
	const struct icmphdr *icmp;
	const struct iphdr *ip;
	struct icmphdr icmp_copy;
	struct iphdr ip_copy;
	unsigned int offset;

	ip = skb_header_pointer(skb, 0, sizeof(ip_copy), &ip_copy);
	if (!ip || ip->protocol != IPPROTO_ICMP || ip->ihl < 5 ||
	    ip_is_fragment(ip))
		return false;
	offset = ip->ihl * 4;
	icmp = skb_header_pointer(skb, offset, sizeof(icmp_copy), &icmp_copy);
	if (!icmp || icmp->type != ICMP_DEST_UNREACH ||
	    icmp->code == ICMP_FRAG_NEEDED)
		return false;
	if (read_ipv4(packet, skb, offset + sizeof(*icmp)) !=
	    RADSTEER_PACKET_UDP)
		return false;
	/* Its length is that of the packet, not of what is quoted of it. */
	packet->payload -= min_t(unsigned int, packet->payload,
				 sizeof(struct udphdr));
	return radsteer_packet_radius(packet, skb);
}
