// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer session: show.
 *
 * There can be millions of them, as of requests.
 */
#include <stdio.h>

#include <linux/radsteer.h>

#include "cell.h"
#include "command.h"
#include "netlink.h"
#include "reply.h"
#include "tree.h"
#include "words.h"

static json_t *read_session(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[RADSTEER_A_SESSION_MAX + 1];
	json_t *session;

	reply_attrs(nlh, attrs, RADSTEER_A_SESSION_MAX);
	session = new_object();
	put_word(session, "kind", attrs[RADSTEER_A_SESSION_KIND],
		 binding_words);
	put_hex(session, "key", attrs[RADSTEER_A_SESSION_KEY]);
	put_text(session, "group", attrs[RADSTEER_A_SESSION_GROUP]);
	put_word(session, "service", attrs[RADSTEER_A_SESSION_SERVICE],
		 service_words);
	put_address(session, "server",
		    attrs[RADSTEER_A_SESSION_SERVER_ADDRESS]);
	put_port(session, "server_port",
		 attrs[RADSTEER_A_SESSION_SERVER_PORT]);
	put_number(session, "idle_ms", attrs[RADSTEER_A_SESSION_IDLE]);
	put_number(session, "left_ms", attrs[RADSTEER_A_SESSION_LEFT]);
	put(session, "ended", json_boolean(attrs[RADSTEER_A_SESSION_ENDED]));
	return session;
}

static const char *server_of(const json_t *session)
{
	return endpoint_text(session, "server", "server_port");
}

static const char *time_of(const json_t *session, const char *key)
{
	if (!json_object_get(session, key))
		return "-";
	return duration_text(number(session, key) / 1000);
}

static const char *idle_of(const json_t *session)
{
	return time_of(session, "idle_ms");
}

static const char *left_of(const json_t *session)
{
	return time_of(session, "left_ms");
}

static const char *ended_of(const json_t *session)
{
	return mark_text(session, "ended");
}

static const struct column columns[] = {
	{ "GROUP", "group", NULL },
	{ "KIND", "kind", NULL },
	{ "KEY", "key", NULL },
	{ "SERVICE", "service", NULL },
	{ "SERVER", NULL, server_of },
	{ "IDLE", NULL, idle_of },
	{ "LEFT", NULL, left_of },
	{ "ENDED", NULL, ended_of },
	{ NULL, NULL, NULL }
};

static void sessions_text(const json_t *tree)
{
	const json_t *sessions = json_object_get(tree, "sessions");

	if (json_array_size(sessions))
		print_table(sessions, columns, 0);
	else
		puts("no sessions");
}

static void session_show(struct args *args, const struct output *output)
{
	struct request req;
	json_t *tree, *sessions;

	args_end(args);
	request_begin(&req, RADSTEER_CMD_SESSION_GET);
	req.subject = "sessions";
	sessions = request_dump_moving(&req, read_session);
	tree = new_object();
	/* What was used last comes first. */
	put(tree, "sessions", sorted(sessions, "group", "idle_ms", false));
	print_tree(tree, output, sessions_text);
}

/**
 * session_command() - radsteer session ...
 * @args: the words after "session"
 * @output: how to print
 */
void session_command(struct args *args, const struct output *output)
{
	static const struct command commands[] = {
		{ "show", session_show },
		{ NULL, NULL }
	};

	dispatch(args, output, commands);
}
