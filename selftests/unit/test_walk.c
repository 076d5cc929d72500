// SPDX-License-Identifier: GPL-2.0
/*
 * The walk of the attributes in radius.c against P8: every short sequence of
 * octets, and long ones by their edges.
 */
#include "unit.h"
#include "walk_model.h"

#define ALL	((1U << RADIUS_ATTRIBUTES) - 1)

/* Octets that are a Type, a length, or both; 5 is looked for by nobody. */
static const u8 alphabet[] = { 0, 1, 2, 3, 4, 5, 24, 44, 255 };

enum {
	OCTETS_MAX	= 6,
};

static bool sequence_agrees(const u8 *data, size_t size)
{
	static const u32 wanted[] = {
		0, RADIUS_WANTED(STATE), RADIUS_WANTED(USER_NAME),
		RADIUS_WANTED(NAS_IP_ADDRESS) | RADIUS_WANTED(ACCT_SESSION_ID),
		ALL
	};
	size_t i;

	for (i = 0; i < unit_count(wanted); i++) {
		if (walk_agrees(data, size, wanted[i]))
			continue;
		unit_note("%zu octets, from %d %d %d %d on, wanted %#x", size,
			  data[0], data[1], data[2], data[3], wanted[i]);
		return false;
	}
	return true;
}

static void test_every_sequence(void)
{
	unsigned long sequences = 0;
	u8 data[OCTETS_MAX] = { 0 };
	bool ok = true;
	size_t size, i;

	for (size = 0; size <= OCTETS_MAX && ok; size++) {
		size_t digit[OCTETS_MAX] = { 0 };

		do {
			for (i = 0; i < size; i++)
				data[i] = alphabet[digit[i]];
			ok = sequence_agrees(data, size);
			sequences++;
			for (i = 0; i < size; i++) {
				if (++digit[i] < unit_count(alphabet))
					break;
				digit[i] = 0;
			}
		} while (ok && i < size);
	}
	unit_note("%lu sequences", sequences);
	unit_result(ok, "P8 every sequence of up to %d octets out of %zu",
		    OCTETS_MAX, unit_count(alphabet));
}

/* Each attribute of each length, at the end of the packet and beyond it. */
static void test_every_attribute(void)
{
	u8 data[300];
	bool ok = true;
	int type, length, missing;

	for (type = 0; type <= 255 && ok; type++)
		for (length = 0; length <= 255 && ok; length++)
			for (missing = -1; missing <= 1 && ok; missing++) {
				int size = length - missing;

				memset(data, 7, sizeof(data));
				data[0] = type;
				data[1] = length;
				ok = size < 0 || walk_agrees(data, size, ALL);
			}
	unit_result(ok, "P8 every Type and length, whole and cut short");
}

/* Every attribute that is looked for, behind every other one, in one packet. */
static void test_types(void)
{
	static const char *const name[] = {
		"User-Name", "NAS-IP-Address", "State", "Calling-Station-Id",
		"NAS-Identifier", "Acct-Status-Type", "Acct-Delay-Time",
		"Acct-Session-Id", "Acct-Session-Time", "Event-Timestamp",
		"NAS-IPv6-Address"
	};
	struct radius_found found;
	unsigned int i;
	u8 data[4096];
	int type;

	for (type = 0; type <= 255; type++) {
		data[type * 5] = 255 - type;
		data[type * 5 + 1] = 5;
		memset(data + type * 5 + 2, 255 - type, 3);
	}
	radius_walk(&found, data, 256 * 5, ALL);
	for (i = 0; i < RADIUS_ATTRIBUTES; i++)
		unit_result(found.seen & 1U << i && found.length[i] == 3 &&
			    found.value[i][0] == walk_types[i],
			    "P8 %s is of Type %d", name[i], walk_types[i]);
}

static bool first_counts(const u8 *data, size_t size, u8 value)
{
	struct radius_found found;

	radius_walk(&found, data, size, RADIUS_WANTED(STATE));
	return found.seen && found.value[RADIUS_STATE][0] == value;
}

static void test_order(void)
{
	static const u8 twice[] = { 24, 3, 'a', 24, 3, 'b' };
	static const u8 empty[] = { 24, 2, 24, 3, 'b' };
	static const u8 before[] = { 24, 3, 'a', 1, 1 };
	static const u8 behind[] = { 1, 1, 24, 3, 'a' };
	struct radius_found found;

	unit_result(first_counts(twice, sizeof(twice), 'a'),
		    "P8 of two the first one counts");
	unit_result(first_counts(empty, sizeof(empty), 'b'),
		    "P8 one without a value is none");
	unit_result(first_counts(before, sizeof(before), 'a'),
		    "P8 what is in front of a malformed one counts");
	radius_walk(&found, behind, sizeof(behind), ALL);
	unit_result(!found.seen, "P8 what is behind it does not");
}

/* The longest packet: 2,038 attributes of two octets, and room for one more. */
static void test_longest(void)
{
	u8 data[4076];
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(data); i += 2) {
		data[i] = 200;
		data[i + 1] = 2;
	}
	ok &= walk_agrees(data, sizeof(data), ALL);
	data[4072] = 24;
	data[4073] = 4;
	ok &= walk_agrees(data, sizeof(data), ALL);
	ok &= walk_agrees(data, sizeof(data) - 1, ALL);
	unit_result(ok, "P8 the last of 2,037 attributes");
}

static void test_numbers(void)
{
	static const u8 octets[] = { 0x81, 0x02, 0x43, 0xf4, 0x25 };
	struct radius_found found = { .seen = RADIUS_WANTED(EVENT_TIMESTAMP) };
	u32 number = 1;
	bool ok = true;
	int length;

	found.value[RADIUS_EVENT_TIMESTAMP] = octets;
	for (length = 1; length <= 5; length++) {
		bool is;

		found.length[RADIUS_EVENT_TIMESTAMP] = length;
		is = radius_number(&found, RADIUS_EVENT_TIMESTAMP, &number);
		ok &= is == (length == 4);
		ok &= number == (length == 4 ? 0x810243f4 : 0);
	}
	unit_result(ok, "P8 a number has four octets, in network order");
	/* As whatever was there before would have it. */
	found.value[RADIUS_ACCT_DELAY_TIME] = octets;
	found.length[RADIUS_ACCT_DELAY_TIME] = 4;
	number = 1;
	unit_result(!radius_number(&found, RADIUS_ACCT_DELAY_TIME, &number) &&
		    !number, "P8 one that is not there is 0");
}

int main(void)
{
	unit_plan(RADIUS_ATTRIBUTES + 9);
	test_every_sequence();
	test_every_attribute();
	test_types();
	test_order();
	test_longest();
	test_numbers();
	return unit_end();
}
