// SPDX-License-Identifier: GPL-2.0
/* The servers that a request was sent to before the one that it is at. */
#include <linux/slab.h>
#include "request_former.h"

enum {
	/* Places for them when a request moves for the first time. */
	FORMER_ROOM		= 4,
};

/*
 * Room for one more server, where former ones are kept. The last resort is to
 * lose sight of the one that is longest ago: its answer will be a stray one.
 */
static struct radsteer_former *former_room(struct radsteer_former *former)
{
	unsigned int room = former ? 2 * former->room : FORMER_ROOM;
	struct radsteer_former *more;

	if (former && former->count < former->room)
		return former;
	if (room <= RADSTEER_SERVERS_MAX) {
		more = krealloc(former, struct_size(more, server, room),
				GFP_ATOMIC | __GFP_NOWARN);
		if (more) {
			if (!former)
				*more = (struct radsteer_former){ };
			more->room = room;
			return more;
		}
	}
	if (former) {
		percpu_ref_put(&former->server[0]->ref);
		former->count--;
		if (former->forgotten)
			former->forgotten--;
		memmove(former->server, former->server + 1,
			former->count * sizeof(former->server[0]));
	}
	return former;
}

/**
 * radsteer_former_keep() - keep in mind the server that a request leaves
 * @request: the request; its reference on the server goes with that
 *
 * Context: any, under the lock of its bucket.
 * Return: false if there is no memory for it.
 */
bool radsteer_former_keep(struct radsteer_request *request)
{
	struct radsteer_former *former = former_room(request->former);

	if (!former) {
		percpu_ref_put(&request->server->ref);
		return false;
	}
	request->former = former;
	former->server[former->count++] = request->server;
	return true;
}

/**
 * radsteer_former_drop() - a server is no former one any more
 * @request: the request, which comes back to it
 * @server: the server, a former one or not
 *
 * Context: any, under the lock of the request's bucket.
 */
void radsteer_former_drop(struct radsteer_request *request,
			  const struct radsteer_server *server)
{
	struct radsteer_former *former = request->former;
	unsigned int i;

	for (i = 0; former && i < former->count; i++) {
		if (former->server[i] != server)
			continue;
		percpu_ref_put(&former->server[i]->ref);
		former->count--;
		if (i < former->forgotten)
			former->forgotten--;
		memmove(former->server + i, former->server + i + 1,
			(former->count - i) * sizeof(former->server[0]));
		return;
	}
}

/**
 * radsteer_former_copy() - let another request have the same former servers
 * @former: the servers
 *
 * Context: any, under the lock of the bucket of the request that has them.
 * Return: a copy, each server with one more reference; NULL without memory.
 */
struct radsteer_former *
radsteer_former_copy(const struct radsteer_former *former)
{
	struct radsteer_former *copy;
	unsigned int i;

	copy = kmalloc(struct_size(copy, server, former->room),
		       GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;
	memcpy(copy, former, struct_size(former, server, former->count));
	for (i = 0; i < copy->count; i++)
		percpu_ref_get(&copy->server[i]->ref);
	return copy;
}

/**
 * radsteer_former_free() - forget the former servers of a request
 * @former: the servers, or NULL
 *
 * Context: any.
 */
void radsteer_former_free(struct radsteer_former *former)
{
	while (former && former->count)
		percpu_ref_put(&former->server[--former->count]->ref);
	kfree(former);
}
