/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers from a seed: the generator known as SplitMix64, a counter
 * whose value is mixed. It keeps its whole state in one word, passes the usual
 * batteries of tests, and takes any seed.
 */
#ifndef _UNIT_RANDOM_H
#define _UNIT_RANDOM_H

#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>

static inline u64 random_next(u64 *state)
{
	u64 word = *state += 0x9e3779b97f4a7c15;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
	word = (word ^ word >> 27) * 0x94d049bb133111eb;
	return word ^ word >> 31;
}

/*
 * A number below @bound, each with the same chance: numbers past the last
 * whole multiple of @bound are thrown back, so that the remainder has no bias.
 */
static inline u32 random_below(u64 *state, u32 bound)
{
	u64 past = ~0ULL - ~0ULL % bound;
	u64 word;

	do {
		word = random_next(state);
	} while (word >= past);
	return word % bound;
}

/* A run repeats itself, unless UNIT_SEED in the environment asks for another. */
static inline u64 random_seed(u64 usual)
{
	const char *seed = getenv("UNIT_SEED");

	return seed ? strtoull(seed, NULL, 0) : usual;
}

#endif /* _UNIT_RANDOM_H */
