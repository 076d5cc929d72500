/* SPDX-License-Identifier: GPL-2.0 */
/* The one timer of a namespace. */
#ifndef _RADSTEER_TIMER_H
#define _RADSTEER_TIMER_H

#include "radsteer.h"

void radsteer_timer_init(struct radsteer_net *rn);
void radsteer_timer_by(struct radsteer_net *rn, unsigned long deadline);
void radsteer_timer_stop(struct radsteer_net *rn);

#endif /* _RADSTEER_TIMER_H */
