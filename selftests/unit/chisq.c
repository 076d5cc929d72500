// SPDX-License-Identifier: GPL-2.0
/*
 * chisq OBSERVED... -- WEIGHT...
 *
 * Judge counts by weights: one line with the statistic, and exit status 0 if
 * they agree, 1 if they do not, 2 if there is no telling (usage, or too few
 * samples). For the shell tests, which count at real servers.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chisq.h"

#define CELLS_MAX	64

static void read_number(u64 *value, const char *word)
{
	char *end;

	errno = 0;
	*value = strtoull(word, &end, 10);
	if (!strchr("0123456789", word[0]) || !word[0] || *end || errno ||
	    *value > UINT_MAX) {
		fprintf(stderr, "chisq: '%s' is no number from 0 to %u\n",
			word, UINT_MAX);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	u64 observed[CELLS_MAX], weight[CELLS_MAX];
	int cells = argc / 2 - 1;
	struct chisq chisq;
	bool ok;
	int i;

	if (argc % 2 || cells < 1 || cells > CELLS_MAX ||
	    strcmp(argv[1 + cells], "--")) {
		fprintf(stderr,
			"usage: chisq OBSERVED... -- WEIGHT..., as many of the one as of the other, at most %d\n",
			CELLS_MAX);
		return 2;
	}
	for (i = 0; i < cells; i++) {
		read_number(&observed[i], argv[1 + i]);
		read_number(&weight[i], argv[2 + cells + i]);
	}

	chisq = chisq_of(observed, weight, cells);
	if (!chisq_enough(&chisq)) {
		fprintf(stderr,
			"chisq: too few samples: %.4g expected for the least weight, %d needed\n",
			chisq.least_expected, CHISQ_EXPECTED_MIN);
		return 2;
	}

	ok = chisq_ok(&chisq);
	printf("%s: chi-square %.3f, threshold %.3f, ", ok ? "ok" : "not ok",
	       chisq.statistic, chisq_threshold(chisq.freedom));
	printf("%u degrees of freedom, %llu samples, ", chisq.freedom,
	       chisq.samples);
	printf("false alarms at most %g\n", CHISQ_FALSE_ALARM);
	return !ok;
}
