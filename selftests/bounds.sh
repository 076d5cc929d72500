#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Section 9: the table of requests is bounded, and a full one harms nobody.
# What an administrator can fill is tested by netlink_invalid.
#
#	nas ---- gw ---- s1

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 1
max=65536

# None is lost while the table fills, so that the server stays Up.
check "group with master-backup" rs group add g match "$VIP" timeout 60
servers g authentication 1

# Answered requests first, so that there is something to evict before those
# that wait for their answer.
trip -n 1024 1
all_right "1024 answered requests"
check "R3: they are remembered" test "$(counter remembered)" = 1024

count_from_here
started=$SECONDS
roundtrip -S -n "nas-$$,192.0.2.2,30000" "$VIP,1812" "$max" \
	"s1-$$,198.18.1.2,1812" >/dev/null
check "section 9: no more than $max requests are remembered" \
	test "$(counter remembered)" -le "$max"
# A slow kernel takes longer than requests are remembered: then the table is
# never full, and what is not there any more has expired.
full=$((SECONDS - started < 25))
if [ "$full" = 1 ]; then
	check "section 9: the answered ones went first" \
		test "$(counter evicted)" = 1024
fi
# Expiry may run between the two counters.
accounted() {
	rs -j stats | jq -e ".expired + .outstanding == $max"
}
check "all that wait for an answer are there, or expired" wait_for 10 accounted

count_from_here
trip 100 1
all_right "P6: 100 requests among them are answered as if alone"
if [ "$full" = 1 ]; then
	counted "section 9: each evicted one is counted" \
		steered 100 answers 100 pass-no-match 100 evicted 100
fi

check "C3: they end with their group" rs group del g
check "nothing is remembered" test "$(counter remembered)" = 0
check "nothing is outstanding" test "$(counter outstanding)" = 0

done_testing
