/* SPDX-License-Identifier: GPL-2.0 */
/* Do counts agree with weights? Pearson's chi-square test, hard thresholds. */
#ifndef _UNIT_CHISQ_H
#define _UNIT_CHISQ_H

#include <linux/types.h>

/* What is promised: a right distribution fails once in a million tests. */
#define CHISQ_FALSE_ALARM	0.000001

/*
 * What the threshold is computed for. The statistic has the chi-square
 * distribution in the limit of many samples only; with the fewest that are
 * taken, its tail is up to eight times as heavy so far out. test_share sums up
 * the exact tails and holds them against the promise.
 */
#define CHISQ_NOMINAL		0.0000001

/* The fewest samples: so many are to be expected for every weight above 0. */
#define CHISQ_EXPECTED_MIN	50

struct chisq {
	u64 samples;
	double statistic;
	double least_expected;
	unsigned int freedom;
};

double chisq_tail(unsigned int freedom, double statistic);
double chisq_threshold(unsigned int freedom);
struct chisq chisq_of(const u64 *observed, const u64 *weight,
		      unsigned int cells);
void chisq_add(struct chisq *sum, const struct chisq *part);
bool chisq_enough(const struct chisq *chisq);
bool chisq_ok(const struct chisq *chisq);

#endif /* _UNIT_CHISQ_H */
