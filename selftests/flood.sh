#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Section 9, S1: a dead site, 100,000 requests that nobody answers.
#
#	nas ---- gw ---- s1 (silent), s2
#
#	203.0.113.1	group g: s1
#	203.0.113.2	group h: s2
#
# Longer than a test should be: a request without an answer is remembered for a
# minute after its copy was lost, and that is to be seen.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

count=100000
ports=400
other=203.0.113.2

topology 2
respond 2
behave s1 silent
rs set max-requests 150000
rs group add g match "$VIP" timeout 1
# It stays Up, so that there is no more than one thing to look at.
rs server add g authentication 198.18.1.2 state up
rs group add h match "$other"
rs server add h authentication 198.18.2.2

now() {
	echo $((${EPOCHREALTIME/./} / 1000))
}

count_from_here
began=$(now)
request -p "$ports" -g 0 -r 10000 "$count"
sent=$(now)
echo "# sent within $((sent - began)) ms"
check "section 9: all are outstanding" counter_is outstanding "$count"
check "section 9: of their server" is s1 outstanding "$count"
check "section 9: none had to go for them" counter_is evicted 0

# Every one is lost a second after it was sent, whenever somebody looks.
# To look takes its time too, so this is no measurement: see liveness.sh.
wait_for 10 counter_is lost "$count"
took=$(($(now) - sent))
echo "# the last is seen to be lost $took ms after it was sent"
check "S1: all are lost within 10 s, each once" counter_is lost "$count"

# In between, others go on as if alone.
ASKED=$other request -g 2000 -r 200 -v 200
told "section 9: 200 requests to another server are answered" \
	requests 200 answered 200 at-copy-1 200
behave s1 answer
PORT=60000 request -g 2000 100
told "section 9: so are 100 to the one that was silent" \
	requests 100 answered 100 at-copy-1 100
check "section 9: the others wait" counter_is outstanding "$count"
counted "section 9: each is counted, and nothing else" \
	steered $((count + 300)) answers 300 pass-no-match 300 lost "$count"

# Those that were answered are remembered for half a minute.
answered=$(now)
# answered_are N
answered_are() {
	local -A here=()

	stats here
	[ $((here[remembered] - here[outstanding])) = "$1" ]
}
check "R3: answered requests are remembered" answered_are 300
until [ $(($(now) - answered)) -ge 26000 ]; do
	pause 0.1
done
check "R3: the last hundred of them for 26 s at least" eval \
	'! answered_are 0'
wait_for 10 answered_are 0
took=$(($(now) - answered))
echo "# the last is seen to be forgotten $took ms after it was answered"
check "R3: all are forgotten after 30 s" answered_are 0
check "R3: and not much later" test "$took" -le 34000

# Forgotten on time: none before, and all soon after. On a slow machine the first
# ones are older than a minute by now.
until [ $(($(now) - began)) -ge 60000 ]; do
	pause 0.1
done
gone=$(counter expired)
older=$(($(now) - began - 60500))
[ "$older" -gt 0 ] || older=0
echo "# $gone are forgotten, those of the first $older of $((sent - began)) ms may be"
check "section 9: none is forgotten within a minute" test \
	$((gone * (sent - began))) -le $((older * count))
wait_for 60 counter_is outstanding 0
took=$(($(now) - sent))
echo "# the last is seen to be forgotten $took ms after it was sent"
check "section 9: all are forgotten" counter_is expired "$count"
check "section 9: a minute after they were lost" test "$took" -le 66000

# Bounded: where there is room for a few, the oldest go.
behave s1 silent
rs set max-requests 1000
before=$(counter evicted)
request -p 20 -g 0 5000
check "section 9: no more than are allowed" \
	test "$(counter remembered)" -le 1000
check "section 9: the others made room" \
	test "$(($(counter evicted) - before))" -ge 4000
ASKED=$other request -g 2000 100
told "section 9: 100 requests among them are answered" \
	requests 100 answered 100 at-copy-1 100
check "section 9: a smaller table at once" rs set max-requests 10
check "section 9: what does not fit goes" test "$(counter remembered)" -le 10
check "section 9: and a greater one again" rs set max-requests 4194304
request -p 20 -g 0 5000
check "section 9: with room for all" test "$(counter remembered)" -ge 5000
check "section 9: all that wait are shown" \
	test "$(rs request show | wc -l)" = $(($(counter outstanding) + 1))

done_testing
