// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family: the settings of a namespace. */
#include "liveness.h"
#include "netlink.h"
#include "request_table.h"

static struct netlink_range_validation dead_time_range = {
	.min = 1,
	.max = RADSTEER_DEAD_TIME_MAX,
};

/* The bounds of all that is remembered reach equally far. */
static_assert(RADSTEER_REQUESTS_MAX == RADSTEER_SESSIONS_MAX &&
	      RADSTEER_REQUESTS_MAX == RADSTEER_STATES_MAX);

static struct netlink_range_validation max_range = {
	.min = 1,
	.max = RADSTEER_REQUESTS_MAX,
};

static struct netlink_range_validation session_time_range = {
	.min = 1,
	.max = RADSTEER_SESSION_TIME_MAX,
};

const struct nla_policy
radsteer_settings_policy[RADSTEER_A_SETTINGS_MAX + 1] = {
	/* The highest is the highest that there is, RADSTEER_DEAD_COUNT_MAX. */
	[RADSTEER_A_SETTINGS_DEAD_COUNT]	= NLA_POLICY_MIN(NLA_U16, 1),
	[RADSTEER_A_SETTINGS_DEAD_INTERVAL]	=
		NLA_POLICY_MAX(NLA_U16, RADSTEER_DEAD_INTERVAL_MAX),
	[RADSTEER_A_SETTINGS_DEAD_TIME]		=
		NLA_POLICY_FULL_RANGE(NLA_U32, &dead_time_range),
	[RADSTEER_A_SETTINGS_DUPLICATE_WINDOW]	=
		NLA_POLICY_MAX(NLA_U16, RADSTEER_DUPLICATE_WINDOW_MAX),
	[RADSTEER_A_SETTINGS_MAX_REQUESTS]	=
		NLA_POLICY_FULL_RANGE(NLA_U32, &max_range),
	[RADSTEER_A_SETTINGS_MAX_SESSIONS]	=
		NLA_POLICY_FULL_RANGE(NLA_U32, &max_range),
	[RADSTEER_A_SETTINGS_MAX_STATES]	=
		NLA_POLICY_FULL_RANGE(NLA_U32, &max_range),
	[RADSTEER_A_SETTINGS_STATE_TIME]	=
		NLA_POLICY_RANGE(NLA_U16, 1, RADSTEER_STATE_TIME_MAX),
	[RADSTEER_A_SETTINGS_SESSION_TIME]	=
		NLA_POLICY_FULL_RANGE(NLA_U32, &session_time_range),
};

static bool settings_given(struct nlattr **tb)
{
	int attr;

	for (attr = 1; attr <= RADSTEER_A_SETTINGS_MAX; attr++)
		if (tb[attr])
			return true;
	return false;
}

/*
 * What is remembered is charged to nobody, as connections are not, so it has a
 * lower bound where anybody may set it.
 */
static int check_bounds(const struct radsteer_net *rn, struct nlattr **tb,
			struct netlink_ext_ack *extack)
{
	static const u8 bounds[] = {
		RADSTEER_A_SETTINGS_MAX_REQUESTS,
		RADSTEER_A_SETTINGS_MAX_SESSIONS,
		RADSTEER_A_SETTINGS_MAX_STATES,
	};
	unsigned int i;

	if (rn->net->user_ns == &init_user_ns)
		return 0;
	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		const struct nlattr *max = tb[bounds[i]];

		if (!max || nla_get_u32(max) <= RADSTEER_UNPRIVILEGED)
			continue;
		NL_SET_ERR_MSG_ATTR(extack, max,
				    "more than 65536 are for namespaces of the initial user namespace alone");
		return -EPERM;
	}
	return 0;
}

/* The settings of remembered States and bound sessions. */
static void set_bindings(struct radsteer_net *rn, struct nlattr **tb)
{
	if (tb[RADSTEER_A_SETTINGS_MAX_SESSIONS])
		rn->sessions_max =
			nla_get_u32(tb[RADSTEER_A_SETTINGS_MAX_SESSIONS]);
	if (tb[RADSTEER_A_SETTINGS_MAX_STATES])
		rn->states_max =
			nla_get_u32(tb[RADSTEER_A_SETTINGS_MAX_STATES]);
	if (tb[RADSTEER_A_SETTINGS_STATE_TIME])
		rn->state_time =
			nla_get_u16(tb[RADSTEER_A_SETTINGS_STATE_TIME]);
	if (tb[RADSTEER_A_SETTINGS_SESSION_TIME])
		rn->session_time =
			nla_get_u32(tb[RADSTEER_A_SETTINGS_SESSION_TIME]);
	radsteer_bindings_settings(rn);
}

/**
 * radsteer_settings_set_doit() - change the settings that are given
 * @skb: the request
 * @info: the request, parsed
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL if nothing is given, -EPERM if a table would be too large
 *	for the namespace, -ENOMEM; on an error nothing changed.
 */
int radsteer_settings_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct radsteer_net *rn = radsteer_net(genl_info_net(info));
	struct nlattr **tb = info->attrs;
	struct health_settings health;
	const struct nlattr *max;
	int err;

	if (!settings_given(tb)) {
		NL_SET_ERR_MSG(info->extack, "no setting is given");
		return -EINVAL;
	}

	mutex_lock(&rn->lock);
	err = check_bounds(rn, tb, info->extack);
	if (err)
		goto unlock;
	/* This one can fail, so it comes first. */
	max = tb[RADSTEER_A_SETTINGS_MAX_REQUESTS];
	if (max)
		err = radsteer_requests_resize(rn, nla_get_u32(max));
	if (err) {
		NL_SET_ERR_MSG_ATTR(info->extack, max,
				    "no memory for a table of that size");
		goto unlock;
	}

	health = rn->health_settings;
	if (tb[RADSTEER_A_SETTINGS_DEAD_COUNT])
		health.dead_count =
			nla_get_u16(tb[RADSTEER_A_SETTINGS_DEAD_COUNT]);
	if (tb[RADSTEER_A_SETTINGS_DEAD_INTERVAL])
		health.dead_interval = MSEC_PER_SEC *
			nla_get_u16(tb[RADSTEER_A_SETTINGS_DEAD_INTERVAL]);
	if (tb[RADSTEER_A_SETTINGS_DEAD_TIME])
		health.dead_time = MSEC_PER_SEC *
			nla_get_u32(tb[RADSTEER_A_SETTINGS_DEAD_TIME]);
	radsteer_liveness_settings(rn, &health);

	if (tb[RADSTEER_A_SETTINGS_DUPLICATE_WINDOW])
		WRITE_ONCE(rn->window,
			   nla_get_u16(tb[RADSTEER_A_SETTINGS_DUPLICATE_WINDOW]));
	set_bindings(rn, tb);
unlock:
	mutex_unlock(&rn->lock);
	return err;
}

static int put_settings(struct sk_buff *skb, const struct radsteer_net *rn)
{
	/* Whoever writes it holds radsteer_net.lock too. */
	const struct health_settings *health = &rn->health_settings;

	lockdep_assert_held(&rn->lock);

	if (nla_put_u16(skb, RADSTEER_A_SETTINGS_DEAD_COUNT,
			health->dead_count) ||
	    nla_put_u16(skb, RADSTEER_A_SETTINGS_DEAD_INTERVAL,
			health->dead_interval / MSEC_PER_SEC) ||
	    nla_put_u32(skb, RADSTEER_A_SETTINGS_DEAD_TIME,
			health->dead_time / MSEC_PER_SEC) ||
	    nla_put_u16(skb, RADSTEER_A_SETTINGS_DUPLICATE_WINDOW,
			rn->window) ||
	    nla_put_u32(skb, RADSTEER_A_SETTINGS_MAX_REQUESTS,
			rn->requests_max) ||
	    nla_put_u32(skb, RADSTEER_A_SETTINGS_MAX_SESSIONS,
			rn->sessions_max) ||
	    nla_put_u32(skb, RADSTEER_A_SETTINGS_MAX_STATES, rn->states_max) ||
	    nla_put_u16(skb, RADSTEER_A_SETTINGS_STATE_TIME, rn->state_time) ||
	    nla_put_u32(skb, RADSTEER_A_SETTINGS_SESSION_TIME,
			rn->session_time))
		return -EMSGSIZE;
	return 0;
}

/**
 * radsteer_settings_get_doit() - answer with the settings
 * @skb: the request
 * @info: the request, parsed
 *
 * Context: process; may sleep.
 * Return: 0 or a negative error.
 */
int radsteer_settings_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct radsteer_net *rn = radsteer_net(genl_info_net(info));
	struct sk_buff *reply;
	void *header;
	int err;

	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!reply)
		return -ENOMEM;

	mutex_lock(&rn->lock);
	header = radsteer_netlink_reply(reply, info);
	err = header ? put_settings(reply, rn) : -EMSGSIZE;
	mutex_unlock(&rn->lock);

	if (err) {
		nlmsg_free(reply);
		return err;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}
