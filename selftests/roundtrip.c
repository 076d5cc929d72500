// SPDX-License-Identifier: GPL-2.0
/*
 * A client and its RADIUS servers in one process, each in a namespace of its
 * own: sends requests one at a time, lets the server that got one answer it,
 * and checks all that the two ends can see.
 *
 *	roundtrip [OPTIONS] CLIENT ASKED COUNT SERVER...
 *
 * CLIENT and SERVER are NAMESPACE,ADDRESS,PORT, ASKED is ADDRESS,PORT, all of
 * one family, IPv4 or IPv6. Several SERVERs may be given in any number of
 * namespaces.
 *
 *	-l LENGTH	octets of a request (default 120)
 *	-p PADDING	octets of padding behind the request (default 0)
 *	-k CODE		Code of the requests (default 1)
 *	-a CODE		Code of the answers (default 2)
 *	-i IDENTIFIER	the same Identifier for every request (default: counted)
 *	-r COPIES	send each request that many times (default 1)
 *	-A ANSWERS	answer each copy that many times (default 1)
 *	-S		let the servers stay silent
 *	-C		connect the client's socket
 *	-E		answer from a port of the server's own choosing
 *	-I OFFSET	answer with the Identifier that many higher
 *	-D		both ways, a header of IPv6 destination options before UDP
 *	-n		take the next client port after every 256 requests
 *	-o		print "order N" for each request, N the server from 0
 *	-b COMMAND	run a shell command before each answer
 *	-F		let the first memory be refused that the kernel asks for
 *			without waiting, on behalf of each request sent (on
 *			kernels with CONFIG_FAILSLAB)
 *	-x HEX		send these octets, whatever they are, and nothing else
 *	-v CLIENT-SEEN	address and port that the servers see as the client's,
 *			or "any" (default: the client's own)
 *
 * Prints "NAMESPACE,ADDRESS,PORT REQUESTS" for each server, in order, then
 * what went wrong. Exit status: 0 if all went well, 1 if something went wrong,
 * 2 for a usage error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include "end.h"

enum {
	SERVERS_MAX	= 64,
	/* Longer than a packet ever needs between namespaces of one machine. */
	WAIT_MS		= 2000,
};

struct end {
	const char *name;
	union place at;
	int fd, answer_fd;
	unsigned long requests;
};

struct counts {
	unsigned long lost_request;
	unsigned long lost_answer;
	unsigned long wrong_source;
	unsigned long wrong_client;
	unsigned long wrong_request;
	unsigned long wrong_answer;
	unsigned long unexpected;
};

static struct {
	unsigned int length, padding, copies, answers;
	int code, answer, identifier;
	int offset;
	bool silent, connected, any_client, other_port, next_port, order;
	bool refuse, extension;
	union place seen;
	const char *hex, *before;
} opt = {
	.length = 120, .copies = 1, .answers = 1, .code = 1, .answer = 2,
	.identifier = -1,
};

/* A header of nothing but padding, which anybody skips. */
static const unsigned char destination_options[] = { 0, 0, 1, 4, 0, 0, 0, 0 };

static int open_at(const union place *at)
{
	int fd = open_socket(at);

	if (opt.extension &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_DSTOPTS, destination_options,
		       sizeof(destination_options)))
		err(2, "%s: destination options", address_of(at));
	return fd;
}

/* Open a socket for NAMESPACE,ADDRESS,PORT, and stay in that namespace. */
static struct end open_end(const char *text)
{
	struct end end = { .name = text };

	end.at = endpoint(enter(text, NULL));
	end.fd = open_at(&end.at);
	if (opt.other_port) {
		union place other = end.at;

		set_port(&other, 0);
		end.answer_fd = open_at(&other);
	} else {
		end.answer_fd = end.fd;
	}
	return end;
}

/* The server that a request came to, NULL if it comes to none. */
static struct end *arrival(struct end *server, unsigned int servers)
{
	struct pollfd fds[SERVERS_MAX];
	unsigned int i;

	for (i = 0; i < servers; i++)
		fds[i] = (struct pollfd){ .fd = server[i].fd,
					  .events = POLLIN };
	if (poll(fds, servers, WAIT_MS) <= 0)
		return NULL;
	for (i = 0; i < servers; i++)
		if (fds[i].revents)
			return &server[i];
	return NULL;
}

static void receive_answer(int fd, const union place *asked,
			   const unsigned char *sent, size_t length,
			   struct counts *counts)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	unsigned char got[PACKET_MAX + 1];
	union place from;
	socklen_t size = sizeof(from);
	ssize_t octets;

	if (poll(&wait, 1, WAIT_MS) <= 0) {
		counts->lost_answer++;
		return;
	}
	octets = recvfrom(fd, got, sizeof(got), 0, &from.any, &size);
	if (octets < 0) {
		counts->lost_answer++;
		return;
	}
	if (!same(&from, asked))
		counts->wrong_source++;
	if ((size_t)octets != length || memcmp(got, sent, length))
		counts->wrong_answer++;
}

/* Let the Nth memory be refused that this thread asks for, or none (0). */
static void refuse_memory(const char *nth)
{
	static int fd = -1;

	if (!opt.refuse)
		return;
	if (fd < 0)
		fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fd < 0 || pwrite(fd, nth, strlen(nth), 0) < 0)
		err(2, "fail-nth");
}

/* One copy of a request there, and its answers back. */
static void round_trip(struct end *client, const union place *asked,
		       struct end *server, unsigned int servers,
		       const unsigned char *request, size_t length,
		       struct counts *counts)
{
	unsigned char got[PACKET_MAX + 1], answer[PACKET_MAX];
	union place from;
	socklen_t size = sizeof(from);
	unsigned int i, answer_length;
	struct end *end;
	ssize_t octets;

	refuse_memory("1");
	octets = sendto(client->fd, request, length, 0,
			opt.connected ? NULL : &asked->any,
			opt.connected ? 0 : size_of(asked));
	refuse_memory("0");
	if (octets != (ssize_t)length) {
		counts->lost_request++;
		return;
	}
	end = arrival(server, servers);
	if (!end) {
		counts->lost_request++;
		return;
	}
	octets = recvfrom(end->fd, got, sizeof(got), 0, &from.any, &size);
	end->requests++;
	if (opt.order)
		printf("order %zu\n", end - server);
	if (octets != (ssize_t)length || memcmp(got, request, length))
		counts->wrong_request++;
	if (!opt.any_client && !same(&from, &opt.seen))
		counts->wrong_client++;

	for (i = 0; !opt.silent && i < opt.answers; i++) {
		if (opt.before && system(opt.before))
			errx(2, "%s failed", opt.before);
		answer_length = HEADER + 2 + rand() % 200;
		fill(answer, answer_length);
		header(answer, opt.answer, request[1] + opt.offset,
		       answer_length);
		if (sendto(end->answer_fd, answer, answer_length, 0,
			   &from.any, size_of(&from)) < 0)
			err(2, "%s", end->name);
		receive_answer(client->fd, asked, answer, answer_length,
			       counts);
	}
}

static bool report(const char *what, unsigned long count)
{
	if (count)
		printf("%s %lu\n", what, count);
	return count;
}

static int result(struct end *client, struct end *server, unsigned int servers,
		  struct counts *counts)
{
	bool wrong = false;
	char octet;
	unsigned int i;

	for (i = 0; i < servers; i++) {
		printf("%s %lu\n", server[i].name, server[i].requests);
		while (recv(server[i].fd, &octet, 1, MSG_DONTWAIT) >= 0)
			counts->unexpected++;
	}
	while (recv(client->fd, &octet, 1, MSG_DONTWAIT) >= 0)
		counts->unexpected++;

	wrong |= report("lost-request", counts->lost_request);
	wrong |= report("lost-answer", counts->lost_answer);
	wrong |= report("wrong-source", counts->wrong_source);
	wrong |= report("wrong-client", counts->wrong_client);
	wrong |= report("wrong-request", counts->wrong_request);
	wrong |= report("wrong-answer", counts->wrong_answer);
	wrong |= report("unexpected", counts->unexpected);
	return wrong;
}

static void options(int argc, char **argv, bool *seen)
{
	int o;

	while ((o = getopt(argc, argv, "l:p:k:a:i:r:A:SCEI:DnoFb:x:v:")) != -1) {
		switch (o) {
		case 'l':
			opt.length = number(optarg, PACKET_MAX);
			break;
		case 'p':
			opt.padding = number(optarg, PACKET_MAX);
			break;
		case 'k':
			opt.code = number(optarg, 255);
			break;
		case 'a':
			opt.answer = number(optarg, 255);
			break;
		case 'i':
			opt.identifier = number(optarg, 255);
			break;
		case 'r':
			opt.copies = number(optarg, 1000);
			break;
		case 'A':
			opt.answers = number(optarg, 1000);
			break;
		case 'S':
			opt.silent = true;
			break;
		case 'C':
			opt.connected = true;
			break;
		case 'E':
			opt.other_port = true;
			break;
		case 'I':
			opt.offset = number(optarg, 255);
			break;
		case 'D':
			opt.extension = true;
			break;
		case 'n':
			opt.next_port = true;
			break;
		case 'o':
			opt.order = true;
			break;
		case 'F':
			opt.refuse = true;
			break;
		case 'b':
			opt.before = optarg;
			break;
		case 'x':
			opt.hex = optarg;
			break;
		case 'v':
			opt.any_client = !strcmp(optarg, "any");
			if (!opt.any_client)
				opt.seen = endpoint(optarg);
			*seen = true;
			break;
		default:
			errx(2, "see the head of roundtrip.c");
		}
	}
	if (opt.length < HEADER || opt.length + opt.padding > PACKET_MAX)
		errx(2, "a request has %d to %d octets", HEADER, PACKET_MAX);
}

static size_t from_hex(unsigned char *packet, const char *hex)
{
	size_t length = 0;
	unsigned int octet;

	for (; *hex; hex += 2) {
		if (length == PACKET_MAX || sscanf(hex, "%2x", &octet) != 1 ||
		    !hex[1])
			errx(2, "%s is not octets in hex", hex);
		packet[length++] = octet;
	}
	return length;
}

/* Every request is a new one: after 256 Identifiers it takes another port. */
static void next_port(struct end *client)
{
	close(client->fd);
	set_port(&client->at, port_of(&client->at) + 1);
	client->fd = open_at(&client->at);
	opt.seen = client->at;
}

int main(int argc, char **argv)
{
	struct end client, server[SERVERS_MAX];
	unsigned char request[PACKET_MAX];
	struct counts counts = { 0 };
	unsigned long count, i;
	union place asked;
	unsigned int servers, k;
	bool seen = false;

	options(argc, argv, &seen);
	argv += optind;
	argc -= optind;
	if (argc < 4 || argc - 3 > SERVERS_MAX)
		errx(2, "see the head of roundtrip.c");

	servers = argc - 3;
	for (k = 0; k < servers; k++)
		server[k] = open_end(argv[3 + k]);
	client = open_end(argv[0]);
	asked = endpoint(argv[1]);
	count = number(argv[2], 10000000);
	for (k = 0; k < servers; k++)
		if (is_inet6(&server[k].at) != is_inet6(&asked) ||
		    is_inet6(&client.at) != is_inet6(&asked))
			errx(2, "ends of two families");
	if (!seen)
		opt.seen = client.at;
	if (opt.connected &&
	    connect(client.fd, &asked.any, size_of(&asked)))
		err(2, "connect");

	if (opt.hex)
		round_trip(&client, &asked, server, servers, request,
			   from_hex(request, opt.hex), &counts);

	for (i = 0; !opt.hex && i < count; i++) {
		int identifier = opt.identifier < 0 ? (int)(i & 255) :
						      opt.identifier;

		if (opt.next_port && i && i % 256 == 0)
			next_port(&client);
		fill(request, opt.length + opt.padding);
		header(request, opt.code, identifier, opt.length);
		for (k = 0; k < opt.copies; k++)
			round_trip(&client, &asked, server, servers, request,
				   opt.length + opt.padding, &counts);
	}
	return result(&client, server, servers, &counts);
}
