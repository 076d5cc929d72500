/* SPDX-License-Identifier: GPL-2.0 */
/* The table of requests. */
#ifndef _RADSTEER_REQUEST_H
#define _RADSTEER_REQUEST_H

#include "packet.h"
#include "radsteer.h"

int radsteer_request_cache_create(void);
void radsteer_request_cache_destroy(void);

int radsteer_requests_init(struct radsteer_net *rn);
void radsteer_requests_exit(struct radsteer_net *rn);
void radsteer_requests_end(struct radsteer_net *rn,
			   const struct radsteer_group *group);
unsigned long radsteer_requests_count(const struct radsteer_net *rn);

void radsteer_request_send(struct radsteer_requests *requests,
			   const struct radsteer_snapshot *snapshot,
			   unsigned int service,
			   const struct radsteer_packet *packet,
			   struct radsteer_endpoint *to);
bool radsteer_request_answer(struct radsteer_requests *requests,
			     const struct radsteer_packet *packet,
			     struct radsteer_endpoint *asked);

#endif /* _RADSTEER_REQUEST_H */
