/* SPDX-License-Identifier: GPL-2.0 */
/* The way of a packet. */
#ifndef _RADSTEER_HOOK_H
#define _RADSTEER_HOOK_H

struct radsteer_net;

int radsteer_hooks_register(struct radsteer_net *rn);
void radsteer_hooks_unregister(struct radsteer_net *rn);

#endif /* _RADSTEER_HOOK_H */
