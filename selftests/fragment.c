// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams that are made by hand, for what no UDP socket sends: fragments in
 * any order, with gaps and overlaps, and wrong checksums.
 */
#define _GNU_SOURCE
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include "fragment.h"

enum {
	/* An overlapping fragment begins so many octets early. */
	OVERLAP		= 8,
};

struct cut cut_of(const char *text)
{
	struct cut cut = { .mtu = strtoul(text, NULL, 10) };

	cut.order = strchr(text, ',');
	if (!cut.order++ || cut.mtu < 128 || cut.mtu > 65535)
		errx(2, "%s is not MTU,ORDER", text);
	return cut;
}

static size_t headers(const union place *at)
{
	return is_inet6(at) ? sizeof(struct ip6_hdr) + sizeof(struct ip6_frag) :
			      sizeof(struct iphdr);
}

/* The octets of each fragment but the last. */
static size_t stride(const struct cut *cut, const union place *at)
{
	return (cut->mtu - headers(at)) & ~7UL;
}

bool cut_complete(const struct cut *cut, char first, const union place *at,
		  size_t length)
{
	size_t fragments, i;

	length += sizeof(struct udphdr);
	fragments = (length + stride(cut, at) - 1) / stride(cut, at);
	for (i = 0; i < fragments; i++) {
		const char *place = strchr(cut->order, first + i);

		if (!place || (place > cut->order && place[-1] == '+'))
			return false;
	}
	return true;
}

int open_raw(const union place *at)
{
	int fd = socket(at->any.sa_family, SOCK_RAW | SOCK_CLOEXEC,
			IPPROTO_RAW);

	if (fd < 0)
		err(2, "raw socket");
	return fd;
}

uint32_t sum_of(const void *octets, size_t length, uint32_t sum)
{
	const unsigned char *octet = octets;
	size_t i;

	for (i = 0; i < length; i++)
		sum += i & 1 ? octet[i] : octet[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

uint32_t sum_address(const union place *at, uint32_t sum)
{
	if (is_inet6(at))
		return sum_of(&at->in6.sin6_addr, sizeof(at->in6.sin6_addr),
			      sum);
	return sum_of(&at->in.sin_addr, sizeof(at->in.sin_addr), sum);
}

void datagram(struct datagram *d, const union place *from,
	      const union place *to, const unsigned char *payload,
	      size_t length, uint16_t wrong)
{
	struct udphdr *udp = (struct udphdr *)d->octets;
	uint32_t sum;

	d->from = *from;
	d->to = *to;
	d->length = sizeof(*udp) + length;
	*udp = (struct udphdr){
		.source = htons(port_of(from)), .dest = htons(port_of(to)),
		.len = htons(d->length),
	};
	memcpy(udp + 1, payload, length);
	sum = sum_address(from, sum_address(to, IPPROTO_UDP + d->length));
	sum = (uint16_t)~sum_of(d->octets, d->length, sum);
	udp->check = htons(sum ? sum : 0xffff);
	if (wrong)
		udp->check = htons((ntohs(udp->check) + wrong) % 0xffff + 1);
}

void zero_sum(const union place *from, const union place *to,
	      unsigned char *payload, size_t length)
{
	struct datagram d;
	uint16_t check;

	memset(payload + AUTHENTICATOR, 0, 2);
	datagram(&d, from, to, payload, length, 0);
	/* What is missing to a sum of 0xffff. */
	check = ((struct udphdr *)d.octets)->check;
	memcpy(payload + AUTHENTICATOR, &check, sizeof(check));
}

static bool send_one(int raw, const struct datagram *d, size_t from, size_t to,
		     bool whole, uint32_t identification)
{
	unsigned char packet[65535];
	size_t head = headers(&d->to), size;
	bool more = to < d->length;
	union place there = d->to;

	memset(packet, 0, head);
	if (is_inet6(&there)) {
		struct ip6_hdr *ip6 = (struct ip6_hdr *)packet;
		struct ip6_frag *fragment = (struct ip6_frag *)(ip6 + 1);

		if (whole)
			head = sizeof(*ip6);
		ip6->ip6_vfc = 6 << 4;
		ip6->ip6_plen = htons(head - sizeof(*ip6) + to - from);
		ip6->ip6_nxt = whole ? IPPROTO_UDP : IPPROTO_FRAGMENT;
		ip6->ip6_hlim = 64;
		ip6->ip6_src = d->from.in6.sin6_addr;
		ip6->ip6_dst = there.in6.sin6_addr;
		if (!whole) {
			fragment->ip6f_nxt = IPPROTO_UDP;
			fragment->ip6f_offlg = htons(from | more);
			fragment->ip6f_ident = htonl(identification);
		}
		/* Of raw sockets, the port is the protocol. */
		there.in6.sin6_port = 0;
	} else {
		struct iphdr *ip = (struct iphdr *)packet;

		ip->version = 4;
		ip->ihl = sizeof(*ip) / 4;
		ip->id = htons(identification);
		ip->frag_off = htons(from / 8 | (more ? IP_MF : 0));
		ip->ttl = 64;
		ip->protocol = IPPROTO_UDP;
		ip->saddr = d->from.in.sin_addr.s_addr;
		ip->daddr = there.in.sin_addr.s_addr;
	}
	memcpy(packet + head, d->octets + from, to - from);
	size = head + to - from;
	return sendto(raw, packet, size, 0, &there.any, size_of(&there)) ==
	       (ssize_t)size;
}

bool send_cut(int raw, const struct cut *cut, const struct datagram *digits,
	      const struct datagram *letters)
{
	static uint16_t identification;
	size_t step = stride(cut, &digits->to);
	bool overlap = false, sent = true;
	const char *c;

	/* What others have left incomplete is not to be taken for ours. */
	if (!identification)
		identification = getpid() * 8;
	identification = identification % 0xffff + 1;
	for (c = cut->order; *c; c++) {
		const struct datagram *d = *c >= 'a' ? letters : digits;
		size_t from, to;

		if (*c == '+') {
			overlap = true;
			continue;
		}
		from = (*c - (*c >= 'a' ? 'a' : '0')) * step;
		if (!d || from >= d->length)
			errx(2, "%s: no fragment %c", cut->order, *c);
		to = from + step < d->length ? from + step : d->length;
		if (overlap)
			from -= OVERLAP;
		overlap = false;
		sent &= send_one(raw, d, from, to, to - from == d->length,
				 identification);
	}
	/* The kernel may tell at once that it does not like an overlap. */
	return sent || strchr(cut->order, '+');
}
