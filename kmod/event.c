// SPDX-License-Identifier: GPL-2.0
/* Notifications to whoever listens: the multicast group "events". */
#include "event.h"
#include "netlink.h"

/* The family is there, and its multicast group with it. */
static bool events;

static int put_state(struct sk_buff *skb, const struct radsteer_server *server,
		     const struct health *old, enum health_reason reason)
{
	/* An answer clears the losses; those are told that there were. */
	u32 losses = max(old->losses, server->health.losses);
	static const u8 reasons[] = {
		[HEALTH_LOSSES]		= RADSTEER_REASON_LOSSES,
		[HEALTH_EXHAUSTED]	= RADSTEER_REASON_EXHAUSTED,
		[HEALTH_DEAD_TIME]	= RADSTEER_REASON_DEAD_TIME,
		[HEALTH_ANSWER]		= RADSTEER_REASON_ANSWER,
		[HEALTH_ADMIN]		= RADSTEER_REASON_ADMIN,
	};

	if (nla_put_u8(skb, RADSTEER_A_SERVER_SERVICE, server->service) ||
	    radsteer_netlink_address(skb, RADSTEER_A_SERVER_ADDRESS,
				     &server->at.addr, server->at.family) ||
	    nla_put_be16(skb, RADSTEER_A_SERVER_PORT, server->at.port) ||
	    nla_put_u8(skb, RADSTEER_A_SERVER_STATE,
		       radsteer_netlink_state(server->health.state)) ||
	    nla_put_u8(skb, RADSTEER_A_SERVER_OLD_STATE,
		       radsteer_netlink_state(old->state)) ||
	    nla_put_u8(skb, RADSTEER_A_SERVER_REASON, reasons[reason]) ||
	    nla_put_u32(skb, RADSTEER_A_SERVER_LOSSES, losses))
		return -EMSGSIZE;
	return 0;
}

/**
 * radsteer_event_state() - tell that the state of a server changed (S7)
 * @rn: the namespace
 * @server: the server, in its new state
 * @old: its liveness before
 * @reason: why, not HEALTH_SAME
 *
 * Context: any, radsteer_net.health_lock held, so that events come in the
 *	order of what they tell of.
 */
void radsteer_event_state(struct radsteer_net *rn,
			  const struct radsteer_server *server,
			  const struct health *old, enum health_reason reason)
{
	struct sk_buff *skb;
	void *header;

	lockdep_assert_held(&rn->health_lock);

	if (!READ_ONCE(events) ||
	    !genl_has_listeners(&radsteer_family, rn->net, 0))
		return;
	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!skb)
		goto err;
	header = genlmsg_put(skb, 0, 0, &radsteer_family, 0,
			     RADSTEER_CMD_STATE_NTF);
	if (!header || put_state(skb, server, old, reason))
		goto err_free;
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&radsteer_family, rn->net, skb, 0, 0,
				GFP_ATOMIC);
	return;

err_free:
	nlmsg_free(skb);
err:
	/* Whoever listens learns that there was something to hear. */
	genl_set_err(&radsteer_family, rn->net, 0, 0, -ENOBUFS);
}

/**
 * radsteer_events_begin() - the family is registered
 *
 * Context: process.
 */
void radsteer_events_begin(void)
{
	WRITE_ONCE(events, true);
}

/**
 * radsteer_events_end() - the family is about to go, its group with it
 *
 * Packets may still change states. Nothing is sent any more at the return:
 * events are sent under a spinlock, which a grace period waits for.
 *
 * Context: process; may sleep.
 */
void radsteer_events_end(void)
{
	WRITE_ONCE(events, false);
	synchronize_rcu();
}
