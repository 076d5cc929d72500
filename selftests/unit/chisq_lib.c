// SPDX-License-Identifier: GPL-2.0
/*
 * Pearson's chi-square test.
 *
 * Statistic: the sum over the cells of (observed - expected)^2 / expected,
 * with one degree of freedom fewer than there are cells. The tail of its
 * distribution for f degrees of freedom is the regularised upper incomplete
 * gamma function Q(f/2, x/2); the threshold is the x where Q is the nominal
 * rate of false alarms, found by bisection. So no quantile comes from a table.
 */
#include <float.h>
#include <math.h>
#include "chisq.h"

#define TERMS_MAX	100000
#define ROUNDING	0.000000001

/* P(a, x) by its power series, which converges fast for x < a + 1. */
static double gamma_lower(double a, double x)
{
	double term = 1 / a, sum = term;
	int n;

	for (n = 1; n < TERMS_MAX && term > sum * DBL_EPSILON / 16; n++) {
		term *= x / (a + n);
		sum += term;
	}
	return sum * exp(a * log(x) - x - lgamma(a));
}

/*
 * Q(a, x) by its continued fraction, which converges fast for x >= a + 1:
 *
 *	Q = e^-x x^a / Gamma(a) * 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a ...
 *
 * evaluated from the front, as a product of ratios of successive numerators
 * and denominators.
 */
static double gamma_upper(double a, double x)
{
	const double tiny = DBL_MIN;
	double b = x + 1 - a;
	double numerator = 1 / tiny;
	double denominator = 1 / b;
	double value = denominator;
	double ratio = 0;
	int n;

	for (n = 1; n < TERMS_MAX && fabs(ratio - 1) > 4 * DBL_EPSILON; n++) {
		double step = -n * (n - a);

		b += 2;
		denominator = step * denominator + b;
		if (fabs(denominator) < tiny)
			denominator = tiny;
		denominator = 1 / denominator;
		numerator = b + step / numerator;
		if (fabs(numerator) < tiny)
			numerator = tiny;
		ratio = denominator * numerator;
		value *= ratio;
	}
	return value * exp(a * log(x) - x - lgamma(a));
}

/**
 * chisq_tail() - chance of a statistic at least as large
 * @freedom: degrees of freedom, at least 1
 * @statistic: the statistic
 *
 * Return: the chance, from 0 to 1.
 */
double chisq_tail(unsigned int freedom, double statistic)
{
	double a = freedom / 2.0, x = statistic / 2;

	if (x <= 0)
		return 1;
	if (x < a + 1)
		return 1 - gamma_lower(a, x);
	return gamma_upper(a, x);
}

/**
 * chisq_threshold() - the statistic that is exceeded at the nominal rate
 * @freedom: degrees of freedom
 *
 * Return: the threshold; 0 where nothing is free to vary.
 */
double chisq_threshold(unsigned int freedom)
{
	double low = 0, high = 1;
	int step;

	if (!freedom)
		return 0;
	while (chisq_tail(freedom, high) > CHISQ_NOMINAL)
		high *= 2;
	for (step = 0; step < 100; step++) {
		double middle = (low + high) / 2;

		if (chisq_tail(freedom, middle) > CHISQ_NOMINAL)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/**
 * chisq_of() - the statistic of counts that should be as weights are
 * @observed: a count for each cell
 * @weight: the weight of each cell; where all are 0, all are equal
 * @cells: number of cells
 *
 * A cell of weight 0 beside one of weight above 0 must have counted nothing:
 * the statistic is infinite if it has, and the cell is not one to vary.
 *
 * Return: the statistic and what belongs to it.
 */
struct chisq chisq_of(const u64 *observed, const u64 *weight,
		      unsigned int cells)
{
	struct chisq chisq = { .least_expected = INFINITY };
	unsigned int i, varying = 0;
	u64 whole = 0;
	bool equal;

	for (i = 0; i < cells; i++) {
		chisq.samples += observed[i];
		whole += weight[i];
	}
	equal = !whole;
	if (equal)
		whole = cells;

	for (i = 0; i < cells; i++) {
		double share = (double)(equal ? 1 : weight[i]) / whole;
		double expected = share * chisq.samples;
		double off = observed[i] - expected;

		if (share > 0) {
			varying++;
			chisq.least_expected = fmin(chisq.least_expected,
						    expected);
			/* No samples: nothing to be said, and nothing off. */
			if (expected > 0)
				chisq.statistic += off * off / expected;
		} else if (observed[i]) {
			chisq.statistic = INFINITY;
		}
	}
	chisq.freedom = varying ? varying - 1 : 0;
	return chisq;
}

/* Independent statistics add up, and so do their degrees of freedom. */
void chisq_add(struct chisq *sum, const struct chisq *part)
{
	sum->samples += part->samples;
	sum->statistic += part->statistic;
	sum->least_expected = fmin(sum->least_expected, part->least_expected);
	sum->freedom += part->freedom;
}

/* Return: false if there are too few samples for any verdict. */
bool chisq_enough(const struct chisq *chisq)
{
	return chisq->least_expected >= CHISQ_EXPECTED_MIN;
}

/* Return: true if the counts are as the weights say, and enough to tell. */
bool chisq_ok(const struct chisq *chisq)
{
	/* Rounding alone can leave a little where nothing is free to vary. */
	return chisq_enough(chisq) &&
	       chisq->statistic <= chisq_threshold(chisq->freedom) + ROUNDING;
}
