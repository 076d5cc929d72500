// SPDX-License-Identifier: GPL-2.0
/* The selection rules, from their text. */
#include <string.h>
#include "model.h"

bool model_up(const struct model_server *server)
{
	return server->admin == MODEL_UP || server->answers;
}

static int servers_in(const struct model_list *model, enum model_admin admin)
{
	int servers = 0, i;

	for (i = 0; i < model->count; i++)
		if (model->server[i].admin == admin)
			servers++;
	return servers;
}

/* What the administrator leaves to the rules. */
struct eyes {
	bool eligible[MODEL_SERVERS_MAX];
	bool up[MODEL_SERVERS_MAX];
};

/* P10: those to which a request would not go back to where it comes from. */
static int others_in(const struct model_list *model, enum model_admin admin)
{
	int servers = servers_in(model, admin), i;

	for (i = 0; i < model->count; i++)
		if (model->server[i].client && model->server[i].admin == admin)
			servers--;
	return servers;
}

/*
 * S6: "down" is never selected while any other server is not down, "drain"
 * gets no first sends, nor moves, and S8: traffic flows all the same. P10: the
 * client's own host is no candidate, whatever its state.
 */
static void look(const struct model_list *model, struct eyes *eyes,
		 struct model_verdict *verdict)
{
	int taking = others_in(model, MODEL_AUTO) + others_in(model, MODEL_UP);
	int draining = others_in(model, MODEL_DRAIN);
	int i;

	memset(verdict, 0, sizeof(*verdict));
	verdict->none_up = true;
	for (i = 0; i < model->count; i++) {
		if (model->server[i].client) {
			eyes->eligible[i] = false;
			eyes->up[i] = false;
			continue;
		}
		switch (model->server[i].admin) {
		case MODEL_DOWN:
			eyes->eligible[i] = taking == 0 && draining == 0;
			break;
		case MODEL_DRAIN:
			eyes->eligible[i] = taking == 0;
			break;
		default:
			eyes->eligible[i] = true;
		}
		eyes->up[i] = eyes->eligible[i] &&
			      model_up(&model->server[i]);
		if (eyes->up[i])
			verdict->none_up = false;
	}
}

static bool recent_backup_is_up(const struct model_list *model,
				const struct eyes *eyes)
{
	/* M9: the master never counts. */
	if (model->recent < 1 || model->recent >= model->count)
		return false;
	return eyes->up[model->recent];
}

/* Master-backup leaves no chance. */
static void name(struct model_verdict *verdict, enum model_rule rule,
		 int server)
{
	verdict->rule = rule;
	verdict->candidate[server] = true;
	verdict->part[server] = 1;
	verdict->whole = 1;
}

static void master_backup(const struct model_list *model,
			  const struct eyes *eyes,
			  struct model_verdict *verdict)
{
	int i;

	/* M2, M5 */
	if (eyes->up[0]) {
		name(verdict, MODEL_M2_MASTER, 0);
		return;
	}
	/* M3 */
	if (recent_backup_is_up(model, eyes)) {
		name(verdict, MODEL_M3_RECENT, model->recent);
		return;
	}
	for (i = 0; i < model->count; i++)
		if (eyes->up[i]) {
			name(verdict, MODEL_M3_FIRST, i);
			return;
		}
	/* M4 */
	for (i = 0; i < model->count; i++)
		if (eyes->eligible[i]) {
			name(verdict, MODEL_M4_FIRST, i);
			return;
		}
}

/*
 * M10: the backups in the order in which they are asked, cyclically from the
 * one after the current server, which is not among them.
 *
 * Return: how many there are.
 */
static int polling(const struct model_list *model, int current, int *order)
{
	int backups = 0, place = current, i;

	for (i = 0; i < model->count; i++) {
		place++;
		if (place == model->count)
			place = 0;
		if (place != 0 && place != current)
			order[backups++] = place;
	}
	return backups;
}

static void master_backup_move(const struct model_list *model,
			       const struct model_request *request,
			       const struct eyes *eyes,
			       struct model_verdict *verdict)
{
	int current = request->current;
	int order[MODEL_SERVERS_MAX];
	int backups, i;

	/* The list does not have the server any more. */
	if (current == SELECT_NONE) {
		if (eyes->up[0] && !request->used[0]) {
			name(verdict, MODEL_M8_MASTER, 0);
			return;
		}
		current = 0;
	}

	/* M8 */
	if (current == 0 && recent_backup_is_up(model, eyes) &&
	    !request->used[model->recent]) {
		name(verdict, MODEL_M8_RECENT, model->recent);
		return;
	}

	/* M10 */
	backups = polling(model, current, order);
	for (i = 0; i < backups; i++)
		if (eyes->up[order[i]] && !request->used[order[i]]) {
			name(verdict, MODEL_M10_NEW, order[i]);
			return;
		}
	for (i = 0; i < backups; i++)
		if (eyes->up[order[i]]) {
			name(verdict, MODEL_M10_AGAIN, order[i]);
			return;
		}
	for (i = 0; i < backups; i++)
		if (eyes->eligible[order[i]]) {
			name(verdict, MODEL_M10_ANY, order[i]);
			return;
		}
	master_backup(model, eyes, verdict);
}

static int candidates(const struct model_list *model,
		      const struct model_verdict *verdict)
{
	int found = 0, i;

	for (i = 0; i < model->count; i++)
		if (verdict->candidate[i])
			found++;
	return found;
}

/* P9: those with such a request already are left out, if others remain. */
static void avoid(const struct model_list *model, struct model_verdict *verdict)
{
	int free = 0, i;

	for (i = 0; i < model->count; i++)
		if (verdict->candidate[i] && !model->server[i].taken)
			free++;
	if (free == 0)
		return;
	verdict->avoided = free < candidates(model, verdict);
	for (i = 0; i < model->count; i++)
		if (model->server[i].taken)
			verdict->candidate[i] = false;
}

/* L2, L6 */
static void share_out(const struct model_list *model,
		      struct model_verdict *verdict)
{
	u64 list_sum = 0, candidates_sum = 0;
	int i;

	avoid(model, verdict);
	for (i = 0; i < model->count; i++) {
		list_sum += model->server[i].weight;
		if (verdict->candidate[i])
			candidates_sum += model->server[i].weight;
	}
	verdict->weighted = list_sum > 0 && candidates_sum > 0;
	verdict->weightless = list_sum > 0 && candidates_sum == 0;
	for (i = 0; i < model->count; i++) {
		if (!verdict->candidate[i])
			continue;
		if (verdict->weighted)
			verdict->part[i] = model->server[i].weight;
		else
			verdict->part[i] = 1;
		verdict->whole += verdict->part[i];
	}
}

/* Make candidates of those that are @up, or not, and were not used. */
static bool gather(const struct model_list *model, const struct eyes *eyes,
		   const bool *used, bool up, struct model_verdict *verdict)
{
	int i;

	for (i = 0; i < model->count; i++)
		verdict->candidate[i] = eyes->eligible[i] &&
					eyes->up[i] == up &&
					!(used && used[i]);
	return candidates(model, verdict) > 0;
}

/* @used: NULL for a first send, or when it is forgotten */
static enum model_rule loading_share(const struct model_list *model,
				     const struct eyes *eyes, const bool *used,
				     struct model_verdict *verdict)
{
	if (gather(model, eyes, used, true, verdict))
		return MODEL_L3_UP;
	if (gather(model, eyes, used, false, verdict))
		return verdict->none_up ? MODEL_L4_NONE_UP : MODEL_L5_NOT_UP;
	/* P10: there may be none at all. */
	if (!gather(model, eyes, NULL, true, verdict) &&
	    !gather(model, eyes, NULL, false, verdict))
		return MODEL_EMPTY;
	verdict->forget = true;
	loading_share(model, eyes, NULL, verdict);
	return MODEL_L5_FORGET;
}

/* A first send. */
void model_first(const struct model_list *model, struct model_verdict *verdict)
{
	struct eyes eyes;

	look(model, &eyes, verdict);
	if (model->count == 0)
		return;
	if (model->share) {
		verdict->rule = loading_share(model, &eyes, NULL, verdict);
		share_out(model, verdict);
	} else {
		master_backup(model, &eyes, verdict);
	}
}

/* M6, M7, L8: a further copy goes where the one before it went. */
bool model_stays(const struct model_list *model,
		 const struct model_request *request, int retransmit)
{
	/* Removed. */
	if (request->current == SELECT_NONE)
		return false;
	/* Administratively down, while another is not. */
	if (model->server[request->current].admin == MODEL_DOWN &&
	    servers_in(model, MODEL_DOWN) < model->count)
		return false;
	/* Copies 1 to 1 + R go to one server, copy 2 + R moves. */
	return request->copies + 1 < 2 + retransmit;
}

/* A copy that moves. */
void model_next(const struct model_list *model,
		const struct model_request *request,
		struct model_verdict *verdict)
{
	struct eyes eyes;

	look(model, &eyes, verdict);
	if (model->count == 0)
		return;
	if (model->share) {
		verdict->rule = loading_share(model, &eyes, request->used,
					      verdict);
		share_out(model, verdict);
	} else {
		master_backup_move(model, request, &eyes, verdict);
	}
}
