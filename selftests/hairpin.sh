#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# P10: a request from the host of a server, such as a server that proxies sends, is
# not sent back to that host.
#
#	nas                 gw                s1, s2, s3
#	requester ------ radsteer ------ responder, requester
#	192.0.2.2        192.0.2.1          198.18.{1,2,3}.2
#	2001:db8:1::2    2001:db8:1::1      2001:db8:2:{1,2,3}::2

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"
. "$(dirname "$0")/conversations_lib.sh"

require chisq roundtrip
topology 3
topology6 3
respond 3 198.18.I.2 2001:db8:2:I::2
rs set duplicate-window 0 dead-count 65535
patience=60000

# from NAS|N: the client is the NAS, or on the host of server N.
from() {
	case $family,$1 in
	IPv4,nas) CLIENT=nas-$$,192.0.2.2 ;;
	IPv4,*) CLIENT=s$1-$$,198.18.$1.2 ;;
	IPv6,nas) CLIENT=nas-$$,2001:db8:1::2 ;;
	IPv6,*) CLIENT=s$1-$$,2001:db8:2:$1::2 ;;
	esac
}

# add SERVICE N [WEIGHT...]: the first N servers, with their addresses of the family.
add() {
	if [ "$family" = IPv4 ]; then
		servers g "$@"
	else
		servers6 g "$@"
	fi
}

# fresh N OPTION...: the group with so many servers, and no memory.
fresh() {
	rs group del g 2>/dev/null
	rs group add g match "$ASKED" timeout 60 "${@:2}" &&
		add authentication "$1" && add accounting "$1"
	behave all answer
	forget
}

# server N WORD...: change what the group says of a server.
server() {
	local address=198.18.$1.2

	[ "$family" = IPv4 ] || address=2001:db8:2:$1::2
	rs server set g authentication "$address" "${@:2}"
}

# got_each: how many requests each server had, into the array got.
got_each() {
	local count way

	got=(0 0 0)
	while read -r count way; do
		got[${way#s} - 1]=$count
	done < <(ways)
}

# untouched: of the first server nothing is known, and it is Up.
untouched() {
	rs -j show | jq -e '.groups[0].servers.authentication[0] |
		[.requests, .lost, .losses, .state] == [0, 0, 0, "up"]'
}

# goes TITLE COPIES WAY: a request that is not answered.
goes() {
	forget
	request -g 0 -s "$(copies "$2")" 1
	went "$1" 1 "$3"
}

for family in IPv4 IPv6; do
	ASKED=$VIP
	[ "$family" = IPv4 ] || ASKED=$VIP6

	check "loading-share, $family" fresh 3 algorithm loading-share
	from 1
	count_from_here
	request 150
	told "P10: 150 requests from the host of s1 are answered, $family" \
		answered 150
	counted "P10: each is steered, $family" steered 150 answers 150 \
		pass-no-match 150
	got_each
	shares "P10, L2: s2 and s3 share them, $family" 0 1 1
	for i in 1 2 3; do
		server "$i" weight "${i}0"
	done
	from 2
	forget
	request 300
	got_each
	shares "P10, L2: 300 from the host of s2, 1/4 and 3/4, $family" 10 0 30
	from nas
	forget
	request 300
	got_each
	shares "L2: the NAS has the choice of all three, $family" 10 20 30
	from 3
	server 1 state drain
	forget
	request 20
	went "P10, S6: a server that drains is none while s2 is there, $family" \
		20 s2
	server 2 state down
	forget
	count_from_here
	request 20
	went "P10, S6: it is one where no other is left, $family" 20 s1
	counted "P10, S8: and Up, $family" steered 20 answers 20 \
		pass-no-match 20
	server 1 state auto weight 0
	server 2 state auto weight 0
	server 3 weight 0

	# Their conversations and sessions go on with those who have them.
	from 1
	challenge 2 3
	request 20
	told "R1: 20 conversations begin, from the host of s1, $family" \
		answered 20
	behave all answer
	for i in 2 3; do
		forget
		count_from_here
		ask "from $i" 20
		went "P10, E2: all go on with s$i, $family" 20 "s$i"
		counted "P10, E2: as is counted, s$i, $family" steered 20 \
			answers 20 pass-no-match 20 state-hits 20
	done
	forget
	attributes="$(attributes user bob session "########")"
	request -v -x "$attributes" 60
	told "R1: 60 logins, from the host of s1, $family" answered 60
	servers_of login
	SERVICE_PORT=1813 request -v -k 4 -x "$(attributes status 1)$attributes" 60
	servers_of account
	# shellcheck disable=SC2154 # servers_of sets both
	check "P10, A1: their accounting follows, $family" \
		test "${account[*]}" = "${login[*]}"
	SERVICE_PORT=1813 request -v -k 4 -n 100 \
		-x "$(attributes status 1)$attributes" 60
	told "P10: nor is other accounting lost, $family" answered 60
	servers_of begun
	SERVICE_PORT=1813 request -v -k 4 -n 100 \
		-x "$(attributes status 2)$attributes" 60
	servers_of ended
	# shellcheck disable=SC2154
	check "P10, A4: it stays where it began, $family" \
		test "${begun[*]}" = "${ended[*]}"

	# Further copies. s1 is never among them.
	behave all silent
	forget
	request -g 0 -s "$(copies 4)" 20
	check "P10, L3: copies go to s2 and s3 in turn, $family" \
		test "$(ways | sed "s/^[0-9]* //" | sort -u | paste -sd " ")" = \
		"s2,s2,s3,s3 s3,s3,s2,s2"
	request -g 0 -s "$(copies 8)" 20
	check "P10, L5: nor when all was forgotten, $family" \
		eval "! ways | grep s1"

	check "master-backup, $family" fresh 3 algorithm master-backup
	from 1
	count_from_here
	request 20
	told "P10: 20 requests from the host of the master are answered, $family" \
		answered 20
	went "P10, M4: by the first backup, $family" 20 s2
	counted "P10: each is steered to it, $family" steered 20 answers 20 \
		pass-no-match 20
	check "P10: the master is Up and knows nothing of it, $family" untouched
	from nas
	forget
	request 20
	went "M2: the master takes what the NAS asks, $family" 20 s1
	from 2
	forget
	request 20
	went "M2: and what comes from the host of a backup, $family" 20 s1
	server 2 state down
	from 1
	forget
	request 20
	went "P10, M3: s2 is Down, the next backup, $family" 20 s3
	server 2 state auto
	forget
	request 20
	went "P10, M3, M9: the most-recent backup, though the master is Up, $family" \
		20 s3
	fresh 3 algorithm master-backup
	behave all silent
	goes "P10, M8, M10: copies go from backup to backup, $family" 6 \
		s2,s2,s3,s3,s2,s2
	from 2
	goes "P10, M10: without its own host there is no other backup, $family" 6 \
		s1,s1,s3,s3,s1,s1
	from 1
	forget
	for delay in 0 3 6; do
		SERVICE_PORT=1813 request -g 0 -k 4 -x "$(attributes user bob \
			session renumbered nas nas1 status 1 delay "$delay" \
			timestamp 1000)" 1
	done
	went "P10, T3: nor do copies with another delay, $family" 2 a2 1 a3

	# No other server is left.
	check "a list of one, $family" fresh 1
	count_from_here
	request -g 0 -s "$(copies 3)" 5
	counted "P10: 15 packets pass, $family" pass-hairpin 15
	check "P10: nothing is kept of them, $family" counter_is outstanding 0
	check "P10: and the server is Up, $family" untouched
	from nas
	request 5
	told "P10: others are answered by it, $family" answered 5

	fresh 2
	from 1
	behave all silent
	count_from_here
	request_start moved -m 1
	check "a request waits at s2, $family" wait_for 60 got_by s2 1
	if [ "$family" = IPv4 ]; then
		rs server del g authentication 198.18.2.2
	else
		rs server del g authentication 2001:db8:2:2::2
	fi
	request_again moved
	check "P10, M6: its server is gone, the next copy passes, $family" \
		wait_for 60 counter_is pass-hairpin \
		$((counters_before[pass_hairpin] + 1))
	request_stop moved
	counted "P10: which is no loss of the only one left, $family" steered 1 \
		retransmissions 1 pass-hairpin 1 lost 1
	check "P10: that one is untouched, $family" untouched

	# S1: what cannot be selected does not keep an error from the client.
	fresh 2
	behave s2 closed
	count_from_here
	request -C -g 0 1
	counted "S1: s2 is not there, but Up yet, $family" steered 1 \
		pass-no-match 0 unreachable 1 error-held 1 lost 1
	server 2 state down
	count_from_here
	request -C 1
	told "P10, S1: the client hears of it where only its host is Up, $family" \
		refused 1
	counted "P10, S1: its host does not count, $family" steered 1 none-up 1 \
		unreachable 1 errors 1 lost 1
	behave all answer
done

# What the gateway generates comes to a server of its own by the loopback device.
rs group del g
check "a server on the gateway" rs group add g match "$VIP"
check "its only one" rs server add g authentication 192.0.2.1
check "P10: a client beside it is not barred" \
	roundtrip "gw-$$,192.0.2.1,20000" "$VIP,1812" 20 "gw-$$,192.0.2.1,1812"

done_testing
