/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses of both families: as a word, and as the octets of an attribute.
 */
#ifndef RADSTEER_ADDRESS_H
#define RADSTEER_ADDRESS_H

#include <libmnl/libmnl.h>
#include <netinet/in.h>
#include <stdbool.h>

/**
 * struct address - an address of a host
 * @family: AF_INET or AF_INET6
 * @length: how many octets it has, 4 or 16
 * @octets: these, in network byte order
 */
struct address {
	int family;
	unsigned int length;
	unsigned char octets[sizeof(struct in6_addr)];
};

/**
 * struct address_text - an address in the usual notation
 * @text: the notation, or an empty string
 */
struct address_text {
	char text[INET6_ADDRSTRLEN];
};

bool address_parse(struct address *address, const char *word);
bool address_same(const struct address *a, const struct address *b);
bool address_mapped(const struct address *address);
bool address_get(struct address *address, const struct nlattr *attr);
void address_put(struct nlmsghdr *nlh, unsigned int type,
		 const struct address *address);
struct address_text address_text(const struct address *address);

#endif
