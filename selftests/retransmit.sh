#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Further copies of a request: which of them moves, and where to.
#
#	nas ---- gw ---- s1 (master), s2, s3, s4
#
# Servers are silent unless told otherwise, so that requests go all their way.
# Copies are as close as a client never sends them, with the window for
# duplicates closed; the timeout is so long that only the next copy makes one
# lost.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 4
respond 4
behave all silent
rs set duplicate-window 0 dead-count 65535 dead-interval 0

# fresh N OPTION...: the group anew with that many servers, and no memory.
fresh() {
	rs group del g 2>/dev/null
	rs group add g match "$VIP" timeout 60 "${@:2}" &&
		servers g authentication "$1"
	forget
}

state() {
	rs server set g authentication "198.18.$1.2" state "$2"
}

# goes TITLE COPIES WAY: a new request.
goes() {
	forget
	request -g 0 -s "$(copies "$2")" 1
	went "$1" 1 "$3"
}

# Master-backup, by its three names. The last backup of a request is the first
# one of the next.
fresh 3
while read -r -u 3 copies way algorithm; do
	# shellcheck disable=SC2086 # words
	rs group set g algorithm $algorithm retransmit 0
	goes "M7, M8, M10: retransmit 0, the second copy moves, $algorithm" \
		"$copies" "$way"
	rs group set g retransmit 1
	goes "M7, M8, M9: retransmit 1, the third copy moves, $algorithm" \
		7 s1,s1,s3,s3,s2,s2,s3
done 3<<END
7 s1,s2,s3,s2,s3,s2,s3 default
8 s1,s3,s2,s3,s2,s3,s2,s3 master-backup
8 s1,s3,s2,s3,s2,s3,s2,s3 master-backup strict
END

fresh 3
count_from_here
goes "M7: by default the third copy moves" 6 s1,s1,s2,s2,s3,s3
counted "M7: each copy counted, each move counted, each lost but the last" \
	steered 6 retransmissions 5 failovers 2 lost 5
check "M7: of the master, one request, a retransmission and a move" \
	jq -e '.groups[0].servers.authentication[0] | [.requests,
	       .retransmissions, .failovers, .lost, .outstanding] ==
	       [1, 1, 1, 2, 0]' <<<"$(rs -j show)"
check "M7: of the last, the same without an end" \
	jq -e '.groups[0].servers.authentication[2] | [.requests,
	       .retransmissions, .failovers, .lost, .outstanding] ==
	       [1, 1, 0, 1, 1]' <<<"$(rs -j show)"
check "M7: the request, as it is shown" jq -e '.requests | length == 1 and
	(.[0] | [.group, .client, .client_port, .asked, .server, .code,
		 .identifier, .failovers] ==
	 ["g", "192.0.2.2", $port, $vip, "198.18.3.2", 1, 0, 2])' \
	--argjson port "$port" --arg vip "$VIP" <<<"$(rs -j request show)"

fresh 3 retransmit 5
goes "M7: retransmit 5, the seventh copy moves" 14 \
	s1,s1,s1,s1,s1,s1,s2,s2,s2,s2,s2,s2,s3,s3
servers g accounting 3
forget
SERVICE_PORT=1813 request -k 4 -g 0 -s "$(copies 8)" 1
went "M7: accounting is resent as well" 1 a1,a1,a1,a1,a1,a1,a2,a2

# Where the limit changes meanwhile.
forget
request_start r -m 1
check "one copy" wait_for 5 got_by s1 1
rs group set g retransmit 0
request_again r
check "another copy" wait_for 5 got_by s3 1
request_stop r
went "M7: the limit is the group's at the time of the copy" 1 s1,s3

# Around the list.
fresh 4 retransmit 0
goes "M10: polling, all around" 7 s1,s2,s3,s4,s2,s3,s4
goes "M8, M9: from the master to the most-recent backup, and on from there" \
	6 s1,s4,s2,s3,s4,s2
state 3 down
goes "M10: one that is down is passed over" 6 s1,s2,s4,s2,s4,s2
state 3 drain
goes "M10, S6: one that drains is passed over" 6 s1,s2,s4,s2,s4,s2
state 3 auto
goes "M10: one that is back is polled again" 4 s1,s2,s3,s4
state 4 down
goes "M8: a most-recent backup that is down is no place to go" 4 s1,s2,s3,s2
fresh 2 retransmit 0
goes "M10: the only backup, and then the master that is Up" 5 s1,s2,s1,s2,s1
rs group set g retransmit 1
goes "M10, M7: each has its copies" 7 s1,s1,s2,s2,s1,s1,s2
rs server del g authentication 198.18.2.2
goes "M10, M7: a list of one" 5 s1,s1,s1,s1,s1

# M11, M9: with a master that is Up all the time.
fresh 3 retransmit 0
goes "M11: to the last one by polling" 3 s1,s2,s3
goes "M11: a first send is the master's all the same" 1 s1
state 1 down
goes "M9: a retransmission makes a backup the most recent" 1 s3
state 1 auto
goes "M5: the next first send is the master's" 1 s1

# M6: below the limit, whatever happens to the others. M8: the copy before is
# judged first. Now every loss takes a server Down.
rs group set g retransmit 2
rs set dead-count 1
goes "M6: the copies stay with a server that is Down" 4 s1,s1,s1,s3
check "S2: it was Down" is s1 state down
fresh 3 retransmit 0
count_from_here
goes "M10: none Up, the next backup whatever its state" 7 s1,s2,s3,s2,s3,s2,s3
counted "S8: four of seven selections were made with none Up" \
	steered 7 retransmissions 6 failovers 6 lost 6 none-up 4
goes "M4, M8, M9: none Up, the first one, and then polling" 4 s1,s2,s3,s2
fresh 2 retransmit 0
goes "M8: with the loss of its copy the master is Down" 2 s1,s2
state 2 up
goes "M3: it takes first sends" 1 s2
goes "M10, M3: and the copies, as no other one is Up" 3 s2,s2,s2
state 2 auto
rs set dead-count 65535

# The only request has had so many copies.
copies_are() {
	local commas

	behave all ways
	commas=${reply[*]//[^,]/}
	[ "${#reply[@]}" = 1 ] && [ "${#commas}" = $(($1 - 1)) ]
}

# Between two copies. The second one is below the limit.
# between TITLE WAY COMMAND...
between() {
	local title=$1 way=$2

	shift 2
	forget
	count_from_here
	request_start r -m 1
	wait_for 5 copies_are 1
	"$@"
	request_again r
	wait_for 5 copies_are 2
	request_again r
	wait_for 5 copies_are 3
	request_stop r
	went "$title" 1 "$way"
}

fresh 3
between "M10: a server that comes is polled in its place" s1,s1,s4 \
	rs server add g authentication 198.18.4.2 before 198.18.2.2
rs server del g authentication 198.18.4.2
between "M6: the server is set down between two copies" s1,s2,s2 state 1 down
counted "M6: that counts as a move" \
	steered 3 retransmissions 2 failovers 1 lost 2
state 1 auto
between "S6: a server that drains keeps its retransmissions" s1,s1,s2 \
	state 1 drain
state 1 auto
between "M6: another server is set down" s1,s1,s3 state 2 down
state 2 auto
state 1 down
between "M5: a request in flight stays where it is" s3,s3,s2 state 1 auto
between "M6: all are set down between two copies" s1,s1,s2 \
	eval 'state 1 down; state 2 down; state 3 down'
for i in 1 2 3; do
	state $i auto
done
between "M6: the server is removed between two copies" s1,s2,s2 \
	rs server del g authentication 198.18.1.2

# T1.
fresh 3 retransmit 0
rs set duplicate-window 1000
count_from_here
request -g 0 -s 0,0,0,0 1
went "T1: four copies at once go to one server" 1 s1,s1,s1,s1
counted "T1: three duplicates, which are no retransmissions" \
	steered 4 duplicates 3
check "T1: nor has the server any" is s1 retransmissions 0
forget
request -g 0 -s 0,700,1400 1
went "T1: the window counts from the copy before, a duplicate or not" \
	1 s1,s1,s1
forget
request -g 0 -s 0,0,1200,1200,2400 1
went "T1: what comes after the window is a copy" 1 s1,s1,s2,s2,s3
counted "T1: duplicates among them are not counted" \
	steered 12 duplicates 7 retransmissions 2 failovers 2 lost 2
rs set duplicate-window 0
forget
count_from_here
request -g 0 -s 0,0,0,0 1
went "T1: without a window each of them counts" 1 s1,s3,s2,s3
counted "T1: no duplicates without a window" \
	steered 4 retransmissions 3 failovers 3 lost 3

# Loading-share.
# ways_differ N COPIES: on every way each of N servers has had so many copies in
# a row before one has any more. Shows those that are not like that.
ways_differ() {
	ways | awk -v servers="$1" -v each="$2" '
		{
			n = split($2, at, ",")
			delete used
			for (i = 1; i <= n; i += each) {
				for (k = i; k < i + each && k <= n; k++)
					if (at[k] != at[i])
						bad = 1
				if (i > servers * each)
					continue
				if (at[i] in used)
					bad = 1
				used[at[i]]
			}
			count += $1
			if (bad)
				print
		}
		END { exit bad || !count }'
}

fresh 4 algorithm loading-share retransmit 1
count_from_here
request -g 0 -s "$(copies 9)" 100
check "L3, L5, L8: each server has two copies, all different, and then again" \
	ways_differ 4 2
check "L3: the others of four are drawn, every one of them" \
	test "$(ways | awk '{ print $2 }' | cut -d, -f 1,3,5,7 | sort -u |
		wc -l)" -gt 12
counted "L8: 100 requests, eight further copies each, three moves at least" \
	steered 900 retransmissions 800 lost 800 \
	failovers "$(ways | awk '{
		n = split($2, at, ",")
		for (i = 2; i <= n; i++)
			moves += $1 * (at[i] != at[i - 1])
	} END { print moves }')"
rs group set g retransmit 0
forget
request -g 0 -s "$(copies 4)" 100
check "M7, L8: retransmit 0, each copy goes to another server" ways_differ 4 1
rs group set g retransmit 5
forget
request -g 0 -s "$(copies 7)" 20
check "M7, L8: retransmit 5, the seventh copy moves" ways_differ 4 6

rs group set g retransmit 0
forget
rs server set g authentication 198.18.1.2 weight 1
request -g 0 -s "$(copies 2)" 20
check "L2, L6: from the only weight to any of the others" \
	test "$(ways | awk '{ print $2 }' | cut -d, -f 1 | sort -u)" = s1
check "L6: all of these" test "$(ways | wc -l)" -gt 1
rs server set g authentication 198.18.1.2 weight 0

# The first request makes all Down, one after the other; then one is put Up.
rs set dead-count 1
request -g 0 -s "$(copies 5)" 1
forget
count_from_here
request -g 0 -s "$(copies 4)" 50
check "L4: none Up, first those that the request has not used" ways_differ 4 1
counted "S8: each of these selections is counted" steered 200 \
	retransmissions 150 failovers 150 lost 150 none-up 200
state 2 up
forget
request -g 0 -s "$(copies 5)" 50
check "L5: the one Up was used, those not Up and not used" ways_differ 4 1
check "L3, L5: all used, so once more the one that is Up" \
	test "$(ways | awk '{ print $2 }' | cut -d, -f 1,5 | sort -u)" = s2,s2
rs set dead-count 65535

# A server falls silent, and the others answer.
fresh 4 algorithm loading-share
for i in 2 3 4; do
	behave "s$i" answer
done
count_from_here
request -s 0,200,400 -r 200 -p 4 400
told "M7, L8: all are answered by the third copy" requests 400 answered 400 \
	answers 400
moved=$(ways | awk '$2 ~ /^s1/ { n += $1 } END { print n + 0 }')
check "L3: some were the silent server's" test "$moved" -gt 0
check "L3: those and no others move, and none to it" \
	test "$(ways | awk '{ print $2 }' | sort -u | tr '\n' ' ')" = \
	"s1,s1,s2 s1,s1,s3 s1,s1,s4 s2 s3 s4 "
check "M7: no other request waited" \
	test "${said[at-copy-1]}" = $((400 - moved))
counted "M7: each of these two copies more, and a move" \
	steered $((400 + 2 * moved)) retransmissions $((2 * moved)) \
	failovers "$moved" lost $((2 * moved)) answers 400 pass-no-match 400

# The clients of this world, twenty times as fast as they are, all at a time,
# with a master that is silent and the limit as it is by default. Most of them
# send no more than three copies.
fresh 2
behave all answer
behave s1 silent
rs set duplicate-window 50
count_from_here
names=
while read -r -u 3 client schedule sockets; do
	# shellcheck disable=SC2086 # an option, or none
	request_start "$client" -r 50 -p 10 -s "$schedule" -g 1000 \
		${sockets#unconnected} 10
	names+=" $client"
done 3<<END
hostapd 0,150,450,1050 -C
accel-ppp 0,150,300 -C
pppd 0,500,1000 unconnected
freeradius-client 0,500,1000,1500 unconnected
strongSwan 0,100,240,435 -C
radclient 0,250,500 unconnected
radsecproxy 0,250,500 unconnected
eapol_test 0,150,450,1050 -C
END
for client in $names; do
	request_wait "$client"
	told "M7, R1: each request of $client is answered by its third copy" \
		requests 10 answered 10 answers 10 at-copy-3 10
done
went "M6, M7: two copies for the master, one for the backup" 80 s1,s1,s2
counted "M7: and nothing else" steered 240 retransmissions 160 failovers 80 \
	lost 160 answers 80 pass-no-match 80

done_testing
