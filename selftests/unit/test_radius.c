// SPDX-License-Identifier: GPL-2.0
/*
 * radius.c against section 7 (R5) and section 8 (P1) of the rules.
 *
 * What is expected is written down here from the rules; none of the constants
 * of radius.h is used for it.
 */
#include "radius.h"
#include "unit.h"

/* Exactly what radius_well_formed() may read; the sanitizer sees to it. */
#define HEADER_SIZE	20

struct form {
	const char *what;
	unsigned int length;
	size_t payload;
	bool well_formed;
};

static const struct form forms[] = {
	{ "Length 0", 0, 20, false },
	{ "Length 1", 1, 20, false },
	{ "Length 19", 19, 20, false },
	{ "Length 19 in a longer datagram", 19, 100, false },
	{ "Length 20, header alone", 20, 20, true },
	{ "Length 21 past a payload of 20", 21, 20, false },
	{ "Length 20 and one octet of padding", 20, 21, true },
	{ "Length 20 and much padding", 20, 65507, true },
	{ "Length one below the payload", 119, 120, true },
	{ "Length equal to the payload", 120, 120, true },
	{ "Length one past the payload", 121, 120, false },
	{ "Length 255 of 255", 255, 255, true },
	{ "Length 256 of 255", 256, 255, false },
	{ "Length 256 of 256", 256, 256, true },
	{ "Length 4095 of 4096", 4095, 4096, true },
	{ "Length 4096 of 4096", 4096, 4096, true },
	{ "Length 4096 of 4095", 4096, 4095, false },
	{ "Length 4096 and padding", 4096, 4097, true },
	{ "Length 4097 of 4097", 4097, 4097, false },
	{ "Length 4097 in a longer datagram", 4097, 65507, false },
	{ "Length 65535 of 65535", 65535, 65535, false },
	{ "Length 20 in little-endian order", 0x1400, 65507, false },
	{ "payload empty", 20, 0, false },
	{ "payload of 19 octets", 20, 19, false },
	{ "payload of 19 octets, Length 19", 19, 19, false },
};

static u8 *header;

static bool judge(unsigned int length, size_t payload, u8 rest)
{
	memset(header, rest, HEADER_SIZE);
	header[2] = length >> 8;
	header[3] = length & 0xff;
	return radius_well_formed(header, payload);
}

static bool expected(size_t length, size_t payload)
{
	if (length < 20)
		return false;
	if (length > 4096)
		return false;
	return payload >= length;
}

static bool agrees(unsigned int length, size_t payload, u8 rest)
{
	bool want = expected(length, payload);

	if (judge(length, payload, rest) == want)
		return true;
	unit_note("Length %u, payload %zu, other octets 0x%02x: want %s",
		  length, payload, rest, want ? "well-formed" : "malformed");
	return false;
}

static void test_forms(void)
{
	size_t i;

	for (i = 0; i < unit_count(forms); i++) {
		const struct form *form = &forms[i];

		unit_result(judge(form->length, form->payload, 0) ==
			    form->well_formed, "P1 %s: %s", form->what,
			    form->well_formed ? "well-formed" : "malformed");
	}
}

static void test_every_length(void)
{
	static const size_t payloads[] = {
		0, 1, 3, 4, 19, 20, 21, 22, 127, 255, 256, 257, 1472, 4095,
		4096, 4097, 5120, 65507, 65535, 65536, (size_t)-1
	};
	unsigned int length;
	bool ok = true;
	size_t i;

	for (i = 0; i < unit_count(payloads) && ok; i++)
		for (length = 0; length <= 65535 && ok; length++)
			ok = agrees(length, payloads[i], 0);
	unit_result(ok, "P1 every Length in %zu sizes of payload", i);
}

static void test_every_payload(void)
{
	size_t payload, i;
	bool ok = true;

	for (payload = 0; payload <= 65535 && ok; payload++) {
		const size_t lengths[] = {
			0, 1, 18, 19, 20, 21, payload - 1, payload,
			payload + 1, 4095, 4096, 4097, 65535
		};

		for (i = 0; i < unit_count(lengths) && ok; i++)
			ok = agrees(lengths[i] & 0xffff, payload, 0);
	}
	unit_result(ok, "P1 every size of payload, Length at each edge");
}

static void test_rest_ignored(void)
{
	bool ok = true;
	int rest;

	for (rest = 0; rest <= 255 && ok; rest++)
		ok = agrees(19, 20, rest) && agrees(20, 20, rest) &&
		     agrees(21, 20, rest) && agrees(4096, 4096, rest) &&
		     agrees(4097, 4097, rest);
	unit_result(ok, "P1 no octet but those of Length matters to the form");
}

/* P1: the codes that are steered. */
static bool want_request(int code)
{
	return code == 1 || code == 4 || code == 12;
}

/* R5, as a table; each row ends with 0, which is no code. */
static const struct {
	u8 request;
	u8 answers[6];
} answered_by[] = {
	{ 1, { 2, 3, 11, 52 } },
	{ 4, { 5, 52 } },
	{ 12, { 2, 3, 5, 11, 52 } },
};

static bool want_answers(int request, int answer)
{
	size_t row, i;

	for (row = 0; row < unit_count(answered_by); row++)
		for (i = 0; answered_by[row].answers[i]; i++)
			if (answered_by[row].request == request &&
			    answered_by[row].answers[i] == answer)
				return true;
	return false;
}

static void test_request_codes(void)
{
	bool ok = true;
	int code;

	for (code = 0; code <= 255; code++)
		if (radius_is_request(code) != want_request(code)) {
			unit_note("code %d: want %d", code, want_request(code));
			ok = false;
		}
	unit_result(ok, "P1 P3 of all 256 codes only 1, 4 and 12 are steered");
}

static bool answers_agree(int request, bool any)
{
	bool agree = true;
	int answer;

	for (answer = 0; answer <= 255; answer++) {
		bool want = any && want_answers(request, answer);

		if (radius_answers(request, answer) != want) {
			unit_note("request %d, answer %d: want %d", request,
				  answer, want);
			agree = false;
		}
	}
	return agree;
}

static void test_answers(void)
{
	bool ok = true;
	int request;

	unit_result(answers_agree(1, true),
		    "R5 Access-Request: 2, 3, 11 and 52 of 256 codes");
	unit_result(answers_agree(4, true),
		    "R5 Accounting-Request: 5 and 52 of 256 codes");
	unit_result(answers_agree(12, true),
		    "R5 Status-Server: 2, 3, 5, 11 and 52 of 256 codes");
	for (request = 0; request <= 255; request++)
		if (!want_request(request))
			ok &= answers_agree(request, false);
	unit_result(ok, "R5 the other 253 codes are answered by none of 256");
}

static void test_answer_codes(void)
{
	bool ok = true;
	int code;

	for (code = 0; code <= 255; code++) {
		bool want = want_answers(1, code) || want_answers(4, code) ||
			    want_answers(12, code);

		if (radius_is_answer(code) != want) {
			unit_note("code %d: want %d", code, want);
			ok = false;
		}
	}
	unit_result(ok, "R5 of all 256 codes 2, 3, 5, 11 and 52 are answers");
}

int main(void)
{
	header = malloc(HEADER_SIZE);
	if (!header)
		return 1;

	unit_plan(unit_count(forms) + 9);
	test_forms();
	test_every_length();
	test_every_payload();
	test_rest_ignored();
	test_request_codes();
	test_answers();
	test_answer_codes();

	free(header);
	return unit_end();
}
