// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals. Whatever a sentence quotes, from the command line or from the
 * kernel, reaches the terminal as printable ASCII on one line.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* A word longer than this is cut where it is quoted. */
#define SHOWN_MAX	64

static void say(const char *sentence)
{
	const unsigned char *c;
	char *escaped = NULL;
	FILE *line;
	size_t len;

	line = open_memstream(&escaped, &len);
	if (!line)
		return;
	fputs("radsteer: ", line);
	for (c = (const unsigned char *)sentence; *c; c++) {
		if (*c < ' ' || *c > '~')
			fprintf(line, "\\x%02x", *c);
		else
			fputc(*c, line);
	}
	fputc('\n', line);
	/* Standard error is not buffered: one write keeps the line whole. */
	if (!fclose(line))
		fputs(escaped, stderr);
	free(escaped);
}

static void say_values(const char *format, va_list values)
{
	char *sentence;

	if (vasprintf(&sentence, format, values) < 0) {
		say("out of memory");
		return;
	}
	say(sentence);
	free(sentence);
}

/**
 * refuse() - end because the kernel or the circumstances forbid it
 * @format: the sentence, without the name of the command
 */
void refuse(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	say_values(format, values);
	va_end(values);
	exit(STATUS_REFUSED);
}

/**
 * misuse() - end because the command line is none
 * @format: the sentence, without the name of the command
 */
void misuse(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	say_values(format, values);
	va_end(values);
	exit(STATUS_USAGE);
}

/**
 * out_of_memory() - end for want of memory
 */
void out_of_memory(void)
{
	refuse("out of memory");
}

/**
 * allocated() - see that memory is there
 * @memory: what an allocator returned
 *
 * Return: @memory
 */
void *allocated(void *memory)
{
	if (!memory)
		out_of_memory();
	return memory;
}

/**
 * shown() - a word in quotation marks, for a sentence
 * @word: the word
 *
 * Return: the quotation; it lasts until the fourth call from now
 */
const char *shown(const char *word)
{
	static unsigned int turn;
	static char *quoted[4];
	char **mine;

	mine = &quoted[turn++ % 4];
	free(*mine);
	if (strlen(word) > SHOWN_MAX)
		*mine = text_of("\"%.*s...\"", SHOWN_MAX, word);
	else
		*mine = text_of("\"%s\"", word);
	return *mine;
}

/**
 * text_of() - a string made to measure
 * @format: as for printf()
 *
 * Return: the string, to be freed by the caller
 */
char *text_of(const char *format, ...)
{
	va_list values;
	char *text;
	int len;

	va_start(values, format);
	len = vasprintf(&text, format, values);
	va_end(values);
	if (len < 0)
		out_of_memory();
	return text;
}
