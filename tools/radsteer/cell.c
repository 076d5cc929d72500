// SPDX-License-Identifier: GPL-2.0
/*
 * Cells that several tables have.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cell.h"
#include "tree.h"

/**
 * endpoint_text() - an address and a port
 * @row: the row
 * @address_key: the member that is the address
 * @port_key: the member that is the port
 *
 * Return: both with a colon between them, an IPv6 address in brackets; "-" if
 * there is no address
 */
const char *endpoint_text(const json_t *row, const char *address_key,
			  const char *port_key)
{
	const char *address = member(row, address_key);
	bool brackets = strchr(address, ':');
	static char text[80];

	if (!json_object_get(row, address_key))
		return "-";
	snprintf(text, sizeof(text), "%s%s%s:%" JSON_INTEGER_FORMAT,
		 brackets ? "[" : "", address, brackets ? "]" : "",
		 number(row, port_key));
	return text;
}

/**
 * duration_text() - how long something lasts
 * @seconds: the number of seconds
 *
 * Return: the same in two units, such as 2h05m, the greater one at most days
 */
const char *duration_text(long long seconds)
{
	long long minutes = seconds / 60, hours = minutes / 60;
	static char text[64];

	if (!minutes)
		snprintf(text, sizeof(text), "%llds", seconds);
	else if (!hours)
		snprintf(text, sizeof(text), "%lldm%02llds", minutes,
			 seconds % 60);
	else if (hours < 24)
		snprintf(text, sizeof(text), "%lldh%02lldm", hours,
			 minutes % 60);
	else
		snprintf(text, sizeof(text), "%lldd%02lldh", hours / 24,
			 hours % 24);
	return text;
}

/**
 * mark_text() - a member that is true or false
 * @row: the row
 * @key: the member
 *
 * Return: its name if it is true, else "-"
 */
const char *mark_text(const json_t *row, const char *key)
{
	return json_is_true(json_object_get(row, key)) ? key : "-";
}
