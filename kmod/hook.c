// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a packet, and the only code that returns netfilter verdicts.
 *
 * A connection tracker and a firewall see client and real server, in both
 * directions: a request is rewritten before them, an answer after them.
 */
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/netfilter/ipv4/nf_defrag_ipv4.h>
#include <net/netfilter/ipv6/nf_defrag_ipv6.h>
#include "config.h"
#include "hook.h"
#include "request.h"
#include "rewrite.h"

/* The packet goes on as it is; NAME is the counter that says why. */
#define pass(rn, NAME) ({				\
	radsteer_stats_inc((rn)->stats, NAME);		\
	NF_ACCEPT;					\
})

/*
 * The service that a request asks for. A Status-Server asks for that of the
 * port it is sent to; where both share a port, for authentication.
 */
static unsigned int request_service(const struct radsteer_target *target,
				    u8 code)
{
	switch (code) {
	case RADIUS_ACCESS_REQUEST:
		return RADSTEER_SERVICE_AUTHENTICATION;
	case RADIUS_ACCOUNTING_REQUEST:
		return RADSTEER_SERVICE_ACCOUNTING;
	default:
		return target->snapshot[RADSTEER_SERVICE_AUTHENTICATION] ?
		       RADSTEER_SERVICE_AUTHENTICATION :
		       RADSTEER_SERVICE_ACCOUNTING;
	}
}

/* Several datagrams in one buffer, which have to be told apart first. */
static bool packs_datagrams(const struct sk_buff *skb)
{
	return skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4;
}

/*
 * A packet that these hooks have seen before: what comes over the loopback
 * device was in LOCAL_OUT, and a VRF runs PRE_ROUTING a second time.
 */
static bool comes_again(const struct sk_buff *skb,
			const struct nf_hook_state *state)
{
	if (state->hook != NF_INET_PRE_ROUTING)
		return false;
	if (state->in->flags & IFF_LOOPBACK)
		return true;
	return state->pf == NFPROTO_IPV4 ?
	       IPCB(skb)->flags & IPSKB_L3SLAVE :
	       IP6CB(skb)->flags & IP6SKB_L3SLAVE;
}

/* P1 to P3, P7: a request on its way to a server. */
static unsigned int radsteer_request_hook(void *priv, struct sk_buff *skb,
					  const struct nf_hook_state *state)
{
	struct radsteer_net *rn = radsteer_net(state->net);
	const struct radsteer_snapshot *snapshot;
	const struct radsteer_config *config;
	const struct radsteer_target *target;
	struct radsteer_packet packet;
	struct radsteer_endpoint to;
	unsigned int service;
	int err;

	config = rcu_dereference(rn->config);
	if (!config)
		return NF_ACCEPT;

	switch (radsteer_packet_read(&packet, skb, state->pf)) {
	case RADSTEER_PACKET_UDP:
		break;
	case RADSTEER_PACKET_NOT_UDP:
		return pass(rn, PASS_NOT_UDP);
	case RADSTEER_PACKET_FRAGMENT:
		return pass(rn, PASS_FRAGMENT);
	}

	target = radsteer_config_target(config, &packet.destination);
	if (!target || (!target->snapshot[RADSTEER_SERVICE_AUTHENTICATION] &&
			!target->snapshot[RADSTEER_SERVICE_ACCOUNTING]))
		return pass(rn, PASS_NO_MATCH);
	if (comes_again(skb, state))
		return pass(rn, PASS_AGAIN);
	if (packs_datagrams(skb))
		return pass(rn, PASS_GSO);
	if (!radsteer_packet_radius(&packet, skb))
		return pass(rn, PASS_MALFORMED);
	if (!radius_is_request(packet.radius[RADIUS_OFFSET_CODE]))
		return pass(rn, PASS_CODE);

	service = request_service(target, packet.radius[RADIUS_OFFSET_CODE]);
	snapshot = target->snapshot[service];
	if (!snapshot)
		return pass(rn, PASS_SERVICE);
	if (!snapshot->list[service].rules.count)
		return pass(rn, PASS_NO_SERVER);
	/* Nothing is remembered of a packet that cannot be rewritten. */
	if (radsteer_rewrite_prepare(skb, &packet))
		return pass(rn, PASS_NO_MEMORY);

	radsteer_request_send(radsteer_config_requests(config), snapshot,
			      service, &packet, &to);
	if (radsteer_endpoint_equal(&to, &packet.destination))
		return pass(rn, STEERED);
	radsteer_rewrite_destination(skb, &packet, &to);
	err = radsteer_rewrite_route(skb, state);
	if (err) {
		/* The sender is to see why, not EPERM. */
		radsteer_stats_inc(rn->stats, UNROUTABLE);
		return NF_DROP_ERR(err);
	}
	return pass(rn, STEERED);
}

/* S1: a copy came back. What becomes of the error itself is not our concern. */
static void icmp_error(const struct radsteer_config *config,
		       const struct sk_buff *skb, u8 family)
{
	struct radsteer_packet packet;

	if (radsteer_packet_unreachable(&packet, skb, family) &&
	    radius_is_request(packet.radius[RADIUS_OFFSET_CODE]))
		radsteer_request_unreachable(radsteer_config_requests(config),
					     &packet);
}

/* R1, R2, R4: an answer on its way to the client. */
static unsigned int radsteer_answer_hook(void *priv, struct sk_buff *skb,
					 const struct nf_hook_state *state)
{
	struct radsteer_net *rn = radsteer_net(state->net);
	const struct radsteer_config *config;
	const struct radsteer_target *target;
	struct radsteer_endpoint asked;
	struct radsteer_packet packet;
	enum radsteer_answer answer;

	config = rcu_dereference(rn->config);
	if (!config)
		return NF_ACCEPT;
	/* What comes over the loopback device was in POST_ROUTING. */
	if (state->hook == NF_INET_LOCAL_IN && state->in->flags & IFF_LOOPBACK)
		return NF_ACCEPT;
	if (radsteer_packet_read(&packet, skb, state->pf) !=
	    RADSTEER_PACKET_UDP) {
		icmp_error(config, skb, state->pf);
		return NF_ACCEPT;
	}

	answer = RADSTEER_ANSWER_STRAY;
	if (!packs_datagrams(skb) && radsteer_packet_radius(&packet, skb) &&
	    radius_is_answer(packet.radius[RADIUS_OFFSET_CODE]))
		answer = radsteer_request_answer(radsteer_config_requests(config),
						 &packet, &asked);
	switch (answer) {
	case RADSTEER_ANSWER_STRAY:
		target = radsteer_config_target(config, &packet.source);
		if (target && target->server)
			radsteer_stats_inc(rn->stats, ANSWER_STRAY);
		return NF_ACCEPT;
	case RADSTEER_ANSWER_LATE:
		radsteer_stats_inc(rn->stats, ANSWER_LATE);
		/* A server on this machine is not to see EPERM. */
		consume_skb(skb);
		return NF_STOLEN;
	case RADSTEER_ANSWER_DELIVER:
		break;
	}

	if (radsteer_endpoint_equal(&asked, &packet.source))
		return pass(rn, ANSWERS);
	if (radsteer_rewrite_prepare(skb, &packet))
		return pass(rn, ANSWER_NO_MEMORY);
	radsteer_rewrite_source(skb, &packet, &asked, state);
	return pass(rn, ANSWERS);
}

/*
 * Requests: after reassembly (-400) and the raw tables (-300), where an
 * administrator may still see the address that the client asked; before the
 * connection tracker (-200), which is to see the real server.
 *
 * Answers: after source NAT (100), which turns the gateway's address back into
 * the client's, the one that the request was remembered by; before the
 * connection is confirmed, which comes last and looks at no address.
 *
 * The priorities of IPv6 are the same, one by one.
 */
enum {
	PRIORITY_request	= NF_IP_PRI_CONNTRACK - 50,
	PRIORITY_answer		= NF_IP_PRI_NAT_SRC + 50,
};

static_assert((int)NF_IP_PRI_CONNTRACK == (int)NF_IP6_PRI_CONNTRACK &&
	      (int)NF_IP_PRI_NAT_SRC == (int)NF_IP6_PRI_NAT_SRC);

#define HOOK(family, number, what)					\
	{								\
		.hook		= radsteer_##what##_hook,		\
		.pf		= NFPROTO_##family,			\
		.hooknum	= NF_INET_##number,			\
		.priority	= PRIORITY_##what,			\
	}

static const struct nf_hook_ops radsteer_hooks[] = {
	HOOK(IPV4, PRE_ROUTING, request),
	HOOK(IPV4, LOCAL_OUT, request),
	HOOK(IPV4, LOCAL_IN, answer),
	HOOK(IPV4, POST_ROUTING, answer),
	HOOK(IPV6, PRE_ROUTING, request),
	HOOK(IPV6, LOCAL_OUT, request),
	HOOK(IPV6, LOCAL_IN, answer),
	HOOK(IPV6, POST_ROUTING, answer),
};

/**
 * radsteer_hooks_register() - put the hooks of a namespace in place
 * @net: the namespace
 *
 * Context: process; may sleep.
 * Return: 0 or a negative error, with nothing in place.
 */
int radsteer_hooks_register(struct net *net)
{
	int err;

	err = nf_defrag_ipv4_enable(net);
	if (err)
		return err;
	err = nf_defrag_ipv6_enable(net);
	if (err)
		goto err_ipv4;
	err = nf_register_net_hooks(net, radsteer_hooks,
				    ARRAY_SIZE(radsteer_hooks));
	if (err)
		goto err_ipv6;
	return 0;

err_ipv6:
	nf_defrag_ipv6_disable(net);
err_ipv4:
	nf_defrag_ipv4_disable(net);
	return err;
}

/**
 * radsteer_hooks_unregister() - take the hooks of a namespace away
 * @net: the namespace
 *
 * Hooks that run meanwhile go on until a grace period went by.
 *
 * Context: process; may sleep.
 */
void radsteer_hooks_unregister(struct net *net)
{
	nf_unregister_net_hooks(net, radsteer_hooks,
				ARRAY_SIZE(radsteer_hooks));
	nf_defrag_ipv6_disable(net);
	nf_defrag_ipv4_disable(net);
}
