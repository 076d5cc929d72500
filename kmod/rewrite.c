// SPDX-License-Identifier: GPL-2.0
/*
 * The only code that writes to a packet: an address, a port, and the checksums
 * over them. The payload is never touched (R1), nor the client's side (P4).
 */
#include <linux/ip.h>
#include <linux/netfilter_ipv4.h>
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
 * Write one endpoint. The UDP checksum is not there if the sender left it out
 * (IPv4 alone allows that); then it stays out. CHECKSUM_PARTIAL holds the
 * pseudo header's sum, which may be 0 and is to be changed all the same.
 */
static void rewrite_ipv4(struct sk_buff *skb,
			 const struct radsteer_packet *packet,
			 const struct radsteer_endpoint *to, bool source)
{
	struct iphdr *ip = ip_hdr(skb);
	__be16 *port, old_port;
	__be32 *addr, old_addr;
	struct udphdr *udp;

	udp = (struct udphdr *)(skb->data + packet->udp);
	addr = source ? &ip->saddr : &ip->daddr;
	port = source ? &udp->source : &udp->dest;
	old_addr = *addr;
	old_port = *port;

	if (udp->check || skb->ip_summed == CHECKSUM_PARTIAL) {
		inet_proto_csum_replace4(&udp->check, skb, old_addr,
					 to->addr.ip, true);
		inet_proto_csum_replace2(&udp->check, skb, old_port, to->port,
					 false);
		/* A sum of 0 would say that there is none. */
		if (!udp->check)
			udp->check = CSUM_MANGLED_0;
	}
	csum_replace4(&ip->check, old_addr, to->addr.ip);
	*addr = to->addr.ip;
	*port = to->port;
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
	rewrite_ipv4(skb, packet, to, true);
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
	rewrite_ipv4(skb, packet, to, false);
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
	if (state->hook == NF_INET_LOCAL_OUT)
		return ip_route_me_harder(state->net, state->sk, skb,
					  RTN_UNSPEC);
	skb_dst_drop(skb);
	return 0;
}
