// SPDX-License-Identifier: GPL-2.0
/*
 * The shares of loading-share as they come out of many draws (L9), and that
 * each draw is independent of those before it (L7).
 *
 * Each result states its samples, its statistic, the degrees of freedom and
 * the threshold. A right program fails each with a chance of at most one in a
 * million (chisq.h); from the seed here it never does. UNIT_SEED=NUMBER in the
 * environment takes another seed.
 */
#include <math.h>
#include "chisq.h"
#include "model.h"
#include "random.h"
#include "unit.h"

#define DRAWS		1000000
#define DRAWS_MEMORY	2000000
#define DRAWS_WRONG	2000000
#define EQUAL_MAX	3
#define SERVERS_FEW	8

/* What floating point may be off by. */
#define ROUNDING	0.000000001

static u64 state;

/* Letters of .servers: U Up, D Down. Of .used, for a move: u used, . new. */
struct share {
	const char *rules;
	const char *what;
	const char *servers;
	const char *used;
	unsigned int weight[SERVERS_FEW];
	u64 want[SERVERS_FEW];
};

static const struct share shares[] = {
	{ "L2 L3 L9", "six servers, four Up, sum 0: a quarter each",
	  "UUDUDU", NULL, { 0 }, { 1, 1, 0, 1, 0, 1 } },
	{ "L2 L4 L9 S8", "six servers, none Up, sum 0: a sixth each",
	  "DDDDDD", NULL, { 0 }, { 1, 1, 1, 1, 1, 1 } },
	{ "L2 L9", "weights 10 20 30 40, all Up: 10 20 30 40 %",
	  "UUUU", NULL, { 10, 20, 30, 40 }, { 10, 20, 30, 40 } },
	{ "L2 L4 L9 S8", "weights 10 20 30 40, all Down: 10 20 30 40 %",
	  "DDDD", NULL, { 10, 20, 30, 40 }, { 10, 20, 30, 40 } },
	{ "L2 L3 L9", "weights 10 20 30 40, the first Down: 2/9 3/9 4/9",
	  "DUUU", NULL, { 10, 20, 30, 40 }, { 0, 2, 3, 4 } },
	{ "L6", "only servers of weight 0 Up: a third each",
	  "UDUDU", NULL, { 0, 10, 0, 20, 0 }, { 1, 0, 1, 0, 1 } },
	{ "L1 L2", "weights 64 65535 32768, by their sum",
	  "UUU", NULL, { 64, 65535, 32768 }, { 64, 65535, 32768 } },
	{ "L2 L3 L9", "six servers, four Up, one used, sum 0: a third each",
	  "UUDUDU", "u.....", { 0 }, { 0, 1, 0, 1, 0, 1 } },
	{ "L2 L3 L9", "weights 10 20 30 40, the first used: 2/9 3/9 4/9",
	  "UUUU", "u...", { 10, 20, 30, 40 }, { 0, 2, 3, 4 } },
	{ "L2 L4 L9 S8", "weights 10 20 30 40, all Down, the last used",
	  "DDDD", "...u", { 10, 20, 30, 40 }, { 1, 2, 3, 0 } },
	{ "L5 L2", "weights 10 20 30 40, all used: 10 20 30 40 %",
	  "UUUU", "uuuu", { 10, 20, 30, 40 }, { 10, 20, 30, 40 } },
};

static void fill(struct select_list *list, struct select_now *now,
		 const char *servers, const unsigned int *weight)
{
	struct model_list model = { .share = true, .recent = SELECT_NONE };
	int i;

	model.count = strlen(servers);
	for (i = 0; i < model.count; i++) {
		model.server[i].answers = servers[i] == 'U';
		model.server[i].weight = weight[i];
	}
	model_to_select(&model, list, now);
}

static int draw(const struct select_list *list,
		const struct select_choice *choice)
{
	int server = select_draw(list, choice,
				 random_below(&state, choice->tickets));

	if (server < 0 || server >= list->count)
		unit_bail_out("server %d of %d was drawn", server, list->count);
	return server;
}

/*
 * One first send, as the module makes it. The server before is passed as the
 * most recent one, so that a selection which heeds it would show (L7).
 */
static int first_send(const struct select_list *list, struct select_now *now,
		      int before)
{
	struct select_choice choice;

	now->recent = before;
	choice = select_first(list, now);
	return draw(list, &choice);
}

/* The same for a move, of a request that was sent to @used. */
static int move(const struct select_list *list, struct select_now *now,
		int before, const char *used)
{
	struct select_history history = { .at = before, .copies = 2 };
	struct select_choice choice;
	int i;

	for (i = 0; i < list->count; i++)
		if (used[i] == 'u')
			history.used |= 1ULL << i;
	now->recent = before;
	choice = select_next(list, now, &history);
	return draw(list, &choice);
}

static void note(const struct chisq *chisq)
{
	unit_note("%llu samples, at least %.1f expected of each",
		  chisq->samples, chisq->least_expected);
	unit_note("chi-square %.3f, %u degrees of freedom, threshold %.3f",
		  chisq->statistic, chisq->freedom,
		  chisq_threshold(chisq->freedom));
}

static void test_shares(void)
{
	size_t row;
	int i;

	for (row = 0; row < unit_count(shares); row++) {
		const struct share *share = &shares[row];
		u64 observed[SERVERS_FEW] = { 0 };
		int server = SELECT_NONE;
		struct select_list list;
		struct select_now now;
		struct chisq chisq;

		fill(&list, &now, share->servers, share->weight);
		for (i = 0; i < DRAWS; i++) {
			if (share->used)
				server = move(&list, &now, server, share->used);
			else
				server = first_send(&list, &now, server);
			observed[server]++;
		}
		chisq = chisq_of(observed, share->want, list.count);
		note(&chisq);
		unit_result(chisq_ok(&chisq), "%s %s", share->rules,
			    share->what);
	}
}

static void test_share_of_64(void)
{
	unsigned int weight[MODEL_SERVERS_MAX];
	u64 want[MODEL_SERVERS_MAX];
	u64 observed[MODEL_SERVERS_MAX] = { 0 };
	char servers[MODEL_SERVERS_MAX + 1] = "";
	int server = SELECT_NONE, i;
	struct select_list list;
	struct select_now now;
	struct chisq chisq;

	for (i = 0; i < MODEL_SERVERS_MAX; i++) {
		servers[i] = 'U';
		weight[i] = 65535;
		want[i] = 1;
	}
	fill(&list, &now, servers, weight);
	for (i = 0; i < DRAWS; i++) {
		server = first_send(&list, &now, server);
		observed[server]++;
	}
	chisq = chisq_of(observed, want, MODEL_SERVERS_MAX);
	note(&chisq);
	unit_result(chisq_ok(&chisq),
		    "L1 L2 64 servers of weight 65535: a 64th each");
}

/* The choices that followed a run of choices of one and the same server. */
struct memory {
	u64 next[EQUAL_MAX + 1][SERVERS_FEW][SERVERS_FEW];
	int server;
	int equal;
};

static void remember(struct memory *memory, int server)
{
	int k;

	for (k = 1; k <= EQUAL_MAX && k <= memory->equal; k++)
		memory->next[k][memory->server][server]++;
	memory->equal = server == memory->server ? memory->equal + 1 : 1;
	memory->server = server;
}

/*
 * After each server the next choice has the shares of any choice. The choices
 * counted after one server are none of those counted after another, so the
 * statistics of the servers add up.
 */
static struct chisq after_equal(const struct memory *memory, int k,
				const u64 *want, int count)
{
	struct chisq sum = { .least_expected = INFINITY };
	int server;

	for (server = 0; server < count; server++) {
		struct chisq part = chisq_of(memory->next[k][server], want,
					     count);

		chisq_add(&sum, &part);
	}
	return sum;
}

static void test_memory(const char *what, const unsigned int *weight,
			const u64 *want)
{
	struct memory memory = { .server = SELECT_NONE };
	struct select_list list;
	struct select_now now;
	struct chisq chisq;
	int i, k;

	fill(&list, &now, "UUUU", weight);
	for (i = 0; i < DRAWS_MEMORY; i++)
		remember(&memory, first_send(&list, &now, memory.server));
	for (k = 1; k <= EQUAL_MAX; k++) {
		chisq = after_equal(&memory, k, want, list.count);
		note(&chisq);
		unit_result(chisq_ok(&chisq),
			    "L7 %s: the choice after %d equal ones", what, k);
	}
}

static const unsigned int tens[] = { 10, 20, 30, 40 };
static const u64 tens_want[] = { 10, 20, 30, 40 };

static bool rejects(const struct chisq *chisq)
{
	note(chisq);
	return chisq_enough(chisq) && !chisq_ok(chisq);
}

/* The tests above can fail: what is a little wrong is found wrong. */
static void test_wrong_weight(void)
{
	static const unsigned int weight[] = { 10, 20, 30, 41 };
	u64 observed[SERVERS_FEW] = { 0 };
	struct select_list list;
	struct select_now now;
	struct chisq chisq;
	int i;

	fill(&list, &now, "UUUU", weight);
	for (i = 0; i < DRAWS_WRONG; i++)
		observed[first_send(&list, &now, SELECT_NONE)]++;
	chisq = chisq_of(observed, tens_want, list.count);
	unit_result(rejects(&chisq),
		    "L9 weights 10 20 30 41 are not taken for 10 20 30 40");
}

static void test_wrong_modulo(void)
{
	u64 observed[SERVERS_FEW] = { 0 };
	struct select_choice choice;
	struct select_list list;
	struct select_now now;
	struct chisq chisq;
	int i;

	fill(&list, &now, "UUUU", tens);
	choice = select_first(&list, &now);
	for (i = 0; i < DRAWS_WRONG; i++) {
		u32 biased = (random_next(&state) & 0xff) % choice.tickets;

		observed[select_draw(&list, &choice, biased)]++;
	}
	chisq = chisq_of(observed, tens_want, list.count);
	unit_result(rejects(&chisq),
		    "L7 L9 the remainder of 8 random bits is found biased");
}

/* Its shares are exact, and still it is not loading-share. */
static void test_wrong_rotation(void)
{
	struct memory memory = { .server = SELECT_NONE };
	u64 observed[SERVERS_FEW] = { 0 };
	struct select_choice choice;
	struct select_list list;
	struct select_now now;
	struct chisq chisq;
	bool shares_ok;
	int i;

	fill(&list, &now, "UUUU", tens);
	choice = select_first(&list, &now);
	for (i = 0; i < DRAWS_WRONG; i++) {
		/* 37 and 100 have no common factor: each ticket in turn. */
		int server = select_draw(&list, &choice,
					 i * 37ULL % choice.tickets);

		observed[server]++;
		remember(&memory, server);
	}
	chisq = chisq_of(observed, tens_want, list.count);
	note(&chisq);
	shares_ok = chisq_ok(&chisq);
	chisq = after_equal(&memory, 1, tens_want, list.count);
	unit_result(shares_ok && rejects(&chisq),
		    "L7 a rotation with the right shares is found out");
}

/* A draw that favours the server before it, one time in 200. */
static void test_wrong_sticky(void)
{
	struct memory memory = { .server = SELECT_NONE };
	struct select_list list;
	struct select_now now;
	struct chisq chisq;
	int i;

	fill(&list, &now, "UUUU", tens);
	for (i = 0; i < DRAWS_WRONG; i++) {
		int server = first_send(&list, &now, SELECT_NONE);

		if (i && !random_below(&state, 200))
			server = memory.server;
		remember(&memory, server);
	}
	chisq = after_equal(&memory, 1, tens_want, list.count);
	unit_result(rejects(&chisq),
		    "L7 a preference for the last choice is found out");
}

static void test_wrong_cells(void)
{
	static const u64 want[] = { 0, 2, 3, 4 };
	static const u64 one_astray[] = { 1, 2000, 3000, 4000 };
	static const u64 too_few[] = { 0, 20, 30, 40 };
	struct chisq astray = chisq_of(one_astray, want, 4);
	struct chisq few = chisq_of(too_few, want, 4);

	unit_result(!chisq_ok(&astray),
		    "L3 one draw of a server that is no candidate is found");
	unit_result(!chisq_enough(&few) && !chisq_ok(&few),
		    "L9 too few samples never pass");
}

static bool near(double value, double want)
{
	bool ok = fabs(value - want) <= ROUNDING * want;

	if (!ok)
		unit_note("%.12g, want %.12g", value, want);
	return ok;
}

/*
 * The tail by formulas of its own: for 1 degree of freedom by the normal
 * distribution, and for 2m, e^-y (1 + y + ... + y^(m-1)/(m-1)!), y = x/2.
 */
static void test_tail(void)
{
	unsigned int m, n;
	bool ok = true;
	double x;

	for (x = 0.25; x <= 160; x *= 1.1) {
		ok &= near(chisq_tail(1, x), erfc(sqrt(x / 2)));
		for (m = 1; m <= 32; m++) {
			double term = exp(-x / 2), sum = term;

			for (n = 1; n < m; n++) {
				term *= x / 2 / n;
				sum += term;
			}
			ok &= near(chisq_tail(2 * m, x), sum);
		}
	}
	unit_result(ok, "L9 the chi-square tail is what closed forms say");

	ok = chisq_threshold(0) == 0;
	for (n = 1; n <= 63; n++)
		ok &= fabs(chisq_tail(n, chisq_threshold(n)) / CHISQ_NOMINAL -
			   1) < ROUNDING;
	unit_result(ok, "L9 the threshold is where the tail is the rate");
}

/* The chance that a right binomial distribution is refused, summed up. */
static double exact_rate(double share, unsigned int samples)
{
	u64 weight[2] = { lround(share * 1000), 0 };
	double rate = 0;
	unsigned int x;

	weight[1] = 1000 - weight[0];
	for (x = 0; x <= samples; x++) {
		u64 observed[2] = { x, samples - x };
		struct chisq chisq = chisq_of(observed, weight, 2);

		if (!chisq_ok(&chisq))
			rate += exp(lgamma(samples + 1.0) - lgamma(x + 1.0) -
				    lgamma(samples - x + 1.0) +
				    x * log(share) +
				    (samples - x) * log1p(-share));
	}
	return rate;
}

static void test_false_alarms(void)
{
	static const double at[] = { 0.5, 0.333, 0.25, 0.1, 0.02, 0.004 };
	double worst = 0;
	bool ok = true;
	size_t i;

	for (i = 0; i < unit_count(at); i++) {
		unsigned int least = ceil(CHISQ_EXPECTED_MIN / at[i] + ROUNDING);
		unsigned int more;

		for (more = 0; more < 8; more++)
			worst = fmax(worst, exact_rate(at[i], least + more));
	}
	ok = worst > 0 && worst <= CHISQ_FALSE_ALARM;
	unit_note("highest exact rate of false alarms: %.3g", worst);
	unit_result(ok, "L9 false alarms: at most one in a million, exactly");
}

int main(void)
{
	static const unsigned int zero[4] = { 0 };
	static const u64 equal[] = { 1, 1, 1, 1 };

	state = random_seed(20240607);
	unit_plan(unit_count(shares) + 16);
	unit_note("seed %llu", state);
	unit_note("nominal rate of false alarms %g, promised %g",
		  CHISQ_NOMINAL, CHISQ_FALSE_ALARM);

	test_tail();
	test_false_alarms();
	test_shares();
	test_share_of_64();
	test_memory("equal chances", zero, equal);
	test_memory("weights 10 20 30 40", tens, tens_want);
	test_wrong_weight();
	test_wrong_modulo();
	test_wrong_rotation();
	test_wrong_sticky();
	test_wrong_cells();
	return unit_end();
}
