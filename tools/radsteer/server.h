/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Servers as the kernel has them.
 */
#ifndef RADSTEER_SERVER_H
#define RADSTEER_SERVER_H

#include <jansson.h>

void read_servers(json_t *groups, const char *name);

#endif
