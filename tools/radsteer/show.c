// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer show: what an operator looks at first.
 */
#include "command.h"
#include "group.h"
#include "server.h"
#include "text.h"
#include "tree.h"

/**
 * show_command() - radsteer show
 * @args: the words after "show", none
 * @output: how to print
 */
void show_command(struct args *args, const struct output *output)
{
	json_t *tree, *groups;

	args_end(args);
	groups = read_groups();
	read_servers(groups, NULL);
	tree = new_object();
	put(tree, "groups", groups);
	print_tree(tree, output, groups_text);
}
