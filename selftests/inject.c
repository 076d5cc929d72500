// SPDX-License-Identifier: GPL-2.0
/*
 * Sends what no RADIUS program sends: UDP packets that lie, ICMP errors about
 * them, and any number of packets that were changed at random.
 *
 *	inject [OPTIONS] FROM TO HEX...
 *
 * FROM is NAMESPACE,ADDRESS,PORT; the packet is sent from that namespace, and
 * says that it comes from that address and port. TO is ADDRESS,PORT, of the
 * same family. HEX are the octets of the UDP payload, one after another of
 * several packets. They are right in all that the options do not say otherwise:
 *
 *	-l LENGTH	the length in the UDP header
 *	-t OCTETS	the packet ends after so many octets of UDP
 *	-c		the UDP checksum is wrong
 *	-z		there is no UDP checksum
 *	-o HEX		IPv4: options; IPv6: destination options, with their
 *			length and without the next header
 *	-r		IPv6: the extension header is one of routing
 *	-n NUMBER	so many of them
 *	-q OCTETS	not that packet, but an ICMP error that quotes so many
 *			octets of it, and goes to where it came from
 *	-y TYPE,CODE	of the error (default: the port is unreachable)
 *	-m MTU		in the error
 *	-s ADDRESS	whom the error comes from (default: TO)
 *	-b		the checksum of the error is wrong
 *
 *	inject -f SEED [-n NUMBER] FROM TO HEX
 *
 * sends packets that are changed here and there: payload, lengths, checksums,
 * ports, addresses, options, or an error about such a packet. None is a
 * fragment. The same seed gives the same packets.
 *
 * All have the mark 9, by which a firewall can tell them from what the machine
 * sends by itself.
 *
 * Prints how many were sent. Exit status: 0, or 2 if they could not be sent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include "fragment.h"

enum {
	ROOM		= 5000,
	OPTIONS_MAX	= 40,
	NEXT_DSTOPTS	= 60,
	NEXT_ROUTING	= 43,
	TTL		= 64,
	NONE		= -1,
	MARK		= 9,
};

/* How a packet is to be made. */
struct recipe {
	union place from, to;
	unsigned char payload[PACKET_MAX + 64];
	unsigned int length;
	unsigned char options[OPTIONS_MAX];
	unsigned int options_length;
	int udp_length, cut, quote, type, code, mtu;
	bool wrong, zero, routing, broken;
	bool has_sender;
	union place sender;
	uint8_t protocol;
};

struct packet {
	unsigned char octets[ROOM];
	unsigned int length;
};

static uint64_t seed;

/* splitmix64 */
static uint64_t next_random(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static unsigned int below(unsigned int n)
{
	return next_random() % n;
}

/* The sum over addresses, protocol and length that checksums begin with. */
static uint32_t pseudo(const union place *from, const union place *to,
		       unsigned int protocol, unsigned int length)
{
	return sum_address(from, sum_address(to, protocol + length));
}

static uint16_t checksum(const void *octets, size_t length, uint32_t sum)
{
	return htons(~sum_of(octets, length, sum));
}

/* Begin a packet with its IP header; the length is put there at the end. */
static void begin(struct packet *packet, const union place *from,
		  const union place *to, uint8_t protocol,
		  const struct recipe *recipe, bool options)
{
	unsigned char *at = packet->octets;
	unsigned int room = options ? (recipe->options_length + 3) & ~3u : 0;

	memset(packet, 0, sizeof(*packet));
	if (is_inet6(from)) {
		struct ip6_hdr *ip6 = (struct ip6_hdr *)at;

		ip6->ip6_flow = htonl(6u << 28);
		ip6->ip6_nxt = protocol;
		ip6->ip6_hlim = TTL;
		ip6->ip6_src = from->in6.sin6_addr;
		ip6->ip6_dst = to->in6.sin6_addr;
		packet->length = sizeof(*ip6);
		if (options && recipe->options_length) {
			ip6->ip6_nxt = recipe->routing ? NEXT_ROUTING :
							 NEXT_DSTOPTS;
			at[packet->length] = protocol;
			memcpy(at + packet->length + 1, recipe->options,
			       recipe->options_length);
			packet->length += (recipe->options_length + 8) & ~7u;
		}
	} else {
		struct iphdr *ip = (struct iphdr *)at;

		ip->version = 4;
		ip->ihl = 5 + room / 4;
		ip->ttl = TTL;
		ip->protocol = protocol;
		ip->saddr = from->in.sin_addr.s_addr;
		ip->daddr = to->in.sin_addr.s_addr;
		packet->length = ip->ihl * 4;
		if (room)
			memcpy(ip + 1, recipe->options, recipe->options_length);
	}
}

static void end(struct packet *packet)
{
	struct ip6_hdr *ip6 = (struct ip6_hdr *)packet->octets;
	struct iphdr *ip = (struct iphdr *)packet->octets;

	if (ip->version == 4) {
		ip->tot_len = htons(packet->length);
		ip->check = 0;
		ip->check = checksum(ip, ip->ihl * 4, 0);
	} else {
		ip6->ip6_plen = htons(packet->length - sizeof(*ip6));
	}
}

static void make_udp(struct packet *packet, const struct recipe *recipe)
{
	unsigned int length = sizeof(struct udphdr) + recipe->length;
	struct udphdr *udp;

	begin(packet, &recipe->from, &recipe->to, recipe->protocol, recipe,
	      true);
	udp = (struct udphdr *)(packet->octets + packet->length);
	udp->source = htons(port_of(&recipe->from));
	udp->dest = htons(port_of(&recipe->to));
	udp->len = htons(recipe->udp_length == NONE ? length :
			 (unsigned int)recipe->udp_length);
	memcpy(udp + 1, recipe->payload, recipe->length);
	if (!recipe->zero) {
		/* Over what the header says, as far as it is there. */
		unsigned int covered = ntohs(udp->len);

		if (covered > length)
			covered = length;
		udp->check = checksum(udp, covered,
				      pseudo(&recipe->from, &recipe->to,
					     IPPROTO_UDP, ntohs(udp->len)));
		if (!udp->check)
			udp->check = 0xffff;
		if (recipe->wrong)
			udp->check ^= htons(0x0101);
	}
	if (recipe->cut != NONE && (unsigned int)recipe->cut < length)
		length = recipe->cut;
	packet->length += length;
	end(packet);
}

static void make_error(struct packet *packet, const struct recipe *recipe)
{
	const union place *from = recipe->has_sender ? &recipe->sender :
						       &recipe->to;
	bool inet6 = is_inet6(&recipe->from);
	struct packet quoted;
	unsigned char *icmp;
	unsigned int length;
	uint32_t sum = 0;
	uint16_t check;

	make_udp(&quoted, recipe);
	if ((unsigned int)recipe->quote < quoted.length)
		quoted.length = recipe->quote;
	begin(packet, from, &recipe->from,
	      inet6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP, recipe, false);
	icmp = packet->octets + packet->length;
	length = 8 + quoted.length;
	icmp[0] = recipe->type == NONE ? (inet6 ? ICMP6_DST_UNREACH :
					  ICMP_DEST_UNREACH) : recipe->type;
	icmp[1] = recipe->type == NONE ? (inet6 ? ICMP6_DST_UNREACH_NOPORT :
					  ICMP_PORT_UNREACH) : recipe->code;
	icmp[6] = recipe->mtu >> 8;
	icmp[7] = recipe->mtu;
	memcpy(icmp + 8, quoted.octets, quoted.length);
	if (inet6)
		sum = pseudo(from, &recipe->from, IPPROTO_ICMPV6, length);
	check = checksum(icmp, length, sum);
	if (recipe->broken)
		check ^= htons(0x0101);
	memcpy(icmp + 2, &check, sizeof(check));
	packet->length += length;
	end(packet);
}

static void make(struct packet *packet, const struct recipe *recipe)
{
	if (recipe->quote == NONE)
		make_udp(packet, recipe);
	else
		make_error(packet, recipe);
}

static bool send_packet(int fd, const struct packet *packet,
			const struct recipe *recipe)
{
	union place to = recipe->quote == NONE ? recipe->to : recipe->from;
	ssize_t sent;

	set_port(&to, 0);
	sent = sendto(fd, packet->octets, packet->length, 0, &to.any,
		      size_of(&to));
	/* A raw socket is not told to wait. */
	if (sent < 0 && errno == ENOBUFS)
		usleep(1000);
	return sent == (ssize_t)packet->length;
}

static void change_payload(struct recipe *recipe)
{
	unsigned char *payload = recipe->payload;
	unsigned int i;

	switch (below(7)) {
	case 0:
		/* The length in the RADIUS header */
		payload[2] = below(2) ? below(18) : next_random();
		payload[3] = next_random();
		break;
	case 1:
		/* A length of an attribute */
		if (recipe->length > HEADER + 1)
			payload[HEADER + 1] = below(2) ? below(3) :
							 next_random();
		break;
	case 2:
		payload[0] = below(60);
		break;
	case 3:
		recipe->length = below(recipe->length + 1);
		break;
	case 4:
		/* Padding, or an attribute that is too much */
		i = below(64);
		while (i-- && recipe->length < sizeof(recipe->payload))
			payload[recipe->length++] = next_random();
		break;
	case 5:
		/* Another request */
		for (i = 1; i < HEADER && i < recipe->length; i++)
			if (i < 2 || i > 3)
				payload[i] = next_random();
		break;
	default:
		if (recipe->length)
			payload[below(recipe->length)] = next_random();
	}
}

static void change_ends(struct recipe *recipe)
{
	static const uint16_t ports[] = { 0, 1812, 1813, 1645, 3799, 65535 };

	switch (below(3)) {
	case 0:
		set_port(&recipe->to, ports[below(6)]);
		break;
	case 1:
		set_port(&recipe->from, below(2) ? ports[below(6)] :
						   20000 + below(1000));
		break;
	default:
		/* The next address or so, or a multicast one */
		if (is_inet6(&recipe->to))
			recipe->to.in6.sin6_addr.s6_addr[15] ^= below(4);
		else if (below(4))
			recipe->to.in.sin_addr.s_addr ^= htonl(below(4));
		else
			recipe->to.in.sin_addr.s_addr = htonl(0xe0000101);
	}
}

static void change_headers(struct recipe *recipe)
{
	unsigned int i;

	switch (below(7)) {
	case 0:
		recipe->udp_length = below(2) ? below(40) :
						below(65536);
		break;
	case 1:
		recipe->cut = below(40);
		break;
	case 2:
		recipe->wrong = true;
		break;
	case 3:
		recipe->zero = true;
		break;
	case 4:
	case 5:
		/* Options, or something like them */
		recipe->options_length = 1 + below(OPTIONS_MAX);
		for (i = 0; i < recipe->options_length; i++)
			recipe->options[i] = below(3) ? below(9) :
							next_random();
		/* The header length of IPv6, most often right */
		if (is_inet6(&recipe->from) && below(4))
			recipe->options[0] = recipe->options_length / 8;
		recipe->routing = !below(4);
		break;
	default:
		/* Any protocol but one that answers for itself */
		recipe->protocol = below(2) ? 0xff : 0x88;
	}
}

static void change(struct recipe *recipe)
{
	static const int types[] = { 3, 3, 3, 4, 5, 11, 12, 8 };
	unsigned int times = below(4);

	while (times--) {
		switch (below(4)) {
		case 0:
		case 1:
			change_payload(recipe);
			break;
		case 2:
			change_headers(recipe);
			break;
		default:
			change_ends(recipe);
		}
	}
	/* An error about a packet that went the other way */
	if (!below(8)) {
		union place swap = recipe->from;

		recipe->from = recipe->to;
		recipe->to = swap;
		recipe->has_sender = below(2);
		recipe->sender = recipe->to;
		recipe->quote = below(3) ? below(600) : below(70);
		recipe->type = is_inet6(&recipe->from) ? 1 + (int)below(4) :
							 types[below(8)];
		recipe->code = below(6);
		recipe->mtu = below(2) ? 1280 : below(65536);
		recipe->broken = !below(4);
	}
}

static int open_marked(const union place *from)
{
	int fd = open_raw(from), on = 1, mark = MARK;

	if (setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)))
		err(2, "setsockopt");
	return fd;
}

int main(int argc, char **argv)
{
	static struct recipe recipe = {
		.udp_length = NONE, .cut = NONE, .quote = NONE, .type = NONE,
		.protocol = IPPROTO_UDP,
	};
	unsigned long count = 1, sent = 0, i;
	static struct packet packet;
	bool random = false;
	int o, fd;

	while ((o = getopt(argc, argv, "l:t:czo:rn:q:y:m:s:bf:")) != -1) {
		switch (o) {
		case 'l':
			recipe.udp_length = number(optarg, 65535);
			break;
		case 't':
			recipe.cut = number(optarg, 65535);
			break;
		case 'c':
			recipe.wrong = true;
			break;
		case 'z':
			recipe.zero = true;
			break;
		case 'o':
			recipe.options_length = from_hex(recipe.options,
							 OPTIONS_MAX, optarg);
			break;
		case 'r':
			recipe.routing = true;
			break;
		case 'n':
			count = number(optarg, 100000000);
			break;
		case 'q':
			recipe.quote = number(optarg, ROOM);
			break;
		case 'y':
			if (sscanf(optarg, "%d,%d", &recipe.type,
				   &recipe.code) != 2)
				errx(2, "%s is not TYPE,CODE", optarg);
			break;
		case 'm':
			recipe.mtu = number(optarg, 65535);
			break;
		case 's': {
			char text[INET6_ADDRSTRLEN + 3];

			snprintf(text, sizeof(text), "%s,0", optarg);
			recipe.sender = endpoint(text);
			recipe.has_sender = true;
			break;
		}
		case 'b':
			recipe.broken = true;
			break;
		case 'f':
			random = true;
			seed = number(optarg, ~0ul);
			break;
		default:
			errx(2, "see the head of inject.c");
		}
	}
	argv += optind;
	argc -= optind;
	if (argc < 3 || (random && argc > 3))
		errx(2, "see the head of inject.c");

	recipe.from = endpoint(enter(argv[0], NULL));
	recipe.to = endpoint(argv[1]);
	if (is_inet6(&recipe.from) != is_inet6(&recipe.to))
		errx(2, "ends of two families");
	fd = open_marked(&recipe.from);

	for (i = 0; i < count * (argc - 2); i++) {
		struct recipe changed = recipe;

		changed.length = from_hex(changed.payload, PACKET_MAX,
					  argv[2 + i % (argc - 2)]);
		if (random)
			change(&changed);
		make(&packet, &changed);
		if (send_packet(fd, &packet, &changed))
			sent++;
		else if (!random)
			err(2, "%s", argv[1]);
	}
	printf("%lu\n", sent);
	return 0;
}
