// SPDX-License-Identifier: GPL-2.0
/* Counters: one for every exit of the packet path. */
#include <linux/cpumask.h>
#include "radius.h"
#include "stats.h"

/**
 * radsteer_stats_answer() - count an answer at its server
 * @stats: counters of the server
 * @code: Code of the answer
 *
 * Context: any.
 */
void radsteer_stats_answer(struct radsteer_server_stats __percpu *stats,
			   u8 code)
{
	this_cpu_inc(stats->answers);
	switch (code) {
	case RADIUS_ACCESS_ACCEPT:
		this_cpu_inc(stats->accepts);
		break;
	case RADIUS_ACCESS_REJECT:
		this_cpu_inc(stats->rejects);
		break;
	case RADIUS_ACCESS_CHALLENGE:
		this_cpu_inc(stats->challenges);
		break;
	}
}

/**
 * radsteer_stats_sum() - read one counter
 * @stats: the per-CPU structure that holds it
 * @offset: offset of the counter, an unsigned long, in the structure
 *
 * Context: any.
 * Return: the sum over all possible CPUs.
 */
unsigned long radsteer_stats_sum(const void __percpu *stats, size_t offset)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*(const unsigned long *)
				 (per_cpu_ptr(stats, cpu) + offset));
	return sum;
}

/**
 * radsteer_stats_level() - read a counter that goes up and down
 * @stats: the per-CPU structure that holds it
 * @offset: offset of the counter, an unsigned long, in the structure
 *
 * The CPUs are read one after another, so what one added and another took off
 * meanwhile may have been seen by half.
 *
 * Context: any.
 * Return: the sum over all possible CPUs, 0 if it seems to be less.
 */
unsigned long radsteer_stats_level(const void __percpu *stats, size_t offset)
{
	unsigned long level = radsteer_stats_sum(stats, offset);

	return (long)level < 0 ? 0 : level;
}
