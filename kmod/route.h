/* SPDX-License-Identifier: GPL-2.0 */
/* The way of what was rewritten. */
#ifndef _RADSTEER_ROUTE_H
#define _RADSTEER_ROUTE_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/dst.h>
#include "radsteer.h"

int radsteer_route_init(struct radsteer_route *route);
void radsteer_route_exit(struct radsteer_route *route);
int radsteer_route_again(struct sk_buff *skb,
			 const struct nf_hook_state *state,
			 struct radsteer_route *known);

/**
 * radsteer_route() - let a packet that was rewritten find its way anew
 * @skb: the packet, its destination changed
 * @state: state of the hook
 * @known: where the route to the destination is kept, or NULL
 *
 * A packet that was sent here has its route already and gets another one, the
 * IPsec policy of its new destination included. A packet from the wire is
 * routed later; if it came over the loopback device, it still holds the route
 * that it was sent by, and that goes.
 *
 * Context: PRE_ROUTING or LOCAL_OUT.
 * Return: 0, or a negative error if there is no route.
 */
static inline int radsteer_route(struct sk_buff *skb,
				 const struct nf_hook_state *state,
				 struct radsteer_route *known)
{
	if (state->hook == NF_INET_LOCAL_OUT)
		return radsteer_route_again(skb, state, known);
	skb_dst_drop(skb);
	return 0;
}

#endif /* _RADSTEER_ROUTE_H */
