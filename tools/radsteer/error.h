/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the command says no: one sentence on standard error, then the end.
 */
#ifndef RADSTEER_ERROR_H
#define RADSTEER_ERROR_H

#include <stdnoreturn.h>

enum status {
	STATUS_DONE,
	STATUS_REFUSED,	/* by the kernel, or by the circumstances */
	STATUS_USAGE,	/* no such command line */
};

#define PRINTF_LIKE(f, a) __attribute__((__format__(printf, f, a)))

noreturn void refuse(const char *format, ...) PRINTF_LIKE(1, 2);
noreturn void misuse(const char *format, ...) PRINTF_LIKE(1, 2);
noreturn void out_of_memory(void);
void *allocated(void *memory);
const char *shown(const char *word);
char *text_of(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
