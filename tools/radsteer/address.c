// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses of both families: as a word, and as the octets of an attribute.
 */
#include <arpa/inet.h>
#include <string.h>

#include "address.h"

/* Begin an address of so many octets; returns false if there is none. */
static bool begin(struct address *address, unsigned int length)
{
	*address = (struct address){ .length = length };
	switch (length) {
	case sizeof(struct in_addr):
		address->family = AF_INET;
		return true;
	case sizeof(struct in6_addr):
		address->family = AF_INET6;
		return true;
	}
	return false;
}

/**
 * address_parse() - read an address
 * @address: the result
 * @word: the address in the usual notation
 *
 * Return: true if it is one
 */
bool address_parse(struct address *address, const char *word)
{
	begin(address, sizeof(struct in_addr));
	if (inet_pton(AF_INET, word, address->octets) == 1)
		return true;
	begin(address, sizeof(struct in6_addr));
	return inet_pton(AF_INET6, word, address->octets) == 1;
}

/**
 * address_same() - whether two addresses are the same
 * @a: an address
 * @b: another one
 *
 * Return: true if they are
 */
bool address_same(const struct address *a, const struct address *b)
{
	return a->length == b->length &&
	       !memcmp(a->octets, b->octets, a->length);
}

/**
 * address_mapped() - whether an IPv6 address stands for an IPv4 one
 * @address: the address
 *
 * Return: true if it is ::ffff: and an IPv4 address
 */
bool address_mapped(const struct address *address)
{
	struct in6_addr octets;

	if (address->family != AF_INET6)
		return false;
	memcpy(&octets, address->octets, sizeof(octets));
	return IN6_IS_ADDR_V4MAPPED(&octets);
}

/**
 * address_get() - take an address from an attribute
 * @address: the result
 * @attr: the attribute, can be NULL
 *
 * Return: true if it has the size of an address
 */
bool address_get(struct address *address, const struct nlattr *attr)
{
	if (!attr || !begin(address, mnl_attr_get_payload_len(attr)))
		return false;
	memcpy(address->octets, mnl_attr_get_payload(attr), address->length);
	return true;
}

/**
 * address_put() - add an attribute that is an address
 * @nlh: the message
 * @type: the type of the attribute
 * @address: the address
 */
void address_put(struct nlmsghdr *nlh, unsigned int type,
		 const struct address *address)
{
	mnl_attr_put(nlh, (uint16_t)type, address->length, address->octets);
}

/**
 * address_text() - write an address in the usual notation
 * @address: the address
 *
 * Return: the notation
 */
struct address_text address_text(const struct address *address)
{
	struct address_text text = { "" };

	inet_ntop(address->family, address->octets, text.text,
		  sizeof(text.text));
	return text;
}
