// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel of paper: linked into the command it stands in for the netlink
 * socket, and answers as a module would that has a few groups. What the command
 * reads from it, and how it prints that, is tested without the module.
 *
 * From the environment:
 *   CANNED           "old" is a module without settings, requests, sessions
 *                    and events, "no" refuses changes, "bare" has a session
 *                    without attributes; anything else knows all
 *   CANNED_REQUESTS  how many requests are outstanding, 3 by default
 *   CANNED_SESSIONS  how many sessions and users are bound, 3 by default
 *   CANNED_EVENTS    what is told, a letter each: d (down), t (tried again),
 *                    e (exhausted), u (up), a (administratively up), n (of a
 *                    later module), b (bare), l (lost), x (unloaded)
 *   CANNED_INET6     if set, addresses are IPv6, of 2001:db8::/96
 *   CANNED_SENT      a file that gets the attributes of each change
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include <linux/radsteer.h>

#define FAMILY_ID	30
#define EVENTS_ID	7
#define PORT_ID		4711
#define MESSAGE_MAX	2048

/* Replies that wait to be read, one after the other. */
static char *queue;
static size_t queued, room, taken;

static unsigned int joined;
static int events_fd = -1;

static bool canned(const char *what)
{
	const char *given = getenv("CANNED");

	return given && !strcmp(given, what);
}

static bool old(void)
{
	return canned("old");
}

static bool inet6(void)
{
	return getenv("CANNED_INET6");
}

static struct nlmsghdr *begin(const struct nlmsghdr *req, unsigned int type,
			      unsigned int cmd)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	if (room - queued < MESSAGE_MAX) {
		room = 2 * room + MESSAGE_MAX;
		queue = realloc(queue, room);
		if (!queue)
			abort();
	}
	nlh = mnl_nlmsg_put_header(queue + queued);
	nlh->nlmsg_type = type;
	nlh->nlmsg_seq = req ? req->nlmsg_seq : 0;
	nlh->nlmsg_pid = req ? PORT_ID : 0;
	if (type >= NLMSG_MIN_TYPE) {
		genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
		genl->cmd = cmd;
		genl->version = RADSTEER_FAMILY_VERSION;
	}
	return nlh;
}

static void end(const struct nlmsghdr *nlh)
{
	queued += MNL_ALIGN(nlh->nlmsg_len);
}

/* A refusal with a sentence blames the last attribute. */
static void acknowledge(const struct nlmsghdr *req, int error, const char *text)
{
	struct nlmsghdr *nlh = begin(req, NLMSG_ERROR, 0);
	const struct nlattr *attr;
	struct nlmsgerr *err;
	unsigned int last = 0;

	err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));
	err->error = -error;
	err->msg = *req;
	nlh->nlmsg_flags = NLM_F_CAPPED;
	if (text) {
		mnl_attr_for_each(attr, req, sizeof(struct genlmsghdr))
			last = (const char *)attr - (const char *)req;
		nlh->nlmsg_flags |= NLM_F_ACK_TLVS;
		mnl_attr_put_strz(nlh, NLMSGERR_ATTR_MSG, text);
		mnl_attr_put_u32(nlh, NLMSGERR_ATTR_OFFS, last);
	}
	end(nlh);
}

static void done(const struct nlmsghdr *req)
{
	struct nlmsghdr *nlh = begin(req, NLMSG_DONE, 0);

	*(int *)mnl_nlmsg_put_extra_header(nlh, sizeof(int)) = 0;
	end(nlh);
}

static void put_address(struct nlmsghdr *nlh, unsigned int type,
			unsigned int address)
{
	unsigned int octets[4] = { htonl(0x20010db8), 0, 0, htonl(address) };

	if (inet6())
		mnl_attr_put(nlh, type, sizeof(octets), octets);
	else
		mnl_attr_put_u32(nlh, type, octets[3]);
}

static void put_port(struct nlmsghdr *nlh, unsigned int type, unsigned int port)
{
	mnl_attr_put_u16(nlh, type, htons(port));
}

static void family(const struct nlmsghdr *req)
{
	struct nlmsghdr *nlh = begin(req, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	struct nlattr *groups, *group;

	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, FAMILY_ID);
	if (!old()) {
		groups = mnl_attr_nest_start(nlh, CTRL_ATTR_MCAST_GROUPS);
		group = mnl_attr_nest_start(nlh, 1);
		mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, 6);
		mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME, "other");
		mnl_attr_nest_end(nlh, group);
		group = mnl_attr_nest_start(nlh, 2);
		mnl_attr_put_u32(nlh, CTRL_ATTR_MCAST_GRP_ID, EVENTS_ID);
		mnl_attr_put_strz(nlh, CTRL_ATTR_MCAST_GRP_NAME,
				  RADSTEER_MCGRP_EVENTS);
		mnl_attr_nest_end(nlh, group);
		mnl_attr_nest_end(nlh, groups);
	}
	end(nlh);
}

static void group(const struct nlmsghdr *req, const char *name)
{
	struct nlmsghdr *nlh = begin(req, FAMILY_ID, RADSTEER_CMD_GROUP_NEW);
	struct nlattr *nest;

	mnl_attr_put_strz(nlh, RADSTEER_A_GROUP_NAME, name);
	mnl_attr_put_u16(nlh, RADSTEER_A_GROUP_FAMILY,
			 inet6() ? AF_INET6 : AF_INET);
	mnl_attr_put_u8(nlh, RADSTEER_A_GROUP_ALGORITHM,
			RADSTEER_ALGORITHM_DEFAULT);
	mnl_attr_put_u8(nlh, RADSTEER_A_GROUP_ACCOUNTING,
			RADSTEER_ACCOUNTING_AUTO);
	mnl_attr_put_u8(nlh, RADSTEER_A_GROUP_ACCOUNTING_EFFECTIVE,
			RADSTEER_ACCOUNTING_FOLLOW);
	mnl_attr_put_u8(nlh, RADSTEER_A_GROUP_RETRANSMIT, 1);
	mnl_attr_put_u8(nlh, RADSTEER_A_GROUP_TIMEOUT, 5);
	nest = mnl_attr_nest_start(nlh, RADSTEER_A_GROUP_MATCH);
	mnl_attr_put(nlh, RADSTEER_A_MATCH_SERVERS, 0, NULL);
	mnl_attr_nest_end(nlh, nest);
	end(nlh);
}

/* One of the servers of a list; each counter says which one it is. */
static void server(const struct nlmsghdr *req, unsigned int position,
		   unsigned int state, unsigned long long age)
{
	struct nlmsghdr *nlh = begin(req, FAMILY_ID, RADSTEER_CMD_SERVER_NEW);
	unsigned int attr;

	mnl_attr_put_strz(nlh, RADSTEER_A_SERVER_GROUP, "east");
	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_SERVICE,
			RADSTEER_SERVICE_AUTHENTICATION);
	put_address(nlh, RADSTEER_A_SERVER_ADDRESS, 0xc6336401 + position);
	put_port(nlh, RADSTEER_A_SERVER_PORT, 1812);
	mnl_attr_put_u16(nlh, RADSTEER_A_SERVER_WEIGHT, 0);
	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_ADMIN, RADSTEER_ADMIN_AUTO);
	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_POSITION, position);
	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_STATE, state);
	if (position == 1)
		mnl_attr_put(nlh, RADSTEER_A_SERVER_ACTIVE, 0, NULL);
	for (attr = RADSTEER_A_SERVER_REQUESTS;
	     attr <= RADSTEER_A_SERVER_SELECTED; attr++)
		mnl_attr_put_u64(nlh, attr, 100 + attr);
	if (!old()) {
		mnl_attr_put(nlh, RADSTEER_A_SERVER_PAD, 0, NULL);
		for (attr = RADSTEER_A_SERVER_LOST;
		     attr <= RADSTEER_A_SERVER_FAILOVERS; attr++)
			mnl_attr_put_u64(nlh, attr, 100 + attr);
		mnl_attr_put_u32(nlh, RADSTEER_A_SERVER_LOSSES, 12 * position);
		mnl_attr_put_u64(nlh, RADSTEER_A_SERVER_STATE_AGE, age);
		/* The first is one that never answered. */
		if (position)
			mnl_attr_put_u32(nlh, RADSTEER_A_SERVER_RTT, 1234);
	}
	end(nlh);
}

static void servers(const struct nlmsghdr *req)
{
	server(req, 3, RADSTEER_STATE_UP, 356460000);
	server(req, 1, RADSTEER_STATE_ASSUMED_UP, 192000);
	server(req, 0, RADSTEER_STATE_DOWN, 7000);
	server(req, 2, RADSTEER_STATE_UP, 7500000);
}

static void stats(const struct nlmsghdr *req)
{
	struct nlmsghdr *nlh = begin(req, FAMILY_ID, RADSTEER_CMD_STATS_GET);
	unsigned int attr;

	for (attr = RADSTEER_A_STATS_STEERED; attr <= RADSTEER_A_STATS_MAX;
	     attr++)
		mnl_attr_put_u64(nlh, attr, attr);
	end(nlh);
}

static void settings(const struct nlmsghdr *req)
{
	struct nlmsghdr *nlh = begin(req, FAMILY_ID,
				     RADSTEER_CMD_SETTINGS_GET);

	mnl_attr_put_u16(nlh, RADSTEER_A_SETTINGS_DEAD_COUNT, 10);
	mnl_attr_put_u16(nlh, RADSTEER_A_SETTINGS_DEAD_INTERVAL, 5);
	mnl_attr_put_u32(nlh, RADSTEER_A_SETTINGS_DEAD_TIME, 180);
	mnl_attr_put_u16(nlh, RADSTEER_A_SETTINGS_DUPLICATE_WINDOW, 50);
	mnl_attr_put_u32(nlh, RADSTEER_A_SETTINGS_MAX_REQUESTS, 65536);
	mnl_attr_put_u32(nlh, RADSTEER_A_SETTINGS_MAX_SESSIONS, 1048576);
	mnl_attr_put_u32(nlh, RADSTEER_A_SETTINGS_MAX_STATES, 262144);
	mnl_attr_put_u16(nlh, RADSTEER_A_SETTINGS_STATE_TIME, 120);
	mnl_attr_put_u32(nlh, RADSTEER_A_SETTINGS_SESSION_TIME, 86400);
	end(nlh);
}

static void request(const struct nlmsghdr *req, unsigned int i)
{
	static const unsigned int codes[] = { 1, 4, 12, 99 };
	struct nlmsghdr *nlh = begin(req, FAMILY_ID, RADSTEER_CMD_REQUEST_GET);

	mnl_attr_put_strz(nlh, RADSTEER_A_REQUEST_GROUP,
			  i % 2 ? "east" : "west");
	put_address(nlh, RADSTEER_A_REQUEST_CLIENT_ADDRESS, 0xc0000202);
	put_port(nlh, RADSTEER_A_REQUEST_CLIENT_PORT, 20000 + i % 40000);
	put_address(nlh, RADSTEER_A_REQUEST_ASKED_ADDRESS, 0xcb007101);
	put_port(nlh, RADSTEER_A_REQUEST_ASKED_PORT, 1645);
	put_address(nlh, RADSTEER_A_REQUEST_SERVER_ADDRESS, 0xc6336401);
	put_port(nlh, RADSTEER_A_REQUEST_SERVER_PORT, 1812);
	mnl_attr_put_u8(nlh, RADSTEER_A_REQUEST_CODE, codes[i % 4]);
	mnl_attr_put_u8(nlh, RADSTEER_A_REQUEST_IDENTIFIER, i % 256);
	mnl_attr_put_u8(nlh, RADSTEER_A_REQUEST_COPIES, 1 + i % 2);
	mnl_attr_put_u8(nlh, RADSTEER_A_REQUEST_FAILOVERS, 2);
	mnl_attr_put_u64(nlh, RADSTEER_A_REQUEST_AGE, i * 7919ULL % 5000);
	if (i % 2)
		mnl_attr_put(nlh, RADSTEER_A_REQUEST_LOST, 0, NULL);
	/* The table changes as it is read, and that is no reason to stop. */
	nlh->nlmsg_flags = NLM_F_MULTI | NLM_F_DUMP_INTR;
	end(nlh);
}

static void requests(const struct nlmsghdr *req)
{
	const char *given = getenv("CANNED_REQUESTS");
	unsigned long n = given ? strtoul(given, NULL, 10) : 3, i;

	for (i = 0; i < n; i++)
		request(req, i);
}

static void session(const struct nlmsghdr *req, unsigned int i)
{
	static const unsigned long long idle[] = { 90061000, 3, 754000, 59999 };
	static const unsigned long long left[] = { 999, 86399997, 5, 3600000 };
	struct nlmsghdr *nlh = begin(req, FAMILY_ID, RADSTEER_CMD_SESSION_GET);

	mnl_attr_put_u8(nlh, RADSTEER_A_SESSION_KIND,
			i % 2 ? RADSTEER_KIND_USER :
			RADSTEER_KIND_SESSION);
	/* One with zeroes before it, one that is no number with a sign. */
	mnl_attr_put_u64(nlh, RADSTEER_A_SESSION_KEY,
			 i * 0xfedcba9876543210 + 0xab);
	mnl_attr_put_strz(nlh, RADSTEER_A_SESSION_GROUP,
			  i % 3 ? "east" : "west");
	mnl_attr_put_u8(nlh, RADSTEER_A_SESSION_SERVICE,
			i % 3 == 2 ? RADSTEER_SERVICE_ACCOUNTING :
			RADSTEER_SERVICE_AUTHENTICATION);
	put_address(nlh, RADSTEER_A_SESSION_SERVER_ADDRESS, 0xc6336401);
	put_port(nlh, RADSTEER_A_SESSION_SERVER_PORT, 1812 + (i % 3 == 2));
	mnl_attr_put_u64(nlh, RADSTEER_A_SESSION_IDLE,
			 idle[i % 4] + i / 4 * 7919ULL % 5000);
	mnl_attr_put_u64(nlh, RADSTEER_A_SESSION_LEFT, left[i % 4]);
	if (i % 3 == 2)
		mnl_attr_put(nlh, RADSTEER_A_SESSION_ENDED, 0, NULL);
	nlh->nlmsg_flags = NLM_F_MULTI | NLM_F_DUMP_INTR;
	end(nlh);
}

static void sessions(const struct nlmsghdr *req)
{
	const char *given = getenv("CANNED_SESSIONS");
	unsigned long n = given ? strtoul(given, NULL, 10) : 3, i;

	if (canned("bare"))
		end(begin(req, FAMILY_ID, RADSTEER_CMD_SESSION_GET));
	else
		for (i = 0; i < n; i++)
			session(req, i);
}

/* The attributes of a change, for the test to see. */
static void note(const struct nlmsghdr *req)
{
	const char *path = getenv("CANNED_SENT");
	const struct nlattr *attr;
	const unsigned char *octets;
	unsigned int length, i;
	FILE *file;

	file = path ? fopen(path, "a") : NULL;
	if (!file)
		return;
	mnl_attr_for_each(attr, req, sizeof(struct genlmsghdr)) {
		length = mnl_attr_get_payload_len(attr);
		fprintf(file, "%u %u ", mnl_attr_get_type(attr), length);
		octets = mnl_attr_get_payload(attr);
		if (length == sizeof(uint16_t))
			fprintf(file, "%u", mnl_attr_get_u16(attr));
		else if (length == sizeof(uint32_t))
			fprintf(file, "%u", mnl_attr_get_u32(attr));
		else
			for (i = 0; i < length; i++)
				fprintf(file, "%02x", octets[i]);
		fputc('\n', file);
	}
	fclose(file);
}

static void do_request(const struct nlmsghdr *req, unsigned int cmd)
{
	if (req->nlmsg_type == GENL_ID_CTRL) {
		family(req);
	} else if (old() && cmd > RADSTEER_CMD_STATS_GET) {
		acknowledge(req, EOPNOTSUPP, NULL);
		return;
	} else if (cmd == RADSTEER_CMD_STATS_GET) {
		stats(req);
	} else if (cmd == RADSTEER_CMD_SETTINGS_GET) {
		settings(req);
	} else if (cmd == RADSTEER_CMD_SETTINGS_SET ||
		   cmd == RADSTEER_CMD_GROUP_NEW ||
		   cmd == RADSTEER_CMD_SERVER_NEW) {
		if (canned("no")) {
			acknowledge(req, EBUSY, "not today");
			return;
		}
		note(req);
	}
	acknowledge(req, 0, NULL);
}

static void dump_request(const struct nlmsghdr *req, unsigned int cmd)
{
	if (old() && cmd > RADSTEER_CMD_STATS_GET) {
		acknowledge(req, EOPNOTSUPP, NULL);
		return;
	}
	if (cmd == RADSTEER_CMD_GROUP_GET) {
		group(req, "west");
		group(req, "east");
	} else if (cmd == RADSTEER_CMD_SERVER_GET) {
		servers(req);
	} else if (cmd == RADSTEER_CMD_REQUEST_GET) {
		requests(req);
	} else if (cmd == RADSTEER_CMD_SESSION_GET) {
		sessions(req);
	}
	done(req);
}

static void state(unsigned int old_state, unsigned int new_state,
		  unsigned int reason, unsigned int losses)
{
	struct nlmsghdr *nlh = begin(NULL, FAMILY_ID, RADSTEER_CMD_STATE_NTF);

	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_SERVICE,
			RADSTEER_SERVICE_AUTHENTICATION);
	put_address(nlh, RADSTEER_A_SERVER_ADDRESS, 0xc6120102);
	put_port(nlh, RADSTEER_A_SERVER_PORT, 1812);
	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_STATE, new_state);
	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_OLD_STATE, old_state);
	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_REASON, reason);
	mnl_attr_put_u32(nlh, RADSTEER_A_SERVER_LOSSES, losses);
	end(nlh);
}

static void unloaded(unsigned int id)
{
	struct nlmsghdr *nlh = begin(NULL, GENL_ID_CTRL, CTRL_CMD_DELFAMILY);

	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, id);
	end(nlh);
}

static void event(char letter)
{
	switch (letter) {
	case 'd':
		state(RADSTEER_STATE_UP, RADSTEER_STATE_DOWN,
		      RADSTEER_REASON_LOSSES, 10);
		break;
	case 't':
		state(RADSTEER_STATE_DOWN, RADSTEER_STATE_ASSUMED_UP,
		      RADSTEER_REASON_DEAD_TIME, 0);
		break;
	case 'e':
		state(RADSTEER_STATE_ASSUMED_UP, RADSTEER_STATE_DOWN,
		      RADSTEER_REASON_EXHAUSTED, 2);
		break;
	case 'u':
		state(RADSTEER_STATE_ASSUMED_UP, RADSTEER_STATE_UP,
		      RADSTEER_REASON_ANSWER, 0);
		break;
	case 'a':
		state(RADSTEER_STATE_DOWN, RADSTEER_STATE_UP,
		      RADSTEER_REASON_ADMIN, 0);
		break;
	case 'n':
		/* A word, an operation and a family that are not known. */
		state(RADSTEER_STATE_UP, 77, 88, 0);
		end(begin(NULL, FAMILY_ID, RADSTEER_CMD_MAX + 1));
		end(begin(NULL, FAMILY_ID + 1, RADSTEER_CMD_STATE_NTF));
		unloaded(FAMILY_ID + 1);
		break;
	case 'b':
		end(begin(NULL, FAMILY_ID, RADSTEER_CMD_STATE_NTF));
		break;
	case 'x':
		unloaded(FAMILY_ID);
		break;
	}
}

/* The next event, if there is one and the command listens to it. */
static ssize_t next_event(void)
{
	static const char *letters;

	if (!letters)
		letters = getenv("CANNED_EVENTS");
	if (joined != 2 || !letters || !*letters) {
		/* Nothing is left: poll() waits from now on. */
		eventfd_read(events_fd, &(eventfd_t){ 0 });
		errno = EAGAIN;
		return -1;
	}
	if (*letters++ == 'l') {
		errno = ENOBUFS;
		return -1;
	}
	event(letters[-1]);
	return 0;
}

/* From here on, the functions of libmnl. */

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	(void)bus;
	(void)flags;
	events_fd = eventfd(1, EFD_NONBLOCK);
	return (struct mnl_socket *)&events_fd;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	(void)groups;
	(void)pid;
	return 0;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	(void)nl;
	return events_fd;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return PORT_ID;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf,
			  socklen_t len)
{
	unsigned int id = *(const unsigned int *)buf;

	(void)nl;
	(void)len;
	if (type == NETLINK_ADD_MEMBERSHIP &&
	    (id == EVENTS_ID || id == GENL_ID_CTRL))
		joined++;
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *req,
			  size_t siz)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(req);
	const struct nlmsghdr *nlh = req;

	(void)nl;
	if (nlh->nlmsg_flags & NLM_F_DUMP)
		dump_request(nlh, genl->cmd);
	else
		do_request(nlh, genl->cmd);
	return (ssize_t)siz;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf,
			    size_t bufsiz)
{
	const struct nlmsghdr *nlh;
	size_t start, len;

	(void)nl;
	if (taken == queued && next_event() < 0)
		return -1;
	/* As many whole messages as there is room for. */
	start = taken;
	while (taken < queued) {
		nlh = (const struct nlmsghdr *)(queue + taken);
		len = MNL_ALIGN(nlh->nlmsg_len);
		if (taken + len - start > bufsiz)
			break;
		taken += len;
	}
	memcpy(buf, queue + start, taken - start);
	len = taken - start;
	if (taken == queued) {
		queued = 0;
		taken = 0;
	}
	return (ssize_t)len;
}
