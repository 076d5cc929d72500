/* SPDX-License-Identifier: GPL-2.0 */
/* The way of a packet. */
#ifndef _RADSTEER_HOOK_H
#define _RADSTEER_HOOK_H

struct net;

int radsteer_hooks_register(struct net *net);
void radsteer_hooks_unregister(struct net *net);

#endif /* _RADSTEER_HOOK_H */
