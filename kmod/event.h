/* SPDX-License-Identifier: GPL-2.0 */
/* Notifications to whoever listens. */
#ifndef _RADSTEER_EVENT_H
#define _RADSTEER_EVENT_H

#include "radsteer.h"

void radsteer_event_state(struct radsteer_net *rn,
			  const struct radsteer_server *server,
			  const struct health *old,
			  enum health_reason reason);
void radsteer_events_begin(void);
void radsteer_events_end(void);

#endif /* _RADSTEER_EVENT_H */
