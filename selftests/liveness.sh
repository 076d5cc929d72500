#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A server's state: what takes it Down, what brings it back, who is told.
#
#	nas ---- gw ---- s1, s2, s3
#
#	203.0.113.1	group g: s1 (master), s2, for both services
#	203.0.113.11	group h1: s1
#	203.0.113.12	group h2: s2
#	203.0.113.13	group h3: s3
#
# Every event is compared, in order: one that is not named here fails a test.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 3
respond 3
rs set duplicate-window 0

# Losses by time alone come in the groups h1, h2, h3.
rs group add g match "$VIP" timeout 60
servers g authentication 2
servers g accounting 2
for i in 1 2 3; do
	rs group add "h$i" match "203.0.113.1$i" timeout "$((1 + i / 3))"
	rs server add "h$i" authentication "198.18.$i.2"
done
watch
result "S7: somebody watches" $?
check "S6: new servers are Up" jq -e \
	'[.groups[].servers[][].state] | unique == ["up"]' <<<"$(rs -j show)"

# lose N: N copies to the master are lost, as those of one request; one more is
# sent, and never lost.
lose() {
	request -g 0 -s "$(copies $(($1 + 1)))" 1
}

state() {
	rs server set g authentication "198.18.$1.2" state "$2"
}

# ask SERVER [OPTION...]: one request to the group that has only that one.
ask() {
	ASKED=203.0.113.1$1 request "${@:2}" 1
}

# S1 by time, three at once: never before, and soon after. The machine may be
# busy at one moment, so the soonest counts. Clocks are compared to some ms.
rs set dead-count 1 dead-interval 0
behave all silent
for i in 1 2 3; do
	ask $i -g 0
done
happened "S1, S2: the timeout alone takes a server Down" \
	"s1 up down losses 1" "s2 up down losses 1" "s3 up down losses 1"
mapfile -t sent < <(awk '{ print $1 }' "$traffic/log")
soonest=1000000
early=0
for i in 0 1 2; do
	took=$(($(event_ms $i) - sent[i] - 1000 * (1 + i / 2)))
	[ "$took" -ge -5 ] || early=1
	[ "$took" -ge "$soonest" ] || soonest=$took
	echo "# lost $took ms after the timeout"
done
check "S1: no copy is lost before its timeout" test "$early" = 0
check "S1: it is lost within 0.25 s of it" test "$soonest" -le 250
check "S7: the losses are shown" is s3 losses 1
check "S7: so are copies lost at all" is s3 lost 1

# All Down: traffic flows, and the first answer brings each back.
for i in 1 2 3; do
	rs group set "h$i" timeout 60
done
count_from_here
request -g 0 1
counted "S8: a selection with none Up is counted" steered 1 none-up 1
behave all answer
request -v 1
by "M4, S8: with all Down the first one is sent to" s1
for i in 2 3; do
	ask $i
done
happened "S3: an answer makes Up at once" "s1 down up answer 1" \
	"s2 down up answer 1" "s3 down up answer 1"
check "S3: and clears the losses" is s3 losses 0

# S2, by copies that follow.
rs set dead-count 3
rs group set g retransmit 5
behave all silent
lose 2
check "S1: two copies that were followed by others are lost" is s1 losses 2
happened "S2: one loss fewer than dead-count does not take Down"
lose 1
happened "S2: dead-count losses do, whichever requests they are of" \
	"s1 up down losses 3"
check "S1: each copy was lost once" is s1 lost 4
ask 1 -g 0 -s "$(copies 3)"
happened "S7: losses of a server that is Down are no event"
forget
request -g 0 1
went "M3: a first send goes to the backup" 1 s2
check "S2: its authentication is Down, its accounting is not" is a1 state up
SERVICE_PORT=1813 request -k 4 -g 0 1
check "S2: which is where accounting goes" got_by a1 1
check "S2: one state in each group that has the server" jq -e '
	[.groups[].servers.authentication[] |
	 select(.address == "198.18.1.2").state] == ["down", "down"]
	' <<<"$(rs -j show)"
behave s1 answer
ask 1
happened "S3: one event for all groups" "s1 down up answer 5"
forget
behave s2 answer
request 1
went "M5: fail-back, the next first send is the master's" 1 s1

# S2: longer than dead-interval.
rs set dead-interval 3
behave s1 silent
request_start r -g 0 -s "$(copies 5),3500" 1
check "five copies" wait_for 5 got_by s1 6
check "S2: more losses than dead-count in less than dead-interval" \
	is s1 losses 4
happened "S2: it is Up still"
request_wait r
happened "S2: the first loss after more than dead-interval" \
	"s1 up down losses 5"
behave s1 answer
ask 1
happened "S3: Up again" "s1 down up answer 5"

# One request, and one client.
rs set dead-interval 0 dead-count 4
rs group set g retransmit 1
behave s1 silent
forget
lose 2
went "M7: a request moves at its limit" 1 s1,s1,s2
lose 1
check "S2: three losses" is s1 losses 3
behave s1 answer
request 1
check "S3: an answer to another request clears them" is s1 losses 0
behave s1 silent
lose 2
lose 1
happened "S2: a limit that is exhausted never takes Down by itself"
check "S2: three losses again" is s1 losses 3
behave s1 answer
request 1

# S3: late answers of all kinds. The backup is silent.
rs set dead-count 2
behave s2 silent
for code in 2 3 11; do
	behave s1 answer hold code $code
	request_start r -v -g 10000 -s "$(copies 3)" 1
	happened "S2: Down before the answer with code $code" \
		"s1 up down losses 2"
	behave s1 release
	happened "S3: Up by a late answer with code $code" \
		"s1 down up answer 2"
	request_wait r
	by "S3, R1: the client has it, once for each copy, code $code" s1,s1
	behave s1 answer
	request 1
done
behave a1 answer hold
SERVICE_PORT=1813 request_start r -k 4 -v -g 10000 -s "$(copies 3)" 1
happened "S2: an accounting server Down" "a1 up down losses 2"
check "S2: authentication is not" is s1 state up
behave a1 release
happened "S3: Up by a late Accounting-Response" "a1 down up answer 2"
request_wait r

# S4, S5.
behave all silent
rs set dead-count 2 dead-time 1
lose 2
happened "S2: Down once more" "s1 up down losses 2"
down=$(event_ms 0)
happened "S4: after dead-time it is assumed-up" \
	"s1 down assumed-up dead-time 2"
took=$(($(event_ms 0) - down))
echo "# $took ms after it went Down"
check "S4: not before dead-time, and soon after" \
	test "$took" -ge 995 -a "$took" -le 1500
forget
rs set dead-count 10 dead-time 86400
request -g 0 1
went "S4: for the selection it is Up" 1 s1
check "S4: it is assumed-up still" is s1 state assumed-up
lose 1
lose 1
happened "S5: requests with a copy lost each change nothing"
lose 2
happened "S5: one with all its copies lost takes it Down" \
	"s1 assumed-up down exhausted 4"
rs set dead-time 1
happened "S4: a shorter dead-time is heeded at once" \
	"s1 down assumed-up dead-time 4"
behave s1 answer
request 1
happened "S3, S4: Up with the first answer" "s1 assumed-up up answer 0"

# By time, and without a retransmission.
rs group set h2 retransmit 0 timeout 1
rs set dead-count 1
ask 2 -g 0
happened "S1, S4: Down and assumed-up by time alone" \
	"s2 up down losses 1" "s2 down assumed-up dead-time 1"
rs set dead-count 10 dead-time 86400
ask 2 -g 0
happened "S5: Down again by the timeout of the only copy" \
	"s2 assumed-up down exhausted 1"
rs group set h2 timeout 60

# S6.
rs set dead-count 1
state 2 up
happened "S6: up makes Up" "s2 down up admin 1"
ask 2 -g 0 -s "$(copies 3)"
happened "S6: and losses do not matter"
check "S6: it is Up" is s2 state up
check "S6: the losses are counted" is s2 losses 2
state 2 auto
check "S6: they are not held against it afterwards" is s2 losses 0
state 1 drain
state 1 down
behave s1 silent
ask 1 -g 0 -s "$(copies 2)"
happened "S2: a server that is administratively down is judged as well" \
	"s1 up down losses 1"
state 1 auto
happened "S6: and auto leaves it as it is"
check "S6: Down" is s1 state down

# T4. The only server of h3 is Down, the master of g too.
ask 3 -g 0 -s "$(copies 2)"
happened "S2: another one Down" "s3 up down losses 1"
forget
request -k 12 -g 0 1
went "T4: Status-Server goes where a first send goes" 1 s2
forget
rs group set h2 timeout 1
count_from_here
ASKED=203.0.113.12 request -k 12 -g 1300 -s "$(copies 4)" 1
went "T4: so does the same Status-Server again, below a limit or not" \
	1 s2,s2,s2,s2
counted "T4: it is never lost, by time or by the next one" steered 4
check "T4: nor held against the server" is s2 losses 0
behave s3 answer
ask 3 -k 12 -v
by "T4: Status-Server is answered" s3
happened "T4, S3: its answer proves life" "s3 down up answer 1"

# S1: a host that says itself that nobody listens. Nothing of what was sent before
# is to be lost by time meanwhile.
for group in g h1 h2; do
	rs group del "$group"
done
behave s3 closed
count_from_here
ask 3 -g 1000 -s "$(copies 2)"
counted "S1: what is unreachable is lost at once, each copy once" steered 2 \
	retransmissions 1 lost 2 unreachable 2 errors 2 pass-not-udp 2
check "S1: that is counted for the server" is s3 unreachable 2
happened "S2: and held against it" "s3 up down losses 1"
check "S1: no copy is lost once more" is s3 losses 2
behave s3 answer
ask 3
happened "S3: an answer makes it Up" "s3 down up answer 2"

# A state goes with the server.
rs server del h3 authentication 198.18.3.2
rs server add h3 authentication 198.18.3.2
check "S6: a server that is taken off everywhere comes back Up" is s3 state up
happened "S7: no other events"

done_testing
