// SPDX-License-Identifier: GPL-2.0
/*
 * RADIUS servers, any number of them in any number of namespaces, that behave
 * as they are told and write down what they get.
 *
 *	responder LOG SERVER...
 *
 * SERVER is NAMESPACE,ADDRESS,PORT[,LABEL]; a server without a label has its
 * number, from 1. LOG has a line for each datagram that came:
 *
 *	MS LABEL CLIENT PORT CODE IDENTIFIER COPY ID
 *
 * MS is when it came, by the monotonic clock; COPY counts what this server had
 * of this request, ID is the first four octets of its Authenticator in hex. A
 * line is in LOG before the server's answer leaves.
 *
 * Each line of standard input tells a server, or "all" of them, how to behave
 * from now on, and "ok MS" on standard output is the reply, when what came
 * before has been treated as before and is in LOG:
 *
 *	LABEL answer [WORDS]	answer each copy, which is how they begin
 *	LABEL silent		take no notice
 *	LABEL closed		have no socket there: the host says "unreachable"
 *	LABEL release		answer all that is held
 *	LABEL ways		the ways of all requests since "forget", before
 *				the reply, as "way REQUESTS LABEL,LABEL,..."
 *	LABEL forget		begin new ways
 *
 * WORDS change the answers:
 *
 *	delay MS		so much later
 *	hold			when "release" is said
 *	twice			two of them
 *	code CODE		not 2 for an Access-Request or Status-Server,
 *				5 for an Accounting-Request
 *	identifier N		that many higher
 *	attributes HEX		these as well, behind the label
 *	from ADDRESS,PORT	from there; port 0 is any
 *
 * An answer has the Authenticator of its request for its own, and the label as
 * Reply-Message, which is how requester knows what answered what.
 *
 * Ends with its standard input.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/queue.h>
#include "record.h"

enum {
	SERVERS_MAX	= 256,
	LABEL_MAX	= 15,
	ATTRIBUTES_MAX	= 256,
	ANSWER_MAX	= HEADER + 2 + LABEL_MAX + ATTRIBUTES_MAX,
	/* Room for a flood, as the servers are slower than the network. */
	RECEIVE_BUFFER	= 256 << 20,
	/* Datagrams of one server before the others have their turn. */
	BATCH		= 64,
};

struct answer {
	STAILQ_ENTRY(answer) next;
	uint64_t due;
	union place to;
	unsigned int times, length;
	bool elsewhere;
	unsigned char packet[ANSWER_MAX];
};

STAILQ_HEAD(answers, answer);

struct behaviour {
	bool silent, closed, hold, elsewhere;
	unsigned int delay, times, identifier;
	int code;
	union place from;
	unsigned int attributes;
	unsigned char attribute[ATTRIBUTES_MAX];
};

struct server {
	char label[LABEL_MAX + 1];
	union place at;
	int ns, fd, other_fd;
	struct behaviour does;
	struct answers delayed, held;
};

static struct server server[SERVERS_MAX];
static unsigned int servers;
/* Between the clock of the kernel's time stamps and the monotonic one. */
static int64_t clocks_us;
static FILE *out;

static const struct behaviour answers_at_once = { .times = 1 };

static int open_server(const struct server *s, const union place *at)
{
	int room = RECEIVE_BUFFER, on = 1, fd;

	enter_fd(s->ns);
	fd = open_socket(at, NULL);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		err(2, "setsockopt");
	return fd;
}

static void add_server(const char *text)
{
	struct server *s = &server[servers++];
	char buffer[96], *comma;
	const char *rest;

	s->does = answers_at_once;
	s->other_fd = -1;
	STAILQ_INIT(&s->delayed);
	STAILQ_INIT(&s->held);

	rest = enter(text, &s->ns);
	snprintf(buffer, sizeof(buffer), "%s", rest);
	snprintf(s->label, sizeof(s->label), "%u", servers);
	comma = strchr(buffer, ',');
	comma = comma ? strchr(comma + 1, ',') : NULL;
	if (comma) {
		*comma = 0;
		snprintf(s->label, sizeof(s->label), "%s", comma + 1);
	}
	s->at = endpoint(buffer);
	s->fd = open_server(s, &s->at);
}

static void send_answer(const struct server *s, const struct answer *answer)
{
	int fd = answer->elsewhere && s->other_fd >= 0 ? s->other_fd : s->fd;
	unsigned int i;

	for (i = 0; i < answer->times; i++)
		if (sendto(fd, answer->packet, answer->length, 0,
			   &answer->to.any, size_of(&answer->to)) < 0)
			warn("%s", s->label);
}

static int usual_code(int code)
{
	return code == 4 ? 5 : 2;
}

static void answer_request(struct server *s, const union place *client,
			   const unsigned char *request, uint64_t now)
{
	const struct behaviour *does = &s->does;
	unsigned int label = strlen(s->label);
	struct answer answer = {
		.due = now + does->delay,
		.to = *client,
		.times = does->times,
		.elsewhere = does->elsewhere,
		.length = HEADER + 2 + label + does->attributes,
	}, *later;

	header(answer.packet, does->code ?: usual_code(request[0]),
	       request[1] + does->identifier, answer.length);
	memcpy(answer.packet + AUTHENTICATOR, request + AUTHENTICATOR,
	       AUTHENTICATOR_SIZE);
	answer.packet[HEADER] = 18;
	answer.packet[HEADER + 1] = 2 + label;
	memcpy(answer.packet + HEADER + 2, s->label, label);
	memcpy(answer.packet + HEADER + 2 + label, does->attribute,
	       does->attributes);

	if (!does->hold && !does->delay) {
		send_answer(s, &answer);
		return;
	}
	later = malloc(sizeof(*later));
	if (!later)
		err(2, "memory");
	*later = answer;
	if (does->hold)
		STAILQ_INSERT_TAIL(&s->held, later, next);
	else
		STAILQ_INSERT_TAIL(&s->delayed, later, next);
}

/* Send what is due of a list; gives back when there is more to do. */
static uint64_t send_due(struct server *s, struct answers *list, uint64_t now)
{
	struct answer *first;

	while ((first = STAILQ_FIRST(list))) {
		if (first->due > now)
			return first->due;
		send_answer(s, first);
		STAILQ_REMOVE_HEAD(list, next);
		free(first);
	}
	return UINT64_MAX;
}

static uint64_t clock_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

/* When a datagram came, however late it is read. */
static uint64_t arrived_us(struct msghdr *message)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	struct timespec at;

	if (!control || control->cmsg_type != SCM_TIMESTAMPNS)
		return clock_us(CLOCK_MONOTONIC);
	memcpy(&at, CMSG_DATA(control), sizeof(at));
	return at.tv_sec * 1000000ULL + at.tv_nsec / 1000 - clocks_us;
}

/* Take what came to a server; true if there may be more. */
static bool receive(struct server *s)
{
	char control[128];
	unsigned char got[PACKET_MAX];
	union place from;
	unsigned int i;

	for (i = 0; i < BATCH && s->fd >= 0; i++) {
		struct iovec part = { got, sizeof(got) };
		struct msghdr message = {
			.msg_name = &from, .msg_namelen = sizeof(from),
			.msg_iov = &part, .msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		uint64_t us;

		if (recvmsg(s->fd, &message, MSG_DONTWAIT) < HEADER)
			return false;
		us = arrived_us(&message);
		fprintf(out, "%llu %s %s %u %u %u %u %02x%02x%02x%02x\n",
			(unsigned long long)us / 1000, s->label,
			address_of(&from), port_of(&from), got[0], got[1],
			record(&from, got, s->label, us),
			got[4], got[5], got[6], got[7]);
		if (s->does.silent)
			continue;
		if (!s->does.hold && !s->does.delay)
			fflush(out);
		answer_request(s, &from, got, now_ms());
	}
	return s->fd >= 0;
}

/* The words of a behaviour; false if they make none. */
static bool understand(char *words, struct behaviour *does)
{
	const char *word = strtok(words, " "), *value;

	*does = answers_at_once;
	does->silent = word && !strcmp(word, "silent");
	does->closed = word && !strcmp(word, "closed");
	if (does->silent || does->closed)
		return !strtok(NULL, " ");
	if (!word || strcmp(word, "answer"))
		return false;
	while ((word = strtok(NULL, " "))) {
		if (!strcmp(word, "hold")) {
			does->hold = true;
			continue;
		}
		if (!strcmp(word, "twice")) {
			does->times = 2;
			continue;
		}
		value = strtok(NULL, " ");
		if (!value)
			return false;
		if (!strcmp(word, "delay")) {
			does->delay = number(value, 1000000);
		} else if (!strcmp(word, "code")) {
			does->code = number(value, 255);
		} else if (!strcmp(word, "identifier")) {
			does->identifier = number(value, 255);
		} else if (!strcmp(word, "attributes")) {
			does->attributes = from_hex(does->attribute,
						    sizeof(does->attribute),
						    value);
		} else if (!strcmp(word, "from")) {
			does->from = endpoint(value);
			does->elsewhere = true;
		} else {
			return false;
		}
	}
	return true;
}

static void behave(struct server *s, const struct behaviour *does)
{
	if (s->other_fd >= 0)
		close(s->other_fd);
	s->other_fd = -1;
	s->does = *does;
	if (does->elsewhere)
		s->other_fd = open_server(s, &does->from);
	if (does->closed && s->fd >= 0) {
		close(s->fd);
		s->fd = -1;
	} else if (!does->closed && s->fd < 0) {
		s->fd = open_server(s, &s->at);
	}
}

static void release(struct server *s)
{
	struct answer *held;

	STAILQ_FOREACH(held, &s->held, next)
		held->due = 0;
	send_due(s, &s->held, 0);
}

static bool obey(char *line)
{
	char *words = strchr(line, ' ');
	struct behaviour does;
	bool change, found = false;
	unsigned int i;

	if (!words)
		return false;
	*words++ = 0;
	change = strcmp(words, "release") && strcmp(words, "ways") &&
		 strcmp(words, "forget");
	if (change && !understand(words, &does))
		return false;
	for (i = 0; i < servers; i++) {
		struct server *s = &server[i];

		if (strcmp(line, "all") && strcmp(line, s->label))
			continue;
		found = true;
		while (receive(s))
			;
		if (change)
			behave(s, &does);
		else if (!strcmp(words, "release"))
			release(s);
	}
	if (!change && !strcmp(words, "ways"))
		record_ways();
	if (!change && !strcmp(words, "forget"))
		record_forget();
	fflush(out);
	return found;
}

/* Standard input: false at its end. */
static bool control(void)
{
	static char buffer[1024];
	static size_t length;
	ssize_t octets;
	char *end;

	octets = read(STDIN_FILENO, buffer + length,
		      sizeof(buffer) - 1 - length);
	if (octets <= 0)
		return false;
	length += octets;
	buffer[length] = 0;
	while ((end = strchr(buffer, '\n'))) {
		*end++ = 0;
		printf("%s %llu\n", obey(buffer) ? "ok" : "bad",
		       (unsigned long long)now_ms());
		length -= end - buffer;
		memmove(buffer, end, length + 1);
	}
	fflush(stdout);
	return true;
}

int main(int argc, char **argv)
{
	struct pollfd fds[SERVERS_MAX + 1];
	int i;

	if (argc < 3 || argc - 2 > SERVERS_MAX)
		errx(2, "see the head of responder.c");
	out = fopen(argv[1], "ae");
	if (!out)
		err(2, "%s", argv[1]);
	for (i = 2; i < argc; i++)
		add_server(argv[i]);
	clocks_us = clock_us(CLOCK_REALTIME) - clock_us(CLOCK_MONOTONIC);
	printf("ok %llu\n", (unsigned long long)now_ms());
	fflush(stdout);

	for (;;) {
		uint64_t now = now_ms(), wake = UINT64_MAX;
		unsigned int k;

		for (k = 0; k < servers; k++) {
			uint64_t due = send_due(&server[k], &server[k].delayed,
						now);

			wake = due < wake ? due : wake;
			fds[k] = (struct pollfd){ .fd = server[k].fd,
						  .events = POLLIN };
		}
		fds[k] = (struct pollfd){ .fd = STDIN_FILENO,
					  .events = POLLIN };
		fflush(out);
		if (poll(fds, servers + 1,
			 wake == UINT64_MAX ? -1 : (int)(wake - now)) < 0)
			err(2, "poll");
		if (fds[servers].revents && !control())
			return 0;
		for (k = 0; k < servers; k++)
			if (fds[k].revents)
				receive(&server[k]);
	}
}
