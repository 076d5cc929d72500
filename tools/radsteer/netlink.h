/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family radsteer, as a place to send one request to, to
 * read from and to listen at. Whatever the kernel refuses ends the command
 * here.
 */
#ifndef RADSTEER_NETLINK_H
#define RADSTEER_NETLINK_H

#include <jansson.h>
#include <libmnl/libmnl.h>
#include <stdbool.h>

/* Room for the largest request, a group with all its matches. */
#define REQUEST_MAX	2048

/**
 * struct request - a request in the making
 * @nlh: the message, in @data
 * @subject: what it is about, for the sentence of a refusal; NULL if nothing
 *	in particular
 * @blame: names the word of the command line that an attribute of the message
 *	stands for, in memory to be freed; returns NULL where the subject names
 *	it already; can be NULL
 * @data: the memory of the message
 */
struct request {
	struct nlmsghdr *nlh;
	const char *subject;
	char *(*blame)(const struct nlattr *attr);
	union {
		struct nlmsghdr align;
		char octets[REQUEST_MAX];
	} data;
};

/* Turns a message of a reply into a value of the tree. */
typedef json_t *(*reply_reader)(const struct nlmsghdr *nlh);

void request_begin(struct request *req, unsigned int cmd);
void request_change(struct request *req);
json_t *request_read(struct request *req, reply_reader reader);
json_t *request_read_if_known(struct request *req, reply_reader reader);
json_t *request_dump(struct request *req, reply_reader reader);
json_t *request_dump_moving(struct request *req, reply_reader reader);

int events_open(void);
json_t *events_read(unsigned int cmd, reply_reader reader);

#endif
