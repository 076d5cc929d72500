#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The master's site goes dark under traffic, without a word, and comes back.
#
#	nas1 ---+
#	nas2 ---+--- gw ---- s1 (master), s2, s3
#	nas3 ---+
#
#	203.0.113.1	group g: s1, s2
#	203.0.113.9	group other: s3
#
# Three clients send 200 requests a second to g, each up to three times, a
# second apart. By default the third copy is the one that moves.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 3
respond 3
rs group add g match "$VIP" timeout 1
servers g authentication 2
rs group add other match 203.0.113.9
rs server add other authentication 198.18.3.2
rs set dead-count 10 dead-interval 1
watch
clients="1 2 3"
for i in $clients; do
	namespace "nas$i"
	link "nas$i" "192.0.2$i.2" "nas$i" "192.0.2$i.1"
done

# A kernel that checks its locks is too slow for so many.
rate=67
[ ! -e /proc/lockdep ] || rate=8

# They go on until they are told that it is enough.
count_from_here
for i in $clients; do
	CLIENT=nas$i-$$,192.0.2$i.2 request_start "nas$i" -p 8 -r $rate \
		-s 0,1000,2000 -g 1000 20000
done
ASKED=203.0.113.9 request_start undisturbed -p 4 -r $rate \
	-s 0,1000,2000 -g 1000 20000
check "M2: traffic flows to the master" wait_for 20 got_by s1 $rate
check "M11: and to no other" eval '! got_by s2 1'

behave s1 silent
check "S2: the master goes Down" wait_for 20 events_are 1
check "M3: the backup is the one that takes first sends" is s2 active true
check "M6, M7: all that waited for the master move" \
	wait_for 20 is s1 outstanding 0
forget
check "M3: traffic flows to the backup" wait_for 20 got_by s2 $((2 * rate))
check "M3: and to no other" eval '! got_by s1 1'
events_read
[ "${#events[@]}" = 1 ] && [[ ${events[0]} == "s1 up down losses "* ]] &&
	[ "${events[0]##* }" -ge 10 ]
result "S2, S7: one event, after dead-count losses" $?

# When that was is known better than to a tenth of a second.
down=$(($(event_ms 0) + 100))
check "S2: from then on no first send went to the master" awk -v down="$down" '
	$2 == "s1" && $7 == 1 && $1 > down { print; bad = 1 }
	END { exit bad }' "$traffic/log"

# It answers again, is tried after dead-time, and is the master as before.
behave s1 answer
forget
rs set dead-time 1
check "S4, S3: the master comes back, and that is two events" \
	wait_for 20 events_are 3
events_read
printf '# %s\n' "${events[@]}"
[[ ${events[1]} == "s1 down assumed-up dead-time "* ]] &&
	[ "${events[2]}" = "s1 assumed-up up answer 0" ]
result "S7: assumed-up, and Up with its first answer" $?
check "M5: traffic flows to the master" wait_for 20 got_by s1 $rate

# The sums of all clients.
declare -A sum=()
for i in $clients undisturbed; do
	[ "$i" = undisturbed ] || i=nas$i
	request_finish "$i"
	told "R1, M7: no request of $i goes without an answer" unanswered 0 \
		answered "${said[requests]}" answers "${said[requests]}"
	for name in requests copies at-copy-1 at-copy-2 at-copy-3; do
		sum[$name]=$((${sum[$name]:-0} + ${said[$name]:-0}))
	done
done
check "M7: another group's client had each answer at once" \
	test "${said[at-copy-1]}" = "${said[requests]}"
check "M6: none was answered by its second copy, as that is the master's" \
	test "${sum[at-copy-2]}" = 0
check "M7: some were answered by their third" test "${sum[at-copy-3]}" -gt $rate
counted "M7: of each of these two copies were lost, and it moved once" \
	steered "${sum[copies]}" retransmissions $((2 * sum[at-copy-3])) \
	failovers "${sum[at-copy-3]}" lost $((2 * sum[at-copy-3])) \
	answers "${sum[requests]}" pass-no-match "${sum[requests]}"
happened "S7: no other events" "${events[@]}"

done_testing
