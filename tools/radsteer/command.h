/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands, each reading the rest of its command line.
 */
#ifndef RADSTEER_COMMAND_H
#define RADSTEER_COMMAND_H

#include "parse.h"
#include "print.h"

/**
 * struct command - an entry of a table of commands
 * @name: the word that calls it
 * @run: what it does
 */
struct command {
	const char *name;
	void (*run)(struct args *args, const struct output *output);
};

void dispatch(struct args *args, const struct output *output,
	      const struct command *commands);

void group_command(struct args *args, const struct output *output);
void server_command(struct args *args, const struct output *output);
void set_command(struct args *args, const struct output *output);
void show_command(struct args *args, const struct output *output);
void stats_command(struct args *args, const struct output *output);
void request_command(struct args *args, const struct output *output);
void session_command(struct args *args, const struct output *output);
void monitor_command(struct args *args, const struct output *output);
void version_command(struct args *args, const struct output *output);
void help_command(struct args *args, const struct output *output);

#endif
