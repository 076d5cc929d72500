// SPDX-License-Identifier: GPL-2.0
/*
 * A RADIUS client that sends many requests, and each of them again until it is
 * answered or given up.
 *
 *	requester [OPTIONS] CLIENT ASKED COUNT
 *
 * CLIENT is NAMESPACE,ADDRESS,PORT, PORT being the first one or 0 for any; it
 * says where requests come from. ASKED is ADDRESS,PORT. Requests go through
 * ports in turn, and through Identifiers at each port.
 *
 *	-p PORTS	this many ports (default 1)
 *	-t ASKED	ask here in turn with the others, with Identifiers
 *			counted apart; several times
 *	-i IDENTIFIER	the same for all
 *	-k CODE		Code of the requests (default 1)
 *	-x HEX		their attributes; "########" is the number of the
 *			request, from 0 on, or from that of -n on, and
 *			"@@@@@@@@" that of the copy, from 0 on
 *	-n NUMBER	the first number (default 0)
 *	-r RATE		requests a second (default: all at once)
 *	-s MS,MS...	when the copies are sent, from the first one on, which
 *			is at 0 (default 0); never closer to each other than so
 *	-m		a further copy of each request at every SIGUSR1
 *	-g MS		give a request up so long after its last copy (default:
 *			1000; never with -m)
 *	-u		send all copies, and wait to be given up, even when
 *			answered
 *	-w MS		listen for so long when all is over
 *	-C		connect the sockets
 *	-v		a line for each request
 *
 * A request whose port, Identifier and address asked are used again is
 * abandoned. Answers are expected from responder, whose words they carry.
 * After SIGUSR2 there are no new requests, and SIGTERM ends it early.
 *
 * Prints a name and a number on each line:
 *
 *	requests, copies	sent
 *	answered		rightly: from the address asked, by its Code,
 *				Identifier and Authenticator
 *	unanswered, abandoned	the others
 *	answers			right ones in all
 *	wrong-source		answers to a request from another address
 *	wrong-code		answers whose Code is none for the request's
 *	stale			answers to a request that had the Identifier
 *				before
 *	unmatched		answers to nothing
 *	refused			errors that the network told of
 *	slowest			ms from the first copy to the first answer
 *	at-copy-N		requests answered after so many copies
 *
 * and with -v, before that
 *
 *	request N PORT IDENTIFIER ID STATE COPIES AT-COPY MS ANSWERS BY
 *
 * ID is as in the responder's log, STATE one of answered, unanswered and
 * abandoned; BY has the labels of all that answered, by commas, with a "!" if
 * the answer was wrong.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include "requester.h"

enum {
	EVENTS		= 64,
	/* Longer than the last answer needs to a socket that is there. */
	DRAIN_MS	= 50,
	FILES_MAX	= 1 << 17,
	FOREVER_MS	= 10000000,
};

struct options opt = {
	.ports = 1, .targets = 1, .copies = 1, .code = 1,
	.identifier = NONE, .give_up = 1000,
};

static int events;

/* Wait for answers and signals; true when it is to end. */
static bool wait_until(uint64_t wake, int signals)
{
	struct epoll_event event[EVENTS];
	struct signalfd_siginfo info;
	uint64_t now = now_ms();
	int timeout, got, i;
	bool end = false;

	timeout = wake == UINT64_MAX ? -1 : wake > now ? (int)(wake - now) : 0;
	got = epoll_wait(events, event, EVENTS, timeout);
	for (i = 0; i < got; i++) {
		if (event[i].data.u32 != UINT32_MAX)
			requests_receive(event[i].data.u32);
		else if (read(signals, &info, sizeof(info)) < 0)
			err(2, "signalfd");
		else if (info.ssi_signo == SIGUSR1)
			requests_send_next();
		else if (info.ssi_signo == SIGUSR2)
			count = made;
		else
			end = true;
	}
	return end;
}

static int open_signals(void)
{
	struct epoll_event event = { .events = EPOLLIN,
				     .data.u32 = UINT32_MAX };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0 || epoll_ctl(events, EPOLL_CTL_ADD, fd, &event))
		err(2, "signalfd");
	return fd;
}

static void report(void)
{
	unsigned long at_copy[UINT8_MAX + 1] = { 0 };
	unsigned long i, answered = 0, abandoned = 0, slowest = 0;

	for (i = 0; i < made; i++) {
		struct request *r = &request[i];
		const char *state = r->answers ? "answered" :
				    r->abandoned ? "abandoned" : "unanswered";

		if (opt.each)
			printf("request %lu %u %u %02x%02x%02x%02x %s %u %u %u %u %s\n",
			       i, port_of(&opt.client) ?
			       port_of(&opt.client) + r->port : 0,
			       r->identifier, r->authenticator[0],
			       r->authenticator[1], r->authenticator[2],
			       r->authenticator[3], state, r->copies,
			       r->at_copy, r->after, r->answers, r->by);
		answered += r->answers > 0;
		abandoned += !r->answers && r->abandoned;
		at_copy[r->at_copy]++;
		if (r->after > slowest)
			slowest = r->after;
	}
	printf("requests %lu\ncopies %lu\n", made, counts.copies);
	printf("answered %lu\nunanswered %lu\nabandoned %lu\n", answered,
	       made - answered - abandoned, abandoned);
	printf("answers %lu\nwrong-source %lu\nwrong-code %lu\n",
	       counts.answers, counts.wrong_source, counts.wrong_code);
	printf("stale %lu\nunmatched %lu\nrefused %lu\nslowest %lu\n",
	       counts.stale, counts.unmatched, counts.refused, slowest);
	for (i = 1; i <= UINT8_MAX; i++)
		if (at_copy[i])
			printf("at-copy-%lu %lu\n", i, at_copy[i]);
}

static void schedule(char *text)
{
	unsigned long at, before = 0;
	char *word;

	opt.copies = 0;
	for (word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		at = number(word, FOREVER_MS);
		if (opt.copies == COPIES_MAX || at < before ||
		    (!opt.copies && at))
			errx(2, "no schedule: 0, and then not decreasing");
		opt.delta[opt.copies++] = at - before;
		before = at;
	}
}

static void usage(void)
{
	errx(2, "see the head of %s", __FILE__);
}

static void options(int argc, char **argv)
{
	static const struct {
		char letter;
		unsigned int *value, max;
	} numbers[] = {
		{ 'p', &opt.ports, 65535 }, { 'i', &opt.identifier, 255 },
		{ 'k', &opt.code, 12 }, { 'r', &opt.rate, 1000000 },
		{ 'g', &opt.give_up, FOREVER_MS },
		{ 'w', &opt.linger, FOREVER_MS },
		{ 'n', &opt.first_number, FOREVER_MS },
	};
	static const struct {
		char letter;
		bool *value;
	} flags[] = {
		{ 'm', &opt.manual }, { 'u', &opt.all },
		{ 'C', &opt.connected }, { 'v', &opt.each },
	};
	unsigned int k;
	int o;

	while ((o = getopt(argc, argv, "p:t:i:k:r:s:mg:uw:Cvx:n:")) != -1) {
		for (k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
			if (numbers[k].letter == o)
				*numbers[k].value = number(optarg,
							   numbers[k].max);
		for (k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
			*flags[k].value |= flags[k].letter == o;
		if (o == 's')
			schedule(optarg);
		if (o == 'x')
			requests_attributes(optarg);
		if (o == 't' && opt.targets < TARGETS_MAX)
			opt.target[opt.targets++] = endpoint(optarg);
		if (o == '?')
			usage();
	}
	if (!opt.ports || !opt.copies || (opt.connected && opt.targets > 1) ||
	    argc - optind != 3)
		usage();
}

int main(int argc, char **argv)
{
	struct rlimit files = { FILES_MAX, FILES_MAX };
	uint64_t start, wake;
	bool end = false;
	int signals;

	options(argc, argv);
	setrlimit(RLIMIT_NOFILE, &files);
	events = epoll_create1(EPOLL_CLOEXEC);
	signals = open_signals();
	opt.client = endpoint(enter(argv[optind], NULL));
	opt.target[0] = endpoint(argv[optind + 1]);
	count = number(argv[optind + 2], 10000000);
	requests_init(events);

	start = now_ms();
	while (!end && (made < count || waiting)) {
		wake = requests_send_due(start);
		if (made < count || waiting)
			end = wait_until(wake, signals);
	}
	wake = now_ms() + opt.linger;
	while (!end && now_ms() < wake)
		end = wait_until(wake, signals);
	wake = now_ms() + DRAIN_MS;
	while (now_ms() < wake)
		wait_until(wake, signals);
	report();
	return 0;
}
