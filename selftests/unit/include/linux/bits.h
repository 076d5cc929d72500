/* SPDX-License-Identifier: GPL-2.0 */
/* What the PURE files use of the kernel's bit masks. */
#ifndef _UNIT_LINUX_BITS_H
#define _UNIT_LINUX_BITS_H

#define BIT_ULL(bit)	(1ULL << (bit))

#endif /* _UNIT_LINUX_BITS_H */
