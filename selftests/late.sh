#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Answers that come when the request has moved, or was answered, or that come
# from somebody else.
#
#	nas ---- gw ---- s1 (master), s2, s3
#
# A server that holds its answers gives them when it is told to, so that they
# come in the order that a test wants.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 3
respond 3
rs set duplicate-window 0 dead-count 65535 dead-interval 0
rs group add g match "$VIP" timeout 60
servers g authentication 3
servers g accounting 3
watch

# R2. Copies 1 and 2 are the master's, copy 3 is the backup's.
behave s1 answer hold
count_from_here
request_start r -v -w 60000 -s "$(copies 3)" 1
wait_for 5 reached answers 1
check "S1: the master lost two copies" is s1 losses 2
behave s1 release
check "S3: a late answer proves life" is s1 losses 0
request_stop r
by "R2: the first answer goes through, the late ones do not" s2
told "R2: the client sees nothing of them" answers 1 answered 1
counted "R2: they are counted" steered 3 retransmissions 2 failovers 1 lost 2 \
	answers 1 answer-late 2 pass-no-match 3
check "R2: at that server, too" is s1 late 2
check "R2: and not as its answers" is s1 answers 0
check "R2: the other one has none" is s2 late 0

# The former server wins. From here on the request is its own.
behave s2 answer hold
count_from_here
forget
request_start r -v -m -u 1
wait_for 5 got_by s1 1
request_again r
wait_for 5 got_by s1 2
request_again r
wait_for 5 got_by s2 1
check "R1: nothing is answered yet" test "$(counter outstanding)" = 1
behave s1 release
wait_for 5 reached answers 2
check "R2: nothing is outstanding after the first answer" \
	test "$(counter outstanding)" = 0
behave s1 answer
request_again r
wait_for 5 reached answers 3
behave s1 silent
request_again r
wait_for 5 got_by s1 4
request_again r
wait_for 5 got_by s1 5
behave s2 release
wait_for 5 reached answer-late 1
request_stop r
went "R3: copies after the answer go to the server that gave it" \
	1 s1,s1,s2,s1,s1,s1
by "R2: its answers go through each time, before and after" s1,s1,s1
told "R2: and no others" answers 3
counted "R3: copies of an answered request are not lost" steered 6 \
	retransmissions 5 failovers 1 lost 2 answers 3 answer-late 1 \
	pass-no-match 4
check "R3: nor held against the server" is s1 losses 0

# R3, beyond the limit, whatever happens to the server.
behave s2 silent
rs group set g retransmit 0
behave s1 answer
forget
count_from_here
request_start r -v -m -u 1
wait_for 10 reached answers 1
for n in 2 3 4; do
	request_again r
	wait_for 10 reached answers "$n"
done
request_stop r
went "R3: copies beyond the limit stay where the answer is" 1 s1,s1,s1,s1
by "R3: and have it" s1,s1,s1,s1
forget
request_start r -v -m -u 1
wait_for 5 got_by s1 1
behave s1 silent
rs set dead-count 1
request -g 0 -s "$(copies 2)" 1
check "S2: the server is Down" is s1 state down
happened "S7: which is told" "s1 up down losses 1"
rs set dead-count 65535
request_again r
wait_for 5 got_by s1 3
check "R3: a copy of an answered request goes there all the same" got_by s1 3
rs server set g authentication 198.18.1.2 state down
request_again r
wait_for 5 got_by s2 2
check "R3, M6: not if the server is administratively down" got_by s2 2
request_stop r
rs server set g authentication 198.18.1.2 state auto

# Three servers, one after the other; a server that is Down comes Up by an
# answer that nobody gets to see.
rs server set g authentication 198.18.1.2 state up
rs server set g authentication 198.18.1.2 state auto
happened "S6: the master is Up again" "s1 down up admin 1"
rs group del g
rs group add g match "$VIP" timeout 60 retransmit 0
servers g authentication 3
servers g accounting 3
rs set dead-count 1
behave s1 answer hold
behave s2 answer hold
count_from_here
forget
request_start r -v -w 60000 -s "$(copies 3)" 1
wait_for 5 reached answers 1
went "M7: three copies, three servers" 1 s1,s2,s3
happened "S2: two of them are Down" "s1 up down losses 1" \
	"s2 up down losses 1"
behave s2 release
wait_for 5 reached answer-late 1
behave s1 release
wait_for 5 reached answer-late 2
happened "S3, R2: both come Up by answers that are swallowed" \
	"s2 down up answer 1" "s1 down up answer 1"
request_stop r
by "R2: the client has the first one" s3
counted "R2: two late answers" steered 3 retransmissions 2 failovers 2 lost 2 \
	answers 1 answer-late 2 pass-no-match 3
rs set dead-count 65535

# Accounting, and answers of every kind.
rs server del g authentication 198.18.3.2
for code in 3 11 52; do
	behave s1 answer hold code $code
	behave s2 answer code $code
	count_from_here
	request_start r -v -w 60000 -s "$(copies 2)" 1
	wait_for 5 reached answers 1
	behave s1 release
	wait_for 5 reached answer-late 1
	request_stop r
	by "R2, R5: code $code, the late one is swallowed" s2
done
behave a1 answer hold
count_from_here
SERVICE_PORT=1813 request_start r -k 4 -v -w 60000 -s "$(copies 2)" 1
wait_for 5 reached answers 1
behave a1 release
wait_for 5 reached answer-late 1
request_stop r
by "R2, R5: accounting, the late one is swallowed" a2
check "R2: counted for the accounting server" is a1 late 1

# R1: what was sent twice is answered twice.
behave s1 answer twice
request -v 1
by "R2: both answers of one server go through" s1,s1

# R4: what is no answer of a server that has the request. All are silent but
# for the one that is told what to say, and say it to the first copy; the second
# is answered.
# forged TITLE COUNTER CLIENT-COUNTER WORD...
forged() {
	local title=$1 counter=$2 seen=$3 losses waiting

	shift 3
	behave all silent
	request -g 0 -s "$(copies 2)" 1
	losses=$(of s1 losses)
	waiting=$(of s1 outstanding)
	behave s1 answer "$@"
	rs group set g retransmit 5
	count_from_here
	request_start r -v -m 1
	wait_for 5 reached pass-no-match 1
	counted "R4: $title, counted" \
		steered 1 pass-no-match 1 "$counter" 1
	check "R4: $title, the server's losses stay" is s1 losses "$losses"
	check "R4: $title, the request waits" is s1 outstanding \
		$((waiting + 1))
	behave s1 answer
	request_again r
	request_wait r
	told "R4: $title, reaches the client, and then the answer" \
		answered 1 answers 1 at-copy-2 1 "$seen" 1
	rs group set g retransmit 0
}

ip -n "s1-$$" address add 198.18.1.77/32 dev lo
ip -n "s1-$$" address add 198.18.2.2/32 dev lo
forged "another port" pass-no-match wrong-source from 198.18.1.2,0
forged "another address" pass-no-match wrong-source from 198.18.1.77,1812
forged "another server" answer-stray wrong-source from 198.18.2.2,1812
forged "another Identifier" answer-stray unmatched identifier 1
for code in 1 5 43; do
	forged "code $code" answer-stray wrong-source code $code
done

done_testing
