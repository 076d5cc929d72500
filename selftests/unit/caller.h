/* SPDX-License-Identifier: GPL-2.0 */
/*
 * select.c and health.c, with what a caller has to keep for them: servers by
 * identity, and of each request where it is and where it has been.
 */
#ifndef _UNIT_CALLER_H
#define _UNIT_CALLER_H

#include "health.h"
#include "model.h"
#include "script.h"
#include "select.h"

struct caller_server {
	int id;
	u16 weight;
	enum model_admin admin;
	struct health health;
};

struct caller_request {
	bool answered;
	bool waiting;			/* its last copy is not judged yet */
	int server;			/* id of the current one */
	unsigned int copies;		/* that went there */
	int count;
	int used[SCRIPT_EVENTS_MAX];	/* ids */
};

struct caller_change {
	int id;
	enum health_state state;
	enum health_reason reason;
};

struct caller {
	struct health_settings settings;
	unsigned int retransmit;
	unsigned int skew;		/* a fault that is to be found */
	u64 now;
	int recent;			/* id of the most-recent backup (M9) */
	struct select_list list;
	struct caller_server server[SELECT_SERVERS_MAX];
	struct caller_request request[SCRIPT_REQUESTS];

	int changes;			/* since the start of this event */
	struct caller_change change[SELECT_SERVERS_MAX];
};

void caller_start(struct caller *caller);
void caller_share(struct caller *caller, bool share);
void caller_add(struct caller *caller, int place, int id, u16 weight);
void caller_remove(struct caller *caller, int place);
void caller_move(struct caller *caller, int from, int to);
void caller_weight(struct caller *caller, int place, u16 weight);
void caller_admin(struct caller *caller, int place, enum model_admin admin);
void caller_time(struct caller *caller, u64 passed);
void caller_lost(struct caller *caller, int request);
void caller_answer(struct caller *caller, int request, int id);
struct select_choice caller_first(struct caller *caller, int request,
				  u64 avoid);
bool caller_copy(struct caller *caller, int request, u64 avoid,
		 struct select_choice *choice);
void caller_sent(struct caller *caller, int request, int id, bool moved);

#endif /* _UNIT_CALLER_H */
