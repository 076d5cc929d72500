/* SPDX-License-Identifier: GPL-2.0 */
/* Counters: one for every exit of the packet path. */
#ifndef _RADSTEER_STATS_H
#define _RADSTEER_STATS_H

#include <linux/percpu.h>
#include <uapi/linux/radsteer.h>

/*
 * All counters are unsigned long in per-CPU memory and are moved with
 * this_cpu operations alone: safe in process context and in softirq, and never
 * torn, since a long is read whole. They wrap at 2^32 on 32-bit machines.
 */

/**
 * struct radsteer_stats - counters of one namespace
 * @value: one counter for each attribute of the user API, at its number
 */
struct radsteer_stats {
	unsigned long value[__RADSTEER_A_STATS_MAX];
};

/* The counter of exit NAME, a RADSTEER_A_STATS_ attribute. */
#define radsteer_stats_inc(stats, NAME) \
	this_cpu_inc((stats)->value[RADSTEER_A_STATS_##NAME])

/**
 * struct radsteer_server_stats - counters of one server
 * @requests: requests that came to it, from the client or from another server
 * @retransmissions: further copies of these requests sent to it
 * @answers: answers given back to clients
 * @accepts: Access-Accepts among the answers
 * @rejects: Access-Rejects among the answers
 * @challenges: Access-Challenges among the answers
 * @lost: copies that got no answer in time (S1)
 * @late: answers that were swallowed, since another server's came first (R2)
 * @unreachable: copies that ICMP called undeliverable (S1)
 * @failovers: requests that moved away from it
 * @outstanding: requests neither answered nor forgotten; what one CPU adds
 *	another may take off, so only the sum over all CPUs means something
 */
struct radsteer_server_stats {
	unsigned long requests;
	unsigned long retransmissions;
	unsigned long answers;
	unsigned long accepts;
	unsigned long rejects;
	unsigned long challenges;
	unsigned long lost;
	unsigned long late;
	unsigned long unreachable;
	unsigned long failovers;
	unsigned long outstanding;
};

void radsteer_stats_answer(struct radsteer_server_stats __percpu *stats,
			   u8 code);
unsigned long radsteer_stats_sum(const void __percpu *stats, size_t offset);
unsigned long radsteer_stats_level(const void __percpu *stats, size_t offset);

#endif /* _RADSTEER_STATS_H */
