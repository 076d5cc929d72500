// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer stats: the counters of the network namespace.
 */
#include <stdio.h>
#include <string.h>

#include <linux/radsteer.h>

#include "command.h"
#include "netlink.h"
#include "reply.h"
#include "tree.h"

static const struct {
	unsigned int type;
	const char *key;
} counters[] = {
	{ RADSTEER_A_STATS_STEERED, "steered" },
	{ RADSTEER_A_STATS_PASS_NOT_UDP, "pass_not_udp" },
	{ RADSTEER_A_STATS_PASS_FRAGMENT, "pass_fragment" },
	{ RADSTEER_A_STATS_PASS_GSO, "pass_gso" },
	{ RADSTEER_A_STATS_PASS_NO_MATCH, "pass_no_match" },
	{ RADSTEER_A_STATS_PASS_MALFORMED, "pass_malformed" },
	{ RADSTEER_A_STATS_PASS_CODE, "pass_code" },
	{ RADSTEER_A_STATS_PASS_SERVICE, "pass_service" },
	{ RADSTEER_A_STATS_PASS_NO_SERVER, "pass_no_server" },
	{ RADSTEER_A_STATS_PASS_AGAIN, "pass_again" },
	{ RADSTEER_A_STATS_PASS_NO_MEMORY, "pass_no_memory" },
	{ RADSTEER_A_STATS_PASS_CHECKSUM, "pass_checksum" },
	{ RADSTEER_A_STATS_PASS_POLICY, "pass_policy" },
	{ RADSTEER_A_STATS_PASS_HAIRPIN, "pass_hairpin" },
	{ RADSTEER_A_STATS_RETRANSMISSIONS, "retransmissions" },
	{ RADSTEER_A_STATS_RENUMBERED, "renumbered" },
	{ RADSTEER_A_STATS_DUPLICATES, "duplicates" },
	{ RADSTEER_A_STATS_FAILOVERS, "failovers" },
	{ RADSTEER_A_STATS_LOST, "lost" },
	{ RADSTEER_A_STATS_UNREACHABLE, "unreachable" },
	{ RADSTEER_A_STATS_NONE_UP, "none_up" },
	{ RADSTEER_A_STATS_CONFLICTS, "conflicts" },
	{ RADSTEER_A_STATS_UNREMEMBERED, "unremembered" },
	{ RADSTEER_A_STATS_ABANDONED, "abandoned" },
	{ RADSTEER_A_STATS_EVICTED, "evicted" },
	{ RADSTEER_A_STATS_EXPIRED, "expired" },
	{ RADSTEER_A_STATS_UNROUTABLE, "unroutable" },
	{ RADSTEER_A_STATS_ANSWERS, "answers" },
	{ RADSTEER_A_STATS_ANSWER_LATE, "answer_late" },
	{ RADSTEER_A_STATS_ANSWER_STRAY, "answer_stray" },
	{ RADSTEER_A_STATS_ANSWER_NO_MEMORY, "answer_no_memory" },
	{ RADSTEER_A_STATS_ANSWER_POLICY, "answer_policy" },
	{ RADSTEER_A_STATS_ANSWER_AGAIN, "answer_again" },
	{ RADSTEER_A_STATS_ANSWER_ERRORS, "answer_errors" },
	{ RADSTEER_A_STATS_ERRORS, "errors" },
	{ RADSTEER_A_STATS_ERROR_HELD, "error_held" },
	{ RADSTEER_A_STATS_ERROR_STRAY, "error_stray" },
	{ RADSTEER_A_STATS_STATE_HITS, "state_hits" },
	{ RADSTEER_A_STATS_STATE_UNKNOWN, "state_unknown" },
	{ RADSTEER_A_STATS_STATE_EXPIRED, "state_expired" },
	{ RADSTEER_A_STATS_STATE_EVICTED, "state_evicted" },
	{ RADSTEER_A_STATS_SESSION_MADE, "session_made" },
	{ RADSTEER_A_STATS_SESSION_HITS, "session_hits" },
	{ RADSTEER_A_STATS_SESSION_UNKNOWN, "session_unknown" },
	{ RADSTEER_A_STATS_SESSION_MOVED, "session_moved" },
	{ RADSTEER_A_STATS_SESSION_ENDED, "session_ended" },
	{ RADSTEER_A_STATS_SESSION_EXPIRED, "session_expired" },
	{ RADSTEER_A_STATS_SESSION_EVICTED, "session_evicted" },
	{ RADSTEER_A_STATS_USER_EXPIRED, "user_expired" },
	{ RADSTEER_A_STATS_USER_EVICTED, "user_evicted" },
	{ RADSTEER_A_STATS_STATES, "states" },
	{ RADSTEER_A_STATS_SESSIONS, "sessions" },
	{ RADSTEER_A_STATS_USERS, "users" },
	{ RADSTEER_A_STATS_OUTSTANDING, "outstanding" },
	{ RADSTEER_A_STATS_REMEMBERED, "remembered" },
};

static json_t *read_stats(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[RADSTEER_A_STATS_MAX + 1];
	unsigned int i;
	json_t *stats;

	reply_attrs(nlh, attrs, RADSTEER_A_STATS_MAX);
	stats = new_object();
	for (i = 0; i < MNL_ARRAY_SIZE(counters); i++)
		put_number(stats, counters[i].key, attrs[counters[i].type]);
	return stats;
}

/* The names are those of the user API, which has '-' where JSON has '_'. */
static void name_text(const char *key)
{
	for (; *key; key++)
		putchar(*key == '_' ? '-' : *key);
}

static void stats_text(const json_t *stats)
{
	size_t width = 0;
	const json_t *value;
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(counters); i++)
		if (strlen(counters[i].key) > width)
			width = strlen(counters[i].key);
	for (i = 0; i < MNL_ARRAY_SIZE(counters); i++) {
		value = json_object_get(stats, counters[i].key);
		if (!value)
			continue;
		name_text(counters[i].key);
		printf("%*s%" JSON_INTEGER_FORMAT "\n",
		       (int)(width - strlen(counters[i].key) + 2), "",
		       json_integer_value(value));
	}
}

/**
 * stats_command() - radsteer stats
 * @args: the words after "stats", none
 * @output: how to print
 */
void stats_command(struct args *args, const struct output *output)
{
	struct request req;

	args_end(args);
	request_begin(&req, RADSTEER_CMD_STATS_GET);
	print_tree(request_read(&req, read_stats), output, stats_text);
}
