#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# C1 to C3: what changes while requests are on their way.
#
#	nas ---- gw ---- s1, s2, s3, s4
#
#	203.0.113.1	group g
#	203.0.113.2	group h

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 4
respond 4
rs set duplicate-window 0 dead-count 65535
other=203.0.113.2

add() {
	rs server add g authentication "198.18.$1.2" "${@:2}"
}

del() {
	rs server del g authentication "198.18.$1.2"
}

set_server() {
	rs server set g authentication "198.18.$1.2" "${@:2}"
}

# A server that stays keeps what is known of it, wherever it stands.
known() {
	rs -j server show g | jq -c --arg address "198.18.$1.2" '
		.groups[0].servers.authentication[] |
		select(.address == $address) |
		[.state, .losses, .requests, .answers, .lost,
		 .selected]'
}

same() {
	[ -n "$1" ] && [ "$(known 1)" = "$1" ]
}

check "a group" rs group add g match "$VIP" timeout 60 retransmit 5
servers g authentication 3
request 50
behave s1 silent
rs set dead-count 3 dead-interval 0
request -g 0 -s "$(copies 5)" 1
check "S2: the master is Down" is s1 state down
before=$(known 1)
echo "# $before"
check "C2: a weight" set_server 1 weight 9
check "C2: another server behind it" add 4
check "C2: and one before it" del 2
check "C2: which goes there" add 2 before 198.18.1.2
check "C2: another algorithm" rs group set g algorithm loading-share
check "C2: state, losses and counters are kept" same "$before"
check "M2: the first in the list is the master" jq -e \
	'[.groups[0].servers.authentication[] | select(.master).address] ==
	 ["198.18.2.2"]' <<<"$(rs -j show)"
count_from_here
request 40
told "C2: the one that is Down is not asked" requests 40 answered 40 at-copy-1 40
check "C2: in the new list either" same "$before"
set_server 1 state up
check "C2: up by the administrator, it is Up" is s1 state up
set_server 1 state auto
behave s1 answer
rs group del g

# The state is the server's own, in whatever lists it is or was.
rs group add g match "$VIP" timeout 60 retransmit 5
servers g authentication 2
rs group add h match "$other"
rs server add h authentication 198.18.1.2
behave s1 silent
request -g 0 -s "$(copies 5)" 1
check "S2: Down in both" jq -e '[.groups[].servers.authentication[] |
	select(.address == "198.18.1.2").state] == ["down", "down"]
	' <<<"$(rs -j show)"
del 1
check "C2: Down in the other list when one has let go" is s1 state down
add 1
check "C2: and in the one that has it again" jq -e '
	[.groups[].servers.authentication[] |
	 select(.address == "198.18.1.2").state] == ["down", "down"]
	' <<<"$(rs -j show)"
rs group del h
del 1
add 1 before 198.18.2.2
check "S6: one that no list had is new, and Up" is s1 state up
rs group del g
rs set dead-count 65535

# A request at a server that goes: its answer still finds the way.
rs group add g match "$VIP" timeout 60 retransmit 1
servers g authentication 3
forget
behave s1 answer hold
request_start r -v -g 20000 1
check "a request at the master" wait_for 5 got_by s1 1
del 1
count_from_here
behave s1 release
request_wait r
told "C2: a removed server's answer is translated" requests 1 answered 1
by "C2: it is that server's" s1
counted "C2: and counted" answers 1 pass-no-match 1
add 1 before 198.18.2.2

# Its further copies move, and then the first answer counts.
forget
request_start r -v -m -w 300 1
check "another at the master" wait_for 5 got_by s1 1
del 1
behave s2 answer hold
request_again r
check "M6: the next copy goes elsewhere" wait_for 5 got_by s2 1
behave s1 release
request_wait r
by "C2: the removed server's answer is the first" s1
count_from_here
behave s2 release
went "M6, C2: a request whose server was removed" 1 s1,s2
counted "R2: the other's is late" answer-late 1 pass-no-match 1
add 1 before 198.18.2.2
behave s1 answer
behave s2 answer

# down: requests move at their next copy. drain: they do not.
for how in down drain; do
	forget
	behave s1 answer hold
	request_start r -v -m 1
	check "S6: one at the master, $how" wait_for 5 got_by s1 1
	set_server 1 state "$how"
	request_again r
	if [ "$how" = down ]; then
		request_wait r
		went "S6, M6: $how, the next copy moves" 1 s1,s2
	else
		check "S6: $how, the next copy stays" wait_for 5 got_by s1 2
		behave s1 release
		request_wait r
		went "S6, M6: $how, no copy moves" 1 s1,s1
	fi
	set_server 1 state auto
	behave s1 release
	behave s1 answer
done

# C3: a group takes its requests with it, and no others.
rs group add h match "$other" timeout 60
rs server add h authentication 198.18.2.2
behave s1 silent
behave s2 answer hold
request -g 0 10
ASKED=$other request_start other -g 20000 5
check "five of another group" wait_for 5 got_by s2 5
count_from_here
check "C3: a group goes" rs group del g
check "C3: its requests have ended" test "$(counter outstanding)" = 5
behave s2 release
request_wait other
told "C3: those of another group have not" requests 5 answered 5
behave s1 answer
behave s2 answer
rs group del h

# C1: every packet sees the one or the other, and none sees neither.
rs group add g algorithm loading-share match "$VIP" timeout 60
servers g authentication 4 1 2 3 4
count_from_here
request_start load -r 100 -g 10000 -p 16 2000
changes=0
while kill -0 "${requester_pid[load]}" 2>/dev/null; do
	for i in 1 2 3 4; do
		del "$i" && add "$i" weight "$i" || break 2
		set_server "$i" weight $((5 - i)) || break 2
	done
	rs group set g algorithm master-backup match "$other" match "$VIP" ||
		break
	rs group set g algorithm loading-share match servers match "$VIP" ||
		break
	rs set max-requests $((10000 + changes * 1000)) || break
	changes=$((changes + 1))
done
request_wait load
told "C1, C2: 2000 requests meanwhile, each answered at its first copy" \
	requests 2000 copies 2000 answered 2000
echo "# changed $changes times, 15 changes each"
check "C1: there were changes" test "$changes" -ge 1
counted "C1: all were steered" steered 2000 answers 2000 pass-no-match 2000

done_testing
