// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of a reply to members of an object in the tree.
 */
#include <arpa/inet.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "address.h"
#include "reply.h"
#include "tree.h"
#include "words.h"

/**
 * reply_attrs() - sort the attributes of a message by type
 * @nlh: the message
 * @attrs: the result, @max + 1 places, NULL where there is none
 * @max: the highest type of interest
 */
void reply_attrs(const struct nlmsghdr *nlh, const struct nlattr **attrs,
		 unsigned int max)
{
	const struct nlattr *attr;
	unsigned int type;

	for (type = 0; type <= max; type++)
		attrs[type] = NULL;
	mnl_attr_for_each(attr, nlh, REPLY_HEADER) {
		type = mnl_attr_get_type(attr);
		if (type <= max)
			attrs[type] = attr;
	}
}

/**
 * nest_attrs() - sort the attributes of a nest by type
 * @nest: the attribute that holds them
 * @attrs: the result, @max + 1 places, NULL where there is none
 * @max: the highest type of interest
 */
void nest_attrs(const struct nlattr *nest, const struct nlattr **attrs,
		unsigned int max)
{
	const struct nlattr *attr;
	unsigned int type;

	for (type = 0; type <= max; type++)
		attrs[type] = NULL;
	mnl_attr_for_each_nested(attr, nest) {
		type = mnl_attr_get_type(attr);
		if (type <= max)
			attrs[type] = attr;
	}
}

/**
 * put_text() - set a member to a string attribute
 * @object: the object
 * @key: the name of the member
 * @attr: the attribute
 */
void put_text(json_t *object, const char *key, const struct nlattr *attr)
{
	if (attr)
		put(object, key, text_value(mnl_attr_get_str(attr),
					    mnl_attr_get_payload_len(attr)));
}

static bool number_of(const struct nlattr *attr, unsigned long long *number)
{
	if (!attr)
		return false;
	switch (mnl_attr_get_payload_len(attr)) {
	case sizeof(uint8_t):
		*number = mnl_attr_get_u8(attr);
		return true;
	case sizeof(uint16_t):
		*number = mnl_attr_get_u16(attr);
		return true;
	case sizeof(uint32_t):
		*number = mnl_attr_get_u32(attr);
		return true;
	case sizeof(uint64_t):
		*number = mnl_attr_get_u64(attr);
		return true;
	}
	return false;
}

/**
 * put_number() - set a member to a number in host byte order
 * @object: the object
 * @key: the name of the member
 * @attr: the attribute, of any width
 */
void put_number(json_t *object, const char *key, const struct nlattr *attr)
{
	unsigned long long number;

	if (!number_of(attr, &number))
		return;
	/* The tree's numbers have a sign. */
	if (number > LLONG_MAX)
		number = LLONG_MAX;
	put(object, key, json_integer((json_int_t)number));
}

/**
 * put_hex() - set a member to a number of 64 bits, as hexadecimal digits
 * @object: the object
 * @key: the name of the member
 * @attr: the attribute, in host byte order
 */
void put_hex(json_t *object, const char *key, const struct nlattr *attr)
{
	char digits[2 * sizeof(uint64_t) + 1];

	if (!attr || mnl_attr_get_payload_len(attr) != sizeof(uint64_t))
		return;
	snprintf(digits, sizeof(digits), "%016llx",
		 (unsigned long long)mnl_attr_get_u64(attr));
	put(object, key, json_string(digits));
}

/**
 * clock_of_run() - what time it is, in milliseconds since 1970
 *
 * One reading serves the whole run: a state is as old in a table as the kernel
 * said, not a second older because its row was printed after the next tick.
 * It is not time(), which may lag behind clock_gettime() by a tick.
 *
 * Return: the time of the first call
 */
unsigned long long clock_of_run(void)
{
	static struct timespec clock;

	if (!clock.tv_sec)
		clock_gettime(CLOCK_REALTIME, &clock);
	return (unsigned long long)clock.tv_sec * 1000 +
	       (unsigned long long)clock.tv_nsec / 1000000;
}

/**
 * put_since() - set a member to a time that lies back, in seconds since 1970
 * @object: the object
 * @key: the name of the member
 * @attr: the attribute, how many milliseconds it lies back
 */
void put_since(json_t *object, const char *key, const struct nlattr *attr)
{
	unsigned long long age, now = clock_of_run();

	if (!number_of(attr, &age))
		return;
	/* The clock may have been set back to before the first server. */
	if (age > now)
		age = now;
	put(object, key, json_integer((json_int_t)((now - age) / 1000)));
}

/**
 * put_port() - set a member to a port
 * @object: the object
 * @key: the name of the member
 * @attr: the attribute, in network byte order
 */
void put_port(json_t *object, const char *key, const struct nlattr *attr)
{
	if (attr && mnl_attr_get_payload_len(attr) == sizeof(uint16_t))
		put(object, key, json_integer(ntohs(mnl_attr_get_u16(attr))));
}

/**
 * put_address() - set a member to an address in the usual notation
 * @object: the object
 * @key: the name of the member
 * @attr: the attribute, in network byte order
 */
void put_address(json_t *object, const char *key, const struct nlattr *attr)
{
	struct address address;

	if (address_get(&address, attr))
		put(object, key, json_string(address_text(&address).text));
}

/**
 * put_word() - set a member to the word for an enumeration's value
 * @object: the object
 * @key: the name of the member
 * @attr: the attribute
 * @words: the words of the enumeration
 */
void put_word(json_t *object, const char *key, const struct nlattr *attr,
	      const char *const *words)
{
	unsigned long long number;

	if (number_of(attr, &number))
		put(object, key,
		    json_string(word_of(words, (unsigned int)number)));
}
