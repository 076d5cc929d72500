// SPDX-License-Identifier: GPL-2.0
/* Module and namespaces: ordered init and exit, nothing else. */
#include <linux/module.h>
#include "binding_table.h"
#include "config.h"
#include "event.h"
#include "group.h"
#include "hook.h"
#include "netlink.h"
#include "request_table.h"
#include "timer.h"
#include "version.h"

unsigned int radsteer_net_id __read_mostly;

static int __net_init radsteer_net_init(struct net *net)
{
	struct radsteer_net *rn = radsteer_net(net);

	rn->stats = alloc_percpu(struct radsteer_stats);
	if (!rn->stats)
		return -ENOMEM;
	mutex_init(&rn->lock);
	INIT_LIST_HEAD(&rn->groups);
	INIT_LIST_HEAD(&rn->servers);
	INIT_LIST_HEAD(&rn->down);
	spin_lock_init(&rn->health_lock);
	ratelimit_state_init(&rn->short_errors, HZ, RADSTEER_SHORT_ERRORS);
	/* They are counted, not logged. */
	ratelimit_set_flags(&rn->short_errors, RATELIMIT_MSG_ON_RELEASE);
	radsteer_timer_init(rn);
	rn->net = net;
	rn->generation = 1;
	rn->window = RADSTEER_DUPLICATE_WINDOW_DEFAULT;
	rn->requests_max = RADSTEER_REQUESTS_DEFAULT;
	rn->sessions_max = RADSTEER_SESSIONS_DEFAULT;
	rn->states_max = RADSTEER_STATES_DEFAULT;
	/* What is remembered is charged to nobody, as connections are not. */
	if (net->user_ns != &init_user_ns) {
		rn->sessions_max = RADSTEER_UNPRIVILEGED;
		rn->states_max = RADSTEER_UNPRIVILEGED;
	}
	rn->state_time = RADSTEER_STATE_TIME_DEFAULT;
	rn->session_time = RADSTEER_SESSION_TIME_DEFAULT;
	rn->health_settings = (struct health_settings){
		.dead_count = RADSTEER_DEAD_COUNT_DEFAULT,
		.dead_interval = RADSTEER_DEAD_INTERVAL_DEFAULT * MSEC_PER_SEC,
		.dead_time = RADSTEER_DEAD_TIME_DEFAULT * MSEC_PER_SEC,
	};
	return 0;
}

/* Let no packet see anything. A grace period goes by before .exit. */
static void __net_exit radsteer_net_pre_exit(struct net *net)
{
	struct radsteer_net *rn = radsteer_net(net);

	mutex_lock(&rn->lock);
	if (rn->group_count) {
		radsteer_hooks_unregister(rn);
		radsteer_config_withdraw(rn);
	}
	mutex_unlock(&rn->lock);
}

static void __net_exit radsteer_net_exit(struct net *net)
{
	struct radsteer_net *rn = radsteer_net(net);

	radsteer_group_flush(rn);
	/* Servers hold routes, which are to be gone before the address families. */
	if (rn->last_id) {
		rcu_barrier();
		/* Older kernels count a route until it is freed. */
		rcu_barrier();
	}
	mutex_destroy(&rn->lock);
	free_percpu(rn->stats);
}

static struct pernet_operations radsteer_net_ops = {
	.init		= radsteer_net_init,
	.pre_exit	= radsteer_net_pre_exit,
	.exit		= radsteer_net_exit,
	.id		= &radsteer_net_id,
	.size		= sizeof(struct radsteer_net),
};

static int __init radsteer_init(void)
{
	int err;

	err = radsteer_request_cache_create();
	if (err)
		return err;
	err = radsteer_binding_cache_create();
	if (err)
		goto err_requests;
	err = register_pernet_subsys(&radsteer_net_ops);
	if (err)
		goto err_bindings;
	err = radsteer_netlink_register();
	if (err)
		goto err_net;
	radsteer_events_begin();
	return 0;

err_net:
	unregister_pernet_subsys(&radsteer_net_ops);
err_bindings:
	radsteer_binding_cache_destroy();
err_requests:
	radsteer_request_cache_destroy();
	return err;
}

static void __exit radsteer_exit(void)
{
	radsteer_events_end();
	radsteer_netlink_unregister();
	unregister_pernet_subsys(&radsteer_net_ops);
	/* Configurations and bindings that were retired before are on RCU. */
	rcu_barrier();
	radsteer_binding_cache_destroy();
	radsteer_request_cache_destroy();
}

module_init(radsteer_init);
module_exit(radsteer_exit);

MODULE_DESCRIPTION("Steers RADIUS requests among the servers of a group");
MODULE_LICENSE("GPL");
MODULE_VERSION(RADSTEER_VERSION);
MODULE_ALIAS_GENL_FAMILY("radsteer");
