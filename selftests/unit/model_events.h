/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of one server list over time: requests, losses, answers, the clock
 * and the administrator. Written from the text of the rules, as plainly as can
 * be; select.c and health.c, as a caller uses them, are held against it.
 *
 * Nothing is kept but what happened: of a request all its copies, of a server
 * the times of its losses. What the rules ask for is counted there each time.
 */
#ifndef _UNIT_MODEL_EVENTS_H
#define _UNIT_MODEL_EVENTS_H

#include "model.h"
#include "script.h"

enum model_state { MODEL_STATE_UP, MODEL_STATE_DOWN, MODEL_STATE_ASSUMED_UP };

struct model_life {
	enum model_admin admin;
	unsigned int weight;
	enum model_state state;
	u64 since;
	int losses;			/* consecutive ones, see @lost */
	u64 lost[SCRIPT_EVENTS_MAX];	/* when each of them was */
};

struct model_copy {
	int id;				/* of the server it went to */
	bool moved;			/* the first of its stay there */
	bool lost;
	bool forgotten;			/* L5 */
};

struct model_story {
	bool answered;
	int copies;
	struct model_copy copy[SCRIPT_EVENTS_MAX];
};

/* A server's change of state (S7). */
struct model_change {
	int id;
	enum model_state state;
	const char *reason;
};

struct model_group {
	bool share;
	int retransmit;
	int dead_count;
	u64 dead_interval;
	u64 dead_time;
	u64 now;
	int recent;			/* id of the most-recent backup (M9) */

	int count;
	int order[MODEL_SERVERS_MAX];	/* ids in configured order */
	struct model_life server[SCRIPT_EVENTS_MAX];	/* by id */
	struct model_story request[SCRIPT_REQUESTS];

	int changes;			/* since the start of this event */
	struct model_change change[MODEL_SERVERS_MAX];
};

void group_start(struct model_group *group);
void group_add(struct model_group *group, int place, int id,
	       unsigned int weight);
void group_remove(struct model_group *group, int place);
void group_move(struct model_group *group, int from, int to);
void group_admin(struct model_group *group, int place, enum model_admin admin);
void group_time(struct model_group *group, u64 passed);
void group_lost(struct model_group *group, int request);
void group_answer(struct model_group *group, int request, int id);
void group_look(const struct model_group *group, u64 taken,
		struct model_list *list);
void group_recall(const struct model_group *group, int request,
		  struct model_request *recalled);
void group_first(struct model_group *group, int request, u64 taken,
		 struct model_verdict *verdict);
bool group_copy(struct model_group *group, int request, u64 taken,
		struct model_verdict *verdict);
void group_sent(struct model_group *group, int request, int id, bool moved);

#endif /* _UNIT_MODEL_EVENTS_H */
