/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KTAP from a C program: a plan, a line for each result, notes.
 *
 * For one program of one source file that includes it. What would make a
 * result worthless is an error of its own: a title given twice, a title that
 * KTAP would read as something else, a plan that was not kept.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_RESULTS_MAX	512
#define UNIT_TITLE_MAX		160

#ifndef __printf
#define __printf(format, first)	\
	__attribute((__format__(printf, format, first)))
#endif

#define unit_count(array)	(sizeof(array) / sizeof((array)[0]))

static struct {
	char title[UNIT_RESULTS_MAX][UNIT_TITLE_MAX];
	unsigned int planned;
	unsigned int results;
	bool failed;
} unit;

static inline __printf(1, 2) void unit_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

static inline __printf(1, 2) void unit_bail_out(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("Bail out! ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
	exit(1);
}

static inline void unit_plan(unsigned int results)
{
	/* Line by line, so that a crash leaves all that was said before it. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	unit.planned = results;
	printf("KTAP version 1\n1..%u\n", results);
}

/* The title begins with the ids of the rules that the result speaks of. */
static inline __printf(2, 3) void unit_result(bool ok, const char *format, ...)
{
	char title[UNIT_TITLE_MAX];
	unsigned int i;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(title, sizeof(title), format, args);
	va_end(args);

	if (length < 1 || length >= UNIT_TITLE_MAX || strpbrk(title, "#\n"))
		unit_bail_out("no title of a result: \"%s\"", title);
	if (unit.results == UNIT_RESULTS_MAX)
		unit_bail_out("more than %u results", UNIT_RESULTS_MAX);
	for (i = 0; i < unit.results; i++)
		if (!strcmp(title, unit.title[i]))
			unit_bail_out("two results are called \"%s\"", title);

	strcpy(unit.title[unit.results++], title);
	unit.failed |= !ok;
	printf("%sok %u %s\n", ok ? "" : "not ", unit.results, title);
}

/* Return: the exit status of the program. */
static inline int unit_end(void)
{
	if (unit.results != unit.planned) {
		unit_note("%u results planned, %u given", unit.planned,
			  unit.results);
		unit.failed = true;
	}
	return unit.failed;
}

#endif /* _UNIT_H */
