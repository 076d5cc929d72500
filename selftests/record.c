// SPDX-License-Identifier: GPL-2.0
/* What responder has had: requests, and the way that each of them took. */
#define _GNU_SOURCE
#include "record.h"

enum {
	BUCKETS		= 1 << 16,
	WAY_MAX		= 1024,
};

struct arrival {
	uint64_t us;
	const char *label;
};

struct request {
	struct request *next;
	union place client;
	unsigned char header[HEADER];
	/* The way begins at this arrival, if it is of this epoch. */
	unsigned int epoch, begin;
	unsigned int count, room;
	struct arrival *arrival;
};

struct way {
	unsigned long requests;
	char *text;
};

static struct request *bucket[BUCKETS];
static unsigned int epoch;

static struct request *find(const union place *client,
			    const unsigned char *packet)
{
	struct request **place, *request;
	uint16_t hash;

	/* Authenticators are random. */
	memcpy(&hash, packet + AUTHENTICATOR, sizeof(hash));
	for (place = &bucket[hash]; *place; place = &(*place)->next)
		if (same(&(*place)->client, client) &&
		    !memcmp((*place)->header, packet, HEADER))
			return *place;
	request = calloc(1, sizeof(*request));
	if (!request)
		err(2, "memory");
	request->client = *client;
	memcpy(request->header, packet, HEADER);
	*place = request;
	return request;
}

unsigned int record(const union place *client,
		    const unsigned char *packet, const char *label,
		    uint64_t us)
{
	struct request *request = find(client, packet);
	unsigned int i, copies = 1;

	for (i = 0; i < request->count; i++)
		copies += request->arrival[i].label == label;
	if (request->epoch != epoch) {
		request->epoch = epoch;
		request->begin = request->count;
	}
	if (request->count == request->room) {
		request->room = 2 * request->room + 4;
		request->arrival = realloc(request->arrival, request->room *
					   sizeof(*request->arrival));
		if (!request->arrival)
			err(2, "memory");
	}
	for (i = request->count++; i > request->begin &&
	     request->arrival[i - 1].us > us; i--)
		request->arrival[i] = request->arrival[i - 1];
	request->arrival[i] = (struct arrival){ .us = us, .label = label };
	return copies;
}

void record_forget(void)
{
	epoch++;
}

static void way_text(const struct request *request, char *text)
{
	size_t length = 0;
	unsigned int i;

	text[0] = 0;
	for (i = request->begin; i < request->count && length < WAY_MAX; i++)
		length += snprintf(text + length, WAY_MAX - length, "%s%s",
				   length ? "," : "",
				   request->arrival[i].label);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct way *)a)->text,
		      ((const struct way *)b)->text);
}

void record_ways(void)
{
	const struct request *request;
	unsigned int ways = 0, i, k;
	struct way *way = NULL;
	char text[WAY_MAX];

	for (i = 0; i < BUCKETS; i++) {
		for (request = bucket[i]; request; request = request->next) {
			if (request->epoch != epoch || !request->count)
				continue;
			way_text(request, text);
			for (k = 0; k < ways && strcmp(way[k].text, text); k++)
				;
			if (k == ways) {
				way = realloc(way, ++ways * sizeof(*way));
				if (!way)
					err(2, "memory");
				way[k].text = strdup(text);
				way[k].requests = 0;
			}
			way[k].requests++;
		}
	}
	if (ways)
		qsort(way, ways, sizeof(*way), compare);
	for (i = 0; i < ways; i++) {
		printf("way %lu %s\n", way[i].requests, way[i].text);
		free(way[i].text);
	}
	free(way);
}
