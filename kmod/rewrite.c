// SPDX-License-Identifier: GPL-2.0
/*
 * The only code that writes to a packet: an address, a port, and the checksums
 * over them. The payload is never touched (R1), nor the client's side (P4).
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/dst.h>
#include "rewrite.h"

/**
 * radsteer_rewrite_prepare() - make a packet writable
 * @skb: the packet
 * @packet: what was read of it
 *
 * Context: a hook. Pointers into @skb are stale afterwards.
 * Return: 0, or -ENOMEM with the packet as it was.
 */
int radsteer_rewrite_prepare(struct sk_buff *skb,
			     const struct radsteer_packet *packet)
{
	return skb_ensure_writable(skb, packet->udp + sizeof(struct udphdr));
}

/*
 * Write one endpoint. The UDP checksum is not there if the sender left it out;
 * then it stays out. CHECKSUM_PARTIAL holds the pseudo header's sum, which may
 * be 0 and is to be changed all the same.
 */
static void rewrite(struct sk_buff *skb, const struct radsteer_packet *packet,
		    const struct radsteer_endpoint *to, bool source)
{
	const struct radsteer_endpoint *from;
	struct udphdr *udp;

	from = source ? &packet->source : &packet->destination;
	udp = (struct udphdr *)(skb->data + packet->udp);
	if (udp->check || skb->ip_summed == CHECKSUM_PARTIAL) {
		if (to->family == NFPROTO_IPV4)
			inet_proto_csum_replace4(&udp->check, skb,
						 from->addr.ip, to->addr.ip,
						 true);
		else
			inet_proto_csum_replace16(&udp->check, skb,
						  from->addr.ip6, to->addr.ip6,
						  true);
		inet_proto_csum_replace2(&udp->check, skb, from->port,
					 to->port, false);
		/* A sum of 0 would say that there is none. */
		if (!udp->check)
			udp->check = CSUM_MANGLED_0;
	}
	if (source)
		udp->source = to->port;
	else
		udp->dest = to->port;

	if (to->family == NFPROTO_IPV4) {
		struct iphdr *ip = ip_hdr(skb);

		csum_replace4(&ip->check, from->addr.ip, to->addr.ip);
		*(source ? &ip->saddr : &ip->daddr) = to->addr.ip;
	} else {
		struct ipv6hdr *ip6 = ipv6_hdr(skb);

		*(source ? &ip6->saddr : &ip6->daddr) = to->addr.in6;
	}
}

/**
 * radsteer_rewrite_source() - give an answer the address that was asked (R1)
 * @skb: the packet, prepared
 * @packet: what was read of it
 * @to: the address and port that the client sent to
 * @state: state of the hook
 *
 * Context: LOCAL_IN or POST_ROUTING.
 */
void radsteer_rewrite_source(struct sk_buff *skb,
			     const struct radsteer_packet *packet,
			     const struct radsteer_endpoint *to,
			     const struct nf_hook_state *state)
{
	rewrite(skb, packet, to, true);
	/* A socket may have been found already, by the server's address. */
	if (state->hook == NF_INET_LOCAL_IN)
		skb_orphan(skb);
}

/**
 * radsteer_rewrite_destination() - send a request to its server
 * @skb: the packet, prepared
 * @packet: what was read of it
 * @to: where the server listens
 *
 * Context: PRE_ROUTING or LOCAL_OUT.
 */
void radsteer_rewrite_destination(struct sk_buff *skb,
				  const struct radsteer_packet *packet,
				  const struct radsteer_endpoint *to)
{
	rewrite(skb, packet, to, false);
}

/**
 * radsteer_rewrite_route() - let a rewritten request find its way anew
 * @skb: the packet, its destination changed
 * @state: state of the hook
 *
 * A packet that was sent here has its route already and gets another one, the
 * IPsec policy of its new destination included. A packet from the wire is
 * routed later; if it came over the loopback device, it still holds the route
 * that it was sent by, and that goes.
 *
 * Context: PRE_ROUTING or LOCAL_OUT.
 * Return: 0, or a negative error if there is no route.
 */
int radsteer_rewrite_route(struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	if (state->hook == NF_INET_LOCAL_OUT) {
		if (state->pf == NFPROTO_IPV4)
			return ip_route_me_harder(state->net, state->sk, skb,
						  RTN_UNSPEC);
		return nf_ip6_route_me_harder(state->net, state->sk, skb);
	}
	skb_dst_drop(skb);
	return 0;
}
