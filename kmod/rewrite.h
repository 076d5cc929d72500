/* SPDX-License-Identifier: GPL-2.0 */
/* The only code that writes to a packet. */
#ifndef _RADSTEER_REWRITE_H
#define _RADSTEER_REWRITE_H

#include "packet.h"

int radsteer_rewrite_prepare(struct sk_buff *skb,
			     const struct radsteer_packet *packet);
int radsteer_rewrite_source(struct sk_buff *skb,
			    const struct radsteer_packet *packet,
			    const struct radsteer_endpoint *to,
			    const struct nf_hook_state *state);
bool radsteer_rewrite_allowed(struct sk_buff *skb,
			      const struct radsteer_packet *packet,
			      const struct nf_hook_state *state);
void radsteer_rewrite_destination(struct sk_buff *skb,
				  const struct radsteer_packet *packet,
				  const struct radsteer_endpoint *to,
				  const struct nf_hook_state *state);
int radsteer_rewrite_error(struct sk_buff *skb,
			   const struct radsteer_icmp *icmp,
			   const struct radsteer_endpoint *to,
			   const struct nf_hook_state *state);
bool radsteer_rewrite_answer_error(struct sk_buff *skb,
				   const struct radsteer_icmp *icmp,
				   const struct radsteer_endpoint *to);

#endif /* _RADSTEER_REWRITE_H */
