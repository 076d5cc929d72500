/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What roundtrip, responder and requester have in common: an end of a
 * conversation, given as NAMESPACE,ADDRESS,PORT, and the RADIUS header.
 */
#ifndef _END_H
#define _END_H

#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	HEADER			= 20,
	AUTHENTICATOR		= 4,
	AUTHENTICATOR_SIZE	= 16,
	PACKET_MAX		= 4096,
};

/* Milliseconds that never go back. */
static inline uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

static inline unsigned long number(const char *text, unsigned long max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || value > max)
		errx(2, "%s is not a number up to %lu", text, max);
	return value;
}

/* Where a socket is, or sends to: an address and a port of either family. */
union place {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

static inline bool is_inet6(const union place *at)
{
	return at->any.sa_family == AF_INET6;
}

static inline socklen_t size_of(const union place *at)
{
	return is_inet6(at) ? sizeof(at->in6) : sizeof(at->in);
}

static inline uint16_t port_of(const union place *at)
{
	return ntohs(is_inet6(at) ? at->in6.sin6_port : at->in.sin_port);
}

static inline void set_port(union place *at, uint16_t port)
{
	if (is_inet6(at))
		at->in6.sin6_port = htons(port);
	else
		at->in.sin_port = htons(port);
}

/* The address alone, valid until the next call. */
static inline const char *address_of(const union place *at)
{
	static char text[INET6_ADDRSTRLEN];

	if (is_inet6(at))
		inet_ntop(AF_INET6, &at->in6.sin6_addr, text, sizeof(text));
	else
		inet_ntop(AF_INET, &at->in.sin_addr, text, sizeof(text));
	return text;
}

/* ADDRESS,PORT */
static inline union place endpoint(const char *text)
{
	const char *comma = strrchr(text, ',');
	char address[INET6_ADDRSTRLEN];
	union place at = { 0 };

	if (!comma || (size_t)(comma - text) >= sizeof(address))
		errx(2, "%s is not ADDRESS,PORT", text);
	memcpy(address, text, comma - text);
	address[comma - text] = 0;
	at.any.sa_family = strchr(address, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(at.any.sa_family, address, is_inet6(&at) ?
		      (void *)&at.in6.sin6_addr : &at.in.sin_addr) != 1)
		errx(2, "%s is no address", address);
	set_port(&at, number(comma + 1, 65535));
	return at;
}

static inline bool same(const union place *a, const union place *b)
{
	if (a->any.sa_family != b->any.sa_family || port_of(a) != port_of(b))
		return false;
	if (is_inet6(a))
		return !memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr,
			       sizeof(a->in6.sin6_addr));
	return a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
}

static inline void enter_fd(int ns)
{
	if (setns(ns, CLONE_NEWNET))
		err(2, "cannot enter a namespace");
}

/*
 * Go to the namespace of NAMESPACE,ADDRESS,PORT, and stay there. Gives back
 * what comes after it; a descriptor of the namespace is put to @ns, if any.
 */
static inline const char *enter(const char *text, int *ns)
{
	const char *comma = strchr(text, ',');
	char path[256];
	int fd;

	if (!comma)
		errx(2, "%s is not NAMESPACE,ADDRESS,PORT", text);
	snprintf(path, sizeof(path), "/run/netns/%.*s", (int)(comma - text),
		 text);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err(2, "%s", path);
	enter_fd(fd);
	if (ns)
		*ns = fd;
	else
		close(fd);
	return comma + 1;
}

/*
 * A UDP socket of the namespace that the process is in, bound to a device if one
 * is named: in a VRF, an address is there for that one alone.
 */
static inline int open_socket(const union place *at, const char *device)
{
	int fd = socket(at->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && device &&
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device,
		       strlen(device) + 1))
		err(2, "%s", device);
	if (fd < 0 || bind(fd, &at->any, size_of(at)))
		err(2, "%s", address_of(at));
	return fd;
}

static inline void fill(unsigned char *packet, unsigned int length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got = getrandom(packet + done, length - done, 0);

		if (got < 0)
			err(2, "getrandom");
		done += got;
	}
}

static inline void header(unsigned char *packet, int code, int identifier,
			  unsigned int length)
{
	unsigned int at = HEADER, own;

	packet[0] = code;
	packet[1] = identifier;
	packet[2] = length >> 8;
	packet[3] = length;
	/* Attributes of a free type over the rest, none with a rest of one. */
	for (; at + 2 <= length; at += own) {
		own = length - at < 255 ? length - at : 255;
		if (length - at - own == 1)
			own--;
		packet[at] = 255;
		packet[at + 1] = own;
	}
}

/* Octets that are given in hex; gives back how many. */
static inline unsigned int from_hex(unsigned char *octets, unsigned int room,
				    const char *hex)
{
	unsigned int length = 0, octet;

	for (; *hex; hex += 2) {
		if (length == room || !hex[1] ||
		    sscanf(hex, "%2x", &octet) != 1)
			errx(2, "%s is not octets in hex", hex);
		octets[length++] = octet;
	}
	return length;
}

#endif /* _END_H */
