// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer show: what an operator looks at first.
 */
#include <stdio.h>

#include "command.h"
#include "group.h"
#include "server.h"
#include "settings.h"
#include "text.h"
#include "tree.h"

static void show_text(const json_t *tree)
{
	const json_t *settings = json_object_get(tree, "settings");

	groups_text(tree);
	if (settings) {
		putchar('\n');
		settings_text(settings);
	}
}

/**
 * show_command() - radsteer show
 * @args: the words after "show", none
 * @output: how to print
 */
void show_command(struct args *args, const struct output *output)
{
	json_t *tree, *groups, *settings;

	args_end(args);
	groups = read_groups();
	read_servers(groups, NULL);
	settings = read_settings();
	tree = new_object();
	put(tree, "groups", groups);
	if (settings)
		put(tree, "settings", settings);
	print_tree(tree, output, show_text);
}
