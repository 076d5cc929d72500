// SPDX-License-Identifier: GPL-2.0
/*
 * Hold the packets of a netfilter queue for a while, then let them go on.
 *
 *	queue NUMBER MS accept|repeat
 *
 * They go on behind the rule that queued them, or come to it once more with
 * the mark 1. Runs until it is killed.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	unsigned int number, ms, verdict;
	struct mnl_socket *socket;
} opt;

static struct nlmsghdr *message(void *buffer, unsigned int type)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct nfgenmsg *queue;

	header->nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | type;
	header->nlmsg_flags = NLM_F_REQUEST;
	queue = mnl_nlmsg_put_extra_header(header, sizeof(*queue));
	queue->version = NFNETLINK_V0;
	queue->res_id = htons(opt.number);
	return header;
}

static void send_message(const struct nlmsghdr *header)
{
	if (mnl_socket_sendto(opt.socket, header, header->nlmsg_len) < 0)
		err(1, "sendto");
}

static int held(const struct nlmsghdr *header, void *data)
{
	struct nfqnl_msg_verdict_hdr verdict = {
		.verdict = htonl(opt.verdict),
	};
	const struct nfqnl_msg_packet_hdr *packet;
	char buffer[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *answer;
	struct nlattr *attr;

	(void)data;
	mnl_attr_for_each(attr, header, sizeof(struct nfgenmsg)) {
		if (mnl_attr_get_type(attr) != NFQA_PACKET_HDR)
			continue;
		packet = mnl_attr_get_payload(attr);
		verdict.id = packet->packet_id;
		usleep(opt.ms * 1000);
		answer = message(buffer, NFQNL_MSG_VERDICT);
		mnl_attr_put(answer, NFQA_VERDICT_HDR, sizeof(verdict),
			     &verdict);
		if (opt.verdict == NF_REPEAT)
			mnl_attr_put_u32(answer, NFQA_MARK, htonl(1));
		send_message(answer);
	}
	return MNL_CB_OK;
}

int main(int argc, char **argv)
{
	struct nfqnl_msg_config_cmd bind = { .command = NFQNL_CFG_CMD_BIND };
	struct nfqnl_msg_config_params params = {
		.copy_range = htonl(0xffff),
		.copy_mode = NFQNL_COPY_PACKET,
	};
	char buffer[0xffff + MNL_SOCKET_BUFFER_SIZE / 2];
	struct nlmsghdr *header;
	ssize_t length;

	if (argc != 4)
		errx(2, "see the head of queue.c");
	opt.number = atoi(argv[1]);
	opt.ms = atoi(argv[2]);
	opt.verdict = strcmp(argv[3], "repeat") ? NF_ACCEPT : NF_REPEAT;

	opt.socket = mnl_socket_open(NETLINK_NETFILTER);
	if (!opt.socket || mnl_socket_bind(opt.socket, 0, MNL_SOCKET_AUTOPID))
		err(1, "netlink");
	header = message(buffer, NFQNL_MSG_CONFIG);
	mnl_attr_put(header, NFQA_CFG_CMD, sizeof(bind), &bind);
	mnl_attr_put(header, NFQA_CFG_PARAMS, sizeof(params), &params);
	send_message(header);

	for (;;) {
		length = mnl_socket_recvfrom(opt.socket, buffer,
					     sizeof(buffer));
		if (length < 0)
			err(1, "recvfrom");
		if (mnl_cb_run(buffer, length, 0, 0, held, NULL) < 0)
			err(1, "queue %u", opt.number);
	}
}
