// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for select.c and health.c under events, against the model.
 *
 * Input: ten octets for each event: its kind, .which, .where, .how, four for
 * .value, two for .avoid, both the low octet first. An event cut short does not
 * happen.
 */
#include "fuzz.h"
#include "play.h"

#define EVENT_SIZE	10

static struct script_event read_event(const u8 *data)
{
	return (struct script_event){
		.kind = data[0] % SCRIPT_KINDS,
		.which = data[1],
		.where = data[2],
		.how = data[3],
		.value = data[4] | data[5] << 8 | data[6] << 16 |
			 (u32)data[7] << 24,
		.avoid = data[8] | data[9] << 8,
	};
}

int fuzz(const u8 *data, size_t size)
{
	struct script script = { 0 };
	static struct play play;

	for (; size >= EVENT_SIZE && script.length < SCRIPT_EVENTS_MAX;
	     size -= EVENT_SIZE, data += EVENT_SIZE)
		script.event[script.length++] = read_event(data);

	play_start(&play);
	if (play_script(&play, &script)) {
		const char *difference = play.difference;

		play_start(&play);
		play.aloud = true;
		play_script(&play, &script);
		printf("difference: %s\n", difference);
		fflush(stdout);
		abort();
	}
	return 0;
}
