/* SPDX-License-Identifier: GPL-2.0 */
/* What the PURE files use of the kernel's bit operations. */
#ifndef _UNIT_LINUX_BITOPS_H
#define _UNIT_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

/*
 * Index of the lowest bit set. The kernel leaves the result for 0 open, and
 * so does the builtin: -fsanitize=undefined reports a call with 0.
 */
static inline unsigned int __ffs64(u64 word)
{
	return __builtin_ctzll(word);
}

static inline unsigned int hweight64(u64 word)
{
	return __builtin_popcountll(word);
}

#endif /* _UNIT_LINUX_BITOPS_H */
