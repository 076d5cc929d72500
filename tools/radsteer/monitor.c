// SPDX-License-Identifier: GPL-2.0
/*
 * radsteer monitor: the events as they come, one line each.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <linux/radsteer.h>

#include "command.h"
#include "error.h"
#include "netlink.h"
#include "reply.h"
#include "tree.h"
#include "words.h"

/* As in RFC 3339; the parts of the text form are of fixed length. */
#define SECONDS_LEN	(sizeof("2026-11-30T10:22:01") - 1)
#define FRACTION_LEN	(sizeof(".000") - 1)

/* The kernel does not send along when it was: events come at once. */
static json_t *time_now(void)
{
	char seconds[SECONDS_LEN + 1] = "";
	struct timespec now;
	struct tm parts;
	json_t *value;
	char *text;
	long east;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &parts);
	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &parts);
	east = parts.tm_gmtoff / 60;
	text = text_of("%s.%03ld%c%02ld:%02ld", seconds,
		       now.tv_nsec / 1000000, east < 0 ? '-' : '+',
		       labs(east) / 60, labs(east) % 60);
	value = allocated(json_string(text));
	free(text);
	return value;
}

static json_t *new_event(const char *what)
{
	json_t *event;

	event = new_object();
	put(event, "time", time_now());
	put(event, "event", json_string(what));
	return event;
}

static json_t *read_state(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[RADSTEER_A_SERVER_MAX + 1];
	json_t *event;

	reply_attrs(nlh, attrs, RADSTEER_A_SERVER_MAX);
	event = new_event("state");
	put_word(event, "service", attrs[RADSTEER_A_SERVER_SERVICE],
		 service_words);
	put_address(event, "address", attrs[RADSTEER_A_SERVER_ADDRESS]);
	put_port(event, "port", attrs[RADSTEER_A_SERVER_PORT]);
	put_word(event, "old", attrs[RADSTEER_A_SERVER_OLD_STATE], state_words);
	put_word(event, "new", attrs[RADSTEER_A_SERVER_STATE], state_words);
	put_word(event, "reason", attrs[RADSTEER_A_SERVER_REASON],
		 reason_words);
	put_number(event, "losses", attrs[RADSTEER_A_SERVER_LOSSES]);
	return event;
}

static void state_text(const json_t *event)
{
	const char *reason = member(event, "reason");
	json_int_t losses = number(event, "losses");

	printf("%s %s port %" JSON_INTEGER_FORMAT " %s -> %s: %s",
	       member(event, "service"), member(event, "address"),
	       number(event, "port"),
	       member(event, "old"), member(event, "new"), reason);
	if (losses && !strcmp(reason, reason_words[RADSTEER_REASON_LOSSES]))
		printf(" (%" JSON_INTEGER_FORMAT " in a row)", losses);
	putchar('\n');
}

static void event_text(const json_t *event)
{
	const char *time = member(event, "time");

	printf("%.*s%s ", (int)SECONDS_LEN, time,
	       time + SECONDS_LEN + FRACTION_LEN);
	if (!strcmp(member(event, "event"), "lost"))
		puts("events were lost");
	else
		state_text(event);
}

/* Where SIGINT and SIGTERM arrive. */
static int open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		refuse("signals: %s", strerror(errno));
	return fd;
}

/*
 * Returns false when it is time to end: a signal came and nothing else is left
 * to do, or nobody reads any more.
 */
static bool wait_for(int fd, short events, int signals)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = events },
		{ .fd = signals, .events = POLLIN },
		{ .fd = STDOUT_FILENO, .events = 0 },
	};

	while (poll(fds, MNL_ARRAY_SIZE(fds), -1) < 0)
		if (errno != EINTR)
			refuse("waiting for events: %s", strerror(errno));
	return !fds[2].revents && fds[0].revents;
}

/*
 * A line is written when there is room for it, as a reader that has stopped
 * must not keep a signal waiting. Returns false when it is time to end.
 */
static bool print_event(json_t *event, const struct output *output,
			int signals)
{
	if (!wait_for(STDOUT_FILENO, POLLOUT, signals)) {
		json_decref(event);
		return false;
	}
	print_tree(event, output, event_text);
	/* To close its end is how a reader says that it has enough. */
	if (!print_flush())
		exit(STATUS_DONE);
	return true;
}

static bool print_events(json_t *events, const struct output *output,
			 int signals)
{
	bool more = true;
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event) {
		more = print_event(json_incref(event), output, signals);
		if (!more)
			break;
	}
	json_decref(events);
	return more;
}

/**
 * monitor_command() - radsteer monitor
 * @args: the words after "monitor", none
 * @output: how to print
 */
void monitor_command(struct args *args, const struct output *output)
{
	json_t *events;
	int fd, signals;
	bool more;

	args_end(args);
	if (output->pretty)
		misuse("option \"-p\" does not go with monitor: an event is one line");
	signals = open_signals();
	fd = events_open();
	do {
		if (!wait_for(fd, POLLIN, signals))
			break;
		events = events_read(RADSTEER_CMD_STATE_NTF, read_state);
		if (events)
			more = print_events(events, output, signals);
		else
			more = print_event(new_event("lost"), output, signals);
	} while (more);
	close(signals);
}
