/* SPDX-License-Identifier: GPL-2.0 */
/* What responder has had: requests, and the way that each of them took. */
#ifndef _RECORD_H
#define _RECORD_H

#include "end.h"

/*
 * A datagram came to a server: gives back which copy of its request it is at
 * that server. @us is when it came, as two servers' datagrams may be read in
 * another order than they came in.
 */
unsigned int record(const union place *client,
		    const unsigned char *packet, const char *label,
		    uint64_t us);

/* From now on ways begin anew; copies go on being counted. */
void record_forget(void);

/* A line for each way, "way REQUESTS LABEL,LABEL,...", in order. */
void record_ways(void);

#endif /* _RECORD_H */
