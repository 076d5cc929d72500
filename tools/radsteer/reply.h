/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attributes of a reply to members of an object in the tree. An attribute that
 * is absent, or not of the size it should have, gives no member.
 */
#ifndef RADSTEER_REPLY_H
#define RADSTEER_REPLY_H

#include <jansson.h>
#include <linux/genetlink.h>
#include <libmnl/libmnl.h>

/* What stands before the attributes: a generic netlink header. */
#define REPLY_HEADER	sizeof(struct genlmsghdr)

void reply_attrs(const struct nlmsghdr *nlh, const struct nlattr **attrs,
		 unsigned int max);
void nest_attrs(const struct nlattr *nest, const struct nlattr **attrs,
		unsigned int max);

void put_text(json_t *object, const char *key, const struct nlattr *attr);
void put_number(json_t *object, const char *key, const struct nlattr *attr);
void put_hex(json_t *object, const char *key, const struct nlattr *attr);
unsigned long long clock_of_run(void);
void put_since(json_t *object, const char *key, const struct nlattr *attr);
void put_port(json_t *object, const char *key, const struct nlattr *attr);
void put_address(json_t *object, const char *key, const struct nlattr *attr);
void put_word(json_t *object, const char *key, const struct nlattr *attr,
	      const char *const *words);

#endif
