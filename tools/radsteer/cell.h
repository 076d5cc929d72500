/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a cell of a table shows of a row, where that is more than a member as it
 * is. Each text is valid until the next call of its function.
 */
#ifndef RADSTEER_CELL_H
#define RADSTEER_CELL_H

#include <jansson.h>

const char *endpoint_text(const json_t *row, const char *address_key,
			  const char *port_key);
const char *duration_text(long long seconds);
const char *mark_text(const json_t *row, const char *key);

#endif
