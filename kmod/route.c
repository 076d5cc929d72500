// SPDX-License-Identifier: GPL-2.0
/*
 * The way of what was rewritten.
 *
 * What is sent here has a route already, to the address that its client asked,
 * and needs another one, to its server. To find that takes as long as a third of
 * all else that is done for a request. So each server keeps the one that was
 * found last, as tunnels do for their far ends and connected sockets for theirs:
 * the kernel says of a route whether it still holds, so a change of routes,
 * addresses or path MTU counts at once, or where it gives no sign, within
 * RADSTEER_ROUTE_TIME. What else a route may depend on makes a packet look for
 * its own.
 */
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/dst_cache.h>
#include <net/inet_ecn.h>
#include <net/inet_sock.h>
#include <net/route.h>
#include <net/xfrm.h>
#include "compat.h"
#include "route.h"

/* Look for a route, with the IPsec policy of the destination. */
static int route_find(struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (state->pf == NFPROTO_IPV4)
		return ip_route_me_harder(state->net, state->sk, skb,
					  RTN_UNSPEC);
	return nf_ip6_route_me_harder(state->net, state->sk, skb);
}

/* By rules, a route can depend on marks, users, ports and more. */
static bool has_rules(const struct net *net, u8 family)
{
	if (family == NFPROTO_IPV4) {
#ifdef CONFIG_IP_MULTIPLE_TABLES
		return READ_ONCE(net->ipv4.fib_has_custom_rules);
#endif
	} else {
#ifdef CONFIG_IPV6_MULTIPLE_TABLES
		return READ_ONCE(net->ipv6.fib6_has_custom_rules);
#endif
	}
	return false;
}

/* A policy of the namespace, of any socket in it, or for all that has none. */
static bool has_policies(const struct net *net)
{
#ifdef CONFIG_XFRM
	const unsigned int *count = net->xfrm.policy_count;

	return READ_ONCE(count[XFRM_POLICY_OUT]) ||
	       READ_ONCE(count[XFRM_POLICY_MAX + XFRM_POLICY_OUT]) ||
	       READ_ONCE(net->xfrm.policy_default[XFRM_POLICY_OUT]) ==
	       XFRM_USERPOLICY_BLOCK;
#else
	return false;
#endif
}

/* The route depends on nothing but the addresses. */
static bool route_is_plain(const struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	const struct sock *sk = sk_to_full_sk(state->sk);

	if (has_rules(state->net, state->pf) || has_policies(state->net) ||
	    netif_is_l3_master(state->out))
		return false;
	if (sk && (sk->sk_bound_dev_if || inet_sk_flowi_flags(sk)))
		return false;
	/* Routes of IPv4 can be for a type of service. */
	return state->pf != NFPROTO_IPV4 ||
	       !(ip_hdr(skb)->tos & ~INET_ECN_MASK);
}

/* The route that was found last from the same address, referenced, or NULL. */
static struct dst_entry *route_get(struct radsteer_route *known,
				   const struct sk_buff *skb, u8 family)
{
	unsigned long until = READ_ONCE(known->until);
	struct dst_entry *dst;
	bool same;

	/* Whatever was not thought of lasts no longer than that. */
	if (!time_in_range(jiffies, until - RADSTEER_ROUTE_TIME, until - 1)) {
		WRITE_ONCE(known->until, jiffies + RADSTEER_ROUTE_TIME);
		dst_cache_reset(&known->cache);
	}
	if (family == NFPROTO_IPV4) {
		__be32 saddr;
		struct rtable *rt = dst_cache_get_ip4(&known->cache, &saddr);

		if (!rt)
			return NULL;
		dst = &rt->dst;
		same = saddr == ip_hdr(skb)->saddr;
	} else {
		struct in6_addr saddr;

		dst = dst_cache_get_ip6(&known->cache, &saddr);
		if (!dst)
			return NULL;
		same = ipv6_addr_equal(&saddr, &ipv6_hdr(skb)->saddr);
	}
	if (same)
		return dst;
	dst_release(dst);
	return NULL;
}

static void route_keep(struct radsteer_route *known, const struct sk_buff *skb,
		       u8 family)
{
	struct dst_entry *dst = skb_dst(skb);

	/* A policy may have come meanwhile. */
	if (dst_xfrm(dst))
		return;
	if (family == NFPROTO_IPV4)
		dst_cache_set_ip4(&known->cache, dst, ip_hdr(skb)->saddr);
	else
		dst_cache_set_ip6(&known->cache, dst, &ipv6_hdr(skb)->saddr);
}

/* As the kernel does it with a route that it has found. */
static int route_use(struct sk_buff *skb, struct dst_entry *dst)
{
	unsigned int room = dst->dev->hard_header_len;

	skb_dst_drop(skb);
	skb_dst_set(skb, dst);
	if (skb_headroom(skb) >= room)
		return 0;
	return pskb_expand_head(skb, HH_DATA_ALIGN(room - skb_headroom(skb)), 0,
				GFP_ATOMIC);
}

/**
 * radsteer_route_again() - find a packet that is sent here another way
 * @skb: the packet, its destination changed
 * @state: state of the hook, which is LOCAL_OUT
 * @known: where the route to the destination is kept, or NULL
 *
 * Context: LOCAL_OUT.
 * Return: 0, or a negative error if there is no route.
 */
int radsteer_route_again(struct sk_buff *skb,
			 const struct nf_hook_state *state,
			 struct radsteer_route *known)
{
	struct dst_entry *dst;
	int err;

	if (!known || !route_is_plain(skb, state))
		return route_find(skb, state);
	local_bh_disable();
	dst = route_get(known, skb, state->pf);
	if (dst) {
		err = route_use(skb, dst);
	} else {
		err = route_find(skb, state);
		if (!err)
			route_keep(known, skb, state->pf);
	}
	local_bh_enable();
	return err;
}

/**
 * radsteer_route_init() - make room for the route to a server
 * @route: the route
 *
 * Context: process; may sleep.
 * Return: 0 or -ENOMEM.
 */
int radsteer_route_init(struct radsteer_route *route)
{
	route->until = jiffies;
	return dst_cache_init(&route->cache, GFP_KERNEL_ACCOUNT);
}

/**
 * radsteer_route_exit() - let go of the route to a server
 * @route: the route, which no packet uses any more
 *
 * Context: any.
 */
void radsteer_route_exit(struct radsteer_route *route)
{
	dst_cache_destroy(&route->cache);
}
