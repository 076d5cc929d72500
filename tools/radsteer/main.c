// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer: the user command of the module of that name.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "error.h"

static const struct command commands[] = {
	{ "group", group_command },
	{ "server", server_command },
	{ "set", set_command },
	{ "show", show_command },
	{ "stats", stats_command },
	{ "request", request_command },
	{ "session", session_command },
	{ "monitor", monitor_command },
	{ "version", version_command },
	{ "help", help_command },
	{ NULL, NULL }
};

/* Longest table of commands, the end not counted. */
#define COMMANDS_MAX	16

/**
 * dispatch() - run the command that the next word calls
 * @args: the command line
 * @output: how to print
 * @table: the commands, up to one without a name
 */
void dispatch(struct args *args, const struct output *output,
	      const struct command *table)
{
	const char *names[COMMANDS_MAX + 1] = { NULL };
	unsigned int i;

	for (i = 0; i < COMMANDS_MAX && table[i].name; i++)
		names[i] = table[i].name;
	table[take_choice(args, "command", names)].run(args, output);
}

/*
 * A socket must not become standard output, where the answer would be written
 * into it. What was closed is opened so that writing to it still fails.
 */
static void hold_standard_files(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			exit(STATUS_REFUSED);
}

static void take_once(bool *option, const char *word)
{
	if (*option)
		misuse("option %s is given twice: once is enough", shown(word));
	*option = true;
}

/* Ends before the first word that is no option, or after -h or -V. */
static const struct command *take_dashes(struct args *args,
					 struct output *output)
{
	static const struct command help = { "help", help_command };
	static const struct command version = { "version", version_command };

	while (args_left(args) && **args->next == '-') {
		if (args_skip(args, "-h"))
			return &help;
		if (args_skip(args, "-V"))
			return &version;
		if (args_skip(args, "-j"))
			take_once(&output->json, args->last);
		else if (args_skip(args, "-p"))
			take_once(&output->pretty, args->last);
		else
			misuse("unknown option %s: -j, -p, -h or -V is expected",
			       shown(*args->next));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	/* Without even a name there are no words to point to. */
	struct args args = { .next = argv + (argc > 0) };
	struct output output = { 0 };
	const struct command *command;

	hold_standard_files();
	/* A closed pipe is a failed write, which print_done() reports. */
	signal(SIGPIPE, SIG_IGN);

	command = take_dashes(&args, &output);
	if (command)
		command->run(&args, &output);
	else
		dispatch(&args, &output, commands);
	print_done();
	return STATUS_DONE;
}
