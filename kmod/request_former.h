/* SPDX-License-Identifier: GPL-2.0 */
/* The servers that a request was sent to before the one that it is at. */
#ifndef _RADSTEER_REQUEST_FORMER_H
#define _RADSTEER_REQUEST_FORMER_H

#include "request_table.h"

bool radsteer_former_keep(struct radsteer_request *request);
void radsteer_former_drop(struct radsteer_request *request,
			  const struct radsteer_server *server);
struct radsteer_former *
radsteer_former_copy(const struct radsteer_former *former);
void radsteer_former_free(struct radsteer_former *former);

#endif /* _RADSTEER_REQUEST_FORMER_H */
