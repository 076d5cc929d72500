// SPDX-License-Identifier: GPL-2.0
/*
 * Trees to standard output.
 */
#include <errno.h>
#include <stdio.h>
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

/* How a column is printed. */
struct layout {
	int width;
	bool numeric;
};

/* What a column shows of a row; valid until the next call. */
static const char *cell(const json_t *row, const struct column *column,
			struct layout *layout)
{
	static char digits[24];
	const json_t *value;

	if (column->text)
		return column->text(row);
	value = json_object_get(row, column->key);
	if (!json_is_integer(value))
		return json_is_string(value) ? json_string_value(value) : "-";
	/* Some row may lack what the others have. */
	layout->numeric = true;
	snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT,
		 json_integer_value(value));
	return digits;
}

static void widen(struct layout *layout, const char *text)
{
	int len = (int)strlen(text);

	if (len > layout->width)
		layout->width = len;
}

/* Numbers stand to the right; the last column of words is not padded. */
static void print_cell(const char *text, const struct layout *layout, bool last)
{
	if (layout->numeric)
		printf("%*s", layout->width, text);
	else if (last)
		fputs(text, stdout);
	else
		printf("%-*s", layout->width, text);
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
	struct layout layouts[COLUMNS_MAX] = { 0 };
	unsigned int n, c;
	const json_t *row;
	size_t i;

	for (n = 0; n < COLUMNS_MAX && columns[n].title; n++)
		widen(&layouts[n], columns[n].title);
	/* Each row is looked at as a whole, while it is in the cache. */
	json_array_foreach(rows, i, row)
		for (c = 0; c < n; c++)
			widen(&layouts[c], cell(row, &columns[c], &layouts[c]));

	printf("%*s", indent, "");
	for (c = 0; c < n; c++)
		print_cell(columns[c].title, &layouts[c], c + 1 == n);
	json_array_foreach(rows, i, row) {
		printf("%*s", indent, "");
		for (c = 0; c < n; c++)
			print_cell(cell(row, &columns[c], &layouts[c]),
				   &layouts[c], c + 1 == n);
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
