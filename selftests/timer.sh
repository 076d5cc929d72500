#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# S1, S4: time is kept however long it is waited for.
#
#	nas ---- gw ---- s1, ... s6 (silent)
#
#	203.0.113.11 to 203.0.113.13	groups h1 to h3, timeout 5
#	203.0.113.14 to 203.0.113.16	groups h4 to h6, timeout 18
#
# The machine may be busy at one moment, so of three the soonest counts.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 6
respond 6
behave all silent
rs set dead-count 1 dead-interval 0 dead-time 15
for i in 1 2 3 4 5 6; do
	timeout=5
	[ "$i" -le 3 ] || timeout=18
	rs group add "h$i" match "203.0.113.1$i" timeout "$timeout"
	rs server add "h$i" authentication "198.18.$i.2"
done
watch
result "S7: somebody watches" $?

declare -A sent=() at=()
for i in 1 2 3 4 5 6; do
	ASKED=203.0.113.1$i request -g 0 1
done
while read -r ms label _; do
	sent[$label]=$ms
done <"$traffic/log"

# Three go Down, are to be tried again, and three more go Down.
check "S1, S4: nine changes" wait_for 40 events_are 9
events_read
# Between the responder's clock and the day's. To look takes a while, which is
# not always the same: the least of some is the nearest.
offset=
for i in {1..10}; do
	behave all forget
	ms=$((${EPOCHREALTIME/./} / 1000 - responder_ms))
	[ -n "$offset" ] && [ "$ms" -ge "$offset" ] || offset=$ms
done
for i in "${!events[@]}"; do
	read -r label _ state _ <<<"${events[i]}"
	at[$label-$state]=$(($(date -d "${event_time[i]}" +%s%3N) - offset))
done

# in_time TITLE FROM TO MS: of s1 to s3, or of s4 to s6.
in_time() {
	local title=$1 first=$2 from=$3 to=$4 ms=$5 i late soonest=1000000
	local early=0

	for ((i = first; i < first + 3; i++)); do
		if [ "$from" = sent ]; then
			late=${sent[s$i]:-0}
		else
			late=${at[s$i-$from]:-0}
		fi
		late=$((${at[s$i-$to]:-0} - late - ms))
		echo "# s$i $late ms late"
		[ "$late" -ge -20 ] || early=1
		[ "$late" -ge "$soonest" ] || soonest=$late
	done
	[ "$early" = 0 ] && [ "$soonest" -le 250 ]
	result "$title" $?
}

in_time "S1: a timeout of 5 s" 1 sent down 5000
in_time "S1: a timeout of 18 s" 4 sent down 18000
in_time "S4: a dead-time of 15 s" 1 down assumed-up 15000

done_testing
