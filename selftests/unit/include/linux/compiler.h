/* SPDX-License-Identifier: GPL-2.0 */
/* What the PURE files use of what the kernel tells its compiler. */
#ifndef _UNIT_LINUX_COMPILER_H
#define _UNIT_LINUX_COMPILER_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define noinline	__attribute__((__noinline__))

#endif /* _UNIT_LINUX_COMPILER_H */
