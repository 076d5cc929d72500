// SPDX-License-Identifier: GPL-2.0
/*
 * What a round trip costs with a proxy between: a client and a RADIUS server in
 * two processes, as a proxy is a third one. Under icount (see vm/run) the clock
 * counts the instructions of them all.
 *
 *	proxied CLIENT ASKED COUNT SERVER
 *
 * CLIENT and SERVER are NAMESPACE,ADDRESS,PORT, ASKED is ADDRESS,PORT. The secret
 * is testing123. Prints a JSON object with instructions and lost as cost does.
 */
#define _GNU_SOURCE
#include <openssl/evp.h>
#include <signal.h>
#include <sys/time.h>
#include "../end.h"

enum {
	RUNS		= 3,
	LENGTH		= 120,
	PROXY_STATE	= 33,
	TYPE		= 0,
	OWN_LENGTH	= 1,
};

static const char secret[] = "testing123";

/* RFC 2865: the answer with the Authenticator of its request, and the secret. */
static void sign(unsigned char *packet, unsigned int length)
{
	EVP_MD_CTX *md5 = EVP_MD_CTX_new();

	if (!md5 || !EVP_DigestInit_ex(md5, EVP_md5(), NULL) ||
	    !EVP_DigestUpdate(md5, packet, length) ||
	    !EVP_DigestUpdate(md5, secret, sizeof(secret) - 1) ||
	    !EVP_DigestFinal_ex(md5, packet + AUTHENTICATOR, NULL))
		errx(2, "no MD5");
	EVP_MD_CTX_free(md5);
}

/* Accept all, with what a proxy wants to have back. */
static void serve(int fd)
{
	unsigned char got[PACKET_MAX], packet[PACKET_MAX];
	union place from;

	for (;;) {
		socklen_t size = sizeof(from);
		ssize_t length = recvfrom(fd, got, sizeof(got), 0, &from.any,
					  &size);
		unsigned int at = HEADER, to = HEADER;

		if (length < HEADER)
			continue;
		for (; at + 2 <= (unsigned int)length && got[at + OWN_LENGTH] > 1;
		     at += got[at + OWN_LENGTH]) {
			if (got[at + TYPE] != PROXY_STATE)
				continue;
			memcpy(packet + to, got + at, got[at + OWN_LENGTH]);
			to += got[at + OWN_LENGTH];
		}
		memcpy(packet, got, HEADER);
		packet[0] = 2;
		packet[2] = to >> 8;
		packet[3] = to;
		sign(packet, to);
		sendto(fd, packet, to, 0, &from.any, size);
	}
}

static uint64_t run(int fd, const union place *asked, unsigned long count,
		    unsigned long *lost)
{
	unsigned char packet[LENGTH] = { 1, 0, 0, LENGTH }, got[PACKET_MAX];
	struct timespec begin, end;
	unsigned long i;

	packet[HEADER + TYPE] = 1;
	packet[HEADER + OWN_LENGTH] = LENGTH - HEADER;
	memset(packet + HEADER + 2, 'a', LENGTH - HEADER - 2);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < count; i++) {
		packet[1] = i;
		fill(packet + AUTHENTICATOR, AUTHENTICATOR_SIZE);
		sendto(fd, packet, sizeof(packet), 0, &asked->any,
		       size_of(asked));
		if (recv(fd, got, sizeof(got), 0) < HEADER)
			++*lost;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - begin.tv_sec) * 1000000000ULL + end.tv_nsec -
	       begin.tv_nsec;
}

int main(int argc, char **argv)
{
	struct timeval patience = { .tv_sec = 2 };
	unsigned long count, lost = 0;
	uint64_t least = UINT64_MAX;
	union place at, asked;
	int here, fd, r;
	pid_t server;

	if (argc != 5)
		errx(2, "takes CLIENT ASKED COUNT SERVER");
	here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (here < 0)
		err(2, "namespace");
	asked = endpoint(argv[2]);
	count = number(argv[3], 1000000);
	at = endpoint(enter(argv[4], NULL));
	fd = open_socket(&at, NULL);
	server = fork();
	if (server < 0)
		err(2, "fork");
	if (!server)
		serve(fd);
	enter_fd(here);
	at = endpoint(enter(argv[1], NULL));
	fd = open_socket(&at, NULL);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (r = 0; r < RUNS; r++) {
		uint64_t ns = run(fd, &asked, count, &lost);

		if (ns < least)
			least = ns;
	}
	printf("{\"instructions\":%.1f,\"lost\":%lu}\n", (double)least / count,
	       lost);
	kill(server, SIGKILL);
	return 0;
}
