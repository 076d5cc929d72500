/* SPDX-License-Identifier: GPL-2.0 */
/* The liveness of servers, and the lists that see it. */
#ifndef _RADSTEER_LIVENESS_H
#define _RADSTEER_LIVENESS_H

#include "radsteer.h"

void radsteer_liveness_init(struct radsteer_server *server);
void radsteer_liveness_end(struct radsteer_net *rn,
			   struct radsteer_server *server);
void radsteer_liveness_place(struct radsteer_net *rn,
			     struct radsteer_snapshot *old,
			     struct radsteer_snapshot *snapshot);
void radsteer_liveness_leave(struct radsteer_net *rn,
			     struct radsteer_member *member);
void radsteer_liveness_pin(struct radsteer_net *rn,
			   struct radsteer_server *server);
void radsteer_liveness_settings(struct radsteer_net *rn,
				const struct health_settings *settings);
void radsteer_liveness_read(struct radsteer_net *rn,
			    const struct radsteer_server *server,
			    struct health *health, u64 *age);

void radsteer_liveness_lost(struct radsteer_net *rn,
			    struct radsteer_server *server, bool exhausted);
void __radsteer_liveness_answered(struct radsteer_net *rn,
				  struct radsteer_server *server);
void radsteer_liveness_run(struct radsteer_net *rn, bool *waits,
			   unsigned long *next);

/**
 * radsteer_liveness_answered() - a server answered (S3)
 * @rn: the namespace
 * @server: the server
 *
 * Context: any, under the lock of the bucket of the request.
 */
static inline void radsteer_liveness_answered(struct radsteer_net *rn,
					      struct radsteer_server *server)
{
	/* Most often there is nothing to mend, and no lock to take. */
	if (READ_ONCE(server->health.losses) ||
	    READ_ONCE(server->health.state) != HEALTH_UP)
		__radsteer_liveness_answered(rn, server);
}

#endif /* _RADSTEER_LIVENESS_H */
