// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer request: show.
 *
 * There can be millions of them: nothing here takes more than a moment for
 * each.
 */
#include <stdio.h>

#include <linux/radsteer.h>

#include "cell.h"
#include "command.h"
#include "netlink.h"
#include "reply.h"
#include "tree.h"

static json_t *read_request(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[RADSTEER_A_REQUEST_MAX + 1];
	json_t *request;

	reply_attrs(nlh, attrs, RADSTEER_A_REQUEST_MAX);
	request = new_object();
	put_text(request, "group", attrs[RADSTEER_A_REQUEST_GROUP]);
	put_address(request, "client",
		    attrs[RADSTEER_A_REQUEST_CLIENT_ADDRESS]);
	put_port(request, "client_port",
		 attrs[RADSTEER_A_REQUEST_CLIENT_PORT]);
	put_address(request, "asked", attrs[RADSTEER_A_REQUEST_ASKED_ADDRESS]);
	put_port(request, "asked_port", attrs[RADSTEER_A_REQUEST_ASKED_PORT]);
	put_address(request, "server",
		    attrs[RADSTEER_A_REQUEST_SERVER_ADDRESS]);
	put_port(request, "server_port",
		 attrs[RADSTEER_A_REQUEST_SERVER_PORT]);
	put_number(request, "code", attrs[RADSTEER_A_REQUEST_CODE]);
	put_number(request, "identifier", attrs[RADSTEER_A_REQUEST_IDENTIFIER]);
	put_number(request, "copies", attrs[RADSTEER_A_REQUEST_COPIES]);
	put_number(request, "failovers", attrs[RADSTEER_A_REQUEST_FAILOVERS]);
	put_number(request, "age_ms", attrs[RADSTEER_A_REQUEST_AGE]);
	put(request, "lost", json_boolean(attrs[RADSTEER_A_REQUEST_LOST]));
	return request;
}

static const char *client_of(const json_t *request)
{
	return endpoint_text(request, "client", "client_port");
}

static const char *asked_of(const json_t *request)
{
	return endpoint_text(request, "asked", "asked_port");
}

static const char *server_of(const json_t *request)
{
	return endpoint_text(request, "server", "server_port");
}

/* Valid until the next call. */
static const char *code_of(const json_t *request)
{
	static const char *const words[] = {
		[1] = "access-request",
		[4] = "accounting-request",
		[12] = "status-server",
	};
	json_int_t code = number(request, "code");
	const char *word = NULL;
	static char text[64];

	if (code >= 0 && code < (json_int_t)MNL_ARRAY_SIZE(words))
		word = words[code];
	snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT "%s%s", code,
		 word ? " " : "", word ? word : "");
	return text;
}

static const char *lost_of(const json_t *request)
{
	return mark_text(request, "lost");
}

static const struct column columns[] = {
	{ "GROUP", "group", NULL },
	{ "CLIENT", NULL, client_of },
	{ "ASKED", NULL, asked_of },
	{ "SERVER", NULL, server_of },
	{ "CODE", NULL, code_of },
	{ "ID", "identifier", NULL },
	{ "COPIES", "copies", NULL },
	{ "FAILOVERS", "failovers", NULL },
	{ "AGE-MS", "age_ms", NULL },
	{ "LOST", NULL, lost_of },
	{ NULL, NULL, NULL }
};

static void requests_text(const json_t *tree)
{
	const json_t *requests = json_object_get(tree, "requests");

	if (json_array_size(requests))
		print_table(requests, columns, 0);
	else
		puts("no outstanding requests");
}

static void request_show(struct args *args, const struct output *output)
{
	struct request req;
	json_t *tree, *requests;

	args_end(args);
	request_begin(&req, RADSTEER_CMD_REQUEST_GET);
	req.subject = "requests";
	requests = request_dump_moving(&req, read_request);
	tree = new_object();
	/* What has waited longest comes first. */
	put(tree, "requests", sorted(requests, "group", "age_ms", true));
	print_tree(tree, output, requests_text);
}

/**
 * request_command() - radsteer request ...
 * @args: the words after "request"
 * @output: how to print
 */
void request_command(struct args *args, const struct output *output)
{
	static const struct command commands[] = {
		{ "show", request_show },
		{ NULL, NULL }
	};

	dispatch(args, output, commands);
}
