// SPDX-License-Identifier: GPL-2.0
/*
 * The words for the enumerations of the user API.
 */
#include <stddef.h>

#include <linux/radsteer.h>

#include "words.h"

const char *const service_words[] = {
	[RADSTEER_SERVICE_AUTHENTICATION] = "authentication",
	[RADSTEER_SERVICE_ACCOUNTING] = "accounting",
	NULL
};

const char *const accounting_words[] = {
	[RADSTEER_ACCOUNTING_AUTO] = "auto",
	[RADSTEER_ACCOUNTING_FOLLOW] = "follow",
	[RADSTEER_ACCOUNTING_INDEPENDENT] = "independent",
	NULL
};

const char *const admin_words[] = {
	[RADSTEER_ADMIN_AUTO] = "auto",
	[RADSTEER_ADMIN_UP] = "up",
	[RADSTEER_ADMIN_DOWN] = "down",
	[RADSTEER_ADMIN_DRAIN] = "drain",
	NULL
};

const char *const state_words[] = {
	[RADSTEER_STATE_UP] = "up",
	[RADSTEER_STATE_DOWN] = "down",
	[RADSTEER_STATE_ASSUMED_UP] = "assumed-up",
	NULL
};

const char *const reason_words[] = {
	[RADSTEER_REASON_LOSSES] = "losses",
	[RADSTEER_REASON_EXHAUSTED] = "exhausted",
	[RADSTEER_REASON_DEAD_TIME] = "dead-time",
	[RADSTEER_REASON_ANSWER] = "answer",
	[RADSTEER_REASON_ADMIN] = "admin",
	NULL
};

const char *const binding_words[] = {
	[RADSTEER_KIND_STATE] = "state",
	[RADSTEER_KIND_SESSION] = "session",
	[RADSTEER_KIND_USER] = "user",
	NULL
};

/**
 * word_of() - the word for a value that the kernel gave
 * @words: the words of the enumeration
 * @value: the value
 *
 * Return: the word, "unknown" for a value that this command has none for
 */
const char *word_of(const char *const *words, unsigned int value)
{
	unsigned int i;

	for (i = 0; words[i]; i++)
		if (i == value)
			return words[i];
	return "unknown";
}
