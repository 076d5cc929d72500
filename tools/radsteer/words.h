/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words for the enumerations of the user API, in the order of their
 * values, each list ended by NULL.
 */
#ifndef RADSTEER_WORDS_H
#define RADSTEER_WORDS_H

extern const char *const service_words[];
extern const char *const accounting_words[];
extern const char *const admin_words[];
extern const char *const state_words[];
extern const char *const reason_words[];
extern const char *const binding_words[];

const char *word_of(const char *const *words, unsigned int value);

#endif
