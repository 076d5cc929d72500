// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for the walk of the attributes in radius.c.
 *
 * Input: two octets for what is looked for, then the attributes, handed over in
 * memory of exactly their size.
 */
#include "fuzz.h"
#include "walk_model.h"

int fuzz(const u8 *data, size_t size)
{
	if (size < 2)
		return 0;
	must(walk_agrees(data + 2, size - 2,
			 (data[0] * 256 + data[1]) &
			 ((1U << RADIUS_ATTRIBUTES) - 1)));
	return 0;
}
