// SPDX-License-Identifier: GPL-2.0
/*
 * What is read of a packet. Nothing is believed that was not checked against
 * the datagram itself: a length in a header never makes a packet longer.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include "packet.h"

/* Read the ports of the UDP packet at an offset. */
static enum radsteer_packet_kind read_udp(struct radsteer_packet *packet,
					  const struct sk_buff *skb,
					  unsigned int offset)
{
	const struct udphdr *udp;
	struct udphdr copy;

	udp = skb_header_pointer(skb, offset, sizeof(copy), &copy);
	if (!udp)
		return RADSTEER_PACKET_NOT_UDP;
	packet->udp = offset;
	packet->source.port = udp->source;
	packet->destination.port = udp->dest;
	packet->payload = ntohs(udp->len);
	return RADSTEER_PACKET_UDP;
}

/*
 * Read the endpoints of the IPv4 packet at an offset. Of what is quoted there is
 * no more to come, so a first fragment of it will do.
 */
static enum radsteer_packet_kind read_ipv4(struct radsteer_packet *packet,
					   const struct sk_buff *skb,
					   unsigned int offset)
{
	const struct iphdr *ip;
	struct iphdr copy;
	bool fragment;

	ip = skb_header_pointer(skb, offset, sizeof(copy), &copy);
	if (!ip || ip->protocol != IPPROTO_UDP || ip->ihl < 5)
		return RADSTEER_PACKET_NOT_UDP;
	fragment = ip_is_fragment(ip);
	if (offset)
		fragment = ip->frag_off & htons(IP_OFFSET);
	if (fragment)
		return RADSTEER_PACKET_FRAGMENT;

	radsteer_endpoint_ipv4(&packet->source, ip->saddr);
	radsteer_endpoint_ipv4(&packet->destination, ip->daddr);
	return read_udp(packet, skb, offset + ip->ihl * 4);
}

/*
 * The same of IPv6. Behind a routing header, the destination is a stage of the
 * way and not where the packet goes: such a one is not for us.
 */
static enum radsteer_packet_kind read_ipv6(struct radsteer_packet *packet,
					   const struct sk_buff *skb,
					   unsigned int offset)
{
	const struct ipv6hdr *ip6;
	__be16 frag_off = 0;
	struct ipv6hdr copy;
	int udp, routing;
	u8 protocol;

	ip6 = skb_header_pointer(skb, offset, sizeof(copy), &copy);
	if (!ip6)
		return RADSTEER_PACKET_NOT_UDP;
	packet->source.family = NFPROTO_IPV6;
	packet->source.addr = (union nf_inet_addr){ .in6 = ip6->saddr };
	packet->destination.family = NFPROTO_IPV6;
	packet->destination.addr = (union nf_inet_addr){ .in6 = ip6->daddr };

	udp = offset + sizeof(*ip6);
	protocol = ip6->nexthdr;
	if (protocol != IPPROTO_UDP) {
		udp = ipv6_skip_exthdr(skb, udp, &protocol, &frag_off);
		if (udp < 0 || protocol != IPPROTO_UDP)
			return RADSTEER_PACKET_NOT_UDP;
		if (frag_off & htons(offset ? IP6_OFFSET : IP6_OFFSET | IP6_MF))
			return RADSTEER_PACKET_FRAGMENT;
		routing = offset;
		if (ipv6_find_hdr(skb, &routing, NEXTHDR_ROUTING, NULL,
				  NULL) >= 0)
			return RADSTEER_PACKET_NOT_UDP;
	}
	return read_udp(packet, skb, udp);
}

static enum radsteer_packet_kind read_packet(struct radsteer_packet *packet,
					     const struct sk_buff *skb,
					     unsigned int offset, u8 family)
{
	if (family == NFPROTO_IPV4)
		return read_ipv4(packet, skb, offset);
	return read_ipv6(packet, skb, offset);
}

/**
 * radsteer_packet_read_any() - read the endpoints of a packet, whatever its form
 * @packet: filled in, but for the RADIUS header, if the packet is UDP
 * @skb: the packet, skb->data at its IP header
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 *
 * Context: a hook. Raw sockets bring packets of any form to LOCAL_OUT.
 * Return: the kind of packet.
 */
enum radsteer_packet_kind
radsteer_packet_read_any(struct radsteer_packet *packet,
			 const struct sk_buff *skb, u8 family)
{
	enum radsteer_packet_kind kind;

	kind = read_packet(packet, skb, 0, family);
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
 * radsteer_packet_attributes() - get the attributes of a packet in one piece (P8)
 * @packet: what was read of it, a well-formed RADIUS header included; the
 *	attributes are filled in, none if there is no memory
 * @skb: the packet; pointers into it are not valid any more
 *
 * One that came in one piece is left as it is.
 *
 * Context: a hook.
 * Return: true if they are there.
 */
bool radsteer_packet_attributes(struct radsteer_packet *packet,
				struct sk_buff *skb)
{
	unsigned int offset = packet->udp + sizeof(struct udphdr);
	unsigned int length = radius_length(packet->radius);

	packet->attributes = NULL;
	packet->attributes_length = 0;
	if (!pskb_may_pull(skb, offset + length))
		return false;
	packet->attributes = skb->data + offset + RADIUS_LENGTH_MIN;
	packet->attributes_length = length - RADIUS_LENGTH_MIN;
	return true;
}

/**
 * radsteer_packet_sum() - check the UDP checksum of a packet by its octets
 * @packet: what was read of it
 * @skb: the packet
 *
 * Without one, IPv4 has nothing to check; with IPv6 there has to be one.
 *
 * Context: a hook.
 * Return: true if the packet is what was sent.
 */
bool radsteer_packet_sum(const struct radsteer_packet *packet,
			 const struct sk_buff *skb)
{
	unsigned int length = sizeof(struct udphdr) + packet->payload;
	const struct udphdr *udp;
	struct udphdr copy;
	__wsum sum;

	udp = skb_header_pointer(skb, packet->udp, sizeof(copy), &copy);
	if (!udp)
		return false;
	if (!udp->check)
		return packet->source.family == NFPROTO_IPV4;

	sum = skb_checksum(skb, packet->udp, length, 0);
	if (packet->source.family == NFPROTO_IPV4)
		return !csum_tcpudp_magic(packet->source.addr.ip,
					  packet->destination.addr.ip, length,
					  IPPROTO_UDP, sum);
	return !csum_ipv6_magic(&packet->source.addr.in6,
				&packet->destination.addr.in6, length,
				IPPROTO_UDP, sum);
}

/* Find the header of an ICMP error that says what became of a packet. */
static bool icmp_ipv4(struct radsteer_icmp *icmp, union nf_inet_addr *to,
		      const struct sk_buff *skb)
{
	const struct icmphdr *header;
	const struct iphdr *ip;
	struct icmphdr header_copy;
	struct iphdr ip_copy;

	ip = skb_header_pointer(skb, 0, sizeof(ip_copy), &ip_copy);
	if (!ip || ip->protocol != IPPROTO_ICMP || ip->ihl < 5 ||
	    ip_is_fragment(ip))
		return false;
	*to = (union nf_inet_addr){ .ip = ip->daddr };
	icmp->header = ip->ihl * 4;
	header = skb_header_pointer(skb, icmp->header, sizeof(header_copy),
				    &header_copy);
	if (!header)
		return false;
	icmp->unreachable = header->type == ICMP_DEST_UNREACH &&
			    header->code != ICMP_FRAG_NEEDED;
	return header->type == ICMP_DEST_UNREACH ||
	       header->type == ICMP_TIME_EXCEEDED ||
	       header->type == ICMP_PARAMETERPROB;
}

static bool icmp_ipv6(struct radsteer_icmp *icmp, union nf_inet_addr *to,
		      const struct sk_buff *skb)
{
	const struct icmp6hdr *header;
	const struct ipv6hdr *ip6;
	struct icmp6hdr header_copy;
	struct ipv6hdr ip6_copy;
	__be16 frag_off = 0;
	u8 protocol;
	int offset;

	ip6 = skb_header_pointer(skb, 0, sizeof(ip6_copy), &ip6_copy);
	if (!ip6)
		return false;
	*to = (union nf_inet_addr){ .in6 = ip6->daddr };
	protocol = ip6->nexthdr;
	offset = ipv6_skip_exthdr(skb, sizeof(*ip6), &protocol, &frag_off);
	if (offset < 0 || protocol != IPPROTO_ICMPV6 || frag_off)
		return false;
	icmp->header = offset;
	header = skb_header_pointer(skb, icmp->header, sizeof(header_copy),
				    &header_copy);
	if (!header)
		return false;
	icmp->unreachable = header->icmp6_type == ICMPV6_DEST_UNREACH;
	return header->icmp6_type == ICMPV6_DEST_UNREACH ||
	       header->icmp6_type == ICMPV6_PKT_TOOBIG ||
	       header->icmp6_type == ICMPV6_TIME_EXCEED ||
	       header->icmp6_type == ICMPV6_PARAMPROB;
}

/**
 * radsteer_packet_icmp() - read what an ICMP error says of a UDP packet
 * @icmp: filled in
 * @skb: the packet, skb->data at its IP header
 * @family: NFPROTO_IPV4 or NFPROTO_IPV6
 *
 * Destination-unreachable counts, whatever was not reached (S1), but for
 * fragmentation-needed, which says that the way is there. The packet need not
 * be quoted whole: a router may quote no more of it than addresses and ports.
 *
 * Context: a hook.
 * Return: true if it is an error that quotes a UDP packet.
 */
bool radsteer_packet_icmp(struct radsteer_icmp *icmp,
			  const struct sk_buff *skb, u8 family)
{
	struct radsteer_packet *packet = &icmp->packet;
	union nf_inet_addr to;

	if (!(family == NFPROTO_IPV4 ? icmp_ipv4(icmp, &to, skb) :
				       icmp_ipv6(icmp, &to, skb)))
		return false;
	/* The header of an error is as long in ICMPv6. */
	icmp->quote = icmp->header + sizeof(struct icmphdr);
	if (read_packet(packet, skb, icmp->quote, family) !=
	    RADSTEER_PACKET_UDP)
		return false;
	/* It goes to whoever sent what it quotes, or it is none. */
	if (!nf_inet_addr_cmp(&to, &packet->source.addr))
		return false;
	/* Its length is that of the packet, not of what is quoted of it. */
	packet->payload -= min_t(unsigned int, packet->payload,
				 sizeof(struct udphdr));
	icmp->whole = radsteer_packet_radius(packet, skb);
	return true;
}

/**
 * radsteer_packet_icmp_intact() - check the checksum of an ICMP error
 * @icmp: what was read of it
 * @skb: the packet
 * @state: state of the hook
 *
 * A damaged one says nothing, and is not to leave with a checksum that is right.
 *
 * Context: a hook.
 * Return: true if the packet is what was sent.
 */
bool radsteer_packet_icmp_intact(const struct radsteer_icmp *icmp,
				 struct sk_buff *skb,
				 const struct nf_hook_state *state)
{
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		return true;
	/* Of a sum by a device, not every hook makes something. */
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;
	return !nf_checksum(skb, state->hook, icmp->header,
			    state->pf == NFPROTO_IPV4 ? IPPROTO_ICMP :
							IPPROTO_ICMPV6,
			    state->pf);
}
