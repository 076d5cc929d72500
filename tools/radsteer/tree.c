// SPDX-License-Identifier: GPL-2.0
/*
 * The tree that a command prints.
 */
#include <stdlib.h>
#include <string.h>

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

/* What a value is sorted by, looked up once. */
struct place {
	const char *text;
	json_int_t number;
	json_t *value;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *first = a, *second = b;
	int order = strcmp(first->text, second->text);

	return order ? order : (first->number > second->number) -
			       (first->number < second->number);
}

/**
 * sorted() - put an array of objects in order
 * @list: the array, the reference is taken over
 * @text_key: the string that decides, NULL for none
 * @number_key: the number that decides where that is the same, NULL for none
 * @descending: the greater number comes first
 *
 * Return: a new reference to an array of the same objects
 */
json_t *sorted(json_t *list, const char *text_key, const char *number_key,
	       bool descending)
{
	json_t *value, *result;
	struct place *places;
	size_t n, i;

	n = json_array_size(list);
	places = allocated(calloc(n + 1, sizeof(*places)));
	json_array_foreach(list, i, value) {
		places[i].text = text_key ? member(value, text_key) : "";
		places[i].number = number_key ? number(value, number_key) : 0;
		if (descending)
			places[i].number = -places[i].number;
		places[i].value = value;
	}
	qsort(places, n, sizeof(*places), compare_places);
	result = new_list();
	for (i = 0; i < n; i++)
		append(result, json_incref(places[i].value));
	free(places);
	json_decref(list);
	return result;
}
