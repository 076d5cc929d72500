#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sections 3 and 4 of the rules, and T3, over IPv6: what a conversation, a session
# and a report are known by has the whole address of the client in it.
#
#	nas                  gw                  s1, s2, s3
#	requester -------- radsteer -------------- responder
#	2001:db8:1::2      2001:db8:1::1         2001:db8:2:{1,2,3}::2
#	2001:db8:9::2
#
# Server N authenticates as sN and accounts as aN, at one address. It gives the
# State "from N" in each Access-Challenge.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"
. "$(dirname "$0")/conversations_lib.sh"

topology 3
topology6 3
respond 3 2001:db8:2:I::2
rs set duplicate-window 0
patience=20000

# The same host part in another network, and another host part in the same one.
nas=nas-$$,2001:db8:1::2
far=nas-$$,2001:db8:9::2
near=gw-$$,2001:db8:1::1
ip -n "nas-$$" address add 2001:db8:9::2/128 dev lo nodad
ip -n "gw-$$" route add 2001:db8:9::2 via 2001:db8:1::2
for i in 1 2 3; do
	ip -n "s$i-$$" route replace 2001:db8:9::/64 via "2001:db8:2:$i::1"
done
CLIENT=$nas
ASKED=$VIP6

check "a group" rs group add g algorithm loading-share match "$VIP6"
check "its servers" servers6 g authentication 3
check "its servers for accounting" servers6 g accounting 3

converse
for other in far near; do
	count_from_here
	CLIENT=${!other} ask "from 2" 30
	counted "E1: the client that is $other has no such State" steered 30 \
		answers 30 pass-no-match 30 state-unknown 30
done

# accounts FIRST COUNT STATUS ATTRIBUTES
accounts() {
	SERVICE_PORT=1813 request -v -k 4 -n "$1" \
		-x "$(attributes status "$3" delay 0)$4" "$2"
}

# Where each login was accepted, and where its accounting went, in their order.
declare -a login=() account=()
by_both="$(attributes user bob station "########" session "########")"
by_session="$(attributes user bob session "########")"
by_station="$(attributes user bob station "########")"
by_name="$(attributes user "########")"
first=0
for by in both session station name; do
	attributes=by_$by
	request -v -n "$first" -x "${!attributes}" 60
	told "R1: 60 logins, by $by" answered 60
	servers_of login
	check "L2: they are shared out, by $by" test 3 = \
		"$(printf '%s\n' "${login[@]}" | sort -u | wc -l)"
	for status in 1 3 2; do
		count_from_here
		accounts "$first" 60 "$status" "${!attributes}"
		servers_of account
		check "A1, A3: accounting follows, by $by, status $status" \
			test "${login[*]}" = "${account[*]}"
		check "A1: which is counted, by $by, status $status" \
			reached session-hits 60
	done
	first=$((first + 100))
done

# Other clients have other sessions.
request -n "$first" -x "$by_both" 30
told "R1: 30 logins" answered 30
for other in far near; do
	count_from_here
	CLIENT=${!other} accounts "$first" 30 1 "$by_both"
	counted "A3: the client that is $other has no such session" steered 30 \
		answers 30 pass-no-match 30 session-unknown 30 session-made 30
done

# report CLIENT DELAY: one copy of a report, by a socket of its own.
report() {
	CLIENT=$1 SERVICE_PORT=1813 request -g 300 -k 4 -x "$(attributes \
		user bob session late nas nas1 status 3 delay "$2" \
		timestamp 1000)" 1
}

rs group set g algorithm master-backup
rs set dead-count 65535
behave a1 silent
forget
count_from_here
for delay in 0 3; do
	report "$nas" "$delay"
done
counted "T3: the second one is a copy" steered 2 retransmissions 1 renumbered 1 \
	lost 1
check "T3: it waits for an answer" counter_is outstanding 1
for other in far near; do
	count_from_here
	report "${!other}" 9
	counted "T3: of the client that is $other it is a new one" steered 1
done
count_from_here
report "$nas" 6
went "T3, M7: two copies to the master, the third moves" 4 a1 1 a2
counted "T3: it goes on with the history" steered 1 retransmissions 1 \
	renumbered 1 failovers 1 lost 1 answers 1 pass-no-match 1

done_testing
