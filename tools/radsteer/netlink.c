// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to the kernel and what comes back, and what it tells unasked.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/radsteer.h>

#include "error.h"
#include "netlink.h"
#include "reply.h"
#include "tree.h"

/* A dump that the configuration changed under is read again, this often. */
#define DUMP_TRIES	10

/* The kernel packs a dump into messages of up to this size. */
#define RECEIVE_MAX	32768

static struct mnl_socket *sock;
static unsigned int sequence;

static void want_option(int option)
{
	int on = 1;

	if (mnl_socket_setsockopt(sock, option, &on, sizeof(on)))
		refuse("netlink socket: %s", strerror(errno));
}

static void open_socket(void)
{
	sock = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!sock || mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID) < 0)
		refuse("netlink socket: %s", strerror(errno));
	want_option(NETLINK_EXT_ACK);
	want_option(NETLINK_CAP_ACK);
}

static void begin(struct request *req, unsigned int type, unsigned int cmd,
		  unsigned int version)
{
	struct genlmsghdr *genl;

	*req = (struct request){ 0 };
	req->nlh = mnl_nlmsg_put_header(req->data.octets);
	req->nlh->nlmsg_type = (uint16_t)type;
	req->nlh->nlmsg_flags = NLM_F_REQUEST;
	genl = mnl_nlmsg_put_extra_header(req->nlh, sizeof(*genl));
	genl->cmd = (uint8_t)cmd;
	genl->version = (uint8_t)version;
}

/* The sentence of the kernel and the attribute it is about. */
struct verdict {
	int error;
	char *text;
	const struct nlattr *attr;
};

/*
 * The attribute of the request at an offset into it. For one inside a nest
 * that is the nest, which stands for the whole clause of the command line.
 */
static const struct nlattr *attr_at(const struct request *req, uint32_t offset)
{
	const char *place = (const char *)req->nlh + offset;
	const struct nlattr *attr;

	if (offset >= req->nlh->nlmsg_len)
		return NULL;
	mnl_attr_for_each(attr, req->nlh, sizeof(struct genlmsghdr)) {
		const char *start = (const char *)attr;

		if (place >= start && place < start + mnl_attr_get_len(attr))
			return attr;
	}
	return NULL;
}

static void read_tlvs(const struct request *req, const struct nlmsghdr *nlh,
		      size_t skip, struct verdict *verdict)
{
	const struct nlattr *attr;
	int len;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS) ||
	    mnl_nlmsg_get_payload_len(nlh) < skip)
		return;
	mnl_attr_for_each(attr, nlh, skip) {
		len = mnl_attr_get_payload_len(attr);
		switch (mnl_attr_get_type(attr)) {
		case NLMSGERR_ATTR_MSG:
			free(verdict->text);
			verdict->text = text_of("%.*s", len,
						mnl_attr_get_str(attr));
			break;
		case NLMSGERR_ATTR_OFFS:
			if (len == sizeof(uint32_t))
				verdict->attr = attr_at(req,
							mnl_attr_get_u32(attr));
			break;
		}
	}
}

/* An acknowledgment, or a refusal. */
static void read_error(const struct request *req, const struct nlmsghdr *nlh,
		       struct verdict *verdict)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	size_t skip = sizeof(*err);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*err)) {
		verdict->error = EBADMSG;
		return;
	}
	verdict->error = -err->error;
	/* Without CAPPED the whole request stands before the attributes. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
		if (err->msg.nlmsg_len < sizeof(err->msg))
			return;
		skip += MNL_ALIGN(err->msg.nlmsg_len) - sizeof(err->msg);
	}
	read_tlvs(req, nlh, skip, verdict);
}

/* The end of a dump, which can say that it failed on the way. */
static void read_done(const struct request *req, const struct nlmsghdr *nlh,
		      struct verdict *verdict)
{
	const int *error = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*error))
		return;
	verdict->error = -*error;
	read_tlvs(req, nlh, sizeof(*error), verdict);
}

static const char *subject_of(const struct request *req)
{
	return req->subject ? req->subject : "the kernel";
}

/* An operation that came into the family later has no sentence yet. */
static bool unknown_to_module(const struct verdict *verdict)
{
	return verdict->error == EOPNOTSUPP && !verdict->text;
}

static noreturn void not_permitted(void)
{
	refuse("not permitted: the capability CAP_NET_ADMIN is needed, as root has it");
}

static noreturn void refused(const struct request *req,
			     const struct verdict *verdict)
{
	const char *subject = subject_of(req);
	char *word = NULL;

	if (!verdict->text && verdict->error == EPERM)
		not_permitted();
	if (unknown_to_module(verdict))
		refuse("%s: the loaded module is too old: that of this command is needed",
		       subject);
	if (!verdict->text)
		refuse("%s: the kernel refuses: %s", subject,
		       strerror(verdict->error));
	if (req->blame && verdict->attr)
		word = req->blame(verdict->attr);
	if (word)
		refuse("%s: %s: %s", subject, word, verdict->text);
	refuse("%s: %s", subject, verdict->text);
}

/* What became of a request. */
struct outcome {
	struct verdict verdict;
	bool interrupted;
	bool complete;
};

static void read_message(const struct request *req, const struct nlmsghdr *nlh,
			 reply_reader reader, json_t *into, struct outcome *out)
{
	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		out->interrupted = true;

	switch (nlh->nlmsg_type) {
	case NLMSG_ERROR:
		read_error(req, nlh, &out->verdict);
		out->complete = true;
		return;
	case NLMSG_DONE:
		read_done(req, nlh, &out->verdict);
		out->complete = true;
		return;
	case NLMSG_NOOP:
		return;
	case NLMSG_OVERRUN:
		refuse("netlink socket: data was lost");
	}
	if (reader && nlh->nlmsg_type == req->nlh->nlmsg_type &&
	    mnl_nlmsg_get_payload_len(nlh) >= sizeof(struct genlmsghdr))
		append(into, reader(nlh));
}

static void exchange(struct request *req, reply_reader reader, json_t *into,
		     struct outcome *out)
{
	unsigned int port = mnl_socket_get_portid(sock);
	const struct nlmsghdr *nlh;
	ssize_t received;
	char *buffer;
	int len;

	*out = (struct outcome){ 0 };
	req->nlh->nlmsg_seq = ++sequence;
	if (mnl_socket_sendto(sock, req->nlh, req->nlh->nlmsg_len) < 0)
		refuse("netlink socket: %s", strerror(errno));

	buffer = allocated(malloc(RECEIVE_MAX));
	while (!out->complete) {
		received = mnl_socket_recvfrom(sock, buffer, RECEIVE_MAX);
		if (received < 0 && errno == EINTR)
			continue;
		if (received < 0)
			refuse("netlink socket: %s", strerror(errno));

		len = (int)received;
		nlh = (const struct nlmsghdr *)buffer;
		for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len))
			if (nlh->nlmsg_seq == sequence &&
			    nlh->nlmsg_pid == port)
				read_message(req, nlh, reader, into, out);
	}
	free(buffer);
}

/* One request and its acknowledgment, replies in between. */
static void transact(struct request *req, reply_reader reader, json_t *into,
		     struct verdict *verdict)
{
	struct outcome out;

	req->nlh->nlmsg_flags |= NLM_F_ACK;
	exchange(req, reader, into, &out);
	*verdict = out.verdict;
}

/* The numbers that the kernel gave to the family and its multicast group. */
static struct {
	unsigned int id;
	unsigned int events;
} family;

static void put_events_id(json_t *ids, const struct nlattr *groups)
{
	const struct nlattr *attrs[CTRL_ATTR_MCAST_GRP_MAX + 1];
	const struct nlattr *group, *name;

	mnl_attr_for_each_nested(group, groups) {
		nest_attrs(group, attrs, CTRL_ATTR_MCAST_GRP_MAX);
		name = attrs[CTRL_ATTR_MCAST_GRP_NAME];
		if (name && mnl_attr_validate(name, MNL_TYPE_NUL_STRING) >= 0 &&
		    !strcmp(mnl_attr_get_str(name), RADSTEER_MCGRP_EVENTS))
			put_number(ids, "events",
				   attrs[CTRL_ATTR_MCAST_GRP_ID]);
	}
}

static json_t *read_family(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[CTRL_ATTR_MAX + 1];
	json_t *ids;

	reply_attrs(nlh, attrs, CTRL_ATTR_MAX);
	ids = new_object();
	put_number(ids, "id", attrs[CTRL_ATTR_FAMILY_ID]);
	if (attrs[CTRL_ATTR_MCAST_GROUPS])
		put_events_id(ids, attrs[CTRL_ATTR_MCAST_GROUPS]);
	return ids;
}

static void find_family(void)
{
	struct verdict verdict;
	struct request req;
	json_t *replies, *ids;

	if (family.id)
		return;
	open_socket();
	begin(&req, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(req.nlh, CTRL_ATTR_FAMILY_NAME, RADSTEER_FAMILY_NAME);
	replies = new_list();
	transact(&req, read_family, replies, &verdict);
	if (verdict.error == ENOENT)
		refuse("the module radsteer is not loaded: load it with \"modprobe radsteer\"");
	if (verdict.error)
		refused(&req, &verdict);
	ids = json_array_get(replies, 0);
	family.id = (unsigned int)number(ids, "id");
	family.events = (unsigned int)number(ids, "events");
	json_decref(replies);
	if (!family.id)
		refuse("the kernel does not say how the module radsteer is reached");
}

/**
 * request_begin() - start a request to the module
 * @req: the request, filled in
 * @cmd: the operation, RADSTEER_CMD_*
 *
 * Ends the command when the module is not loaded.
 */
void request_begin(struct request *req, unsigned int cmd)
{
	find_family();
	begin(req, family.id, cmd, RADSTEER_FAMILY_VERSION);
}

/**
 * request_change() - send a request that is answered with yes or no
 * @req: the request
 *
 * Ends the command when the kernel refuses.
 */
void request_change(struct request *req)
{
	struct verdict verdict;

	transact(req, NULL, NULL, &verdict);
	if (verdict.error)
		refused(req, &verdict);
	free(verdict.text);
}

/* The message that answers a request, or NULL and what the kernel says. */
static json_t *read_one(struct request *req, reply_reader reader,
			struct verdict *verdict)
{
	json_t *replies, *one = NULL;

	replies = new_list();
	transact(req, reader, replies, verdict);
	if (!verdict->error) {
		free(verdict->text);
		one = json_incref(json_array_get(replies, 0));
		if (!one)
			refuse("%s: the kernel does not answer",
			       subject_of(req));
	}
	json_decref(replies);
	return one;
}

/**
 * request_read() - send a request that is answered with one message
 * @req: the request
 * @reader: turns that message into a value
 *
 * Return: the value, a new reference
 */
json_t *request_read(struct request *req, reply_reader reader)
{
	struct verdict verdict;
	json_t *one;

	one = read_one(req, reader, &verdict);
	if (!one)
		refused(req, &verdict);
	return one;
}

/**
 * request_read_if_known() - the same, of an operation that may be too new
 * @req: the request
 * @reader: turns the message that answers it into a value
 *
 * Return: the value, a new reference; NULL if the module that is loaded does
 * not know the operation
 */
json_t *request_read_if_known(struct request *req, reply_reader reader)
{
	struct verdict verdict;
	json_t *one;

	one = read_one(req, reader, &verdict);
	if (!one && !unknown_to_module(&verdict))
		refused(req, &verdict);
	return one;
}

/* Returns false if what is dumped changed meanwhile. */
static bool dump(struct request *req, reply_reader reader, json_t *all)
{
	struct outcome out;

	req->nlh->nlmsg_flags |= NLM_F_DUMP;
	json_array_clear(all);
	exchange(req, reader, all, &out);
	if (out.verdict.error)
		refused(req, &out.verdict);
	free(out.verdict.text);
	return !out.interrupted;
}

/**
 * request_dump() - send a request that is answered with any number of messages
 * @req: the request
 * @reader: turns one of the messages into a value
 *
 * Return: an array of these values, a new reference; all are of one state of
 * the configuration
 */
json_t *request_dump(struct request *req, reply_reader reader)
{
	unsigned int try;
	json_t *all;

	all = new_list();
	for (try = 0; try < DUMP_TRIES; try++)
		if (dump(req, reader, all))
			return all;
	refuse("the configuration changed at each of %d attempts to read it",
	       DUMP_TRIES);
}

/**
 * request_dump_moving() - the same, of what traffic changes all the time
 * @req: the request
 * @reader: turns one of the messages into a value
 *
 * Return: an array of these values, a new reference; they are of no one moment
 */
json_t *request_dump_moving(struct request *req, reply_reader reader)
{
	json_t *all;

	/* It would never hold still, however often it is read. */
	all = new_list();
	dump(req, reader, all);
	return all;
}

static void join(unsigned int group)
{
	if (!mnl_socket_setsockopt(sock, NETLINK_ADD_MEMBERSHIP, &group,
				   sizeof(group)))
		return;
	if (errno == EPERM)
		not_permitted();
	refuse("netlink socket: %s", strerror(errno));
}

/**
 * events_open() - listen to the events of this network namespace
 *
 * No request can be sent any more.
 *
 * Return: a descriptor that can be read when there is something for
 * events_read()
 */
int events_open(void)
{
	int fd, flags;

	find_family();
	if (!family.events)
		refuse("events: the loaded module is too old: that of this command is needed");
	fd = mnl_socket_get_fd(sock);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		refuse("netlink socket: %s", strerror(errno));
	/* Where the end of the family is told, after which nothing comes. */
	join(GENL_ID_CTRL);
	join(family.events);
	return fd;
}

static void end_with_family(const struct nlmsghdr *nlh)
{
	const struct nlattr *attrs[CTRL_ATTR_MAX + 1];
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *id;

	if (genl->cmd != CTRL_CMD_DELFAMILY)
		return;
	reply_attrs(nlh, attrs, CTRL_ATTR_MAX);
	id = attrs[CTRL_ATTR_FAMILY_ID];
	if (id && mnl_attr_validate(id, MNL_TYPE_U16) >= 0 &&
	    mnl_attr_get_u16(id) == family.id)
		refuse("the module radsteer was unloaded: no more events come");
}

static void read_event(const struct nlmsghdr *nlh, unsigned int cmd,
		       reply_reader reader, json_t *into)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*genl))
		return;
	if (nlh->nlmsg_type == GENL_ID_CTRL)
		end_with_family(nlh);
	else if (nlh->nlmsg_type == family.id && genl->cmd == cmd)
		append(into, reader(nlh));
}

/**
 * events_read() - read the events that are there
 * @cmd: the notification, RADSTEER_CMD_*
 * @reader: turns one of its messages into a value
 *
 * Ends the command when the module goes.
 *
 * Return: an array of these values, a new reference; NULL if events were lost
 */
json_t *events_read(unsigned int cmd, reply_reader reader)
{
	const struct nlmsghdr *nlh;
	ssize_t received;
	json_t *events;
	char *buffer;
	int len;

	buffer = allocated(malloc(RECEIVE_MAX));
	received = mnl_socket_recvfrom(sock, buffer, RECEIVE_MAX);
	if (received < 0 && errno == ENOBUFS) {
		free(buffer);
		return NULL;
	}
	if (received < 0 && errno != EAGAIN && errno != EINTR)
		refuse("netlink socket: %s", strerror(errno));

	events = new_list();
	len = (int)received;
	nlh = (const struct nlmsghdr *)buffer;
	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len))
		read_event(nlh, cmd, reader, events);
	free(buffer);
	return events;
}
