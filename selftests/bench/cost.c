// SPDX-License-Identifier: GPL-2.0
/*
 * What a round trip costs: a client and its RADIUS servers in one process, each
 * in a namespace of its own, so that no scheduling is measured. Under icount (see
 * vm/run) the clock counts instructions, and so a nanosecond is one.
 *
 *	cost [OPTIONS] CLIENT ASKED COUNT SERVER...
 *
 * CLIENT and SERVER are NAMESPACE,ADDRESS,PORT, ASKED is ADDRESS,PORT, all of one
 * family.
 *
 *	-k KIND		what is asked, 120 octets:
 *			access		an Access-Request, which is accepted
 *			state		one with the State of the Access-Challenge
 *					before, which is challenged again
 *			accounting	an Interim-Update of the session -n
 *			login		all of it in turn: an Access-Request that
 *					is challenged, another one with the State
 *					that is accepted, and the Start, which is
 *					sent to the port after the one of ASKED
 *			other		no RADIUS at all
 *	-n NUMBER	the first session (default 0)
 *	-r COPIES	send each request that many times (default 1)
 *	-f REQUESTS	send so many of which no answer is awaited, and nothing
 *			else: each has a client port, from that of CLIENT on, or
 *			an Identifier of its own, and a session
 *
 * Prints a JSON object:
 *
 *	instructions	of one round trip: the median of several runs of COUNT
 *			each, after one that is not counted
 *	lost		round trips without an answer
 *	wrong_source	answers from another address than the one asked
 *	shares		requests of each server
 */
#define _GNU_SOURCE
#include <sys/epoll.h>
#include "../end.h"

enum {
	RUNS		= 5,
	SERVERS_MAX	= 128,
	LENGTH		= 120,
	STATE		= 16,
	/* A port is used for all of its Identifiers. */
	IDENTIFIERS	= 256,

	ACCESS_REQUEST	= 1,
	ACCESS_ACCEPT	= 2,
	ACCOUNTING_REQUEST = 4,
	ACCOUNTING_RESPONSE = 5,
	ACCESS_CHALLENGE = 11,

	START		= 1,
	INTERIM_UPDATE	= 3,
};

enum kind { ACCESS, ACCESS_STATE, ACCOUNTING, LOGIN, OTHER };

static const char *const kinds[] = {
	[ACCESS] = "access", [ACCESS_STATE] = "state",
	[ACCOUNTING] = "accounting", [LOGIN] = "login", [OTHER] = "other",
};

static struct {
	enum kind kind;
	unsigned long session;
	unsigned long copies;
	unsigned long filling;
} opt = { .copies = 1 };

/* Two of the servers: for authentication and, with LOGIN, for accounting. */
static int server_fd[2 * SERVERS_MAX];
static unsigned long shares[2 * SERVERS_MAX];
static unsigned int servers, sockets;
static unsigned long lost, wrong_source;
static unsigned char state[STATE];
static uint64_t authenticator;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static unsigned int attribute(unsigned char *packet, unsigned int at, int type,
			      const void *value, unsigned int length)
{
	packet[at] = type;
	packet[at + 1] = 2 + length;
	memcpy(packet + at + 2, value, length);
	return at + 2 + length;
}

/* Request number I, as step() has it. The rest is a free attribute. */
static void request(unsigned char *packet, unsigned long i, int code, int status,
		    bool has_state)
{
	unsigned int at = HEADER;
	char text[16];
	uint32_t value;

	packet[0] = code;
	packet[1] = i;
	packet[2] = 0;
	packet[3] = LENGTH;
	memset(packet + AUTHENTICATOR, 0, AUTHENTICATOR_SIZE);
	authenticator++;
	memcpy(packet + AUTHENTICATOR, &authenticator, sizeof(authenticator));
	at = attribute(packet, at, 1, "bob", 3);
	at = attribute(packet, at, 32, "nas1", 4);
	if (has_state)
		at = attribute(packet, at, 24, state, STATE);
	if (status) {
		value = htonl(status);
		at = attribute(packet, at, 40, &value, sizeof(value));
	}
	if (opt.kind == ACCOUNTING || opt.kind == LOGIN) {
		snprintf(text, sizeof(text), "%08lx", opt.session);
		at = attribute(packet, at, 44, text, 8);
		at = attribute(packet, at, 31, text, 8);
	}
	memset(packet + at, 0, LENGTH - at);
	packet[at] = 255;
	packet[at + 1] = LENGTH - at;
}

/* The answer to request number I, its header as it came. */
static unsigned int answer(unsigned char *packet, int code, unsigned long i)
{
	unsigned int at = HEADER;

	packet[0] = code;
	if (code == ACCESS_CHALLENGE) {
		memset(state, 0, sizeof(state));
		memcpy(state, &i, sizeof(i));
		at = attribute(packet, at, 24, state, STATE);
	}
	packet[2] = 0;
	packet[3] = at;
	return at;
}

/* What request number I is, and its answer. */
static void step(unsigned long i, int *code, int *status, bool *has_state,
		 int *reply)
{
	*code = ACCESS_REQUEST;
	*status = 0;
	*has_state = false;
	*reply = ACCESS_ACCEPT;
	switch (opt.kind) {
	case ACCESS:
		break;
	case ACCESS_STATE:
		*has_state = i;
		*reply = ACCESS_CHALLENGE;
		break;
	case ACCOUNTING:
		*code = ACCOUNTING_REQUEST;
		*status = INTERIM_UPDATE;
		*reply = ACCOUNTING_RESPONSE;
		break;
	case LOGIN:
		switch (i % 3) {
		case 0:
			opt.session++;
			*reply = ACCESS_CHALLENGE;
			break;
		case 1:
			*has_state = true;
			break;
		case 2:
			*code = ACCOUNTING_REQUEST;
			*status = START;
			*reply = ACCOUNTING_RESPONSE;
			break;
		}
		break;
	case OTHER:
		*code = 0;
		break;
	}
}

static void round_trip(int client, int poll, const union place *asked,
		       const union place *accounting, unsigned long i)
{
	unsigned char packet[LENGTH], got[LENGTH];
	const union place *to = asked;
	struct epoll_event event;
	union place from;
	socklen_t size;
	int code, status, reply;
	unsigned long copy;
	bool has_state;
	ssize_t length;

	step(i, &code, &status, &has_state, &reply);
	request(packet, i, code, status, has_state);
	if (opt.kind == LOGIN && code == ACCOUNTING_REQUEST)
		to = accounting;
	for (copy = 0; copy < opt.copies; copy++)
		sendto(client, packet, sizeof(packet), 0, &to->any, size_of(to));
	/* One call finds the server, whichever it is: they cost the same. */
	if (epoll_wait(poll, &event, 1, 0) != 1) {
		lost++;
		return;
	}
	for (copy = 0; copy < opt.copies; copy++) {
		size = sizeof(from);
		length = recvfrom(server_fd[event.data.u32], got, sizeof(got),
				  MSG_DONTWAIT, &from.any, &size);
		if (length < HEADER) {
			lost++;
			return;
		}
		shares[event.data.u32]++;
	}
	length = answer(got, reply, i);
	sendto(server_fd[event.data.u32], got, length, 0, &from.any, size);
	size = sizeof(from);
	if (recvfrom(client, got, sizeof(got), MSG_DONTWAIT, &from.any, &size) <
	    HEADER)
		lost++;
	else if (!same(&from, to))
		wrong_source++;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void measure(int client, int poll, const union place *asked,
		    unsigned long count)
{
	union place accounting = *asked;
	unsigned long i, at = 0;
	uint64_t run[RUNS + 1];
	unsigned int r;

	set_port(&accounting, port_of(asked) + 1);
	for (r = 0; r <= RUNS; r++) {
		uint64_t begin = now_ns();

		for (i = 0; i < count; i++)
			round_trip(client, poll, asked, &accounting, at++);
		run[r] = now_ns() - begin;
	}
	qsort(run + 1, RUNS, sizeof(run[0]), compare);
	printf("{\"instructions\":%.1f,\"lost\":%lu,\"wrong_source\":%lu,\"shares\":[",
	       (double)run[1 + RUNS / 2] / count, lost, wrong_source);
	for (r = 0; r < servers; r++)
		printf("%s%lu", r ? "," : "",
		       shares[r] + (sockets > servers ? shares[servers + r] : 0));
	printf("]}\n");
}

/* Requests from ever more client ports, in the namespace of the client. */
static void send_many(union place *client, const union place *asked)
{
	uint16_t port = port_of(client);
	int code, status, reply, fd = -1;
	unsigned char packet[LENGTH];
	unsigned long i;
	bool has_state;

	for (i = 0; i < opt.filling; i++) {
		if (i % IDENTIFIERS == 0) {
			if (fd >= 0)
				close(fd);
			set_port(client, port + i / IDENTIFIERS);
			fd = open_socket(client, NULL);
		}
		step(i, &code, &status, &has_state, &reply);
		request(packet, i, code, status, false);
		opt.session++;
		if (sendto(fd, packet, sizeof(packet), 0, &asked->any,
			   size_of(asked)) < 0)
			err(1, "request %lu", i);
	}
}

static enum kind kind(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i]))
			return i;
	errx(2, "%s is no kind of request", name);
}

static void add_socket(int poll, const union place *at)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET,
				     .data.u32 = sockets };

	server_fd[sockets] = open_socket(at, NULL);
	if (epoll_ctl(poll, EPOLL_CTL_ADD, server_fd[sockets], &event))
		err(2, "epoll");
	sockets++;
}

int main(int argc, char **argv)
{
	union place client, asked, server[SERVERS_MAX];
	int option, poll, here, fd, ns[SERVERS_MAX];
	unsigned long count;
	unsigned int i;

	while ((option = getopt(argc, argv, "f:k:n:r:")) != -1) {
		switch (option) {
		case 'f':
			opt.filling = number(optarg, 60000UL * IDENTIFIERS);
			break;
		case 'k':
			opt.kind = kind(optarg);
			break;
		case 'n':
			opt.session = number(optarg, UINT32_MAX);
			break;
		case 'r':
			opt.copies = number(optarg, 16);
			break;
		default:
			return 2;
		}
	}
	argv += optind;
	argc -= optind;
	if (argc < 3 || argc - 3 > SERVERS_MAX)
		errx(2, "takes CLIENT ASKED COUNT SERVER...");

	poll = epoll_create1(EPOLL_CLOEXEC);
	here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (poll < 0 || here < 0)
		err(2, "epoll or namespace");
	asked = endpoint(argv[1]);
	count = number(argv[2], 1000000);
	for (i = 3; i < (unsigned int)argc; i++) {
		enter_fd(here);
		server[servers] = endpoint(enter(argv[i], &ns[servers]));
		add_socket(poll, &server[servers]);
		servers++;
	}
	for (i = 0; opt.kind == LOGIN && i < servers; i++) {
		enter_fd(ns[i]);
		set_port(&server[i], port_of(&server[i]) + 1);
		add_socket(poll, &server[i]);
	}
	enter_fd(here);
	client = endpoint(enter(argv[0], NULL));
	if (opt.filling) {
		send_many(&client, &asked);
		return 0;
	}
	fd = open_socket(&client, NULL);
	measure(fd, poll, &asked, count);
	return 0;
}
