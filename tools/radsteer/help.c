// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer help: the grammar.
 */
#include <stdio.h>

#include "command.h"

static const char grammar[] =
	"Usage: radsteer [-j] [-p] COMMAND\n"
	"       radsteer -h | -V\n"
	"\n"
	"  group add NAME [OPTION]...       add a group\n"
	"  group set NAME OPTION...         change the options that are given\n"
	"  group del NAME                   delete a group\n"
	"  group show [NAME]                the settings of one group, or of all\n"
	"  server add GROUP SERVICE ADDRESS [port N] [weight N] [state STATE]\n"
	"             [before ADDRESS [port N]]\n"
	"  server set GROUP SERVICE ADDRESS [port N] [weight N] [state STATE]\n"
	"  server del GROUP SERVICE ADDRESS [port N]\n"
	"  server show [GROUP]              the servers of one group, or of all\n"
	"  set [dead-count N] [dead-interval SEC] [dead-time SEC]\n"
	"      [max-requests N] [max-sessions N] [max-states N]\n"
	"      [state-time SEC] [session-time SEC] [duplicate-window MS]\n"
	"                                   change the settings that are given\n"
	"  show                             groups, servers, settings at a glance\n"
	"  stats                            counters\n"
	"  request show                     requests that wait for an answer\n"
	"  session show                     sessions and users bound to a server\n"
	"  monitor                          a line for each change of a state\n"
	"  version                          of the command and of the module\n"
	"  help                             this text\n"
	"\n"
	"  OPTION  := algorithm default | algorithm master-backup [strict] |\n"
	"             algorithm loading-share |\n"
	"             accounting auto | accounting follow |\n"
	"             accounting independent |\n"
	"             retransmit 0..5 | timeout 1..60 (seconds) |\n"
	"             match servers | match ADDRESS [auth-port N] [acct-port N]\n"
	"  ADDRESS := such as 192.0.2.1 or 2001:db8::1; one family in a group\n"
	"  SERVICE := authentication | accounting\n"
	"  STATE   := auto | up | down | drain\n"
	"\n"
	"  dead-count 1..65535              losses in a row that make a server down\n"
	"  dead-interval 0..3600            seconds that these have to exceed\n"
	"  dead-time 1..86400               seconds until it is tried again\n"
	"  max-requests 1..4194304          requests remembered at a time\n"
	"  max-sessions 1..4194304          sessions remembered at a time\n"
	"  max-states 1..4194304            States remembered at a time\n"
	"  state-time 1..3600               seconds that a State is remembered\n"
	"  session-time 1..1209600          seconds that a silent session is remembered\n"
	"  duplicate-window 0..1000         milliseconds\n"
	"\n"
	"  -j  print JSON       -p  print JSON on several lines\n"
	"  -h  as \"help\"        -V  as \"version\"\n";

/**
 * help_command() - radsteer help
 * @args: the words after "help", none
 * @output: not used, this is for people
 */
void help_command(struct args *args, const struct output *output)
{
	(void)output;
	args_end(args);
	fputs(grammar, stdout);
}
