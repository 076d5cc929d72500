#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A4, A8, M7: 500 sessions, each of which has its server for accounting fail
# between two of its reports, twice over.
#
#	nas                 gw                s1, s2, s3
#	requester ------ radsteer ------------ responder
#	192.0.2.2        192.0.2.1          198.18.{1,2,3}.2

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

sessions=500
topology 3
respond 3
rs set duplicate-window 0 dead-count 10 dead-interval 0 dead-time 86400

who=$(attributes user bob station "########" session "########")

# report STATUS ARRAY: of every session; the servers that took it, as numbers,
# into the array. A client that has no answer sends five copies.
report() {
	SERVICE_PORT=1813 request -v -p 8 -k 4 -s 0,300,600,900,1200 -g 5000 \
		-x "$(attributes status "$1" timestamp $((++moment)))$who" \
		"$sessions"
	servers_of "$2"
}
moment=0
declare -a start=() interim=() settled=() stop=()

# moved TITLE FAILED BEFORE AFTER: those that were at the server that failed are
# at another one, and nobody else moved; each of them moved once.
moved() {
	local -n before_that=$3 after_that=$4
	local i here=0 elsewhere=0

	for ((i = 0; i < sessions; i++)); do
		if [ "${before_that[i]}" = "$2" ]; then
			here=$((here + 1))
			[[ ${after_that[i]} == [123] && ${after_that[i]} != "$2" ]]
		else
			[ "${before_that[i]}" = "${after_that[i]}" ]
		fi || elsewhere=$((elsewhere + 1))
	done
	[ "$elsewhere" = 0 ] && [ "$here" -gt 0 ]
	result "A4: $1, the sessions of one server moved, no other" $?
	echo "# $here moved, $elsewhere went where they should not"
	check "A4: $1, each of them moved once" test \
		"$(($(counter session-moved) - counters_before[session_moved]))" \
		= "$here"
}

for algorithm in default loading-share; do
	rs group add g algorithm $algorithm match "$VIP"
	servers g authentication 3
	servers g accounting 3

	request -p 8 -x "$who" "$sessions"
	told "R1: $algorithm, $sessions logins" answered "$sessions"
	report 1 start
	told "A8: $algorithm, $sessions Starts" answered "$sessions"

	for failing in first second; do
		[ $failing = second ] || victim=1
		behave all answer
		behave "a$victim" silent
		count_from_here
		report 3 interim
		told "A8: $algorithm, every Interim-Update arrives, $failing" \
			answered "$sessions"
		moved "$algorithm, $failing failure" "$victim" start interim
		count_from_here
		report 3 settled
		told "A8: $algorithm, and the next one, $failing" \
			answered "$sessions"
		[ "${interim[*]}" = "${settled[*]}" ]
		result "A4: $algorithm, it stays where it is, $failing" $?

		# It comes back, and where one session went the next fails.
		behave all answer
		rs server set g accounting "198.18.$victim.2" state up
		rs server set g accounting "198.18.$victim.2" state auto
		report 3 start
		told "A8: $algorithm, it is back, $failing" answered "$sessions"
		[ "${start[*]}" = "${settled[*]}" ]
		result "A4: $algorithm, nothing moves back, $failing" $?
		victim=${start[0]}
	done

	behave "a$victim" silent
	count_from_here
	report 2 stop
	told "A8: $algorithm, every Stop arrives" answered "$sessions"
	moved "$algorithm, failure at the Stop" "$victim" start stop
	check "A7: $algorithm, every session ended" reached session-ended \
		"$sessions"
	behave all answer
	rs group del g
done

done_testing
