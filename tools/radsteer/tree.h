/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree that a command prints, of objects, arrays and values. Whoever runs
 * out of memory over it ends the command.
 */
#ifndef RADSTEER_TREE_H
#define RADSTEER_TREE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

json_t *new_object(void);
json_t *new_list(void);
json_t *text_value(const char *text, size_t len);

void put(json_t *object, const char *key, json_t *value);
void append(json_t *list, json_t *value);
const char *member(const json_t *object, const char *key);
json_int_t number(const json_t *object, const char *key);
json_t *sorted(json_t *list, const char *text_key, const char *number_key,
	       bool descending);

#endif
