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
 *	-L LENGTH	octets of an answer (default: a few, never the same)
 *	-i IDENTIFIER	the same Identifier for every request (default: counted)
 *	-r COPIES	send each request that many times (default 1)
 *	-A ANSWERS	answer each copy that many times (default 1)
 *	-S		let the servers stay silent
 *	-C		connect the client's socket
 *	-P		the client's socket has no address: each request says
 *			where it is from, and the answer is to come there
 *	-B DEVICE	bind the client's socket to a device
 *	-E		answer from a port of the server's own choosing
 *	-I OFFSET	answer with the Identifier that many higher
 *	-D		both ways, a header of IPv6 destination options before UDP
 *	-G REQUESTS	send so many at a time, in one buffer (UDP_SEGMENT); each
 *			server answers all that it got in another one
 *	-N		both ways, without a UDP checksum (IPv4)
 *	-z		both ways, with payloads whose UDP checksum comes to 0
 *			as it arrives (with one server)
 *	-f MTU,ORDER	send requests in fragments of this MTU, made by hand:
 *			the first is 0, the next 1, and so on, in this order. a,
 *			b, c, ... are those of a request of another client, -O,
 *			with the same identification. A fragment that is missing
 *			or, by a + before it, overlaps the one before makes its
 *			request one that never arrives
 *	-g MTU,ORDER	the same of answers
 *	-O CLIENT	the other client: ADDRESS,PORT beside the first
 *	-w		what is made by hand has a wrong UDP checksum, and never
 *			arrives
 *	-n		take the next client port after every 256 requests
 *	-o		print "order N" for each request, N the server from 0
 *	-b COMMAND	run a shell command before each answer
 *	-F		let the first memory be refused that the kernel asks for
 *			without waiting, on behalf of each request sent (on
 *			kernels with CONFIG_FAILSLAB)
 *	-x HEX		send these octets, whatever they are, and nothing else
 *	-X HEX		answer with these octets
 *	-v CLIENT-SEEN	address and port that the servers see as the client's,
 *			or "any" (default: the client's own)
 *
 * Prints "NAMESPACE,ADDRESS,PORT REQUESTS" for each server, in order, then
 * what went wrong. Exit status: 0 if all went well, 1 if something went wrong,
 * 2 for a usage error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include "end.h"
#include "fragment.h"

enum {
	SERVERS_MAX	= 64,
	/* Longer than a packet ever needs between namespaces of one machine. */
	WAIT_MS		= 2000,
	/* Requests in one buffer, and octets of their answers. */
	PACKED_MAX	= 32,
	PACKED_ANSWER	= 64,
};

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif

struct end {
	const char *name;
	union place at;
	int fd, answer_fd, raw_fd;
	unsigned long requests;
};

struct counts {
	unsigned long lost_request;
	unsigned long lost_answer;
	unsigned long wrong_source;
	unsigned long wrong_client;
	unsigned long wrong_destination;
	unsigned long wrong_request;
	unsigned long wrong_answer;
	unsigned long unexpected;
};

static struct {
	unsigned int length, padding, copies, answers, answer_length, packed;
	int code, answer, identifier;
	int offset;
	bool silent, connected, any_client, other_port, next_port, order;
	bool refuse, extension, no_checksum, zero_checksum, wrong_checksum;
	bool choose_source;
	union place seen;
	const char *hex, *answer_hex, *before, *device, *other;
	struct cut request_cut, answer_cut;
} opt = {
	.length = 120, .copies = 1, .answers = 1, .code = 1, .answer = 2,
	.identifier = -1,
};

/* A header of nothing but padding, which anybody skips. */
static const unsigned char destination_options[] = { 0, 0, 1, 4, 0, 0, 0, 0 };

static void set(int fd, int level, int option, const void *value,
		socklen_t size)
{
	if (setsockopt(fd, level, option, value, size))
		err(2, "socket option %d", option);
}

static void set_flag(int fd, int level, int option)
{
	int on = 1;

	set(fd, level, option, &on, sizeof(on));
}

static int open_on(const union place *at, const char *device)
{
	int fd = open_socket(at, device);

	if (opt.extension)
		set(fd, IPPROTO_IPV6, IPV6_DSTOPTS, destination_options,
		    sizeof(destination_options));
	if (opt.no_checksum)
		set_flag(fd, SOL_SOCKET, SO_NO_CHECK);
	return fd;
}

static int open_at(const union place *at)
{
	return open_on(at, NULL);
}

static int open_client(const union place *at)
{
	union place bound = *at;
	int fd;

	if (opt.choose_source) {
		memset(&bound, 0, sizeof(bound));
		bound.any.sa_family = at->any.sa_family;
		set_port(&bound, port_of(at));
	}
	fd = open_on(&bound, opt.device);
	if (opt.choose_source && is_inet6(at))
		set_flag(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO);
	else if (opt.choose_source)
		set_flag(fd, IPPROTO_IP, IP_PKTINFO);
	return fd;
}

static bool by_hand(void)
{
	return opt.request_cut.order || opt.answer_cut.order;
}

/* Open a socket for NAMESPACE,ADDRESS,PORT, and stay in that namespace. */
static struct end open_end(const char *text, int (*open)(const union place *))
{
	struct end end = { .name = text };

	end.at = endpoint(enter(text, NULL));
	end.fd = open(&end.at);
	if (by_hand())
		end.raw_fd = open_raw(&end.at);
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

/* An address that a packet came to, or is to come from (IP_PKTINFO). */
union info {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

static void put_source(struct msghdr *message, union info *info,
		       const union place *source)
{
	struct in6_pktinfo six = { .ipi6_addr = source->in6.sin6_addr };
	struct in_pktinfo four = { .ipi_spec_dst = source->in.sin_addr };
	bool inet6 = is_inet6(source);
	size_t size = inet6 ? sizeof(six) : sizeof(four);
	struct cmsghdr *header;

	memset(info, 0, sizeof(*info));
	message->msg_control = info;
	message->msg_controllen = CMSG_SPACE(size);
	header = CMSG_FIRSTHDR(message);
	header->cmsg_level = inet6 ? IPPROTO_IPV6 : IPPROTO_IP;
	header->cmsg_type = inet6 ? IPV6_PKTINFO : IP_PKTINFO;
	header->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(header), inet6 ? (void *)&six : &four, size);
}

static bool came_to(struct msghdr *message, const union place *at)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);
	struct in6_pktinfo six;
	struct in_pktinfo four;

	if (!header)
		return false;
	if (is_inet6(at)) {
		memcpy(&six, CMSG_DATA(header), sizeof(six));
		return !memcmp(&six.ipi6_addr, &at->in6.sin6_addr,
			       sizeof(six.ipi6_addr));
	}
	memcpy(&four, CMSG_DATA(header), sizeof(four));
	return four.ipi_addr.s_addr == at->in.sin_addr.s_addr;
}

static void receive_answer(const struct end *client, const union place *asked,
			   const unsigned char *sent, size_t length,
			   struct counts *counts)
{
	struct pollfd wait = { .fd = client->fd, .events = POLLIN };
	unsigned char got[PACKET_MAX + 1];
	struct iovec octets_got = { got, sizeof(got) };
	union place from;
	union info info;
	struct msghdr message = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &octets_got, .msg_iovlen = 1,
		.msg_control = &info, .msg_controllen = sizeof(info),
	};
	ssize_t octets;

	if (poll(&wait, 1, WAIT_MS) <= 0) {
		counts->lost_answer++;
		return;
	}
	octets = recvmsg(client->fd, &message, 0);
	if (octets < 0) {
		counts->lost_answer++;
		return;
	}
	if (!same(&from, asked))
		counts->wrong_source++;
	if (opt.choose_source && !came_to(&message, &client->at))
		counts->wrong_destination++;
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

static bool send_request(struct end *client, struct end *other,
			 const union place *asked, const unsigned char *request,
			 const unsigned char *other_request, size_t length)
{
	struct iovec octets = { (void *)request, length };
	struct msghdr message = {
		.msg_name = opt.connected ? NULL : (void *)asked,
		.msg_namelen = opt.connected ? 0 : size_of(asked),
		.msg_iov = &octets, .msg_iovlen = 1,
	};
	struct datagram digits, letters;
	union info info;
	bool sent;

	if (opt.request_cut.order) {
		datagram(&digits, &client->at, asked, request, length,
			 opt.wrong_checksum);
		if (other)
			datagram(&letters, &other->at, asked, other_request,
				 length, opt.wrong_checksum);
		return send_cut(client->raw_fd, &opt.request_cut, &digits,
				other ? &letters : NULL);
	}
	if (opt.choose_source)
		put_source(&message, &info, &client->at);
	refuse_memory("1");
	sent = sendmsg(client->fd, &message, 0) == (ssize_t)length;
	refuse_memory("0");
	return sent;
}

/* How many requests arrive, of what is sent at a time. */
static unsigned int arriving(const struct end *other, const union place *asked,
			     size_t length)
{
	const struct cut *cut = &opt.request_cut;

	if (!cut->order)
		return 1;
	if (opt.wrong_checksum)
		return 0;
	return cut_complete(cut, '0', asked, length) +
	       (other && cut_complete(cut, 'a', asked, length));
}

static void send_answer(struct end *server, const union place *from,
			const union place *to, const unsigned char *answer,
			size_t length)
{
	struct datagram d;
	bool sent;

	if (opt.answer_cut.order) {
		datagram(&d, from, to, answer, length, opt.wrong_checksum);
		sent = send_cut(server->raw_fd, &opt.answer_cut, &d, NULL);
	} else {
		sent = sendto(server->answer_fd, answer, length, 0, &to->any,
			      size_of(to)) == (ssize_t)length;
	}
	if (!sent)
		err(2, "%s", server->name);
}

/* A request that came to a server, and its answers back. */
static void serve(struct end *client, struct end *other,
		  const union place *asked, struct end *server,
		  unsigned int servers, const unsigned char *request,
		  const unsigned char *other_request, size_t length,
		  struct counts *counts)
{
	unsigned char got[PACKET_MAX + 1], answer[PACKET_MAX];
	const union place *seen = &opt.seen;
	union place from;
	socklen_t size = sizeof(from);
	unsigned int i, answer_length;
	struct end *end;
	ssize_t octets;

	end = arrival(server, servers);
	if (!end) {
		counts->lost_request++;
		return;
	}
	octets = recvfrom(end->fd, got, sizeof(got), 0, &from.any, &size);
	end->requests++;
	if (opt.order)
		printf("order %zu\n", end - server);
	if (other && same(&from, &other->at)) {
		client = other;
		request = other_request;
		seen = &other->at;
	}
	if (octets != (ssize_t)length || memcmp(got, request, length))
		counts->wrong_request++;
	if (!opt.any_client && !same(&from, seen))
		counts->wrong_client++;

	for (i = 0; !opt.silent && i < opt.answers; i++) {
		if (opt.before && system(opt.before))
			errx(2, "%s failed", opt.before);
		answer_length = opt.answer_length;
		if (!answer_length)
			answer_length = HEADER + 2 + rand() % 200;
		fill(answer, answer_length);
		header(answer, opt.answer, request[1] + opt.offset,
		       answer_length);
		if (opt.answer_hex)
			answer_length = from_hex(answer, PACKET_MAX, opt.answer_hex);
		if (opt.zero_checksum)
			zero_sum(asked, &client->at, answer, answer_length);
		send_answer(end, &end->at, &from, answer, answer_length);
		if (opt.answer_cut.order &&
		    (opt.wrong_checksum ||
		     !cut_complete(&opt.answer_cut, '0', asked, answer_length)))
			continue;
		receive_answer(client, asked, answer, answer_length, counts);
	}
}

/* One copy of a request there, and its answers back. */
static void round_trip(struct end *client, struct end *other,
		       const union place *asked, struct end *server,
		       unsigned int servers, const unsigned char *request,
		       size_t length, struct counts *counts)
{
	unsigned char other_request[PACKET_MAX];
	unsigned int i, arrivals;

	if (other) {
		fill(other_request, length);
		header(other_request, request[0], request[1],
		       request[2] << 8 | request[3]);
	}
	if (!send_request(client, other, asked, request, other_request,
			  length)) {
		counts->lost_request++;
		return;
	}
	arrivals = arriving(other, asked, length);
	for (i = 0; i < arrivals; i++)
		serve(client, other, asked, server, servers, request,
		      other_request, length, counts);
}

/* Send datagrams of one length in one buffer. */
static bool send_packed(int fd, const unsigned char *datagrams, size_t size,
			unsigned int count, const union place *to)
{
	char control[CMSG_SPACE(sizeof(uint16_t))] = { 0 };
	struct iovec data = {
		.iov_base = (void *)datagrams, .iov_len = size * count,
	};
	struct msghdr message = {
		.msg_name = (void *)to, .msg_namelen = size_of(to),
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	uint16_t segment = size;

	if (opt.connected) {
		message.msg_name = NULL;
		message.msg_namelen = 0;
	}
	header->cmsg_level = SOL_UDP;
	header->cmsg_type = UDP_SEGMENT;
	header->cmsg_len = CMSG_LEN(sizeof(segment));
	memcpy(CMSG_DATA(header), &segment, sizeof(segment));
	return sendmsg(fd, &message, 0) == (ssize_t)(size * count);
}

/* The requests in a buffer there, and the answers in others back. */
static void round_trip_packed(struct end *client, const union place *asked,
			      struct end *server, unsigned int servers,
			      struct counts *counts)
{
	static unsigned char request[PACKED_MAX * PACKET_MAX];
	static unsigned char answer[SERVERS_MAX][PACKED_MAX * PACKED_ANSWER];
	unsigned int answers[SERVERS_MAX] = { 0 }, i, k;
	unsigned char got[PACKET_MAX + 1];
	union place from, came_from[SERVERS_MAX];
	socklen_t size;
	ssize_t octets;

	for (i = 0; i < opt.packed; i++) {
		fill(request + i * opt.length, opt.length);
		header(request + i * opt.length, opt.code, i, opt.length);
	}
	if (!send_packed(client->fd, request, opt.length, opt.packed, asked))
		err(2, "UDP_SEGMENT");
	for (i = 0; i < opt.packed; i++) {
		struct end *end = arrival(server, servers);

		if (!end) {
			counts->lost_request++;
			continue;
		}
		size = sizeof(from);
		octets = recvfrom(end->fd, got, sizeof(got), 0, &from.any,
				  &size);
		end->requests++;
		if (octets != (ssize_t)opt.length || got[1] >= opt.packed ||
		    memcmp(got, request + got[1] * opt.length, opt.length)) {
			counts->wrong_request++;
			continue;
		}
		if (!opt.any_client && !same(&from, &opt.seen))
			counts->wrong_client++;
		k = end - server;
		came_from[k] = from;
		fill(answer[k] + answers[k] * PACKED_ANSWER, PACKED_ANSWER);
		header(answer[k] + answers[k] * PACKED_ANSWER, opt.answer,
		       got[1], PACKED_ANSWER);
		answers[k]++;
	}
	for (k = 0; k < servers; k++) {
		bool connected = opt.connected;

		opt.connected = false;
		if (answers[k] &&
		    !send_packed(server[k].fd, answer[k], PACKED_ANSWER,
				 answers[k], &came_from[k]))
			err(2, "%s: UDP_SEGMENT", server[k].name);
		opt.connected = connected;
		/* In order, by each server. */
		for (i = 0; i < answers[k]; i++)
			receive_answer(client, asked,
				       answer[k] + i * PACKED_ANSWER,
				       PACKED_ANSWER, counts);
	}
}

static bool report(const char *what, unsigned long count)
{
	if (count)
		printf("%s %lu\n", what, count);
	return count;
}

static int result(struct end *client, struct end *other, struct end *server,
		  unsigned int servers, struct counts *counts)
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
	while (other && recv(other->fd, &octet, 1, MSG_DONTWAIT) >= 0)
		counts->unexpected++;

	wrong |= report("lost-request", counts->lost_request);
	wrong |= report("lost-answer", counts->lost_answer);
	wrong |= report("wrong-source", counts->wrong_source);
	wrong |= report("wrong-client", counts->wrong_client);
	wrong |= report("wrong-destination", counts->wrong_destination);
	wrong |= report("wrong-request", counts->wrong_request);
	wrong |= report("wrong-answer", counts->wrong_answer);
	wrong |= report("unexpected", counts->unexpected);
	return wrong;
}

static void options(int argc, char **argv, bool *seen)
{
	static const char letters[] =
		"l:p:k:a:L:i:r:A:SCPB:EI:DG:Nzf:g:O:wnoFb:x:X:v:";
	int o;

	while ((o = getopt(argc, argv, letters)) != -1) {
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
		case 'L':
			opt.answer_length = number(optarg, PACKET_MAX);
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
		case 'P':
			opt.choose_source = true;
			break;
		case 'B':
			opt.device = optarg;
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
		case 'G':
			opt.packed = number(optarg, PACKED_MAX);
			break;
		case 'N':
			opt.no_checksum = true;
			break;
		case 'z':
			opt.zero_checksum = true;
			break;
		case 'f':
			opt.request_cut = cut_of(optarg);
			break;
		case 'g':
			opt.answer_cut = cut_of(optarg);
			break;
		case 'O':
			opt.other = optarg;
			break;
		case 'w':
			opt.wrong_checksum = true;
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
		case 'X':
			opt.answer_hex = optarg;
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
	if (opt.answer_length && opt.answer_length < HEADER)
		errx(2, "an answer has %d octets or more", HEADER);
	if (opt.length < HEADER || opt.length + opt.padding > PACKET_MAX)
		errx(2, "a request has %d to %d octets", HEADER, PACKET_MAX);
}

/* Every request is a new one: after 256 Identifiers it takes another port. */
static void next_port(struct end *client)
{
	close(client->fd);
	set_port(&client->at, port_of(&client->at) + 1);
	client->fd = open_client(&client->at);
	opt.seen = client->at;
}

int main(int argc, char **argv)
{
	struct end client, other, server[SERVERS_MAX];
	struct end *beside = NULL;
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
		server[k] = open_end(argv[3 + k], open_at);
	client = open_end(argv[0], open_client);
	if (opt.other) {
		other.at = endpoint(opt.other);
		other.fd = open_at(&other.at);
		beside = &other;
	}
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
		round_trip(&client, beside, &asked, server, servers, request,
			   from_hex(request, PACKET_MAX, opt.hex), &counts);

	for (i = 0; opt.packed && i < count; i++) {
		if (i)
			next_port(&client);
		round_trip_packed(&client, &asked, server, servers, &counts);
	}

	for (i = 0; !opt.hex && !opt.packed && i < count; i++) {
		int identifier = opt.identifier < 0 ? (int)(i & 255) :
						      opt.identifier;

		if (opt.next_port && i && i % 256 == 0)
			next_port(&client);
		fill(request, opt.length + opt.padding);
		header(request, opt.code, identifier, opt.length);
		if (opt.zero_checksum)
			zero_sum(&client.at, &server[0].at, request,
				 opt.length + opt.padding);
		for (k = 0; k < opt.copies; k++)
			round_trip(&client, beside, &asked, server, servers,
				   request, opt.length + opt.padding, &counts);
	}
	return result(&client, beside, server, servers, &counts);
}
