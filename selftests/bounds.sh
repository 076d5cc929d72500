#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Section 9: the table of requests is bounded, and a full one harms nobody.
# What an administrator can fill is tested by netlink_invalid.
#
#	nas ---- gw ---- s1

. "$(dirname "$0")/lib.sh"

require roundtrip taskset
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
	# Some go at a time, and a sixteenth of the table may stay empty.
	check "section 9: the answered ones went first" \
		test "$(counter evicted)" -ge 1024
	check "section 9: and no more than had to" \
		test "$(counter evicted)" -le $((1024 + max / 16))
fi
# Expiry may run between the two counters.
accounted() {
	rs -j stats | jq -e ".expired + .outstanding + .evicted ==
		$max + 1024"
}
check "all that wait for an answer are there, or expired" wait_for 10 accounted

before=$(rs -j stats)
trip 100 1
all_right "P6: 100 requests among them are answered as if alone"
if [ "$full" = 1 ]; then
	before=$(jq .evicted <<<"$before")
	check "section 9: others made room for them" \
		test $(($(counter evicted) - before)) -ge 36
fi

check "C3: they end with their group" rs group del g
check "nothing is remembered" test "$(counter remembered)" = 0
check "nothing is outstanding" test "$(counter outstanding)" = 0

# A full table is the rule, not the exception, and every CPU makes room: two
# clients with a server each, which wait for each answer.
rs set max-requests 64
for i in 2 3; do
	rs group add "g$i" match "203.0.113.$i" timeout 60
	rs server add "g$i" authentication 198.18.1.2 port "191$i"
done

# client CPU
client() {
	taskset -c "$1" roundtrip -n "nas-$$,192.0.2.2,$((20000 + 20000 * $1))" \
		"203.0.113.$((2 + $1)),1812" 2000 \
		"s1-$$,198.18.1.2,$((1912 + $1))" >"/tmp/client-$$-$1"
}

count_from_here
defer "rm -f /tmp/client-$$-?"
client 0 &
one=$!
client 1 &
other=$!
wait "$one"
result "P6: 2000 requests to a full table" $?
wait "$other"
result "P6: and 2000 of another CPU meanwhile" $?
check "section 9: no more than 64 requests are remembered" \
	test "$(counter remembered)" -le 64
check "P6: not one was steered without being remembered" \
	test "$(counter unremembered)" = 0

# From many to a few, while nobody waits for it.
rs set max-requests 65536
roundtrip -S -n "nas-$$,192.0.2.2,20000" 203.0.113.2,1812 16000 \
	"s1-$$,198.18.1.2,1912" >/dev/null
check "16000 requests are remembered" test "$(counter remembered)" -ge 16000
started=$SECONDS
check "section 9: a table for one" rs set max-requests 1
check "section 9: which takes no time" test $((SECONDS - started)) -le 5
check "section 9: remembers one" test "$(counter remembered)" -le 1

# What is remembered is charged to nobody, so not everybody may have more of it.
elsewhere() {
	unshare --user --map-root-user --net radsteer "$@"
}
for setting in max-requests max-sessions max-states; do
	check "section 9: there is less of $setting in another user namespace" \
		test "$(elsewhere -j show |
			jq ".settings.${setting//-/_}")" -le 65536
	check "section 9: so much of $setting is granted" \
		elsewhere set "$setting" 65536
	said=$(elsewhere set "$setting" 65537 2>&1)
	[ $? = 1 ] && [[ $said == *"initial user namespace"* ]]
	result "section 9: and no more of $setting" $?
done

done_testing
