/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The settings of the network namespace.
 */
#ifndef RADSTEER_SETTINGS_H
#define RADSTEER_SETTINGS_H

#include <jansson.h>

json_t *read_settings(void);
void settings_text(const json_t *object);

#endif
