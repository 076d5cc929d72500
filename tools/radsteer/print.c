// SPDX-License-Identifier: GPL-2.0
/*
 * Trees to standard output.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "print.h"
#include "tree.h"

/* Most columns of a table. */
#define COLUMNS_MAX	16

/**
 * print_tree() - print a tree in the form that was asked for
 * @tree: the tree, given up
 * @output: the form
 * @text: prints the tree as text
 */
void print_tree(json_t *tree, const struct output *output,
		void (*text)(const json_t *tree))
{
	size_t flags = output->pretty ? JSON_INDENT(2) : JSON_COMPACT;

	if (!output->json) {
		text(tree);
	} else {
		/* A failed write is seen by print_done(). */
		json_dumpf(tree, stdout, flags);
		putchar('\n');
	}
	json_decref(tree);
}

static char *cell(const json_t *row, const struct column *column)
{
	const json_t *value;

	if (column->text)
		return text_of("%s", column->text(row));
	value = json_object_get(row, column->key);
	if (json_is_integer(value))
		return text_of("%" JSON_INTEGER_FORMAT,
			       json_integer_value(value));
	return text_of("%s", member(row, column->key));
}

/* Some row may lack what the others have. */
static bool is_numeric(const json_t *rows, const struct column *column)
{
	const json_t *row;
	size_t i;

	if (!column->key)
		return false;
	json_array_foreach(rows, i, row)
		if (json_is_integer(json_object_get(row, column->key)))
			return true;
	return false;
}

static int width_of(const json_t *rows, const struct column *column)
{
	size_t width = strlen(column->title);
	const json_t *row;
	size_t i, len;
	char *text;

	json_array_foreach(rows, i, row) {
		text = cell(row, column);
		len = strlen(text);
		free(text);
		if (len > width)
			width = len;
	}
	return (int)width;
}

/* Numbers stand to the right; the last column of words is not padded. */
static void print_cell(const char *text, int width, bool right, bool last)
{
	if (right)
		printf("%*s", width, text);
	else if (last)
		fputs(text, stdout);
	else
		printf("%-*s", width, text);
	fputs(last ? "\n" : "  ", stdout);
}

/**
 * print_table() - print an array of objects, each as a line, under headings
 * @rows: the array
 * @columns: the columns, up to one without a title
 * @indent: spaces before each line
 */
void print_table(const json_t *rows, const struct column *columns, int indent)
{
	const struct column *column;
	const json_t *row;
	bool right[COLUMNS_MAX];
	int widths[COLUMNS_MAX];
	unsigned int n = 0, c;
	char *text;
	size_t i;

	while (n < COLUMNS_MAX && columns[n].title)
		n++;
	printf("%*s", indent, "");
	for (c = 0; c < n; c++) {
		column = &columns[c];
		widths[c] = width_of(rows, column);
		right[c] = is_numeric(rows, column);
		print_cell(column->title, widths[c], right[c], c + 1 == n);
	}
	json_array_foreach(rows, i, row) {
		printf("%*s", indent, "");
		for (c = 0; c < n; c++) {
			text = cell(row, &columns[c]);
			print_cell(text, widths[c], right[c], c + 1 == n);
			free(text);
		}
	}
}

/**
 * print_flush() - see to it that what was printed so far arrives now
 *
 * Ends the command with a refusal when it cannot.
 *
 * Return: false if nobody reads any more
 */
bool print_flush(void)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	if (errno == EPIPE)
		return false;
	refuse("standard output: %s", strerror(errno ? errno : EIO));
}

/**
 * print_done() - see to it that all that was printed has arrived
 *
 * Ends the command with a refusal when it has not.
 */
void print_done(void)
{
	bool failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) || failed)
		refuse("standard output: %s",
		       strerror(errno ? errno : EIO));
}
