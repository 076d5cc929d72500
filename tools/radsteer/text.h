/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups and servers as text.
 */
#ifndef RADSTEER_TEXT_H
#define RADSTEER_TEXT_H

#include <jansson.h>

void groups_text(const json_t *tree);
void servers_text(const json_t *tree);

#endif
