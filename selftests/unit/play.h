/* SPDX-License-Identifier: GPL-2.0 */
/* A sequence of events, played to the model and to a caller of the module. */
#ifndef _UNIT_PLAY_H
#define _UNIT_PLAY_H

#include "caller.h"
#include "model_events.h"
#include "script.h"

/* How often what was met, over many sequences. */
struct play_tally {
	u64 events;
	u64 first[MODEL_RULES];
	u64 next[MODEL_RULES];
	u64 stays;
	u64 stays_down;			/* M6: its server is Down */
	u64 moves_gone;			/* M6: its server was removed */
	u64 moves_admin;		/* M6: below the limit, from a down one */
	u64 none_up;
	u64 avoided;
	u64 weighted;
	u64 weightless;
	u64 late;			/* answers from a server left before */
	u64 losses;			/* S2, from Up */
	u64 losses_assumed;		/* S2, from assumed-up */
	u64 exhausted;
	u64 dead_time;
	u64 answer_down;
	u64 answer_assumed;
	u64 admin;
};

struct play {
	struct model_group group;
	struct caller caller;
	int servers;			/* there were, each with its id */
	struct play_tally *tally;
	bool aloud;
	const char *difference;
};

void play_start(struct play *play);
const char *play_script(struct play *play, const struct script *script);

#endif /* _UNIT_PLAY_H */
