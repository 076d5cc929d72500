// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to the kernel and what comes back.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/radsteer.h>

#include "error.h"
#include "netlink.h"
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

static noreturn void refused(const struct request *req,
			     const struct verdict *verdict)
{
	const char *subject = req->subject ? req->subject : "the kernel";
	char *word = NULL;

	if (!verdict->text && verdict->error == EPERM)
		refuse("not permitted: the capability CAP_NET_ADMIN is needed, as root has it");
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

static json_t *read_family(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    mnl_attr_get_payload_len(attr) == sizeof(uint16_t))
			return json_integer(mnl_attr_get_u16(attr));
	return json_null();
}

static unsigned int find_family(void)
{
	static unsigned int family;
	struct verdict verdict;
	struct request req;
	json_t *ids;

	if (family)
		return family;
	open_socket();
	begin(&req, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	mnl_attr_put_strz(req.nlh, CTRL_ATTR_FAMILY_NAME, RADSTEER_FAMILY_NAME);
	ids = new_list();
	transact(&req, read_family, ids, &verdict);
	if (verdict.error == ENOENT)
		refuse("the module radsteer is not loaded: load it with \"modprobe radsteer\"");
	if (verdict.error)
		refused(&req, &verdict);
	family = (unsigned int)json_integer_value(json_array_get(ids, 0));
	json_decref(ids);
	if (!family)
		refuse("the kernel does not say how the module radsteer is reached");
	return family;
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
	begin(req, find_family(), cmd, RADSTEER_FAMILY_VERSION);
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
	json_t *replies, *one;

	replies = new_list();
	transact(req, reader, replies, &verdict);
	if (verdict.error)
		refused(req, &verdict);
	free(verdict.text);
	one = json_incref(json_array_get(replies, 0));
	json_decref(replies);
	if (!one)
		refuse("%s: the kernel does not answer",
		       req->subject ? req->subject : "the kernel");
	return one;
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
	struct outcome out;
	unsigned int try;
	json_t *all;

	req->nlh->nlmsg_flags |= NLM_F_DUMP;
	all = new_list();
	for (try = 0; try < DUMP_TRIES; try++) {
		json_array_clear(all);
		exchange(req, reader, all, &out);
		if (out.verdict.error)
			refused(req, &out.verdict);
		free(out.verdict.text);
		if (!out.interrupted)
			return all;
	}
	refuse("the configuration changed at each of %d attempts to read it",
	       DUMP_TRIES);
}
