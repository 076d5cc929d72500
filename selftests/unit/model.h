/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of a first send once more, from their text and as plainly as can
 * be: lists of records, loops, no bit tricks. select.c is held against it.
 */
#ifndef _UNIT_MODEL_H
#define _UNIT_MODEL_H

#include "select.h"

#define MODEL_SERVERS_MAX	64

enum model_admin { MODEL_AUTO, MODEL_UP, MODEL_DOWN, MODEL_DRAIN };

struct model_server {
	bool answers;
	enum model_admin admin;
	unsigned int weight;
};

struct model_list {
	int count;
	bool share;
	int recent;
	struct model_server server[MODEL_SERVERS_MAX];
};

/* Server i is chosen with a chance of part[i] in whole. */
struct model_verdict {
	bool none_up;
	bool candidate[MODEL_SERVERS_MAX];
	u64 part[MODEL_SERVERS_MAX];
	u64 whole;
};

void model_judge(const struct model_list *model, struct model_verdict *verdict);
void model_to_select(const struct model_list *model, struct select_list *list);
const char *model_compare(const struct model_list *model,
			  const struct select_list *list);
void model_print(const struct model_list *model, const char *difference);

#endif /* _UNIT_MODEL_H */
