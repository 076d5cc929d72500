// SPDX-License-Identifier: GPL-2.0
/*
 * Words to values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/radsteer.h>

#include "error.h"
#include "parse.h"

#define EXAMPLE	"an address such as 192.0.2.1 or 2001:db8::1"

/* "a, b or c"; the caller is about to end the command and frees nothing. */
static const char *alternatives(const char *const *choices)
{
	char *text = NULL;
	unsigned int i;
	FILE *list;
	size_t len;

	list = allocated(open_memstream(&text, &len));
	for (i = 0; choices[i]; i++) {
		if (i)
			fputs(choices[i + 1] ? ", " : " or ", list);
		fputs(choices[i], list);
	}
	if (fclose(list))
		out_of_memory();
	return text;
}

static const char *take(struct args *args)
{
	args->last = *args->next++;
	return args->last;
}

/* The next word, or the end where there is none. */
static const char *take_word(struct args *args, const char *expected)
{
	if (*args->next)
		return take(args);
	if (!args->last)
		misuse("no command is given: %s is expected", expected);
	misuse("nothing follows %s: %s is expected", shown(args->last),
	       expected);
}

/**
 * args_left() - whether a word is left
 * @args: the command line
 *
 * Return: true if there is one
 */
bool args_left(const struct args *args)
{
	return *args->next;
}

/**
 * args_skip() - read the next word if it is a certain one
 * @args: the command line
 * @word: that word
 *
 * Return: true if it was there
 */
bool args_skip(struct args *args, const char *word)
{
	if (!*args->next || strcmp(*args->next, word))
		return false;
	take(args);
	return true;
}

/**
 * args_unexpected() - end because the next word is one too many
 * @args: the command line
 */
void args_unexpected(const struct args *args)
{
	const char *word = *args->next;

	if (!strcmp(word, "-j") || !strcmp(word, "-p"))
		misuse("unexpected word %s: it stands before the command",
		       shown(word));
	if (!args->last)
		misuse("unexpected word %s: nothing more is expected",
		       shown(word));
	misuse("unexpected word %s: nothing more is expected after %s",
	       shown(word), shown(args->last));
}

/**
 * args_end() - see that no word is left
 * @args: the command line
 */
void args_end(const struct args *args)
{
	if (*args->next)
		args_unexpected(args);
}

/**
 * take_choice() - read one of several words
 * @args: the command line
 * @what: what the word stands for
 * @choices: the words, up to NULL
 *
 * Return: the place of the word among them
 */
unsigned int take_choice(struct args *args, const char *what,
			 const char *const *choices)
{
	const char *word;
	unsigned int i;

	word = take_word(args, *args->next ? NULL : alternatives(choices));
	for (i = 0; choices[i]; i++)
		if (!strcmp(word, choices[i]))
			return i;
	misuse("unknown %s %s: %s is expected", what, shown(word),
	       alternatives(choices));
}

/**
 * take_option() - read the word that begins an option
 * @args: the command line, with a word left
 * @options: the words, up to NULL
 * @repeatable: those that can be given again, a bit each
 * @given: those given so far, a bit each; the one read is added
 *
 * Return: the place of the word among them
 */
unsigned int take_option(struct args *args, const char *const *options,
			 unsigned int repeatable, unsigned int *given)
{
	unsigned int option, bit;

	option = take_choice(args, "option", options);
	bit = 1U << option;
	if (*given & bit & ~repeatable)
		misuse("option %s is given twice: once is enough",
		       shown(args->last));
	*given |= bit;
	return option;
}

static bool number_of(const char *word, unsigned int max, unsigned int *number)
{
	unsigned int n = 0;

	if (!*word)
		return false;
	for (; *word; word++) {
		if (*word < '0' || *word > '9')
			return false;
		n = n * 10 + (unsigned int)(*word - '0');
		/* max is far below UINT_MAX / 10: n cannot wrap around */
		if (n > max)
			return false;
	}
	*number = n;
	return true;
}

/**
 * take_number() - read the number that belongs to the word before it
 * @args: the command line
 * @min: the lowest number
 * @max: the highest number, at most a hundred million
 *
 * Return: the number
 */
unsigned int take_number(struct args *args, unsigned int min, unsigned int max)
{
	const char *what = args->last;
	unsigned int number;
	const char *word;

	if (!*args->next)
		misuse("nothing follows %s: a number from %u to %u is expected",
		       shown(what), min, max);
	word = take(args);
	if (!number_of(word, max, &number) || number < min)
		misuse("%s %s: a decimal number from %u to %u is expected",
		       what, shown(word), min, max);
	return number;
}

static bool letter_or_digit(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

/**
 * take_name() - read the name of a group
 * @args: the command line
 *
 * Return: the name
 */
const char *take_name(struct args *args)
{
	const char *name, *c;

	name = take_word(args, "the name of a group");
	if (!*name)
		misuse("group name %s is empty: 1 to %u characters are expected",
		       shown(name), RADSTEER_NAME_MAX);
	if (!letter_or_digit(*name))
		misuse("group name %s: a letter or a digit is expected first",
		       shown(name));
	for (c = name; *c; c++)
		if (!letter_or_digit(*c) && !strchr("._-", *c))
			misuse("group name %s: only letters, digits, '.', '_' and '-' are expected",
			       shown(name));
	if (c - name > RADSTEER_NAME_MAX)
		misuse("group name %s is too long: at most %u characters are expected",
		       shown(name), RADSTEER_NAME_MAX);
	return name;
}

/* An IPv6 address, and the interface it is reached by. */
static bool has_zone(const char *word)
{
	struct address address;
	char *bare;
	bool has;

	if (!strchr(word, '%'))
		return false;
	bare = text_of("%.*s", (int)strcspn(word, "%"), word);
	has = address_parse(&address, bare) && address.family == AF_INET6;
	free(bare);
	return has;
}

/**
 * take_address() - read an IPv4 or IPv6 address
 * @args: the command line
 *
 * Return: the address
 */
struct address take_address(struct args *args)
{
	struct address address;
	const char *word;

	word = take_word(args, EXAMPLE);
	if (address_parse(&address, word)) {
		if (address_mapped(&address))
			misuse("address %s is an IPv4 address within IPv6: " EXAMPLE " is needed",
			       shown(word));
		return address;
	}
	if (has_zone(word))
		misuse("address %s names an interface: " EXAMPLE " is needed",
		       shown(word));
	/* Anything else with a letter in it can only be meant as a name. */
	if (letter_or_digit(*word) && !strpbrk(word, ":/%") &&
	    word[strspn(word, "0123456789.")])
		misuse("address %s: host names are not looked up, " EXAMPLE " is needed",
		       shown(word));
	misuse("address %s is malformed: " EXAMPLE " is expected",
	       shown(word));
}
