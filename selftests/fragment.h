/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams that are made by hand: cut to fragments, or wrong. */
#ifndef _FRAGMENT_H
#define _FRAGMENT_H

#include "end.h"

/* MTU,ORDER: see -f in roundtrip.c. */
struct cut {
	unsigned int mtu;
	const char *order;
};

struct datagram {
	union place from, to;
	size_t length;
	unsigned char octets[8 + PACKET_MAX];
};

/* Read MTU,ORDER. */
struct cut cut_of(const char *text);

/* Does the order give every fragment of a datagram that begins at @first? */
bool cut_complete(const struct cut *cut, char first, const union place *at,
		  size_t length);

/* A raw socket of the namespace that the process is in. */
int open_raw(const union place *at);

/* The internet checksum's sum, begun with another one; of an address. */
uint32_t sum_of(const void *octets, size_t length, uint32_t sum);
uint32_t sum_address(const union place *at, uint32_t sum);

/* The UDP datagram of a payload, with its checksum and this much more. */
void datagram(struct datagram *d, const union place *from,
	      const union place *to, const unsigned char *payload,
	      size_t length, uint16_t wrong);

/* Send one datagram in fragments, or two, which have one identification. */
bool send_cut(int raw, const struct cut *cut, const struct datagram *digits,
	      const struct datagram *letters);

/* Choose two octets of a payload so that its UDP checksum comes to 0. */
void zero_sum(const union place *from, const union place *to,
	      unsigned char *payload, size_t length);

#endif /* _FRAGMENT_H */
