/* SPDX-License-Identifier: GPL-2.0 */
/* Servers, shared by every list that has them. */
#ifndef _RADSTEER_SERVER_H
#define _RADSTEER_SERVER_H

#include "radsteer.h"

/**
 * struct radsteer_server_change - what is to become of a server in a list
 * @service: enum radsteer_service
 * @at: where the server listens
 * @before: the server that a new one goes before, port 0 for the end
 * @weight: its weight in the list
 * @admin: its administrative state, in every list
 * @set_weight: @weight was given
 * @set_admin: @admin was given
 */
struct radsteer_server_change {
	unsigned int service;
	struct radsteer_endpoint at;
	struct radsteer_endpoint before;
	u16 weight;
	u8 admin;
	bool set_weight;
	bool set_admin;
};

int radsteer_server_new(struct radsteer_net *rn, struct radsteer_group *group,
			const struct radsteer_server_change *change,
			struct netlink_ext_ack *extack);
int radsteer_server_set(struct radsteer_net *rn, struct radsteer_group *group,
			const struct radsteer_server_change *change,
			struct netlink_ext_ack *extack);
int radsteer_server_del(struct radsteer_net *rn, struct radsteer_group *group,
			const struct radsteer_server_change *change,
			struct netlink_ext_ack *extack);
void radsteer_member_leave(struct radsteer_net *rn,
			   struct radsteer_member *member);
void radsteer_member_put(struct radsteer_member *member);

#endif /* _RADSTEER_SERVER_H */
