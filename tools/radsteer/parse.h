/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The words of a command line, read from left to right. Each reader ends the
 * command with a sentence of its own when the next word is not what it reads.
 */
#ifndef RADSTEER_PARSE_H
#define RADSTEER_PARSE_H

#include <stdbool.h>
#include <stdnoreturn.h>

#include "address.h"

/**
 * struct args - what is left of a command line
 * @next: the next word; the array ends with NULL
 * @last: the word read last, NULL at the start
 */
struct args {
	char **next;
	const char *last;
};

bool args_left(const struct args *args);
bool args_skip(struct args *args, const char *word);
void args_end(const struct args *args);
noreturn void args_unexpected(const struct args *args);

unsigned int take_choice(struct args *args, const char *what,
			 const char *const *choices);
unsigned int take_option(struct args *args, const char *const *options,
			 unsigned int repeatable, unsigned int *given);
unsigned int take_number(struct args *args, unsigned int min, unsigned int max);
const char *take_name(struct args *args);
struct address take_address(struct args *args);

#endif
