/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one way out: a command builds a tree, which is printed as JSON or as
 * text.
 */
#ifndef RADSTEER_PRINT_H
#define RADSTEER_PRINT_H

#include <jansson.h>
#include <stdbool.h>

/**
 * struct output - how to print
 * @json: as JSON
 * @pretty: JSON on several lines, indented
 */
struct output {
	bool json;
	bool pretty;
};

/**
 * struct column - a column of a table
 * @title: its heading
 * @key: the member of each row that it shows, NULL if @text is there
 * @text: what it shows of a row
 */
struct column {
	const char *title;
	const char *key;
	const char *(*text)(const json_t *row);
};

void print_tree(json_t *tree, const struct output *output,
		void (*text)(const json_t *tree));
void print_table(const json_t *rows, const struct column *columns,
		 int indent);
bool print_flush(void);
void print_done(void);

#endif
