/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The selection rules once more, from their text and as plainly as can be:
 * lists of records, loops, no bit tricks. select.c is held against it.
 */
#ifndef _UNIT_MODEL_H
#define _UNIT_MODEL_H

#include "select.h"

#define MODEL_SERVERS_MAX	64

enum model_admin { MODEL_AUTO, MODEL_UP, MODEL_DOWN, MODEL_DRAIN };

/* The rule that named the server, or the candidates. */
enum model_rule {
	MODEL_EMPTY,
	MODEL_M2_MASTER,
	MODEL_M3_RECENT,
	MODEL_M3_FIRST,
	MODEL_M4_FIRST,
	MODEL_M8_MASTER,	/* the server was taken off the list */
	MODEL_M8_RECENT,
	MODEL_M10_NEW,
	MODEL_M10_AGAIN,
	MODEL_M10_ANY,
	MODEL_L3_UP,
	MODEL_L4_NONE_UP,
	MODEL_L5_NOT_UP,
	MODEL_L5_FORGET,
	MODEL_RULES
};

struct model_server {
	bool answers;
	bool taken;			/* in the sense of P9 */
	bool client;			/* has the client's address, P10 */
	enum model_admin admin;
	unsigned int weight;
};

struct model_list {
	int count;
	bool share;
	int recent;
	struct model_server server[MODEL_SERVERS_MAX];
};

/* A request that was sent: to whom, to whom last, and how often to that one. */
struct model_request {
	int current;
	int copies;
	bool used[MODEL_SERVERS_MAX];
};

/* Server i is chosen with a chance of part[i] in whole. */
struct model_verdict {
	enum model_rule rule;
	bool none_up;
	bool forget;
	bool avoided;			/* P9 left out a candidate */
	bool weighted;			/* L2: by weight */
	bool weightless;		/* L6: candidates without a weight */
	bool candidate[MODEL_SERVERS_MAX];
	u64 part[MODEL_SERVERS_MAX];
	u64 whole;
};

/* model.c */
bool model_up(const struct model_server *server);
void model_first(const struct model_list *model, struct model_verdict *verdict);
bool model_stays(const struct model_list *model,
		 const struct model_request *request, int retransmit);
void model_next(const struct model_list *model,
		const struct model_request *request,
		struct model_verdict *verdict);

/* model_compare.c */
void model_to_select(const struct model_list *model, struct select_list *list,
		     struct select_now *now);
void model_to_history(const struct model_list *model,
		      const struct model_request *request,
		      struct select_history *history);
const char *model_differs(const struct model_verdict *verdict,
			  const struct select_list *list,
			  const struct select_choice *choice);
const char *model_compare_first(const struct model_list *model,
				const struct select_list *list,
				const struct select_now *now);
const char *model_compare_next(const struct model_list *model,
			       const struct model_request *request,
			       const struct select_list *list,
			       const struct select_now *now);
void model_print(const struct model_list *model,
		 const struct model_request *request, const char *difference);

#endif /* _UNIT_MODEL_H */
