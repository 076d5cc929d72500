// SPDX-License-Identifier: GPL-2.0
/*
 * What a packet is known by: hashes of what its attributes say.
 *
 * No name, State or session id is kept. Of each there is a hash of 64 bits with
 * a key that nobody knows, so a client cannot make two of them meet, and who
 * reads memory or a dump learns nothing of users.
 */
#include <linux/siphash.h>
#include "keys.h"

/* Each kind of value has a key of its own, or a user could pass for a State. */
enum {
	KEY_STATE,
	KEY_SESSION,
	KEY_STATION,
	KEY_NAME,
	KEY_RECORD,
	KEYS
};

static_assert((int)KEYS == (int)RADSTEER_KEYS);

/* What most values fit in, so that they take one hash with their client. */
enum {
	KEY_WORDS	= 3,
};

/* The hash of an IPv4 client and of a value that is short. */
static u64 short_key(const siphash_key_t *key, __be32 addr, const u8 *value,
		     unsigned int length)
{
	u64 last = (u64)length << 32 | (__force u32)addr;
	u64 word[KEY_WORDS] = { };

	memcpy(word, value, length);
	switch (DIV_ROUND_UP(length, sizeof(word[0]))) {
	case 1:
		return siphash_2u64(word[0], last, key);
	case 2:
		return siphash_3u64(word[0], word[1], last, key);
	default:
		return siphash_4u64(word[0], word[1], word[2], last, key);
	}
}

/* The hash of a client and of what it says in an attribute, never 0. */
static u64 client_key(const siphash_key_t *key,
		      const struct radsteer_endpoint *client, const u8 *value,
		      unsigned int length)
{
	u64 addr[2], hash;

	if (client->family == NFPROTO_IPV4 && length <= KEY_WORDS * sizeof(u64))
		return short_key(key, client->addr.ip, value, length) ?: 1;
	hash = siphash(value, length, key);
	if (client->family == NFPROTO_IPV4) {
		hash = siphash_2u64(hash, (__force u32)client->addr.ip, key);
	} else {
		memcpy(addr, &client->addr, sizeof(addr));
		hash = siphash_3u64(hash, addr[0], addr[1], key);
	}
	return hash ?: 1;
}

/* The key of an attribute, 0 if the packet has none. */
static u64 optional_key(const siphash_key_t *key,
			const struct radsteer_endpoint *client,
			const struct radius_found *found,
			enum radius_attribute attribute)
{
	if (!(found->seen & 1U << attribute))
		return 0;
	return client_key(key, client, found->value[attribute],
			  found->length[attribute]);
}

/* E1: the key of the State in a packet of a client, or to it, 0 for none. */
static u64 state_key(const struct radsteer_bindings *bindings,
		     const struct radsteer_endpoint *client,
		     const struct radsteer_packet *packet)
{
	const u8 *value;
	u8 length;

	value = radius_state(packet->attributes, packet->attributes_length,
			     &length);
	if (!value)
		return 0;
	return client_key(&bindings->key[KEY_STATE], client, value, length);
}

/* A3: the user by Calling-Station-Id, or by User-Name where there is none. */
static u64 user_key(const struct radsteer_bindings *bindings,
		    const struct radsteer_endpoint *client,
		    const struct radius_found *found)
{
	return optional_key(&bindings->key[KEY_STATION], client, found,
			    RADIUS_CALLING_STATION_ID) ?:
	       optional_key(&bindings->key[KEY_NAME], client, found,
			    RADIUS_USER_NAME);
}

/**
 * radsteer_keys_access() - read what an Access-Request is known by
 * @keys: filled in
 * @bindings: the tables of the namespace
 * @packet: the packet, its attributes at hand
 * @follow: the user is to be learned
 *
 * Context: a hook.
 */
void radsteer_keys_access(struct radsteer_keys *keys,
			  const struct radsteer_bindings *bindings,
			  const struct radsteer_packet *packet, bool follow)
{
	struct radius_found found;

	*keys = (struct radsteer_keys){ };
	if (!follow) {
		keys->state = state_key(bindings, &packet->source, packet);
		return;
	}
	radius_walk(&found, packet->attributes, packet->attributes_length,
		    RADIUS_WANTED(STATE) | RADIUS_WANTED(ACCT_SESSION_ID) |
		    RADIUS_WANTED(CALLING_STATION_ID) |
		    RADIUS_WANTED(USER_NAME));
	keys->state = optional_key(&bindings->key[KEY_STATE], &packet->source,
				   &found, RADIUS_STATE);
	keys->session = optional_key(&bindings->key[KEY_SESSION],
				     &packet->source, &found,
				     RADIUS_ACCT_SESSION_ID);
	keys->user = user_key(bindings, &packet->source, &found);
}

/* A client alone, for what is of no session. */
static u64 bare_key(const struct radsteer_bindings *bindings,
		    const struct radsteer_packet *packet)
{
	return siphash(&packet->source.addr, sizeof(packet->source.addr),
		       &bindings->key[KEY_SESSION]);
}

/* T3: who reports, by the first of these that there is. */
static u64 reporter(const struct radsteer_bindings *bindings,
		    const struct radsteer_packet *packet,
		    const struct radius_found *found)
{
	const siphash_key_t *key = &bindings->key[KEY_RECORD];

	return optional_key(key, &packet->source, found,
			    RADIUS_NAS_IDENTIFIER) ?:
	       optional_key(key, &packet->source, found,
			    RADIUS_NAS_IP_ADDRESS) ?:
	       optional_key(key, &packet->source, found,
			    RADIUS_NAS_IPV6_ADDRESS);
}

static bool status_has_user(u32 status)
{
	return status != RADIUS_STATUS_ACCOUNTING_ON &&
	       status != RADIUS_STATUS_ACCOUNTING_OFF;
}

/**
 * radsteer_keys_accounting() - read what an Accounting-Request is known by
 * @keys: filled in
 * @bindings: the tables of the namespace
 * @packet: the packet, its attributes at hand
 * @group: the group that steers it
 * @follow: accounting follows authentication there
 *
 * Accounting-On and Accounting-Off have no user and no session (A6).
 *
 * Context: a hook.
 */
void radsteer_keys_accounting(struct radsteer_keys *keys,
			      const struct radsteer_bindings *bindings,
			      const struct radsteer_packet *packet,
			      const struct radsteer_group *group, bool follow)
{
	u32 wanted = RADIUS_WANTED(NAS_IP_ADDRESS) |
		     RADIUS_WANTED(NAS_IDENTIFIER) |
		     RADIUS_WANTED(NAS_IPV6_ADDRESS) |
		     RADIUS_WANTED(ACCT_STATUS_TYPE) |
		     RADIUS_WANTED(ACCT_DELAY_TIME) |
		     RADIUS_WANTED(ACCT_SESSION_ID) |
		     RADIUS_WANTED(ACCT_SESSION_TIME) |
		     RADIUS_WANTED(EVENT_TIMESTAMP);
	struct radius_found found;
	u64 session;

	if (follow)
		wanted |= RADIUS_WANTED(CALLING_STATION_ID) |
			  RADIUS_WANTED(USER_NAME);
	radius_walk(&found, packet->attributes, packet->attributes_length,
		    wanted);

	*keys = (struct radsteer_keys){ };
	radius_number(&found, RADIUS_ACCT_STATUS_TYPE, &keys->status);
	radius_number(&found, RADIUS_ACCT_DELAY_TIME, &keys->delay);
	if (radius_number(&found, RADIUS_EVENT_TIMESTAMP, &keys->stamp))
		keys->stamp_kind = RADSTEER_STAMP_EVENT;
	else if (radius_number(&found, RADIUS_ACCT_SESSION_TIME, &keys->stamp))
		keys->stamp_kind = RADSTEER_STAMP_SESSION;

	session = optional_key(&bindings->key[KEY_SESSION], &packet->source,
			       &found, RADIUS_ACCT_SESSION_ID);
	if (session || !status_has_user(keys->status))
		keys->record = siphash_3u64(session ?: bare_key(bindings,
								packet),
					    reporter(bindings, packet, &found),
					    (u64)group->id << 32 | keys->status,
					    &bindings->key[KEY_RECORD]) ?: 1;
	if (!follow || !status_has_user(keys->status))
		return;
	keys->follow = true;
	keys->session = session;
	keys->user = user_key(bindings, &packet->source, &found);
}

/**
 * radsteer_keys_challenge() - read the State that an Access-Challenge gives (E1)
 * @bindings: the tables of the namespace
 * @packet: the packet, its attributes at hand
 *
 * Context: a hook.
 * Return: the key of client and State, 0 if there is no State.
 */
u64 radsteer_keys_challenge(const struct radsteer_bindings *bindings,
			    const struct radsteer_packet *packet)
{
	return state_key(bindings, &packet->destination, packet);
}
