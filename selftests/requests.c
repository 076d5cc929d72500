// SPDX-License-Identifier: GPL-2.0
/* The requests of requester: sent, sent again, answered. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>
#include "requester.h"

enum {
	IDENTIFIERS	= 256,
	/* New requests before the sockets and the clock are looked at. */
	BATCH		= 64,
};

struct counts counts;
struct request *request;
unsigned long count, made, waiting;

static unsigned long given_up;
/* The next request that each copy is to be sent of. */
static unsigned long cursor[COPIES_MAX];
/* The request that has an Identifier, and 1: port, target, Identifier. */
static uint32_t *slot;
static int *socket_of, events;
/* What every request has behind its header: by default, one attribute. */
static unsigned char attributes[ATTRIBUTES_MAX] = { 255, 20 };
static unsigned int attributes_length = 20;
/* Where in there a number goes: of the request, or of the copy. */
static struct {
	unsigned int at;
	bool copy;
} mark[NUMBERS_MAX];
static unsigned int marks;

static void find_marks(char *hex, const char *text, bool copy)
{
	char *found;

	while ((found = strstr(hex, text)) && marks < NUMBERS_MAX) {
		mark[marks].at = (found - hex) / 2;
		mark[marks++].copy = copy;
		memset(found, '0', strlen(text));
	}
}

void requests_attributes(char *hex)
{
	find_marks(hex, "########", false);
	find_marks(hex, "@@@@@@@@", true);
	attributes_length = from_hex(attributes, sizeof(attributes), hex);
}

void requests_init(int epoll)
{
	unsigned int i;

	events = epoll;
	request = calloc(count, sizeof(*request));
	socket_of = malloc(opt.ports * sizeof(*socket_of));
	slot = calloc((size_t)opt.ports * opt.targets * IDENTIFIERS,
		      sizeof(*slot));
	if (!request || !socket_of || !slot)
		err(2, "memory");
	for (i = 0; i < opt.ports; i++)
		socket_of[i] = -1;
}

static uint32_t *slot_of(uint32_t port, unsigned int target, uint8_t identifier)
{
	return &slot[((size_t)port * opt.targets + target) * IDENTIFIERS +
		     identifier];
}

static int port_socket(uint32_t port)
{
	union place at = opt.client;
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = port };

	if (socket_of[port] >= 0)
		return socket_of[port];
	if (port_of(&at))
		set_port(&at, port_of(&at) + port);
	socket_of[port] = open_socket(&at, NULL);
	if (opt.connected &&
	    connect(socket_of[port], &opt.target[0].any,
		    size_of(&opt.target[0])))
		err(2, "connect");
	if (epoll_ctl(events, EPOLL_CTL_ADD, socket_of[port], &event))
		err(2, "epoll_ctl");
	return socket_of[port];
}

static void finish(struct request *r)
{
	if (!r->over)
		waiting--;
	r->over = true;
}

static void send_copy(struct request *r, uint64_t now)
{
	uint32_t turn = htonl(opt.first_number + (r - request));
	uint32_t copy = htonl(r->copies);
	unsigned char packet[HEADER + ATTRIBUTES_MAX];
	int fd = port_socket(r->port);
	unsigned int i;

	header(packet, opt.code, r->identifier,
	       HEADER + attributes_length);
	memcpy(packet + AUTHENTICATOR, r->authenticator, AUTHENTICATOR_SIZE);
	memcpy(packet + HEADER, attributes, attributes_length);
	for (i = 0; i < marks; i++)
		memcpy(packet + HEADER + mark[i].at,
		       mark[i].copy ? &copy : &turn, sizeof(turn));
	if (sendto(fd, packet, HEADER + attributes_length, 0,
		   opt.connected ? NULL : &opt.target[r->target].any,
		   opt.connected ? 0 : size_of(&opt.target[r->target])) < 0)
		counts.refused++;
	r->last = now;
	r->copies++;
	counts.copies++;
}

static void send_request(uint64_t now)
{
	struct request *r = &request[made];
	unsigned long turn = made / opt.targets;
	uint32_t *place;

	r->target = made % opt.targets;
	r->port = turn % opt.ports;
	r->identifier = opt.identifier == NONE ? turn / opt.ports :
						 opt.identifier;
	r->first = now;
	fill(r->authenticator, sizeof(r->authenticator));
	place = slot_of(r->port, r->target, r->identifier);
	if (*place && !request[*place - 1].over) {
		request[*place - 1].abandoned = true;
		finish(&request[*place - 1]);
	}
	*place = ++made;
	waiting++;
	send_copy(r, now);
}

uint64_t requests_send_due(uint64_t start)
{
	uint64_t now = now_ms(), wake = UINT64_MAX, due;
	unsigned int k;

	for (k = 0; made < count; k++) {
		due = start + (opt.rate ? made * 1000 / opt.rate : 0);
		if (due > now || k == BATCH) {
			wake = due > now ? due : now;
			break;
		}
		send_request(now);
	}
	cursor[0] = made;
	/* All have one schedule, so a copy is due in the order of requests. */
	for (k = 1; k < opt.copies && !opt.manual; k++) {
		for (; cursor[k] < cursor[k - 1]; cursor[k]++) {
			struct request *r = &request[cursor[k]];

			if (r->over)
				continue;
			due = r->last + opt.delta[k];
			if (due > now) {
				wake = due < wake ? due : wake;
				break;
			}
			send_copy(r, now);
		}
	}
	for (; given_up < made && !opt.manual; given_up++) {
		struct request *r = &request[given_up];

		if (r->over)
			continue;
		due = r->last + opt.give_up;
		if (r->copies < opt.copies || due > now) {
			wake = due > now && due < wake ? due : wake;
			break;
		}
		finish(r);
	}
	return wake;
}

void requests_send_next(void)
{
	unsigned long i;

	for (i = 0; i < made; i++)
		if (!request[i].over)
			send_copy(&request[i], now_ms());
}

static bool answers_code(int code)
{
	static const char *const answers[] = {
		[1] = "\2\3\13\64", [4] = "\5\64", [12] = "\2\3\5\13\64",
	};

	return code && answers[opt.code] && strchr(answers[opt.code], code);
}

/* Reply-Message, which comes first in an answer. */
static void note(struct request *r, const unsigned char *got, bool wrong)
{
	size_t length = strlen(r->by);

	snprintf(r->by + length, sizeof(r->by) - length, "%s%s%.*s",
		 length ? "," : "", wrong ? "!" : "", got[HEADER + 1] - 2,
		 got + HEADER + 2);
}

/* The request that has the answer's Authenticator, whoever was asked. */
static struct request *find(uint32_t port, const unsigned char *got,
			    unsigned int *target)
{
	bool stale = false;
	unsigned int t;

	for (t = 0; t < opt.targets; t++) {
		uint32_t place = *slot_of(port, t, got[1]);
		struct request *r = place ? &request[place - 1] : NULL;

		if (!r || (*target < opt.targets && t != *target))
			continue;
		if (!memcmp(r->authenticator, got + AUTHENTICATOR,
			    AUTHENTICATOR_SIZE)) {
			*target = t;
			return r;
		}
		stale = true;
	}
	if (stale)
		counts.stale++;
	else
		counts.unmatched++;
	return NULL;
}

static void take_answer(uint32_t port, const unsigned char *got,
			const union place *from)
{
	unsigned int asked, target;
	struct request *r;

	for (asked = 0; asked < opt.targets; asked++)
		if (same(&opt.target[asked], from))
			break;
	target = asked;
	r = find(port, got, &target);
	if (!r)
		return;
	if (asked == opt.targets || !answers_code(got[0])) {
		if (asked == opt.targets)
			counts.wrong_source++;
		else
			counts.wrong_code++;
		note(r, got, true);
		return;
	}
	note(r, got, false);
	counts.answers++;
	if (!r->answers++) {
		r->at_copy = r->copies;
		r->after = now_ms() - r->first;
	}
	if (!opt.all)
		finish(r);
}

void requests_receive(uint32_t port)
{
	unsigned char got[PACKET_MAX] = { 0 };
	union place from;

	for (;;) {
		socklen_t size = sizeof(from);
		ssize_t octets = recvfrom(socket_of[port], got, sizeof(got),
					  MSG_DONTWAIT, &from.any, &size);

		if (octets < 0) {
			if (errno == EAGAIN)
				return;
			counts.refused++;
		} else if (octets < HEADER + 2 ||
			   octets < HEADER + got[HEADER + 1] ||
			   octets != got[2] * 256 + got[3]) {
			counts.unmatched++;
		} else {
			take_answer(port, got, &from);
		}
	}
}
