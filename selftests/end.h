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

/* ADDRESS,PORT */
static inline struct sockaddr_in endpoint(const char *text)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	char address[INET_ADDRSTRLEN];
	const char *comma = strchr(text, ',');

	if (!comma || (size_t)(comma - text) >= sizeof(address))
		errx(2, "%s is not ADDRESS,PORT", text);
	memcpy(address, text, comma - text);
	address[comma - text] = 0;
	if (inet_pton(AF_INET, address, &at.sin_addr) != 1)
		errx(2, "%s is not an IPv4 address", address);
	at.sin_port = htons(number(comma + 1, 65535));
	return at;
}

static inline bool same(const struct sockaddr_in *a,
			const struct sockaddr_in *b)
{
	return a->sin_addr.s_addr == b->sin_addr.s_addr &&
	       a->sin_port == b->sin_port;
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

/* A UDP socket of the namespace that the process is in. */
static inline int open_socket(const struct sockaddr_in *at)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)at, sizeof(*at)))
		err(2, "%s", inet_ntoa(at->sin_addr));
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
	packet[0] = code;
	packet[1] = identifier;
	packet[2] = length >> 8;
	packet[3] = length;
	/* One attribute of a free type over the rest, where it fits. */
	if (length >= HEADER + 2 && length <= HEADER + 255) {
		packet[HEADER] = 255;
		packet[HEADER + 1] = length - HEADER;
	}
}

#endif /* _END_H */
