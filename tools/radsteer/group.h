/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups as the kernel has them.
 */
#ifndef RADSTEER_GROUP_H
#define RADSTEER_GROUP_H

#include <jansson.h>

json_t *read_groups(void);

#endif
