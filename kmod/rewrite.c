// SPDX-License-Identifier: GPL-2.0
/*
 * The only code that writes to a packet: an address, a port, and the checksums
 * over them. The payload is never touched (R1), nor the client's side (P4).
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/checksum.h>
#include <net/dst.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <net/xfrm.h>
#include "compat.h"
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
	unsigned int length = packet->udp + sizeof(struct udphdr);

	/* What the kernel asks first as well, without a call. */
	if (length <= skb_headlen(skb) && !skb_cloned(skb))
		return 0;
	return skb_ensure_writable(skb, length);
}

static void write_port(struct udphdr *udp, const struct radsteer_endpoint *to,
		       bool source)
{
	*(source ? &udp->source : &udp->dest) = to->port;
}

/* Write an address to an IP header, and the checksum that IPv4 has there. */
static void write_address(void *header, const struct radsteer_endpoint *to,
			  bool source)
{
	if (to->family == NFPROTO_IPV4) {
		struct iphdr *ip = header;
		__be32 *addr = source ? &ip->saddr : &ip->daddr;

		csum_replace4(&ip->check, *addr, to->addr.ip);
		*addr = to->addr.ip;
	} else {
		struct ipv6hdr *ip6 = header;

		*(source ? &ip6->saddr : &ip6->daddr) = to->addr.in6;
	}
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
		if (to->port != from->port)
			inet_proto_csum_replace2(&udp->check, skb, from->port,
						 to->port, false);
		/* A sum of 0 would say that there is none. */
		if (!udp->check)
			udp->check = CSUM_MANGLED_0;
	}
	write_port(udp, to, source);
	write_address(skb_network_header(skb), to, source);
}

#ifdef CONFIG_XFRM
/*
 * What goes out under another address may go out under another IPsec policy:
 * it was routed by the server's, and the one of the matched address counts.
 */
static int policy_apply(struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct dst_entry *dst = skb_dst(skb);
	struct sock *sk = skb->sk;
	unsigned int room;
	struct flowi flow;
	int err;

	if (!dst)
		return 0;
	if (state->pf == NFPROTO_IPV4 ?
	    IPCB(skb)->flags & IPSKB_XFRM_TRANSFORMED :
	    IP6CB(skb)->flags & IP6SKB_XFRM_TRANSFORMED)
		return 0;
	err = decode_session(state->net, skb, &flow, state->pf);
	if (err < 0)
		return err;
	if (dst->xfrm)
		dst = ((struct xfrm_dst *)dst)->route;
	if (!dst_hold_safe(dst))
		return -EHOSTUNREACH;
	/* A server on this machine may have a policy for its socket. */
	if (sk && !net_eq(state->net, sock_net(sk)))
		sk = NULL;
	dst = xfrm_lookup(state->net, dst, &flow, sk, 0);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	skb_dst_drop(skb);
	skb_dst_set(skb, dst);
	room = dst->dev->hard_header_len;
	if (skb_headroom(skb) < room &&
	    pskb_expand_head(skb, HH_DATA_ALIGN(room - skb_headroom(skb)), 0,
			     GFP_ATOMIC))
		return -ENOMEM;
	return 0;
}
#endif

/* Most machines have no such policy. */
static int policy_out(struct sk_buff *skb, const struct nf_hook_state *state)
{
#ifdef CONFIG_XFRM
	if (READ_ONCE(state->net->xfrm.policy_count[XFRM_POLICY_OUT]))
		return policy_apply(skb, state);
#endif
	return 0;
}

/* IPsec's policy for what has come, by the addresses that it has now. */
static bool policy_allows(struct sk_buff *skb, const struct nf_hook_state *state,
			  int direction)
{
	return xfrm_policy_check(NULL, direction, skb,
				 state->pf == NFPROTO_IPV4 ? AF_INET :
							     AF_INET6);
}

/* What comes in for an address of this machine has other policies. */
static int policy_direction(const struct nf_hook_state *state,
			    const struct radsteer_endpoint *to)
{
	bool local;

	if (to->family == NFPROTO_IPV4)
		local = inet_addr_type_dev_table(state->net, state->in,
						 to->addr.ip) == RTN_LOCAL;
	else
		local = ipv6_chk_addr(state->net, &to->addr.in6, state->in, 0);
	return local ? XFRM_POLICY_IN : XFRM_POLICY_FWD;
}

/*
 * The policy goes by the server's address, and was asked before that changed.
 * The socket asks again, by the matched one. Where that has a policy of its own,
 * how the packet came still counts; else it is one like any other.
 */
static void policy_in_again(struct sk_buff *skb,
			    const struct nf_hook_state *state)
{
	if (!policy_allows(skb, state, XFRM_POLICY_IN))
		secpath_reset(skb);
}

/**
 * radsteer_rewrite_source() - give an answer the address that was asked (R1)
 * @skb: the packet, prepared
 * @packet: what was read of it
 * @to: the address and port that the client sent to
 * @state: state of the hook
 *
 * Context: LOCAL_IN or POST_ROUTING.
 * Return: 0, or a negative error if IPsec's policy does not let it go.
 */
int radsteer_rewrite_source(struct sk_buff *skb,
			    const struct radsteer_packet *packet,
			    const struct radsteer_endpoint *to,
			    const struct nf_hook_state *state)
{
	if (state->hook == NF_INET_LOCAL_IN) {
		if (!policy_allows(skb, state, XFRM_POLICY_IN))
			return -EPERM;
		rewrite(skb, packet, to, true);
		policy_in_again(skb, state);
		/* A socket may have been found, by the server's address. */
		skb_orphan(skb);
		return 0;
	}
	rewrite(skb, packet, to, true);
	return policy_out(skb, state);
}

/**
 * radsteer_rewrite_allowed() - ask IPsec whether a request may have come so
 * @skb: the packet
 * @packet: what was read of it
 * @state: state of the hook
 *
 * The kernel asks later, by the server's address. What it would have asked is
 * the policy of the address that the client sent to.
 *
 * Context: PRE_ROUTING or LOCAL_OUT.
 * Return: false if the kernel is going to drop it as it is.
 */
bool radsteer_rewrite_allowed(struct sk_buff *skb,
			      const struct radsteer_packet *packet,
			      const struct nf_hook_state *state)
{
#ifdef CONFIG_XFRM
	if (state->hook == NF_INET_PRE_ROUTING &&
	    (READ_ONCE(state->net->xfrm.policy_count[XFRM_POLICY_IN]) ||
	     READ_ONCE(state->net->xfrm.policy_count[XFRM_POLICY_FWD])))
		return policy_allows(skb, state,
				     policy_direction(state,
						      &packet->destination));
#endif
	return true;
}

/**
 * radsteer_rewrite_destination() - send a request to its server
 * @skb: the packet, prepared and allowed
 * @packet: what was read of it
 * @to: where the server listens
 * @state: state of the hook
 *
 * Context: PRE_ROUTING or LOCAL_OUT.
 */
void radsteer_rewrite_destination(struct sk_buff *skb,
				  const struct radsteer_packet *packet,
				  const struct radsteer_endpoint *to,
				  const struct nf_hook_state *state)
{
	rewrite(skb, packet, to, false);
	/* It was allowed to come: to the server, it need not come so. */
	if (skb_sec_path(skb) && state->hook == NF_INET_PRE_ROUTING &&
	    !policy_allows(skb, state, policy_direction(state, to)))
		secpath_reset(skb);
}

/*
 * Write one endpoint of a packet that is quoted. Its sums cover more than is
 * quoted, so they are corrected and not made anew.
 */
static void rewrite_quote(struct sk_buff *skb, const struct radsteer_icmp *icmp,
			  const struct radsteer_endpoint *to, bool source)
{
	const struct radsteer_packet *packet = &icmp->packet;
	const struct radsteer_endpoint *from;
	struct udphdr *udp;

	from = source ? &packet->source : &packet->destination;
	udp = (struct udphdr *)(skb->data + packet->udp);
	if (udp->check) {
		__be32 words[8];
		unsigned int i;

		for (i = 0; i < 4; i++) {
			words[i] = ~from->addr.ip6[i];
			words[4 + i] = to->addr.ip6[i];
		}
		udp->check = csum_fold(csum_partial(words, sizeof(words),
						    ~csum_unfold(udp->check)));
		csum_replace2(&udp->check, from->port, to->port);
		if (!udp->check)
			udp->check = CSUM_MANGLED_0;
	}
	write_port(udp, to, source);
	write_address(skb->data + icmp->quote, to, source);
}

/* Write one address of an error itself, and its checksum. */
static void rewrite_outer(struct sk_buff *skb, const struct radsteer_icmp *icmp,
			  const struct radsteer_endpoint *to, bool source)
{
	unsigned int length = skb->len - icmp->header;

	write_address(skb_network_header(skb), to, source);
	if (to->family == NFPROTO_IPV4) {
		struct icmphdr *header;

		header = (struct icmphdr *)(skb->data + icmp->header);
		header->checksum = 0;
		header->checksum = csum_fold(skb_checksum(skb, icmp->header,
							  length, 0));
	} else {
		struct ipv6hdr *ip6 = ipv6_hdr(skb);
		struct icmp6hdr *header;

		header = (struct icmp6hdr *)(skb->data + icmp->header);
		header->icmp6_cksum = 0;
		header->icmp6_cksum =
			csum_ipv6_magic(&ip6->saddr, &ip6->daddr, length,
					IPPROTO_ICMPV6,
					skb_checksum(skb, icmp->header, length,
						     0));
	}
	/* What somebody summed is no more. */
	skb->ip_summed = CHECKSUM_NONE;
}

/*
 * A checksum that is still to be made is made now, so that it can be made again.
 * Gives back false if the packet has to be left as it is.
 */
static bool prepare_error(struct sk_buff *skb, const struct radsteer_icmp *icmp)
{
	if (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(skb))
		return false;
	return !radsteer_rewrite_prepare(skb, &icmp->packet);
}

/*
 * With IPv6, nobody fragments on the way: a client on this machine sends by the
 * route to the server, which has to know of the way as well as the route to the
 * address asked, of which the client itself is told.
 */
static void learn_mtu(struct sk_buff *skb, const struct radsteer_icmp *icmp,
		      const struct nf_hook_state *state)
{
	const struct icmp6hdr *header;

	if (state->pf != NFPROTO_IPV6)
		return;
	header = (struct icmp6hdr *)(skb->data + icmp->header);
	if (header->icmp6_type != ICMPV6_PKT_TOOBIG)
		return;
	__skb_pull(skb, icmp->quote);
	ip6_update_pmtu(skb, state->net, header->icmp6_mtu,
			l3mdev_master_ifindex(state->in), 0,
			sock_net_uid(state->net, NULL));
	__skb_push(skb, icmp->quote);
}

/**
 * radsteer_rewrite_error() - let an error about a request make sense to the
 *	client
 * @skb: the packet
 * @icmp: what was read of it
 * @to: the address and port that the client sent to
 * @state: state of the hook
 *
 * Whoever it comes from, it looks as if it came from there, as with NAT.
 *
 * Context: LOCAL_IN or POST_ROUTING. Pointers into @skb are stale afterwards.
 * Return: 0; -EBADMSG with the packet as it was; another negative error if
 *	IPsec's policy does not let it go.
 */
int radsteer_rewrite_error(struct sk_buff *skb,
			   const struct radsteer_icmp *icmp,
			   const struct radsteer_endpoint *to,
			   const struct nf_hook_state *state)
{
	int err;

	if (!prepare_error(skb, icmp))
		return -EBADMSG;
	if (state->hook == NF_INET_LOCAL_IN) {
		/* IPsec has rules of its own for errors: let it find out. */
		if (!policy_allows(skb, state, XFRM_POLICY_IN))
			return -EBADMSG;
		learn_mtu(skb, icmp, state);
	}
	rewrite_quote(skb, icmp, to, false);
	rewrite_outer(skb, icmp, to, true);
	if (state->hook == NF_INET_LOCAL_IN) {
		policy_in_again(skb, state);
		return 0;
	}
	err = policy_out(skb, state);
	return err == -EBADMSG ? -EPERM : err;
}

/**
 * radsteer_rewrite_answer_error() - let an error about an answer find the server
 * @skb: the packet
 * @icmp: what was read of it
 * @to: where the server listens
 *
 * Context: PRE_ROUTING or LOCAL_OUT. Pointers into @skb are stale afterwards.
 * Return: false if the packet has to be left as it is.
 */
bool radsteer_rewrite_answer_error(struct sk_buff *skb,
				   const struct radsteer_icmp *icmp,
				   const struct radsteer_endpoint *to)
{
	if (!prepare_error(skb, icmp))
		return false;
	rewrite_quote(skb, icmp, to, true);
	rewrite_outer(skb, icmp, to, false);
	return true;
}
