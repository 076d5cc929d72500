/* SPDX-License-Identifier: GPL-2.0 */
/* Groups: what is set for them, and their snapshots. */
#ifndef _RADSTEER_GROUP_H
#define _RADSTEER_GROUP_H

#include "radsteer.h"

struct radsteer_group *radsteer_group_find(const struct radsteer_net *rn,
					   const char *name);
int radsteer_group_new(struct radsteer_net *rn, const char *name,
		       const struct radsteer_settings *settings,
		       struct netlink_ext_ack *extack);
int radsteer_group_set(struct radsteer_net *rn, struct radsteer_group *group,
		       const struct radsteer_settings *settings,
		       struct netlink_ext_ack *extack);
int radsteer_group_del(struct radsteer_net *rn, struct radsteer_group *group,
		       struct netlink_ext_ack *extack);
void radsteer_group_flush(struct radsteer_net *rn);
u8 radsteer_group_accounting(const struct radsteer_settings *settings);
int radsteer_group_recent(const struct radsteer_group *group,
			  const struct radsteer_list *list,
			  unsigned int service);
int radsteer_list_place(const struct radsteer_list *list,
			const struct radsteer_server *server);

struct radsteer_snapshot *radsteer_group_prepare(struct radsteer_group *group);
void radsteer_group_abort(struct radsteer_net *rn);
void radsteer_snapshot_settle(struct radsteer_snapshot *snapshot);
void radsteer_snapshot_put(struct radsteer_snapshot *snapshot);

#endif /* _RADSTEER_GROUP_H */
