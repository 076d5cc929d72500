#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command chisq, as the shell tests use it. CHISQ is its path.

chisq=${CHISQ:-${0%/*}/../../build/unit/chisq}

# want status, what, arguments
cases=(
	"0|equal counts|500 500 -- 1 1"
	"0|counts near the weights|98 203 311 388 -- 10 20 30 40"
	"0|all weights 0 are equal ones|260 240 250 250 -- 0 0 0 0"
	"0|nothing at a weight of 0|0 2010 2990 4000 -- 0 2 3 4"
	"0|one server|77 -- 1"
	"0|one server of weight above 0|0 77 -- 0 5"
	"1|all at one of two|1000 0 -- 1 1"
	"1|a third too many at one of four|333 222 222 222 -- 1 1 1 1"
	"1|weights in the wrong order|400 300 200 100 -- 10 20 30 40"
	"1|one astray at a weight of 0|1 2000 3000 4000 -- 0 2 3 4"
	"2|too few samples|10 10 -- 1 1"
	"2|too few samples for the least weight|100 300 -- 1 20"
	"2|no samples|0 0 -- 1 1"
	"2|no arguments|"
	"2|no counts|-- 1"
	"2|no separator|100 100 1 1"
	"2|a weight missing|100 100 -- 1"
	"2|a count missing|100 -- 1 1"
	"2|a word for a count|100 x -- 1 1"
	"2|a negative count|100 -1 -- 1 1"
	"2|a fraction|100 1.5 -- 1 1"
)

echo "KTAP version 1"
echo "1..${#cases[@]}"
number=0
failed=0
for row in "${cases[@]}"; do
	IFS='|' read -r want what arguments <<<"$row"
	read -ra words <<<"$arguments"
	number=$((number + 1))
	said=$("$chisq" "${words[@]}" 2>&1)
	status=$?
	echo "# $said"
	result=ok
	[ "$status" -eq "$want" ] && [ -n "$said" ] || result="not ok"
	[ "$result" = ok ] || failed=1
	echo "$result $number L9 chisq exits with $want: $what"
done
exit "$failed"
