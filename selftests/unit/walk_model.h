/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The walk of the attributes, told a second time from the RFCs and P8, and
 * nothing of radius.c used for it but the shape of what it gives back.
 */
#ifndef _UNIT_WALK_MODEL_H
#define _UNIT_WALK_MODEL_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "radius.h"

/* By the order of enum radius_attribute. */
static const int walk_types[RADIUS_ATTRIBUTES] = {
	1, 4, 24, 31, 32, 40, 41, 44, 46, 55, 95
};

/* Where the value of the first such attribute is, 0 if there is none. */
static inline size_t model_walk(const u8 *data, size_t size, int type,
				size_t *length)
{
	size_t at = 0;

	while (size - at >= 2) {
		size_t whole = data[at + 1];

		if (whole < 2)
			return 0;
		if (whole > size - at)
			return 0;
		if (data[at] == type && whole >= 3) {
			*length = whole - 2;
			return at + 2;
		}
		at += whole;
	}
	return 0;
}

/* What looks for State alone agrees with it, too. */
static inline bool state_agrees(const u8 *data, size_t size)
{
	size_t length = 0, at = model_walk(data, size, 24, &length);
	const u8 *value;
	u8 own = 0;

	value = radius_state(size ? data : NULL, size, &own);
	return at ? value == data + at && own == length : !value;
}

/* The walk of exactly these octets agrees with the model. */
static inline bool walk_agrees(const u8 *data, size_t size, u32 wanted)
{
	u8 *copy = malloc(size ? size : 1);
	struct radius_found found;
	unsigned int i;
	bool agrees;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	memset(&found, 0xa5, sizeof(found));
	radius_walk(&found, size ? copy : NULL, size, wanted);
	agrees = state_agrees(copy, size);
	for (i = 0; i < RADIUS_ATTRIBUTES; i++) {
		size_t length = 0, at = 0;
		bool seen = found.seen & 1U << i;

		if (wanted & 1U << i)
			at = model_walk(copy, size, walk_types[i], &length);
		if (seen != (at > 0))
			agrees = false;
		else if (seen && (found.value[i] != copy + at ||
				  found.length[i] != length))
			agrees = false;
	}
	if (found.seen >> RADIUS_ATTRIBUTES || memcmp(copy, data, size))
		agrees = false;
	free(copy);
	return agrees;
}

#endif /* _UNIT_WALK_MODEL_H */
