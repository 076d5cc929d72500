// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that no honest command sends: each is refused, with the error that
 * it deserves and one sentence in the extended acknowledgement, and changes
 * nothing. And the one group, server and match too many, which is refused as
 * well. Runs in a network namespace of its own.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/radsteer.h>
#include "kselftest.h"

#define ARRAY(a) (sizeof(a) / sizeof((a)[0]))
#define G(name) RADSTEER_A_GROUP_##name
#define S(name) RADSTEER_A_SERVER_##name
#define M(name) RADSTEER_A_MATCH_##name
#define SET(name) RADSTEER_A_SETTINGS_##name

enum kind { END, U8, U16, U32, BE16, STRING, ADDRESS, OCTETS, FLAG, NEST, NEST_END };

/* One attribute: a number, a text, or that many octets of 0x7f. */
struct attr {
	enum kind kind;
	int type;
	unsigned long value;
	const char *text;
};

struct row {
	const char *title;
	int cmd;
	int error;
	/* What the sentence says, NULL where netlink itself has the words. */
	const char *sentence;
	struct attr attrs[12];
};

#define NAME(text) { STRING, G(NAME), 0, text }
#define GROUP(text) { STRING, S(GROUP), 0, text }
#define SERVICE(n) { U8, S(SERVICE), n, NULL }
#define AT(text) { ADDRESS, S(ADDRESS), 0, text }

static const struct row rows[] = {
	{ "no such operation", __RADSTEER_CMD_MAX, EOPNOTSUPP, NULL, { } },
	{ "operation 0", 0, EOPNOTSUPP, NULL, { } },

	{ "group-new without a name", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "a group needs a name", { } },
	{ "an empty name", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "letters, digits", { NAME("") } },
	{ "a name with a space", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "letters, digits", { NAME("a b") } },
	{ "a name with a control character", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "letters, digits", { NAME("a\033[1m") } },
	{ "a name with an octet above ASCII", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "letters, digits", { NAME("caf\303\251") } },
	{ "a name that begins with a hyphen", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "letters, digits", { NAME("-a") } },
	{ "a name of 32 octets", RADSTEER_CMD_GROUP_NEW, EINVAL, NULL,
	  { NAME("0123456789abcdef0123456789abcdef") } },
	{ "a name without its NUL", RADSTEER_CMD_GROUP_NEW, EINVAL, NULL,
	  { { OCTETS, G(NAME), 5, NULL } } },
	{ "a name without octets", RADSTEER_CMD_GROUP_NEW, EINVAL, NULL,
	  { { OCTETS, G(NAME), 0, NULL } } },
	{ "a name that is there", RADSTEER_CMD_GROUP_NEW, EEXIST,
	  "already", { NAME("g") } },
	{ "an algorithm that is none", RADSTEER_CMD_GROUP_NEW, ERANGE, NULL,
	  { NAME("x"), { U8, G(ALGORITHM), 4, NULL } } },
	{ "an algorithm of two octets", RADSTEER_CMD_GROUP_NEW, EINVAL, NULL,
	  { NAME("x"), { U16, G(ALGORITHM), 1, NULL } } },
	{ "an accounting that is none", RADSTEER_CMD_GROUP_NEW, ERANGE, NULL,
	  { NAME("x"), { U8, G(ACCOUNTING), 3, NULL } } },
	{ "retransmit 6", RADSTEER_CMD_GROUP_NEW, ERANGE, NULL,
	  { NAME("x"), { U8, G(RETRANSMIT), 6, NULL } } },
	{ "timeout 0", RADSTEER_CMD_GROUP_NEW, ERANGE, NULL,
	  { NAME("x"), { U8, G(TIMEOUT), 0, NULL } } },
	{ "timeout 61", RADSTEER_CMD_GROUP_NEW, ERANGE, NULL,
	  { NAME("x"), { U8, G(TIMEOUT), 61, NULL } } },
	{ "an attribute that is only read", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  NULL, { NAME("x"), { U8, G(ACCOUNTING_EFFECTIVE), 1, NULL } } },
	{ "an attribute that does not exist", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  NULL, { NAME("x"), { U8, __RADSTEER_A_GROUP_MAX, 1, NULL } } },
	{ "attribute 0", RADSTEER_CMD_GROUP_NEW, EINVAL, NULL,
	  { NAME("x"), { U8, 0, 1, NULL } } },
	{ "a match that is empty", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "needs an address",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL }, { .kind = NEST_END } } },
	{ "a match that is no nest", RADSTEER_CMD_GROUP_NEW, EINVAL, NULL,
	  { NAME("x"), { OCTETS, G(MATCH), 8, NULL } } },
	{ "a match of servers and address", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "either the servers or an address",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { FLAG, M(SERVERS), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "203.0.113.7" }, { .kind = NEST_END } } },
	{ "a match of servers and port", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "either the servers or an address",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { FLAG, M(SERVERS), 0, NULL },
	    { BE16, M(ACCT_PORT), 1813, NULL }, { .kind = NEST_END } } },
	{ "a match of ports alone", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "needs an address",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { BE16, M(AUTH_PORT), 1812, NULL }, { .kind = NEST_END } } },
	{ "match port 0", RADSTEER_CMD_GROUP_NEW, ERANGE, NULL,
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "203.0.113.7" },
	    { BE16, M(AUTH_PORT), 0, NULL }, { .kind = NEST_END } } },
	{ "match with an address of 3 octets", RADSTEER_CMD_GROUP_NEW, ERANGE,
	  NULL, { NAME("x"), { NEST, G(MATCH), 0, NULL },
		  { OCTETS, M(ADDRESS), 3, NULL }, { .kind = NEST_END } } },
	{ "match with an address of 5 octets", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "4 octets, or 16",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { OCTETS, M(ADDRESS), 5, NULL }, { .kind = NEST_END } } },
	{ "match with an address of 17 octets", RADSTEER_CMD_GROUP_NEW, ERANGE,
	  NULL, { NAME("x"), { NEST, G(MATCH), 0, NULL },
		  { OCTETS, M(ADDRESS), 17, NULL }, { .kind = NEST_END } } },
	{ "match of an IPv6 multicast address", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "not that of one host",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "ff0e::1" }, { .kind = NEST_END } } },
	{ "match of IPv4 within IPv6", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "not that of one host",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "::ffff:203.0.113.7" },
	    { .kind = NEST_END } } },
	{ "matches of two families", RADSTEER_CMD_GROUP_NEW, EAFNOSUPPORT,
	  "of one family",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "203.0.113.7" }, { .kind = NEST_END },
	    { NEST, G(MATCH), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "2001:db8::7" }, { .kind = NEST_END } } },
	{ "match of a multicast address", RADSTEER_CMD_GROUP_NEW, EINVAL,
	  "not that of one host",
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "239.1.1.1" }, { .kind = NEST_END } } },
	{ "an attribute in a match that does not exist",
	  RADSTEER_CMD_GROUP_NEW, EINVAL, NULL,
	  { NAME("x"), { NEST, G(MATCH), 0, NULL },
	    { U8, __RADSTEER_A_MATCH_MAX, 0, NULL }, { .kind = NEST_END } } },
	{ "the good match before a bad one", RADSTEER_CMD_GROUP_SET, EINVAL,
	  "not that of one host",
	  { NAME("g"), { NEST, G(MATCH), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "203.0.113.7" }, { .kind = NEST_END },
	    { NEST, G(MATCH), 0, NULL },
	    { ADDRESS, M(ADDRESS), 0, "0.0.0.0" }, { .kind = NEST_END } } },

	{ "group-set without a name", RADSTEER_CMD_GROUP_SET, ENOENT,
	  "name of the group is missing", { { U8, G(TIMEOUT), 5, NULL } } },
	{ "group-set of no group", RADSTEER_CMD_GROUP_SET, ENOENT,
	  "no group of that name", { NAME("x") } },
	{ "group-del without a name", RADSTEER_CMD_GROUP_DEL, ENOENT,
	  "name of the group is missing", { } },
	{ "group-del of no group", RADSTEER_CMD_GROUP_DEL, ENOENT,
	  "no group of that name", { NAME("x") } },
	{ "group-del with a setting", RADSTEER_CMD_GROUP_DEL, EINVAL, NULL,
	  { NAME("g"), { U8, G(TIMEOUT), 5, NULL } } },
	{ "group-get of no group", RADSTEER_CMD_GROUP_GET, ENOENT,
	  "no group of that name", { NAME("x") } },

	{ "server-new without a group", RADSTEER_CMD_SERVER_NEW, ENOENT,
	  "name of the group is missing", { SERVICE(0), AT("192.0.2.9") } },
	{ "server-new without a service", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "group, service and address", { GROUP("g"), AT("192.0.2.9") } },
	{ "server-new without an address", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "group, service and address", { GROUP("g"), SERVICE(0) } },
	{ "a service that is none", RADSTEER_CMD_SERVER_NEW, ERANGE, NULL,
	  { GROUP("g"), SERVICE(2), AT("192.0.2.9") } },
	{ "a server at port 0", RADSTEER_CMD_SERVER_NEW, ERANGE, NULL,
	  { GROUP("g"), SERVICE(0), AT("192.0.2.9"),
	    { BE16, S(PORT), 0, NULL } } },
	{ "a server at no address", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "not that of one host", { GROUP("g"), SERVICE(0), AT("0.0.0.0") } },
	{ "a server at broadcast", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "not that of one host",
	  { GROUP("g"), SERVICE(0), AT("255.255.255.255") } },
	{ "a server at no IPv6 address", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "not that of one host", { GROUP("g"), SERVICE(0), AT("::") } },
	{ "a server at IPv4 within IPv6", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "not that of one host",
	  { GROUP("g"), SERVICE(0), AT("::ffff:192.0.2.9") } },
	{ "a link-local server", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "needs a device", { GROUP("g"), SERVICE(0), AT("fe80::9") } },
	{ "a server of another family", RADSTEER_CMD_SERVER_NEW, EAFNOSUPPORT,
	  "another address family",
	  { GROUP("g"), SERVICE(0), AT("2001:db8::9") } },
	{ "a server with 5 octets of address", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "4 octets, or 16",
	  { GROUP("g"), SERVICE(0), { OCTETS, S(ADDRESS), 5, NULL } } },
	{ "a server with 17 octets of address", RADSTEER_CMD_SERVER_NEW, ERANGE,
	  NULL, { GROUP("g"), SERVICE(0), { OCTETS, S(ADDRESS), 17, NULL } } },
	{ "a weight of one octet", RADSTEER_CMD_SERVER_NEW, EINVAL, NULL,
	  { GROUP("g"), SERVICE(0), AT("192.0.2.9"),
	    { U8, S(WEIGHT), 1, NULL } } },
	{ "a state that is none", RADSTEER_CMD_SERVER_NEW, ERANGE, NULL,
	  { GROUP("g"), SERVICE(0), AT("192.0.2.9"),
	    { U8, S(ADMIN), 4, NULL } } },
	{ "a server that is there", RADSTEER_CMD_SERVER_NEW, EEXIST, "already",
	  { GROUP("g"), SERVICE(0), AT("198.51.100.1") } },
	{ "before a server that is not there", RADSTEER_CMD_SERVER_NEW, ENOENT,
	  "no such server to go before",
	  { GROUP("g"), SERVICE(0), AT("192.0.2.9"),
	    { ADDRESS, S(BEFORE_ADDRESS), 0, "192.0.2.8" } } },
	{ "before a port without an address", RADSTEER_CMD_SERVER_NEW, EINVAL,
	  "needs an address",
	  { GROUP("g"), SERVICE(0), AT("192.0.2.9"),
	    { BE16, S(BEFORE_PORT), 1812, NULL } } },
	{ "server-set with a place", RADSTEER_CMD_SERVER_SET, EINVAL, NULL,
	  { GROUP("g"), SERVICE(0), AT("198.51.100.1"),
	    { ADDRESS, S(BEFORE_ADDRESS), 0, "192.0.2.8" } } },
	{ "server-set of no server", RADSTEER_CMD_SERVER_SET, ENOENT,
	  "no such server",
	  { GROUP("g"), SERVICE(1), AT("198.51.100.1"),
	    { U16, S(WEIGHT), 1, NULL } } },
	{ "server-set of a counter", RADSTEER_CMD_SERVER_SET, EINVAL, NULL,
	  { GROUP("g"), SERVICE(0), AT("198.51.100.1"),
	    { OCTETS, S(REQUESTS), 8, NULL } } },
	{ "server-del of no server", RADSTEER_CMD_SERVER_DEL, ENOENT,
	  "no such server", { GROUP("g"), SERVICE(0), AT("198.51.100.2") } },
	{ "server-del with a weight", RADSTEER_CMD_SERVER_DEL, EINVAL, NULL,
	  { GROUP("g"), SERVICE(0), AT("198.51.100.1"),
	    { U16, S(WEIGHT), 1, NULL } } },
	{ "settings-set of nothing", RADSTEER_CMD_SETTINGS_SET, EINVAL,
	  "no setting is given", { } },
	{ "a dead-count of 0", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U16, SET(DEAD_COUNT), 0, NULL } } },
	{ "a dead-count of four octets", RADSTEER_CMD_SETTINGS_SET, EINVAL,
	  NULL, { { U32, SET(DEAD_COUNT), 1, NULL } } },
	{ "a dead-interval of 3601 s", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U16, SET(DEAD_INTERVAL), 3601, NULL } } },
	{ "a dead-time of 0", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U32, SET(DEAD_TIME), 0, NULL } } },
	{ "a dead-time of 86401 s", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U32, SET(DEAD_TIME), 86401, NULL } } },
	{ "a dead-time beside a good dead-count", RADSTEER_CMD_SETTINGS_SET,
	  ERANGE, NULL, { { U16, SET(DEAD_COUNT), 77, NULL },
			  { U32, SET(DEAD_TIME), 86401, NULL } } },
	{ "a duplicate-window of 1001 ms", RADSTEER_CMD_SETTINGS_SET, ERANGE,
	  NULL, { { U16, SET(DUPLICATE_WINDOW), 1001, NULL } } },
	{ "max-requests of 0", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U32, SET(MAX_REQUESTS), 0, NULL } } },
	{ "max-requests above 4194304", RADSTEER_CMD_SETTINGS_SET, ERANGE,
	  NULL, { { U32, SET(MAX_REQUESTS), 4194305, NULL } } },
	{ "max-sessions of 0", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U32, SET(MAX_SESSIONS), 0, NULL } } },
	{ "max-sessions above 4194304", RADSTEER_CMD_SETTINGS_SET, ERANGE,
	  NULL, { { U32, SET(MAX_SESSIONS), 4194305, NULL } } },
	{ "max-states of 0", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U32, SET(MAX_STATES), 0, NULL } } },
	{ "max-states above 4194304", RADSTEER_CMD_SETTINGS_SET, ERANGE,
	  NULL, { { U32, SET(MAX_STATES), 4194305, NULL } } },
	{ "max-states of two octets", RADSTEER_CMD_SETTINGS_SET, EINVAL,
	  NULL, { { U16, SET(MAX_STATES), 1, NULL } } },
	{ "a state-time of 0", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U16, SET(STATE_TIME), 0, NULL } } },
	{ "a state-time of 3601 s", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U16, SET(STATE_TIME), 3601, NULL } } },
	{ "a session-time of 0", RADSTEER_CMD_SETTINGS_SET, ERANGE, NULL,
	  { { U32, SET(SESSION_TIME), 0, NULL } } },
	{ "a session-time of 1209601 s", RADSTEER_CMD_SETTINGS_SET, ERANGE,
	  NULL, { { U32, SET(SESSION_TIME), 1209601, NULL } } },
	{ "a session-time beside a good state-time", RADSTEER_CMD_SETTINGS_SET,
	  ERANGE, NULL, { { U16, SET(STATE_TIME), 77, NULL },
			  { U32, SET(SESSION_TIME), 1209601, NULL } } },
	{ "settings-set of an unknown setting", RADSTEER_CMD_SETTINGS_SET,
	  EINVAL, NULL, { { U32, RADSTEER_A_SETTINGS_MAX + 1, 1, NULL } } },
	{ "settings-get with an attribute", RADSTEER_CMD_SETTINGS_GET, EINVAL,
	  NULL, { { U16, SET(DEAD_COUNT), 1, NULL } } },
	{ "request-get that is no dump", RADSTEER_CMD_REQUEST_GET, EOPNOTSUPP,
	  NULL, { } },
	{ "session-get that is no dump", RADSTEER_CMD_SESSION_GET, EOPNOTSUPP,
	  NULL, { } },
	{ "an event as a request", RADSTEER_CMD_STATE_NTF, EOPNOTSUPP, NULL,
	  { } },
	{ "server-get that is no dump", RADSTEER_CMD_SERVER_GET, EOPNOTSUPP,
	  NULL, { GROUP("g") } },
	{ "stats-get with an attribute", RADSTEER_CMD_STATS_GET, EINVAL, NULL,
	  { { U8, 1, 1, NULL } } },
};

static struct mnl_socket *nl;
static char buffer[1 << 16];
static int family;
static unsigned int sequence;

static struct nlmsghdr *message(int type, int cmd, int flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *genl;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++sequence;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = RADSTEER_FAMILY_VERSION;
	return nlh;
}

static void put(struct nlmsghdr *nlh, const struct attr *attr)
{
	static struct nlattr *nest;
	char octets[64];
	struct in6_addr address;
	bool inet6;

	memset(octets, 0x7f, sizeof(octets));
	for (; attr->kind != END; attr++) {
		switch (attr->kind) {
		case U8:
			mnl_attr_put_u8(nlh, attr->type, attr->value);
			break;
		case U16:
			mnl_attr_put_u16(nlh, attr->type, attr->value);
			break;
		case U32:
			mnl_attr_put_u32(nlh, attr->type, attr->value);
			break;
		case BE16:
			mnl_attr_put_u16(nlh, attr->type, htons(attr->value));
			break;
		case STRING:
			mnl_attr_put_strz(nlh, attr->type, attr->text);
			break;
		case ADDRESS:
			inet6 = strchr(attr->text, ':');
			inet_pton(inet6 ? AF_INET6 : AF_INET, attr->text,
				  &address);
			mnl_attr_put(nlh, attr->type, inet6 ?
				     sizeof(struct in6_addr) :
				     sizeof(struct in_addr), &address);
			break;
		case OCTETS:
			mnl_attr_put(nlh, attr->type, attr->value, octets);
			break;
		case FLAG:
			mnl_attr_put(nlh, attr->type, 0, NULL);
			break;
		case NEST:
			nest = mnl_attr_nest_start(nlh, attr->type);
			break;
		case NEST_END:
			mnl_attr_nest_end(nlh, nest);
			break;
		case END:
			break;
		}
	}
}

/* Send a message; its error, and the sentence that came with it. */
static int transact(struct nlmsghdr *nlh, char *sentence, size_t size)
{
	const struct nlmsgerr *error;
	const struct nlattr *attr;
	const struct nlmsghdr *ack;
	int length;

	*sentence = 0;
	nlh->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		ksft_exit_fail_msg("send: %s\n", strerror(errno));
	do {
		length = mnl_socket_recvfrom(nl, buffer, sizeof(buffer));
		if (length < 0)
			ksft_exit_fail_msg("receive: %s\n", strerror(errno));
		ack = (const struct nlmsghdr *)buffer;
	} while (ack->nlmsg_type != NLMSG_ERROR);

	error = mnl_nlmsg_get_payload(ack);
	if (ack->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_for_each(attr, ack, sizeof(*error))
			if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG)
				snprintf(sentence, size, "%s",
					 mnl_attr_get_str(attr));
	return -error->error;
}

/* How long something has been so is no matter. */
static void forget_time(struct nlmsghdr *nlh)
{
	const struct genlmsghdr *header = mnl_nlmsg_get_payload(nlh);
	struct nlattr *attr;

	if (header->cmd != RADSTEER_CMD_SERVER_GET)
		return;
	mnl_attr_for_each(attr, nlh, sizeof(*header))
		if (mnl_attr_get_type(attr) == S(STATE_AGE))
			memset(mnl_attr_get_payload(attr), 0,
			       mnl_attr_get_payload_len(attr));
}

/* What an answer or a dump says, appended. */
static size_t said(int cmd, int flags, char *to, size_t used, size_t size)
{
	struct nlmsghdr *nlh = message(family, cmd, flags);
	bool done = false;
	int length;

	mnl_socket_sendto(nl, nlh, nlh->nlmsg_len);
	while (!done) {
		length = mnl_socket_recvfrom(nl, buffer, sizeof(buffer));
		if (length < 0)
			ksft_exit_fail_msg("dump: %s\n", strerror(errno));
		for (nlh = (struct nlmsghdr *)buffer;
		     mnl_nlmsg_ok(nlh, length);
		     nlh = mnl_nlmsg_next(nlh, &length)) {
			size_t octets = mnl_nlmsg_get_payload_len(nlh);

			if (nlh->nlmsg_type == NLMSG_DONE) {
				done = true;
				break;
			}
			done = !(nlh->nlmsg_flags & NLM_F_MULTI);
			forget_time(nlh);
			if (used + octets > size)
				ksft_exit_fail_msg("the dump is too long\n");
			memcpy(to + used, mnl_nlmsg_get_payload(nlh), octets);
			used += octets;
		}
	}
	return used;
}

static size_t configuration(char *to, size_t size)
{
	size_t used;

	used = said(RADSTEER_CMD_GROUP_GET, NLM_F_DUMP, to, 0, size);
	used = said(RADSTEER_CMD_SERVER_GET, NLM_F_DUMP, to, used, size);
	return said(RADSTEER_CMD_SETTINGS_GET, 0, to, used, size);
}

static int find_family(void)
{
	struct nlmsghdr *nlh = message(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	const struct nlattr *attr;
	int length, id = 0;

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, RADSTEER_FAMILY_NAME);
	mnl_socket_sendto(nl, nlh, nlh->nlmsg_len);
	length = mnl_socket_recvfrom(nl, buffer, sizeof(buffer));
	nlh = (struct nlmsghdr *)buffer;
	if (length < 0 || nlh->nlmsg_type == NLMSG_ERROR)
		return 0;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
			id = mnl_attr_get_u16(attr);
	return id;
}

static void unload(void)
{
	mnl_socket_close(nl);
	if (system("rmmod radsteer"))
		ksft_print_msg("the module does not go\n");
}

static void setup(void)
{
	static const struct attr group[] = { NAME("g"), { .kind = END } };
	static const struct attr server[] = {
		GROUP("g"), SERVICE(0), AT("198.51.100.1"), { .kind = END },
	};
	struct nlmsghdr *nlh;
	char sentence[256];
	int on = 1;

	if (geteuid() || unshare(CLONE_NEWNET))
		ksft_exit_skip("needs root and network namespaces\n");
	nl = mnl_socket_open(NETLINK_GENERIC);
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) ||
	    mnl_socket_setsockopt(nl, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    mnl_socket_setsockopt(nl, NETLINK_CAP_ACK, &on, sizeof(on)))
		ksft_exit_fail_msg("netlink: %s\n", strerror(errno));

	family = find_family();
	if (!family) {
		if (system("for m in $(modinfo -F depends $RADSTEER_KO | tr , ' '); do modprobe $m; done; insmod ${RADSTEER_KO:?} 2>/dev/null || modprobe radsteer"))
			ksft_exit_skip("needs the module radsteer\n");
		atexit(unload);
		family = find_family();
	}

	nlh = message(family, RADSTEER_CMD_GROUP_NEW, 0);
	put(nlh, group);
	if (transact(nlh, sentence, sizeof(sentence)))
		ksft_exit_fail_msg("a group is refused: %s\n", sentence);
	nlh = message(family, RADSTEER_CMD_SERVER_NEW, 0);
	put(nlh, server);
	if (transact(nlh, sentence, sizeof(sentence)))
		ksft_exit_fail_msg("a server is refused: %s\n", sentence);
}

static void test(const struct row *row)
{
	static char before[1 << 16], after[1 << 16];
	struct nlmsghdr *nlh;
	char sentence[256];
	size_t size;
	bool same;
	int error;

	size = configuration(before, sizeof(before));
	nlh = message(family, row->cmd, 0);
	put(nlh, row->attrs);
	error = transact(nlh, sentence, sizeof(sentence));
	same = configuration(after, sizeof(after)) == size &&
	       !memcmp(before, after, size);

	if (error != row->error || !same ||
	    (row->sentence && !strstr(sentence, row->sentence))) {
		ksft_print_msg("error %d (%s), wanted %d, \"%s\"%s\n", error,
			       strerror(error), row->error, sentence,
			       same ? "" : ", and something changed");
		ksft_test_result_fail("%s\n", row->title);
		return;
	}
	ksft_test_result_pass("%s\n", row->title);
}

/* Fill something up, and then ask for one more. */
static void bound(const char *what, unsigned int max, const char *sentence,
		  void (*fill)(struct nlmsghdr *nlh, unsigned int i), int cmd)
{
	struct nlmsghdr *nlh;
	char said[256];
	unsigned int i;
	int error;

	for (i = 0; i < max; i++) {
		nlh = message(family, cmd, 0);
		fill(nlh, i);
		if (transact(nlh, said, sizeof(said)))
			break;
	}
	ksft_test_result(i == max, "section 9: %u %s\n", max, what);

	nlh = message(family, cmd, 0);
	fill(nlh, max);
	error = transact(nlh, said, sizeof(said));
	if (error != ENOSPC || !strstr(said, sentence))
		ksft_print_msg("error %d, \"%s\"\n", error, said);
	ksft_test_result(error == ENOSPC && strstr(said, sentence),
			 "section 9: no more than %u %s\n", max, what);
}

static void one_group(struct nlmsghdr *nlh, unsigned int i)
{
	char name[16];

	snprintf(name, sizeof(name), "g%u", i);
	mnl_attr_put_strz(nlh, RADSTEER_A_GROUP_NAME, name);
}

static void one_server(struct nlmsghdr *nlh, unsigned int i)
{
	mnl_attr_put_strz(nlh, RADSTEER_A_SERVER_GROUP, "g");
	mnl_attr_put_u8(nlh, RADSTEER_A_SERVER_SERVICE,
			RADSTEER_SERVICE_ACCOUNTING);
	mnl_attr_put_u32(nlh, RADSTEER_A_SERVER_ADDRESS,
			 htonl(0xc6120001 + i));
}

/* A message that has all matches, and so one that has one too many. */
static void many_matches(struct nlmsghdr *nlh, unsigned int count)
{
	unsigned int i;

	mnl_attr_put_strz(nlh, RADSTEER_A_GROUP_NAME, "g");
	for (i = 0; i < count; i++) {
		struct nlattr *nest;

		nest = mnl_attr_nest_start(nlh, RADSTEER_A_GROUP_MATCH);
		mnl_attr_put_u32(nlh, RADSTEER_A_MATCH_ADDRESS,
				 htonl(0xcb007101 + i));
		mnl_attr_nest_end(nlh, nest);
	}
}

/* A dump of many has each once. */
static void test_dump(int cmd, unsigned int wanted, const char *what)
{
	struct nlmsghdr *nlh = message(family, cmd, NLM_F_DUMP);
	unsigned int messages = 0, buffers = 0;
	bool done = false;
	int length;

	mnl_socket_sendto(nl, nlh, nlh->nlmsg_len);
	while (!done) {
		length = mnl_socket_recvfrom(nl, buffer, sizeof(buffer));
		if (length < 0)
			ksft_exit_fail_msg("dump: %s\n", strerror(errno));
		buffers++;
		for (nlh = (struct nlmsghdr *)buffer;
		     mnl_nlmsg_ok(nlh, length);
		     nlh = mnl_nlmsg_next(nlh, &length)) {
			if (nlh->nlmsg_type == NLMSG_DONE)
				done = true;
			else
				messages++;
		}
	}
	ksft_print_msg("%u messages in %u buffers\n", messages, buffers);
	ksft_test_result(messages == wanted,
			 "a dump of all %s\n", what);
}

static void test_matches(void)
{
	struct nlmsghdr *nlh;
	char said[256];
	int error;

	nlh = message(family, RADSTEER_CMD_GROUP_SET, 0);
	many_matches(nlh, RADSTEER_MATCHES_MAX);
	ksft_test_result(!transact(nlh, said, sizeof(said)),
			 "section 9: 16 matches\n");
	nlh = message(family, RADSTEER_CMD_GROUP_SET, 0);
	many_matches(nlh, RADSTEER_MATCHES_MAX + 1);
	error = transact(nlh, said, sizeof(said));
	ksft_test_result(error == ENOSPC && strstr(said, "16 addresses"),
			 "section 9: no more than 16 matches\n");
}

int main(void)
{
	unsigned int i;

	ksft_print_header();
	setup();
	ksft_set_plan(ARRAY(rows) + 8);
	for (i = 0; i < ARRAY(rows); i++)
		test(&rows[i]);

	test_matches();
	/* There is a group already, and a server in its other list. */
	bound("servers in a list", RADSTEER_SERVERS_MAX, "64", one_server,
	      RADSTEER_CMD_SERVER_NEW);
	test_dump(RADSTEER_CMD_SERVER_GET, RADSTEER_SERVERS_MAX + 1, "servers");
	bound("groups beside the first", RADSTEER_GROUPS_MAX - 1, "1024",
	      one_group, RADSTEER_CMD_GROUP_NEW);
	test_dump(RADSTEER_CMD_GROUP_GET, RADSTEER_GROUPS_MAX, "groups");
	ksft_finished();
}
