/* SPDX-License-Identifier: GPL-2.0 */
/* Conversations, and accounting that follows authentication. */
#ifndef _RADSTEER_BINDING_H
#define _RADSTEER_BINDING_H

#include "keys.h"

void radsteer_conversation_begin(struct radsteer_bindings *bindings, u64 state,
				 struct radsteer_server *server,
				 const struct radsteer_group *group);
int radsteer_conversation_place(struct radsteer_bindings *bindings, u64 state,
				const struct radsteer_list *list);

void radsteer_session_accepted(struct radsteer_bindings *bindings, u64 session,
			       u64 user, struct radsteer_server *server,
			       const struct radsteer_group *group);
int radsteer_session_place(struct radsteer_bindings *bindings,
			   const struct radsteer_keys *keys,
			   const struct radsteer_list *list, bool *bound);
int radsteer_session_moved_to(struct radsteer_bindings *bindings, u64 session,
			      const struct radsteer_list *list);
struct radsteer_server *
radsteer_session_bind(struct radsteer_bindings *bindings, u64 session,
		      const struct radsteer_list *list,
		      struct radsteer_server *server,
		      const struct radsteer_group *group, bool moved);
void radsteer_session_stopped(struct radsteer_bindings *bindings, u64 session);

#endif /* _RADSTEER_BINDING_H */
