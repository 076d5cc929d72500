/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzz targets share. */
#ifndef _UNIT_FUZZ_H
#define _UNIT_FUZZ_H

#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>

/* An invariant. Not assert(), which a build can switch off. */
#define must(condition)							\
do {									\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: broken: %s\n", __FILE__,	\
			__LINE__, #condition);				\
		fflush(stdout);						\
		abort();						\
	}								\
} while (0)

/* What libFuzzer calls with each input; the name is its own. */
int fuzz(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

#endif /* _UNIT_FUZZ_H */
