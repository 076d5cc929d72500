/* SPDX-License-Identifier: GPL-2.0 */
/* The requests of requester, and what happened to them. */
#ifndef _REQUESTER_H
#define _REQUESTER_H

#include "end.h"

enum {
	TARGETS_MAX	= 16,
	COPIES_MAX	= 32,
	ATTRIBUTES_MAX	= 512,
	NUMBERS_MAX	= 8,
};

/* A number that was not given. */
#define NONE	(~0U)

/* The options, see requester.c. */
struct options {
	unsigned int ports, targets, code, identifier, rate, give_up, linger;
	unsigned int first_number;
	bool manual, all, connected, each;
	unsigned int copies, delta[COPIES_MAX];
	union place client, target[TARGETS_MAX];
};

struct request {
	uint64_t first, last;
	uint32_t port;
	uint32_t after;
	uint8_t target, identifier;
	uint8_t copies, at_copy;
	uint16_t answers;
	bool over, abandoned;
	unsigned char authenticator[AUTHENTICATOR_SIZE];
	char by[40];
};

struct counts {
	unsigned long copies, answers, wrong_source, wrong_code;
	unsigned long stale, unmatched, refused;
};

extern struct options opt;
extern struct counts counts;
extern struct request *request;
/* Requests to be made, that were made, and of these still to be answered. */
extern unsigned long count, made, waiting;

/* The attributes of all requests, in hex, with marks for numbers. */
void requests_attributes(char *hex);

/* Get ready for @count requests; the sockets are added to an epoll. */
void requests_init(int epoll);

/* Send all that is due, and say when there is more to do. */
uint64_t requests_send_due(uint64_t start);

/* Send one more copy of each that waits for its answer. */
void requests_send_next(void);

/* Take what came in for a port. */
void requests_receive(uint32_t port);

#endif /* _REQUESTER_H */
