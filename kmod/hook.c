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
#include <net/netfilter/nf_conntrack.h>
#include <net/netfilter/ipv4/nf_defrag_ipv4.h>
#include <net/netfilter/ipv6/nf_defrag_ipv6.h>
#include "compat.h"
#include "config.h"
#include "hook.h"
#include "keys.h"
#include "request.h"
#include "request_table.h"
#include "rewrite.h"
#include "route.h"

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

/* Some group matches what was looked up. */
static bool is_matched(const struct radsteer_target *target)
{
	return target && (target->snapshot[RADSTEER_SERVICE_AUTHENTICATION] ||
			  target->snapshot[RADSTEER_SERVICE_ACCOUNTING]);
}

/* Several datagrams in one buffer, which have to be told apart first. */
static bool packs_datagrams(const struct sk_buff *skb)
{
	return skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4;
}

/* Let a packet go on from a hook; those before it have seen it. */
static void go_on(struct sk_buff *skb, const struct nf_hook_state *state,
		  nf_hookfn *hook)
{
	struct nf_hook_state again = *state;
	const struct nf_hook_entries *entries;
	struct netns_nf *nf = &state->net->nf;
	unsigned int i = 0;

	if (state->pf == NFPROTO_IPV4)
		entries = rcu_dereference(nf->hooks_ipv4[state->hook]);
	else
		entries = rcu_dereference(nf->hooks_ipv6[state->hook]);
	while (entries && i < entries->num_hook_entries &&
	       entries->hooks[i].hook != hook)
		i++;
	/* Gone meanwhile, with the last group */
	if (!entries || i == entries->num_hook_entries) {
		kfree_skb(skb);
		return;
	}
	if (nf_hook_slow(skb, &again, entries, i) == 1)
		state->okfn(state->net, state->sk, skb);
}

/*
 * Let each datagram of a buffer come to the hook by itself, and give back the
 * verdict on the buffer. Without memory to tell them apart it goes on as it was;
 * but one that is a list of packets has lost them by then.
 */
static unsigned int split(struct sk_buff *skb, const struct nf_hook_state *state,
			  nf_hookfn *hook)
{
	bool list = skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST;
	struct sk_buff *segments, *next;
	int mac = 0;

	/* A bridge wants its header back with each; behind a tunnel is none. */
	if (skb_mac_header_was_set(skb))
		mac = max_t(int, skb->data - skb_mac_header(skb), 0);
	__skb_push(skb, mac);
	segments = skb_gso_segment(skb, 0);
	if (IS_ERR(segments) && list)
		return NF_DROP;
	if (IS_ERR_OR_NULL(segments)) {
		__skb_pull(skb, mac);
		return NF_ACCEPT;
	}
	consume_skb(skb);
	skb_list_walk_safe(segments, segments, next) {
		skb_mark_not_on_list(segments);
		__skb_pull(segments, mac);
		go_on(segments, state, hook);
	}
	return NF_STOLEN;
}

/*
 * A packet that the hooks for requests have seen before: what comes over the
 * loopback device was in LOCAL_OUT, and a VRF runs each hook a second time.
 */
static bool comes_again(const struct nf_hook_state *state)
{
	if (state->hook == NF_INET_LOCAL_OUT)
		return netif_is_l3_slave(state->out);
	return state->in->flags & IFF_LOOPBACK || netif_is_l3_master(state->in);
}

/* Where the route to a server is kept, for what is sent here, or NULL. */
static struct radsteer_route *known_route(const struct radsteer_config *config,
					  const struct radsteer_endpoint *to,
					  const struct nf_hook_state *state)
{
	const struct radsteer_target *target;

	if (state->hook != NF_INET_LOCAL_OUT)
		return NULL;
	target = radsteer_config_target(config, to);
	return target && target->server ? &target->server->route : NULL;
}

/*
 * An error about an answer goes to where its client sent the request, by an
 * address that is the server's. The server is to hear of it.
 */
static unsigned int answer_error(struct radsteer_net *rn,
				 const struct radsteer_config *config,
				 struct sk_buff *skb,
				 const struct nf_hook_state *state)
{
	struct radsteer_endpoint server;
	struct radsteer_icmp icmp;
	int err;

	if (!radsteer_packet_icmp(&icmp, skb, state->pf) ||
	    comes_again(state))
		return pass(rn, PASS_NOT_UDP);
	if (!is_matched(radsteer_config_target(config, &icmp.packet.source)))
		return pass(rn, PASS_NOT_UDP);
	if (!radsteer_packet_icmp_intact(&icmp, skb, state) ||
	    !radsteer_request_answer_error(radsteer_config_requests(config),
					   &icmp, &server))
		return pass(rn, PASS_NOT_UDP);
	if (radsteer_endpoint_equal(&server, &icmp.packet.source))
		return pass(rn, ANSWER_ERRORS);
	if (!radsteer_rewrite_answer_error(skb, &icmp, &server))
		return pass(rn, PASS_NOT_UDP);
	err = radsteer_route(skb, state, NULL);
	if (err) {
		radsteer_stats_inc(rn->stats, UNROUTABLE);
		return NF_DROP_ERR(err);
	}
	return pass(rn, ANSWER_ERRORS);
}

/*
 * A request to a server that its client asks itself goes on as it is. Its answer
 * is not to be taken for that of a request which was steered there.
 */
static void direct_way(const struct radsteer_config *config,
		       struct radsteer_packet *packet, struct sk_buff *skb,
		       const struct nf_hook_state *state)
{
	/* What is rewritten comes as one to a server the second time. */
	if (comes_again(state) || packs_datagrams(skb))
		return;
	if (radsteer_packet_radius(packet, skb) &&
	    radius_is_request(packet->radius[RADIUS_OFFSET_CODE]) &&
	    radsteer_packet_intact(packet, skb))
		radsteer_request_direct(radsteer_config_requests(config),
					packet);
}

static nf_hookfn radsteer_request_hook, radsteer_answer_hook;

/*
 * P1 to P3, P7: what may be a request on its way to a server. Not part of the hook,
 * or every packet would pay for the room that a few need.
 */
static noinline unsigned int
request_way(struct radsteer_net *rn, const struct radsteer_config *config,
	    struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct radsteer_snapshot *snapshot;
	const struct radsteer_target *target;
	struct radsteer_packet packet;
	struct radsteer_endpoint to;
	unsigned int service, verdict;
	int err;

	switch (radsteer_packet_read(&packet, skb, state->pf)) {
	case RADSTEER_PACKET_UDP:
		break;
	case RADSTEER_PACKET_NOT_UDP:
		return answer_error(rn, config, skb, state);
	case RADSTEER_PACKET_FRAGMENT:
		return pass(rn, PASS_FRAGMENT);
	}

	target = radsteer_config_target(config, &packet.destination);
	if (!is_matched(target)) {
		if (target)
			direct_way(config, &packet, skb, state);
		return pass(rn, PASS_NO_MATCH);
	}
	if (comes_again(state))
		return pass(rn, PASS_AGAIN);
	if (packs_datagrams(skb)) {
		verdict = split(skb, state, radsteer_request_hook);
		if (verdict != NF_STOLEN)
			radsteer_stats_inc(rn->stats, PASS_GSO);
		return verdict;
	}
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
	if (!radsteer_packet_intact(&packet, skb))
		return pass(rn, PASS_CHECKSUM);
	if (!radsteer_rewrite_allowed(skb, &packet, state))
		return pass(rn, PASS_POLICY);
	/* Nothing is remembered of a packet that cannot be rewritten. */
	if (radsteer_rewrite_prepare(skb, &packet))
		return pass(rn, PASS_NO_MEMORY);
	/* P6: it is steered all the same. */
	if (!radsteer_packet_attributes(&packet, skb))
		radsteer_stats_inc(rn->stats, UNREMEMBERED);

	switch (radsteer_request_send(radsteer_config_requests(config),
				      snapshot, service,
				      state->hook == NF_INET_PRE_ROUTING,
				      &packet, &to)) {
	case RADSTEER_SENT_STEERED:
		break;
	case RADSTEER_SENT_AGAIN:
		return pass(rn, PASS_AGAIN);
	case RADSTEER_SENT_HAIRPIN:
		return pass(rn, PASS_HAIRPIN);
	}
	if (radsteer_endpoint_equal(&to, &packet.destination))
		return pass(rn, STEERED);
	radsteer_rewrite_destination(skb, &packet, &to, state);
	err = radsteer_route(skb, state, known_route(config, &to, state));
	if (err) {
		/* The sender is to see why, not EPERM. */
		radsteer_stats_inc(rn->stats, UNROUTABLE);
		return NF_DROP_ERR(err);
	}
	return pass(rn, STEERED);
}

/* Most packets are none of ours: they are not to be held up. */
static unsigned int radsteer_request_hook(void *priv, struct sk_buff *skb,
					  const struct nf_hook_state *state)
{
	const struct radsteer_config *config;
	struct radsteer_net *rn = priv;
	struct radsteer_ports ports;

	config = rcu_dereference(rn->config);
	if (!config)
		return NF_ACCEPT;
	switch (radsteer_packet_glance(&ports, skb, state->pf)) {
	case RADSTEER_GLANCE_UDP:
		if (!radsteer_config_knows(config, ports.destination))
			return pass(rn, PASS_NO_MATCH);
		break;
	case RADSTEER_GLANCE_OTHER:
		return pass(rn, PASS_NOT_UDP);
	case RADSTEER_GLANCE_UNCLEAR:
		break;
	}
	return request_way(rn, config, skb, state);
}

static bool is_server(const struct radsteer_config *config,
		      const struct radsteer_endpoint *at)
{
	const struct radsteer_target *target;

	target = radsteer_config_target(config, at);
	return target && target->server;
}

/*
 * A server can be selected that is Up, in the list that a request went to. What
 * this machine generates and keeps has the loopback device as its way.
 */
static bool some_up(const struct radsteer_config *config,
		    const struct radsteer_icmp *icmp,
		    const struct radsteer_endpoint *asked, u8 code,
		    const struct nf_hook_state *state)
{
	const struct radsteer_target *target;
	bool forwarded;
	unsigned int service;

	target = radsteer_config_target(config, asked);
	if (!target)
		return false;
	service = request_service(target, code);
	if (!target->snapshot[service])
		return false;
	forwarded = state->hook == NF_INET_POST_ROUTING &&
		    !(state->out->flags & IFF_LOOPBACK);
	return radsteer_request_has_up(target->snapshot[service], service,
				       forwarded ? &icmp->packet.source.addr :
						   NULL);
}

/*
 * S1: an error about a request goes to the client, which is to understand it. Of
 * a server that was not reached it hears only if there is none to go on with:
 * some clients give up at once.
 */
static unsigned int request_error(struct radsteer_net *rn,
				  const struct radsteer_config *config,
				  struct sk_buff *skb,
				  const struct nf_hook_state *state)
{
	struct radsteer_endpoint asked;
	struct radsteer_icmp icmp;
	bool server;
	int err;
	u8 code;

	if (!radsteer_packet_icmp(&icmp, skb, state->pf))
		return NF_ACCEPT;
	/* With its RADIUS header it may be of a server that was removed. */
	server = is_server(config, &icmp.packet.destination);
	if (!icmp.whole && !server)
		return NF_ACCEPT;
	if (!radsteer_packet_icmp_intact(&icmp, skb, state) ||
	    !radsteer_request_error(radsteer_config_requests(config), &icmp,
				    &asked, &code)) {
		if (server)
			radsteer_stats_inc(rn->stats, ERROR_STRAY);
		return NF_ACCEPT;
	}
	if (icmp.unreachable &&
	    some_up(config, &icmp, &asked, code, state)) {
		radsteer_stats_inc(rn->stats, ERROR_HELD);
		consume_skb(skb);
		return NF_STOLEN;
	}
	if (radsteer_endpoint_equal(&asked, &icmp.packet.destination))
		return pass(rn, ERRORS);
	err = radsteer_rewrite_error(skb, &icmp, &asked, state);
	if (err == -EBADMSG)
		return pass(rn, ERROR_STRAY);
	if (err) {
		radsteer_stats_inc(rn->stats, ANSWER_POLICY);
		return NF_DROP_ERR(err);
	}
	return pass(rn, ERRORS);
}

/*
 * A flow that is offloaded would not come past again: its answers would keep
 * the server's address. Every flow table leaves such a connection alone.
 */
static void keep_from_offload(const struct radsteer_config *config,
			      const struct radsteer_packet *packet,
			      struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_NF_CONNTRACK) && IS_ENABLED(CONFIG_NF_FLOW_TABLE)
	enum ip_conntrack_info ctinfo;
	struct nf_conn *ct;

	ct = nf_ct_get(skb, &ctinfo);
	if (ct && ctinfo == IP_CT_NEW &&
	    is_server(config, &packet->destination))
		set_bit(IPS_NAT_CLASH_BIT, &ct->status);
#endif
}

/* E1: the State that an answer gives to its client, 0 for none. */
static u64 answer_state(const struct radsteer_config *config,
			struct radsteer_packet *packet, struct sk_buff *skb)
{
	if (packet->radius[RADIUS_OFFSET_CODE] != RADIUS_ACCESS_CHALLENGE ||
	    !is_server(config, &packet->source))
		return 0;
	if (!radsteer_packet_attributes(packet, skb))
		return 0;
	return radsteer_keys_challenge(radsteer_config_requests(config)->bindings,
				       packet);
}

/* R1, R2, R4: what may be an answer on its way to the client. As above. */
static noinline unsigned int
answer_way(struct radsteer_net *rn, const struct radsteer_config *config,
	   struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct radsteer_requests *requests = radsteer_config_requests(config);
	struct radsteer_endpoint asked;
	struct radsteer_packet packet;
	enum radsteer_answer answer;
	unsigned int verdict;
	int err;

	/* What comes over the loopback device was in POST_ROUTING. */
	if (state->hook == NF_INET_LOCAL_IN && state->in->flags & IFF_LOOPBACK)
		return NF_ACCEPT;
	/* What leaves by a VRF comes past once more. */
	if (state->hook == NF_INET_POST_ROUTING &&
	    netif_is_l3_master(state->out))
		return NF_ACCEPT;
	if (radsteer_packet_read(&packet, skb, state->pf) !=
	    RADSTEER_PACKET_UDP)
		return request_error(rn, config, skb, state);
	if (packs_datagrams(skb) && is_server(config, &packet.source)) {
		verdict = split(skb, state, radsteer_answer_hook);
		if (verdict != NF_STOLEN)
			radsteer_stats_inc(rn->stats, ANSWER_NO_MEMORY);
		return verdict;
	}

	answer = RADSTEER_ANSWER_STRAY;
	if (radsteer_packet_radius(&packet, skb)) {
		u8 code = packet.radius[RADIUS_OFFSET_CODE];

		if (radius_is_request(code))
			keep_from_offload(config, &packet, skb);
		else if (radius_is_answer(code) &&
			 radsteer_packet_intact(&packet, skb))
			answer = radsteer_request_answer(requests, &packet,
							 answer_state(config,
								      &packet,
								      skb),
							 &asked);
	}
	switch (answer) {
	case RADSTEER_ANSWER_STRAY:
		if (is_server(config, &packet.source))
			radsteer_stats_inc(rn->stats, ANSWER_STRAY);
		return NF_ACCEPT;
	case RADSTEER_ANSWER_AGAIN:
		return pass(rn, ANSWER_AGAIN);
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
	err = radsteer_rewrite_source(skb, &packet, &asked, state);
	if (err) {
		radsteer_stats_inc(rn->stats, ANSWER_POLICY);
		return NF_DROP_ERR(err);
	}
	return pass(rn, ANSWERS);
}

/* Most are none of ours. What goes to a server is looked at for its connection. */
static unsigned int radsteer_answer_hook(void *priv, struct sk_buff *skb,
					 const struct nf_hook_state *state)
{
	const struct radsteer_requests *requests;
	const struct radsteer_config *config;
	struct radsteer_net *rn = priv;
	struct radsteer_ports ports;

	config = rcu_dereference(rn->config);
	if (!config)
		return NF_ACCEPT;
	requests = radsteer_config_requests(config);
	switch (radsteer_packet_glance(&ports, skb, state->pf)) {
	case RADSTEER_GLANCE_UDP:
		if (!radsteer_requests_serves(requests, ports.source) &&
		    !(skb_nfct(skb) &&
		      radsteer_requests_serves(requests, ports.destination)))
			return NF_ACCEPT;
		break;
	case RADSTEER_GLANCE_OTHER:
		return NF_ACCEPT;
	case RADSTEER_GLANCE_UNCLEAR:
		break;
	}
	return answer_way(rn, config, skb, state);
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

static_assert(ARRAY_SIZE(radsteer_hooks) == RADSTEER_HOOKS);

/**
 * radsteer_hooks_register() - put the hooks of a namespace in place
 * @rn: the namespace
 *
 * Context: process, radsteer_net.lock held; may sleep.
 * Return: 0 or a negative error, with nothing in place.
 */
int radsteer_hooks_register(struct radsteer_net *rn)
{
	struct net *net = rn->net;
	unsigned int i;
	int err;

	err = nf_defrag_ipv4_enable(net);
	if (err)
		return err;
	err = nf_defrag_ipv6_enable(net);
	if (err)
		goto err_ipv4;
	/* They are spared the search for what belongs to the namespace. */
	memcpy(rn->hooks, radsteer_hooks, sizeof(rn->hooks));
	for (i = 0; i < RADSTEER_HOOKS; i++)
		rn->hooks[i].priv = rn;
	err = nf_register_net_hooks(net, rn->hooks, RADSTEER_HOOKS);
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
 * @rn: the namespace
 *
 * Hooks that run meanwhile go on until a grace period went by.
 *
 * Context: process, radsteer_net.lock held; may sleep.
 */
void radsteer_hooks_unregister(struct radsteer_net *rn)
{
	nf_unregister_net_hooks(rn->net, rn->hooks, RADSTEER_HOOKS);
	nf_defrag_ipv6_disable(rn->net);
	nf_defrag_ipv4_disable(rn->net);
}
