// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer set: what holds for all groups of the network namespace.
 */
#include <stdio.h>

#include <linux/radsteer.h>

#include "command.h"
#include "error.h"
#include "netlink.h"
#include "reply.h"
#include "settings.h"
#include "tree.h"

/* In the order in which they are shown, on three lines. */
enum setting {
	DEAD_COUNT,
	DEAD_INTERVAL,
	DEAD_TIME,
	MAX_REQUESTS,
	MAX_SESSIONS,
	MAX_STATES,
	STATE_TIME,
	SESSION_TIME,
	DUPLICATE_WINDOW,
	SETTINGS
};

#define SECOND_LINE	MAX_REQUESTS
#define THIRD_LINE	STATE_TIME

static const char *const words[] = {
	[DEAD_COUNT] = "dead-count",
	[DEAD_INTERVAL] = "dead-interval",
	[DEAD_TIME] = "dead-time",
	[MAX_REQUESTS] = "max-requests",
	[MAX_SESSIONS] = "max-sessions",
	[MAX_STATES] = "max-states",
	[STATE_TIME] = "state-time",
	[SESSION_TIME] = "session-time",
	[DUPLICATE_WINDOW] = "duplicate-window",
	NULL
};

static const struct {
	unsigned int type;
	size_t size;
	unsigned int min;
	unsigned int max;
	const char *key;
	const char *unit;
} settings[SETTINGS] = {
	[DEAD_COUNT] = {
		RADSTEER_A_SETTINGS_DEAD_COUNT, sizeof(uint16_t),
		1, RADSTEER_DEAD_COUNT_MAX, "dead_count", ""
	},
	[DEAD_INTERVAL] = {
		RADSTEER_A_SETTINGS_DEAD_INTERVAL, sizeof(uint16_t),
		0, RADSTEER_DEAD_INTERVAL_MAX, "dead_interval", " s"
	},
	[DEAD_TIME] = {
		RADSTEER_A_SETTINGS_DEAD_TIME, sizeof(uint32_t),
		1, RADSTEER_DEAD_TIME_MAX, "dead_time", " s"
	},
	[MAX_REQUESTS] = {
		RADSTEER_A_SETTINGS_MAX_REQUESTS, sizeof(uint32_t),
		1, RADSTEER_REQUESTS_MAX, "max_requests", ""
	},
	[MAX_SESSIONS] = {
		RADSTEER_A_SETTINGS_MAX_SESSIONS, sizeof(uint32_t),
		1, RADSTEER_SESSIONS_MAX, "max_sessions", ""
	},
	[MAX_STATES] = {
		RADSTEER_A_SETTINGS_MAX_STATES, sizeof(uint32_t),
		1, RADSTEER_STATES_MAX, "max_states", ""
	},
	[STATE_TIME] = {
		RADSTEER_A_SETTINGS_STATE_TIME, sizeof(uint16_t),
		1, RADSTEER_STATE_TIME_MAX, "state_time", " s"
	},
	[SESSION_TIME] = {
		RADSTEER_A_SETTINGS_SESSION_TIME, sizeof(uint32_t),
		1, RADSTEER_SESSION_TIME_MAX, "session_time", " s"
	},
	[DUPLICATE_WINDOW] = {
		RADSTEER_A_SETTINGS_DUPLICATE_WINDOW, sizeof(uint16_t),
		0, RADSTEER_DUPLICATE_WINDOW_MAX, "duplicate_window", " ms"
	},
};

static void put_setting(struct nlmsghdr *nlh, unsigned int setting,
			unsigned int value)
{
	uint16_t type = (uint16_t)settings[setting].type;

	if (settings[setting].size == sizeof(uint16_t))
		mnl_attr_put_u16(nlh, type, (uint16_t)value);
	else
		mnl_attr_put_u32(nlh, type, value);
}

static char *blame_setting(const struct nlattr *attr)
{
	unsigned int i;

	for (i = 0; i < SETTINGS; i++)
		if (mnl_attr_get_type(attr) == settings[i].type)
			return text_of("%s", words[i]);
	return NULL;
}

/**
 * set_command() - radsteer set ...
 * @args: the words after "set"
 * @output: not used, nothing is printed
 */
void set_command(struct args *args, const struct output *output)
{
	unsigned int values[SETTINGS] = { 0 };
	unsigned int given = 0, i;
	struct request req;

	(void)output;
	do {
		i = take_option(args, words, 0, &given);
		values[i] = take_number(args, settings[i].min, settings[i].max);
	} while (args_left(args));

	request_begin(&req, RADSTEER_CMD_SETTINGS_SET);
	req.subject = "settings";
	req.blame = blame_setting;
	for (i = 0; i < SETTINGS; i++)
		if (given & 1U << i)
			put_setting(req.nlh, i, values[i]);
	request_change(&req);
}

static json_t *read_reply(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[RADSTEER_A_SETTINGS_MAX + 1];
	json_t *object;
	unsigned int i;

	reply_attrs(nlh, attrs, RADSTEER_A_SETTINGS_MAX);
	object = new_object();
	for (i = 0; i < SETTINGS; i++)
		put_number(object, settings[i].key, attrs[settings[i].type]);
	return object;
}

/**
 * read_settings() - read the settings of the network namespace
 *
 * Return: an object, a new reference; NULL if the module has no settings
 */
json_t *read_settings(void)
{
	struct request req;

	request_begin(&req, RADSTEER_CMD_SETTINGS_GET);
	req.subject = "settings";
	return request_read_if_known(&req, read_reply);
}

static void line_text(const json_t *object, unsigned int from, unsigned int to)
{
	const char *before = "  ";
	const json_t *value;
	unsigned int i;

	for (i = from; i < to; i++) {
		value = json_object_get(object, settings[i].key);
		if (!value)
			continue;
		printf("%s%s %" JSON_INTEGER_FORMAT "%s", before, words[i],
		       json_integer_value(value), settings[i].unit);
		before = ", ";
	}
	putchar('\n');
}

/**
 * settings_text() - print the settings as text
 * @object: what read_settings() returned, not NULL
 */
void settings_text(const json_t *object)
{
	puts("settings");
	line_text(object, DEAD_COUNT, SECOND_LINE);
	line_text(object, SECOND_LINE, THIRD_LINE);
	line_text(object, THIRD_LINE, SETTINGS);
}
