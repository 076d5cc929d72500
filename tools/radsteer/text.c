// SPDX-License-Identifier: GPL-2.0
/*
 * Groups and servers as text: of each group in the tree, as much as the tree
 * holds.
 */
#include <stdio.h>
#include <string.h>

#include "cell.h"
#include "print.h"
#include "reply.h"
#include "text.h"
#include "tree.h"
#include "words.h"

static const char *role_of(const json_t *server)
{
	bool active = json_is_true(json_object_get(server, "active"));

	if (json_is_true(json_object_get(server, "master")))
		return active ? "master, active" : "master";
	return active ? "active" : "-";
}

/* How long the state has been what it is; valid until the next call. */
static const char *since_of(const json_t *server)
{
	if (!json_object_get(server, "since"))
		return "-";
	return duration_text((long long)(clock_of_run() / 1000) -
			     number(server, "since"));
}

/* One table, or a second one below it; what is usual fits 120 columns. */
struct view {
	const struct column *first;
	const struct column *second;
};

static const struct view brief = {
	.first = (const struct column[]) {
		{ "ADDRESS", "address", NULL },
		{ "PORT", "port", NULL },
		{ "WEIGHT", "weight", NULL },
		{ "ADMIN", "admin", NULL },
		{ "STATE", "state", NULL },
		{ "SINCE", NULL, since_of },
		{ "LOSSES", "losses", NULL },
		{ "REQUESTS", "requests", NULL },
		{ "ANSWERS", "answers", NULL },
		{ "LOST", "lost", NULL },
		{ "FAILOVERS", "failovers", NULL },
		{ "ROLE", NULL, role_of },
		{ NULL, NULL, NULL }
	},
};

static const struct view full = {
	.first = (const struct column[]) {
		{ "ADDRESS", "address", NULL },
		{ "PORT", "port", NULL },
		{ "WEIGHT", "weight", NULL },
		{ "ADMIN", "admin", NULL },
		{ "STATE", "state", NULL },
		{ "SINCE", NULL, since_of },
		{ "LOSSES", "losses", NULL },
		{ "LOST", "lost", NULL },
		{ "UNREACHABLE", "unreachable", NULL },
		{ "FAILOVERS", "failovers", NULL },
		{ "RTT-US", "rtt_us", NULL },
		{ "ROLE", NULL, role_of },
		{ NULL, NULL, NULL }
	},
	.second = (const struct column[]) {
		{ "ADDRESS", "address", NULL },
		{ "PORT", "port", NULL },
		{ "SELECTED", "selected", NULL },
		{ "REQUESTS", "requests", NULL },
		{ "RETRANSMISSIONS", "retransmissions", NULL },
		{ "ANSWERS", "answers", NULL },
		{ "ACCEPTS", "accepts", NULL },
		{ "REJECTS", "rejects", NULL },
		{ "CHALLENGES", "challenges", NULL },
		{ "LATE", "late", NULL },
		{ "OUTSTANDING", "outstanding", NULL },
		{ NULL, NULL, NULL }
	},
};

static void match_text(const json_t *match)
{
	if (json_is_string(match))
		printf("  match %s\n", json_string_value(match));
	else
		printf("  match %s auth-port %" JSON_INTEGER_FORMAT
		       " acct-port %" JSON_INTEGER_FORMAT "\n",
		       member(match, "address"), number(match, "auth_port"),
		       number(match, "acct_port"));
}

static void group_text(const json_t *group)
{
	const char *algorithm = member(group, "algorithm");
	const json_t *family, *matches;
	size_t i;

	/* In parentheses, what a setting amounts to. */
	printf("  algorithm %s%s%s, accounting %s (%s)\n", algorithm,
	       json_is_true(json_object_get(group, "strict")) ? " strict" : "",
	       strcmp(algorithm, "default") ? "" : " (master-backup)",
	       member(group, "accounting"),
	       member(group, "accounting_effective"));
	printf("  retransmit %" JSON_INTEGER_FORMAT
	       ", timeout %" JSON_INTEGER_FORMAT " s",
	       number(group, "retransmit"), number(group, "timeout"));
	family = json_object_get(group, "family");
	if (json_is_string(family))
		printf(", family %s", json_string_value(family));
	putchar('\n');
	matches = json_object_get(group, "match");
	for (i = 0; i < json_array_size(matches); i++)
		match_text(json_array_get(matches, i));
}

static void lists_text(const json_t *lists, const struct view *view)
{
	const json_t *list;
	unsigned int i;

	for (i = 0; service_words[i]; i++) {
		list = json_object_get(lists, service_words[i]);
		if (json_array_size(list)) {
			printf("  %s\n", service_words[i]);
			print_table(list, view->first, 4);
			if (view->second) {
				putchar('\n');
				print_table(list, view->second, 4);
			}
		} else {
			printf("  %s: no servers\n", service_words[i]);
		}
	}
}

static void tree_text(const json_t *tree, const struct view *view)
{
	const json_t *groups = json_object_get(tree, "groups");
	const json_t *group, *lists;
	size_t i;

	if (!json_array_size(groups))
		puts("no groups");
	json_array_foreach(groups, i, group) {
		if (i)
			putchar('\n');
		printf("group %s\n", member(group, "name"));
		if (json_object_get(group, "algorithm"))
			group_text(group);
		lists = json_object_get(group, "servers");
		if (lists)
			lists_text(lists, view);
	}
}

/**
 * groups_text() - print groups, and their servers in brief
 * @tree: an object with an array of groups
 */
void groups_text(const json_t *tree)
{
	tree_text(tree, &brief);
}

/**
 * servers_text() - print groups, and all there is of their servers
 * @tree: an object with an array of groups
 */
void servers_text(const json_t *tree)
{
	tree_text(tree, &full);
}
