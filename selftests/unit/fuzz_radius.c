// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for radius.c.
 *
 * Input: a header of 20 octets, then two for the size of the payload. The
 * header is handed over in memory of exactly its size, so that the sanitizer
 * sees any octet read beyond. The size stands apart from the input's own, or
 * the fuzzer would hardly ever meet payloads around the longest Length.
 */
#include <string.h>
#include "fuzz.h"
#include "radius.h"

#define HEADER_SIZE	20
#define INPUT_SIZE	(HEADER_SIZE + 2)

static bool judge_exactly(const u8 *data, size_t payload)
{
	u8 *header = malloc(HEADER_SIZE);
	bool well_formed;

	must(header);
	memcpy(header, data, HEADER_SIZE);
	well_formed = radius_well_formed(header, payload);
	must(!memcmp(header, data, HEADER_SIZE));
	free(header);
	return well_formed;
}

static void judge(const u8 *data, size_t payload)
{
	bool well_formed = judge_exactly(data, payload);
	size_t length = data[2] * 256 + data[3];
	u8 other[HEADER_SIZE];
	size_t i;

	/* The walk of the attributes relies on these. */
	if (well_formed) {
		must(length >= 20);
		must(length <= 4096);
		must(length <= payload);
	} else {
		must(length < 20 || length > 4096 || length > payload);
	}

	/* Padding is no fault, and a missing octet is. */
	if (well_formed) {
		must(judge_exactly(data, payload + 1));
		must(judge_exactly(data, length));
		must(!judge_exactly(data, length - 1));
	}

	/* Nothing but Length counts. */
	for (i = 0; i < HEADER_SIZE; i++)
		other[i] = i == 2 || i == 3 ? data[i] : ~data[i];
	must(judge_exactly(other, payload) == well_formed);
}

static void judge_codes(u8 request, u8 answer)
{
	if (radius_answers(request, answer)) {
		must(radius_is_request(request));
		must(radius_is_answer(answer));
	}
	if (radius_is_request(request))
		must(request == 1 || request == 4 || request == 12);

	/* No code is both, so that the two directions cannot be mixed up. */
	must(!radius_is_request(request) || !radius_is_answer(request));
	must(!radius_is_request(answer) || !radius_is_answer(answer));

	/* One that answers both services' requests tells no service apart. */
	if (radius_answers(1, answer) && radius_answers(4, answer))
		must(answer == 52);
}

int fuzz(const u8 *data, size_t size)
{
	if (size < INPUT_SIZE)
		return 0;
	judge(data, data[HEADER_SIZE] * 256 + data[HEADER_SIZE + 1]);
	judge_codes(data[0], data[1]);
	return 0;
}
