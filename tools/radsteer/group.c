// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer group: add, set, del and show.
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
#include "text.h"
#include "tree.h"
#include "words.h"

enum group_option {
	OPTION_ALGORITHM,
	OPTION_ACCOUNTING,
	OPTION_RETRANSMIT,
	OPTION_TIMEOUT,
	OPTION_MATCH,
};

static const char *const group_options[] = {
	[OPTION_ALGORITHM] = "algorithm",
	[OPTION_ACCOUNTING] = "accounting",
	[OPTION_RETRANSMIT] = "retransmit",
	[OPTION_TIMEOUT] = "timeout",
	[OPTION_MATCH] = "match",
	NULL
};

/* Of a clause "match ADDRESS". */
enum match_option {
	OPTION_AUTH_PORT,
	OPTION_ACCT_PORT,
	MATCH_OPTIONS
};

static const char *const match_options[] = {
	[OPTION_AUTH_PORT] = "auth-port",
	[OPTION_ACCT_PORT] = "acct-port",
	NULL
};

struct match {
	struct address address;
	unsigned int port[MATCH_OPTIONS];
};

/* What a command line says of a group; each setting counts if it is given. */
struct settings {
	unsigned int given;
	unsigned int algorithm;
	unsigned int accounting;
	unsigned int retransmit;
	unsigned int timeout;
	bool match_servers;
	unsigned int matches;
	struct match match[RADSTEER_MATCHES_MAX];
};

static unsigned int take_algorithm(struct args *args)
{
	static const char *const words[] = {
		"default", "master-backup", "loading-share", NULL
	};
	static const enum radsteer_algorithm algorithms[] = {
		RADSTEER_ALGORITHM_DEFAULT,
		RADSTEER_ALGORITHM_MASTER_BACKUP,
		RADSTEER_ALGORITHM_LOADING_SHARE,
	};
	enum radsteer_algorithm algorithm;

	algorithm = algorithms[take_choice(args, "algorithm", words)];
	if (algorithm == RADSTEER_ALGORITHM_MASTER_BACKUP &&
	    args_skip(args, "strict"))
		algorithm = RADSTEER_ALGORITHM_MASTER_BACKUP_STRICT;
	return algorithm;
}

static bool starts_match_option(const struct args *args)
{
	unsigned int i;

	for (i = 0; args_left(args) && match_options[i]; i++)
		if (!strcmp(*args->next, match_options[i]))
			return true;
	return false;
}

static bool same_match(const struct match *a, const struct match *b)
{
	return address_same(&a->address, &b->address) &&
	       a->port[OPTION_AUTH_PORT] == b->port[OPTION_AUTH_PORT] &&
	       a->port[OPTION_ACCT_PORT] == b->port[OPTION_ACCT_PORT];
}

static void take_match(struct args *args, struct settings *settings)
{
	struct match match = {
		.port[OPTION_AUTH_PORT] = RADSTEER_PORT_AUTHENTICATION,
		.port[OPTION_ACCT_PORT] = RADSTEER_PORT_ACCOUNTING,
	};
	unsigned int given = 0, option, i;
	const char *word;

	if (args_skip(args, "servers")) {
		if (settings->match_servers)
			misuse("match \"servers\" is given twice: once is enough");
		settings->match_servers = true;
		return;
	}

	if (!args_left(args))
		misuse("nothing follows \"match\": \"servers\" or an address is expected");
	match.address = take_address(args);
	word = args->last;
	while (starts_match_option(args)) {
		option = take_option(args, match_options, 0, &given);
		match.port[option] = take_number(args, 1, UINT16_MAX);
	}

	for (i = 0; i < settings->matches; i++)
		if (same_match(&settings->match[i], &match))
			misuse("match %s is given twice with the same ports: once is enough",
			       shown(word));
	if (settings->matches == RADSTEER_MATCHES_MAX)
		misuse("match %s is one too many: at most %d addresses are expected",
		       shown(word), RADSTEER_MATCHES_MAX);
	settings->match[settings->matches++] = match;
}

static void take_setting(struct args *args, struct settings *settings)
{
	switch (take_option(args, group_options, 1U << OPTION_MATCH,
			    &settings->given)) {
	case OPTION_ALGORITHM:
		settings->algorithm = take_algorithm(args);
		break;
	case OPTION_ACCOUNTING:
		settings->accounting = take_choice(args, "accounting",
						   accounting_words);
		break;
	case OPTION_RETRANSMIT:
		settings->retransmit = take_number(args, 0,
						   RADSTEER_RETRANSMIT_MAX);
		break;
	case OPTION_TIMEOUT:
		settings->timeout = take_number(args, 1, RADSTEER_TIMEOUT_MAX);
		break;
	case OPTION_MATCH:
		take_match(args, settings);
		break;
	}
}

static void put_matches(struct nlmsghdr *nlh, const struct settings *settings)
{
	const struct match *match;
	struct nlattr *nest;
	unsigned int i;

	if (settings->match_servers) {
		nest = mnl_attr_nest_start(nlh, RADSTEER_A_GROUP_MATCH);
		mnl_attr_put(nlh, RADSTEER_A_MATCH_SERVERS, 0, NULL);
		mnl_attr_nest_end(nlh, nest);
	}
	for (i = 0; i < settings->matches; i++) {
		match = &settings->match[i];
		nest = mnl_attr_nest_start(nlh, RADSTEER_A_GROUP_MATCH);
		address_put(nlh, RADSTEER_A_MATCH_ADDRESS, &match->address);
		mnl_attr_put_u16(nlh, RADSTEER_A_MATCH_AUTH_PORT,
				 htons((uint16_t)match->port[OPTION_AUTH_PORT]));
		mnl_attr_put_u16(nlh, RADSTEER_A_MATCH_ACCT_PORT,
				 htons((uint16_t)match->port[OPTION_ACCT_PORT]));
		mnl_attr_nest_end(nlh, nest);
	}
}

static void put_u8_if(struct nlmsghdr *nlh, const struct settings *settings,
		      enum group_option option, unsigned int type,
		      unsigned int value)
{
	if (settings->given & 1U << option)
		mnl_attr_put_u8(nlh, (uint16_t)type, (uint8_t)value);
}

static void put_settings(struct nlmsghdr *nlh, const struct settings *settings)
{
	put_u8_if(nlh, settings, OPTION_ALGORITHM,
		  RADSTEER_A_GROUP_ALGORITHM, settings->algorithm);
	put_u8_if(nlh, settings, OPTION_ACCOUNTING,
		  RADSTEER_A_GROUP_ACCOUNTING, settings->accounting);
	put_u8_if(nlh, settings, OPTION_RETRANSMIT,
		  RADSTEER_A_GROUP_RETRANSMIT, settings->retransmit);
	put_u8_if(nlh, settings, OPTION_TIMEOUT,
		  RADSTEER_A_GROUP_TIMEOUT, settings->timeout);
	put_matches(nlh, settings);
}

/* Of several match clauses only the address tells which one is meant. */
static char *blame_match(const struct nlattr *nest)
{
	const struct nlattr *attrs[RADSTEER_A_MATCH_MAX + 1];
	struct address address;

	nest_attrs(nest, attrs, RADSTEER_A_MATCH_MAX);
	if (!address_get(&address, attrs[RADSTEER_A_MATCH_ADDRESS]))
		return text_of("match servers");
	return text_of("match %s", address_text(&address).text);
}

static char *blame_group(const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case RADSTEER_A_GROUP_ALGORITHM:
		return text_of("algorithm");
	case RADSTEER_A_GROUP_ACCOUNTING:
		return text_of("accounting");
	case RADSTEER_A_GROUP_RETRANSMIT:
		return text_of("retransmit");
	case RADSTEER_A_GROUP_TIMEOUT:
		return text_of("timeout");
	case RADSTEER_A_GROUP_MATCH:
		return blame_match(attr);
	}
	return NULL;
}

/* A request about one group; its subject is to be freed. */
static char *begin_group(struct request *req, unsigned int cmd,
			 const char *name)
{
	char *subject = text_of("group \"%s\"", name);

	request_begin(req, cmd);
	req->subject = subject;
	req->blame = blame_group;
	mnl_attr_put_strz(req->nlh, RADSTEER_A_GROUP_NAME, name);
	return subject;
}

static void change_group(unsigned int cmd, const char *name,
			 const struct settings *settings)
{
	struct request req;
	char *subject;

	subject = begin_group(&req, cmd, name);
	put_settings(req.nlh, settings);
	request_change(&req);
	free(subject);
}

static void group_add(struct args *args, const struct output *output)
{
	const char *name = take_name(args);
	struct settings settings = { 0 };

	(void)output;
	while (args_left(args))
		take_setting(args, &settings);
	change_group(RADSTEER_CMD_GROUP_NEW, name, &settings);
}

static void group_set(struct args *args, const struct output *output)
{
	const char *name = take_name(args);
	struct settings settings = { 0 };

	(void)output;
	do {
		take_setting(args, &settings);
	} while (args_left(args));
	change_group(RADSTEER_CMD_GROUP_SET, name, &settings);
}

static void group_del(struct args *args, const struct output *output)
{
	const char *name = take_name(args);
	struct settings settings = { 0 };

	(void)output;
	args_end(args);
	change_group(RADSTEER_CMD_GROUP_DEL, name, &settings);
}

static void put_algorithm(json_t *group, const struct nlattr *attr)
{
	static const char *const words[] = {
		[RADSTEER_ALGORITHM_DEFAULT] = "default",
		[RADSTEER_ALGORITHM_MASTER_BACKUP] = "master-backup",
		[RADSTEER_ALGORITHM_MASTER_BACKUP_STRICT] = "master-backup",
		[RADSTEER_ALGORITHM_LOADING_SHARE] = "loading-share",
		NULL
	};
	bool strict;

	put_word(group, "algorithm", attr, words);
	strict = attr && mnl_attr_get_payload_len(attr) == sizeof(uint8_t) &&
		 mnl_attr_get_u8(attr) ==
		 RADSTEER_ALGORITHM_MASTER_BACKUP_STRICT;
	put(group, "strict", json_boolean(strict));
}

static void put_family(json_t *group, const struct nlattr *attr)
{
	unsigned int family = AF_UNSPEC;
	json_t *value;

	if (attr && mnl_attr_get_payload_len(attr) == sizeof(uint16_t))
		family = mnl_attr_get_u16(attr);
	if (family == AF_INET)
		value = json_string("inet");
	else if (family == AF_INET6)
		value = json_string("inet6");
	else
		value = json_null();
	put(group, "family", value);
}

static void append_match(json_t *matches, const struct nlattr *nest)
{
	const struct nlattr *attrs[RADSTEER_A_MATCH_MAX + 1];
	json_t *match;

	nest_attrs(nest, attrs, RADSTEER_A_MATCH_MAX);
	if (attrs[RADSTEER_A_MATCH_SERVERS]) {
		append(matches, json_string("servers"));
		return;
	}
	match = new_object();
	put_address(match, "address", attrs[RADSTEER_A_MATCH_ADDRESS]);
	put_port(match, "auth_port", attrs[RADSTEER_A_MATCH_AUTH_PORT]);
	put_port(match, "acct_port", attrs[RADSTEER_A_MATCH_ACCT_PORT]);
	append(matches, match);
}

static json_t *read_group(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[RADSTEER_A_GROUP_MAX + 1];
	const struct nlattr *attr;
	json_t *group, *matches;

	reply_attrs(nlh, attrs, RADSTEER_A_GROUP_MAX);
	group = new_object();
	put_text(group, "name", attrs[RADSTEER_A_GROUP_NAME]);
	put_family(group, attrs[RADSTEER_A_GROUP_FAMILY]);
	put_algorithm(group, attrs[RADSTEER_A_GROUP_ALGORITHM]);
	put_word(group, "accounting", attrs[RADSTEER_A_GROUP_ACCOUNTING],
		 accounting_words);
	put_word(group, "accounting_effective",
		 attrs[RADSTEER_A_GROUP_ACCOUNTING_EFFECTIVE],
		 accounting_words);
	put_number(group, "retransmit", attrs[RADSTEER_A_GROUP_RETRANSMIT]);
	put_number(group, "timeout", attrs[RADSTEER_A_GROUP_TIMEOUT]);

	matches = new_list();
	mnl_attr_for_each(attr, nlh, REPLY_HEADER)
		if (mnl_attr_get_type(attr) == RADSTEER_A_GROUP_MATCH)
			append_match(matches, attr);
	put(group, "match", matches);
	return group;
}

/**
 * read_groups() - read the settings of all groups
 *
 * Return: an array of objects ordered by name, a new reference
 */
json_t *read_groups(void)
{
	struct request req;

	request_begin(&req, RADSTEER_CMD_GROUP_GET);
	return sorted(request_dump(&req, read_group), "name", NULL, false);
}

static json_t *read_one_group(const char *name)
{
	struct request req;
	char *subject;
	json_t *one;

	subject = begin_group(&req, RADSTEER_CMD_GROUP_GET, name);
	one = new_list();
	append(one, request_read(&req, read_group));
	free(subject);
	return one;
}

static void group_show(struct args *args, const struct output *output)
{
	const char *name = NULL;
	json_t *tree;

	if (args_left(args))
		name = take_name(args);
	args_end(args);
	tree = new_object();
	put(tree, "groups", name ? read_one_group(name) : read_groups());
	print_tree(tree, output, groups_text);
}

/**
 * group_command() - radsteer group ...
 * @args: the words after "group"
 * @output: how to print
 */
void group_command(struct args *args, const struct output *output)
{
	static const struct command commands[] = {
		{ "add", group_add },
		{ "set", group_set },
		{ "del", group_del },
		{ "show", group_show },
		{ NULL, NULL }
	};

	dispatch(args, output, commands);
}
