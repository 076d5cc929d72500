// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer server: add, set, del and show.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include <linux/radsteer.h>

#include "command.h"
#include "error.h"
#include "group.h"
#include "netlink.h"
#include "reply.h"
#include "server.h"
#include "text.h"
#include "tree.h"
#include "words.h"

enum server_option {
	OPTION_PORT,
	OPTION_WEIGHT,
	OPTION_STATE,
	OPTION_BEFORE,
};

#define BIT_OF(option)	(1U << (option))

static const char *const add_options[] = {
	[OPTION_PORT] = "port",
	[OPTION_WEIGHT] = "weight",
	[OPTION_STATE] = "state",
	[OPTION_BEFORE] = "before",
	NULL
};

static const char *const set_options[] = {
	[OPTION_PORT] = "port",
	[OPTION_WEIGHT] = "weight",
	[OPTION_STATE] = "state",
	NULL
};

static const char *const del_options[] = {
	[OPTION_PORT] = "port",
	NULL
};

/* The address and port of a server. */
struct endpoint {
	struct address address;
	unsigned int port;
};

/* What a command line says of a server; what is no key counts if given. */
struct server {
	const char *group;
	unsigned int service;
	struct endpoint at;
	unsigned int given;
	unsigned int weight;
	unsigned int admin;
	struct endpoint before;
};

static unsigned int usual_port(unsigned int service)
{
	return service == RADSTEER_SERVICE_ACCOUNTING ?
	       RADSTEER_PORT_ACCOUNTING : RADSTEER_PORT_AUTHENTICATION;
}

static unsigned int take_port(struct args *args)
{
	return take_number(args, 1, UINT16_MAX);
}

static void take_server_option(struct args *args, const char *const *options,
			       struct server *server)
{
	switch (take_option(args, options, 0, &server->given)) {
	case OPTION_PORT:
		server->at.port = take_port(args);
		break;
	case OPTION_WEIGHT:
		server->weight = take_number(args, 0, UINT16_MAX);
		break;
	case OPTION_STATE:
		server->admin = take_choice(args, "state", admin_words);
		break;
	case OPTION_BEFORE:
		server->before.address = take_address(args);
		/* A port right here is that of the other server. */
		if (args_skip(args, "port"))
			server->before.port = take_port(args);
		break;
	}
}

static struct server take_server(struct args *args, const char *const *options)
{
	struct server server = { 0 };

	server.group = take_name(args);
	server.service = take_choice(args, "service", service_words);
	server.at.address = take_address(args);
	server.at.port = usual_port(server.service);
	server.before.port = usual_port(server.service);
	while (args_left(args))
		take_server_option(args, options, &server);
	return server;
}

static void put_port_of(struct nlmsghdr *nlh, unsigned int type,
			const struct endpoint *endpoint)
{
	mnl_attr_put_u16(nlh, (uint16_t)type, htons((uint16_t)endpoint->port));
}

static char *blame_server(const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case RADSTEER_A_SERVER_WEIGHT:
		return text_of("weight");
	case RADSTEER_A_SERVER_ADMIN:
		return text_of("state");
	case RADSTEER_A_SERVER_BEFORE_ADDRESS:
	case RADSTEER_A_SERVER_BEFORE_PORT:
		return text_of("before");
	}
	return NULL;
}

static void change_server(unsigned int cmd, const struct server *server)
{
	struct request req;
	char *subject;

	subject = text_of("%s server %s port %u of group \"%s\"",
			  service_words[server->service],
			  address_text(&server->at.address).text,
			  server->at.port, server->group);

	request_begin(&req, cmd);
	req.subject = subject;
	req.blame = blame_server;
	mnl_attr_put_strz(req.nlh, RADSTEER_A_SERVER_GROUP, server->group);
	mnl_attr_put_u8(req.nlh, RADSTEER_A_SERVER_SERVICE,
			(uint8_t)server->service);
	address_put(req.nlh, RADSTEER_A_SERVER_ADDRESS, &server->at.address);
	put_port_of(req.nlh, RADSTEER_A_SERVER_PORT, &server->at);
	if (server->given & BIT_OF(OPTION_WEIGHT))
		mnl_attr_put_u16(req.nlh, RADSTEER_A_SERVER_WEIGHT,
				 (uint16_t)server->weight);
	if (server->given & BIT_OF(OPTION_STATE))
		mnl_attr_put_u8(req.nlh, RADSTEER_A_SERVER_ADMIN,
				(uint8_t)server->admin);
	if (server->given & BIT_OF(OPTION_BEFORE)) {
		address_put(req.nlh, RADSTEER_A_SERVER_BEFORE_ADDRESS,
			    &server->before.address);
		put_port_of(req.nlh, RADSTEER_A_SERVER_BEFORE_PORT,
			    &server->before);
	}
	request_change(&req);
	free(subject);
}

static void server_add(struct args *args, const struct output *output)
{
	struct server server = take_server(args, add_options);

	(void)output;
	change_server(RADSTEER_CMD_SERVER_NEW, &server);
}

static void server_set(struct args *args, const struct output *output)
{
	struct server server = take_server(args, set_options);

	(void)output;
	/* The port says which server; it is nothing that can be set. */
	if (!(server.given & ~BIT_OF(OPTION_PORT)))
		misuse("nothing to set follows %s: weight or state is expected",
		       shown(args->last));
	change_server(RADSTEER_CMD_SERVER_SET, &server);
}

static void server_del(struct args *args, const struct output *output)
{
	struct server server = take_server(args, del_options);

	(void)output;
	change_server(RADSTEER_CMD_SERVER_DEL, &server);
}

static void put_counters(json_t *server, const struct nlattr **attrs)
{
	static const struct {
		const char *key;
		unsigned int type;
	} counters[] = {
		{ "requests", RADSTEER_A_SERVER_REQUESTS },
		{ "retransmissions", RADSTEER_A_SERVER_RETRANSMISSIONS },
		{ "answers", RADSTEER_A_SERVER_ANSWERS },
		{ "accepts", RADSTEER_A_SERVER_ACCEPTS },
		{ "rejects", RADSTEER_A_SERVER_REJECTS },
		{ "challenges", RADSTEER_A_SERVER_CHALLENGES },
		{ "lost", RADSTEER_A_SERVER_LOST },
		{ "late", RADSTEER_A_SERVER_LATE },
		{ "unreachable", RADSTEER_A_SERVER_UNREACHABLE },
		{ "rtt_us", RADSTEER_A_SERVER_RTT },
		{ "outstanding", RADSTEER_A_SERVER_OUTSTANDING },
		{ "selected", RADSTEER_A_SERVER_SELECTED },
		{ "failovers", RADSTEER_A_SERVER_FAILOVERS },
	};
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(counters); i++)
		put_number(server, counters[i].key, attrs[counters[i].type]);
}

static bool is_first(const struct nlattr *position)
{
	return position &&
	       mnl_attr_get_payload_len(position) == sizeof(uint8_t) &&
	       mnl_attr_get_u8(position) == 0;
}

/* A server as printed, inside an object that says where it belongs. */
static json_t *read_server(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[RADSTEER_A_SERVER_MAX + 1];
	json_t *server, *placed;

	reply_attrs(nlh, attrs, RADSTEER_A_SERVER_MAX);
	server = new_object();
	put_address(server, "address", attrs[RADSTEER_A_SERVER_ADDRESS]);
	put_port(server, "port", attrs[RADSTEER_A_SERVER_PORT]);
	put_number(server, "weight", attrs[RADSTEER_A_SERVER_WEIGHT]);
	put_word(server, "admin", attrs[RADSTEER_A_SERVER_ADMIN], admin_words);
	put_word(server, "state", attrs[RADSTEER_A_SERVER_STATE], state_words);
	put_since(server, "since", attrs[RADSTEER_A_SERVER_STATE_AGE]);
	put_number(server, "losses", attrs[RADSTEER_A_SERVER_LOSSES]);
	put(server, "master",
	    json_boolean(is_first(attrs[RADSTEER_A_SERVER_POSITION])));
	put(server, "active",
	    json_boolean(attrs[RADSTEER_A_SERVER_ACTIVE]));
	put_counters(server, attrs);

	placed = new_object();
	put_text(placed, "group", attrs[RADSTEER_A_SERVER_GROUP]);
	put_word(placed, "service", attrs[RADSTEER_A_SERVER_SERVICE],
		 service_words);
	put_number(placed, "position", attrs[RADSTEER_A_SERVER_POSITION]);
	put(placed, "server", server);
	return placed;
}

/* Give each group two empty lists; the result finds them by group. */
static json_t *add_lists(json_t *groups)
{
	json_t *group, *lists, *by_name;
	unsigned int service;
	size_t i;

	by_name = new_object();
	json_array_foreach(groups, i, group) {
		lists = new_object();
		for (service = 0; service_words[service]; service++)
			put(lists, service_words[service], new_list());
		put(by_name, member(group, "name"), json_incref(lists));
		put(group, "servers", lists);
	}
	return by_name;
}

/**
 * read_servers() - add the servers to groups
 * @groups: an array of groups; each gets a member "servers"
 * @name: the one group in it, NULL if these are all there are
 *
 * A server of a group that was added since @groups was read is left out.
 */
void read_servers(json_t *groups, const char *name)
{
	json_t *servers, *placed, *by_name, *list;
	struct request req;
	char *subject = NULL;
	size_t i;

	request_begin(&req, RADSTEER_CMD_SERVER_GET);
	if (name) {
		subject = text_of("group \"%s\"", name);
		req.subject = subject;
		mnl_attr_put_strz(req.nlh, RADSTEER_A_SERVER_GROUP, name);
	}
	servers = sorted(request_dump(&req, read_server), NULL, "position",
			 false);

	by_name = add_lists(groups);
	json_array_foreach(servers, i, placed) {
		list = json_object_get(by_name, member(placed, "group"));
		list = json_object_get(list, member(placed, "service"));
		if (list)
			append(list, json_incref(json_object_get(placed,
								 "server")));
	}
	json_decref(by_name);
	json_decref(servers);
	free(subject);
}

/* The groups without their settings. */
static json_t *read_names(const char *name)
{
	json_t *groups, *names, *group, *bare;
	size_t i;

	names = new_list();
	if (name) {
		bare = new_object();
		put(bare, "name", text_value(name, strlen(name)));
		append(names, bare);
		return names;
	}
	groups = read_groups();
	json_array_foreach(groups, i, group) {
		bare = new_object();
		put(bare, "name", json_incref(json_object_get(group, "name")));
		append(names, bare);
	}
	json_decref(groups);
	return names;
}

static void server_show(struct args *args, const struct output *output)
{
	const char *name = NULL;
	json_t *tree, *groups;

	if (args_left(args))
		name = take_name(args);
	args_end(args);
	groups = read_names(name);
	read_servers(groups, name);
	tree = new_object();
	put(tree, "groups", groups);
	print_tree(tree, output, servers_text);
}

/**
 * server_command() - radsteer server ...
 * @args: the words after "server"
 * @output: how to print
 */
void server_command(struct args *args, const struct output *output)
{
	static const struct command commands[] = {
		{ "add", server_add },
		{ "set", server_set },
		{ "del", server_del },
		{ "show", server_show },
		{ NULL, NULL }
	};

	dispatch(args, output, commands);
}
