// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer version: of this command and of the module that is loaded.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../kmod/version.h"
#include "command.h"
#include "tree.h"

#define MODULE_DIR	"/sys/module/radsteer"

/* A module that is loaded and says nothing of its version has "unknown". */
static json_t *module_version(void)
{
	char line[64] = "";
	FILE *file;

	file = fopen(MODULE_DIR "/version", "re");
	if (file) {
		if (!fgets(line, sizeof(line), file))
			line[0] = '\0';
		fclose(file);
		line[strcspn(line, "\n")] = '\0';
	}
	if (line[0])
		return text_value(line, sizeof(line));
	if (!access(MODULE_DIR, F_OK))
		return json_string("unknown");
	return json_null();
}

static void version_text(const json_t *version)
{
	printf("radsteer %s\n", member(version, "command"));
	if (json_is_null(json_object_get(version, "module")))
		puts("module not loaded");
	else
		printf("module %s\n", member(version, "module"));
}

/**
 * version_command() - radsteer version
 * @args: the words after "version", none
 * @output: how to print
 */
void version_command(struct args *args, const struct output *output)
{
	json_t *version;

	args_end(args);
	version = new_object();
	put(version, "command", json_string(RADSTEER_VERSION));
	put(version, "module", module_version());
	print_tree(version, output, version_text);
}
