// SPDX-License-Identifier: GPL-2.0
/*
 * The tree that a command prints.
 */
#include <stdlib.h>

#include "error.h"
#include "tree.h"

/**
 * new_object() - make an empty object
 *
 * Return: a new reference
 */
json_t *new_object(void)
{
	return allocated(json_object());
}

/**
 * new_list() - make an empty array
 *
 * Return: a new reference
 */
json_t *new_list(void)
{
	return allocated(json_array());
}

/**
 * text_value() - make a string of what need not be fit to print
 * @text: the octets, up to the first NUL
 * @len: at most so many
 *
 * Return: a new reference to the string; '?' stands in it for all that is not
 * printable ASCII
 */
json_t *text_value(const char *text, size_t len)
{
	char *clean, *c;
	json_t *value;

	clean = text_of("%.*s", (int)len, text);
	for (c = clean; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	value = allocated(json_string(clean));
	free(clean);
	return value;
}

/**
 * put() - set a member of an object
 * @object: the object
 * @key: the name of the member
 * @value: its value, the reference is taken over
 */
void put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value))
		out_of_memory();
}

/**
 * append() - add to the end of an array
 * @list: the array
 * @value: what is added, the reference is taken over
 */
void append(json_t *list, json_t *value)
{
	if (json_array_append_new(list, value))
		out_of_memory();
}

/**
 * member() - a member of an object as text
 * @object: the object
 * @key: the name of the member
 *
 * Return: the string, "-" if there is none
 */
const char *member(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "-";
}

/**
 * number() - a member of an object as a number
 * @object: the object
 * @key: the name of the member
 *
 * Return: the number, 0 if there is none
 */
json_int_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static int (*compare_values)(const json_t *a, const json_t *b);

static int compare_places(const void *a, const void *b)
{
	return compare_values(*(json_t *const *)a, *(json_t *const *)b);
}

/**
 * sorted() - put an array in order
 * @list: the array, the reference is taken over
 * @compare: less than, equal to or more than 0 as @a comes before, beside or
 *	after @b
 *
 * Return: a new reference to an array of the same values
 */
json_t *sorted(json_t *list,
	       int (*compare)(const json_t *a, const json_t *b))
{
	json_t *value, *result, **places;
	size_t n, i;

	n = json_array_size(list);
	places = allocated(calloc(n + 1, sizeof(*places)));
	json_array_foreach(list, i, value)
		places[i] = value;
	compare_values = compare;
	qsort(places, n, sizeof(*places), compare_places);
	result = new_list();
	for (i = 0; i < n; i++)
		append(result, json_incref(places[i]));
	free(places);
	json_decref(list);
	return result;
}
