#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# That ../rules counts what it is to count, and misses what is missing. The
# titles here name no rule themselves, as they would be counted.

rules=${0%/*}/../rules
number=0
failed=0

# check TITLE, with what is wanted in want and what was said in said
check() {
	local result=ok

	number=$((number + 1))
	if [ "$said" != "$want" ]; then
		result="not ok"
		failed=1
		echo "# want: ${want//$'\n'/ / }"
		echo "# said: ${said//$'\n'/ / }"
	fi
	echo "$result $number rules: $1"
}

# The exit status in the last line.
run() {
	said=$(RULES=$1 "$rules" <<<"$2" 2>&1; echo "$?")
}

# title|list|what tests printed, \n for a new line|what is to be said
cases=(
	"a result for each|M1 M2|ok 1 M1 a\nok 2 M2 b|M1 1  M2 1\n0"
	"one without a result|M1-M3|ok 1 M1 a\nok 2 M3 b|M1 1  M2 0  M3 1\nno test has passed for: M2\n1"
	"nothing at all|M1 L1||M1 0\nL1 0\nno test has passed for: M1 L1\n1"
	"a line for each letter|M9-M11 S8|ok 1 M9 M10 M11 S8 a|M9 1  M10 1  M11 1\nS8 1\n0"
	"a longer number is another rule|M1|ok 1 M10 M11 a|M1 0\nno test has passed for: M1\n1"
	"a shorter number is another rule|M10|ok 1 M1 a|M10 0\nno test has passed for: M10\n1"
	"part of a word is none|M1|ok 1 XM1 M1x M1_ m1 a|M1 0\nno test has passed for: M1\n1"
	"commas, colons, brackets|M1-M4|ok 1 M1, M2: (M3) a/M4|M1 1  M2 1  M3 1  M4 1\n0"
	"a range with a dash|M1-M5|ok 1 M2-M4 a\nok 2 M1 M5 a|M1 1  M2 1  M3 1  M4 1  M5 1\n0"
	"a range in words|M1-M5|ok 1 M2 to M4: a\nok 2 M1 M5 a|M1 1  M2 1  M3 1  M4 1  M5 1\n0"
	"a range ends where it ends|M1-M12|ok 1 M1-M11 a|M1 1  M2 1  M3 1  M4 1  M5 1  M6 1  M7 1  M8 1  M9 1  M10 1  M11 1  M12 0\nno test has passed for: M12\n1"
	"two letters make no range|M1-M3 L3|ok 1 M1 to L3 a\nok 2 M1-L3 a|M1 2  M2 0  M3 0\nL3 2\nno test has passed for: M2 M3\n1"
	"a result counts once for a rule|M1|ok 1 M1 M1-M2 a M1|M1 1\n0"
	"several results|M1|ok 1 M1 a\nok 2 M1 b\nok 3 M1 c|M1 3\n0"
	"a failure does not count|M1|not ok 1 M1 a|M1 0\nno test has passed for: M1\n1"
	"a failure beside a pass|M1|not ok 1 M1 a\nok 2 M1 b|M1 1\n0"
	"a skip does not count|M1|ok 1 M1 a # SKIP no root|M1 0\nno test has passed for: M1\n1"
	"a skip in small letters|M1|ok 1 M1 a # skip no root|M1 0\nno test has passed for: M1\n1"
	"an expected failure does not count|M1|ok 1 M1 a # XFAIL|M1 0\nno test has passed for: M1\n1"
	"what follows a number sign is no title|M1|ok 1 a # M1|M1 0\nno test has passed for: M1\n1"
	"a dash before the title|M1|ok 1 - M1 a|M1 1\n0"
	"indented|M1|  ok 1 M1 a\n\tok 2 M1 b|M1 2\n0"
	"as the runner of the kernel prints it|M1|# ok 1 M1 a\n#   ok 2 M1 b\n# # ok 3 M1 c|M1 3\n0"
	"as a serial line prints it|M1|ok 1 M1\r|M1 1\n0"
	"a note is no result|M1|# M1 ok 1 M1\n# not ok 1 M1|M1 0\nno test has passed for: M1\n1"
	"without a number there is no result|M1|ok M1 a|M1 0\nno test has passed for: M1\n1"
)

echo "KTAP version 1"
echo "1..$((${#cases[@]} + 4))"
for row in "${cases[@]}"; do
	IFS='|' read -r title list printed want <<<"$row"
	printf -v printed '%b' "$printed"
	printf -v want '%b' "$want"
	run "$list" "$printed"
	check "$title"
done

# The list that is in force: whatever is on it is missed, and nothing else.
missing=$(env -u RULES "$rules" </dev/null | sed -n 's/^no test .*: //p')
said=$(env -u RULES "$rules" <<<"ok 1 $missing" >/dev/null 2>&1; echo "$?")
want=0
[ "$(wc -w <<<"$missing")" -ge 40 ] || want="40 rules"
check "the list in force, a result for each"
lacking=${missing/ M8 / }
said=$(env -u RULES "$rules" <<<"ok 1 $lacking" 2>&1 | tail -n 1)
want="no test has passed for: M8"
check "the list in force, one without a result"

# Files instead of standard input.
file=$(mktemp) || exit 1
trap 'rm -f "$file"' EXIT
echo "ok 1 M1 a" >"$file"
said=$(RULES="M1 M2" "$rules" "$file" - <<<"ok 1 M2 a" 2>&1; echo "$?")
want=$'M1 1  M2 1\n0'
check "a file and standard input"
said=$(RULES=M1 "$rules" "$file" "$file.none" 2>&1; echo "$?")
want="rules: cannot read $file.none"$'\n2'
check "a file that is not there"
exit "$failed"
