#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What tells requests apart: clients that use an Identifier again, that use one
# for all, or one port for several servers of theirs.
#
#	nas ---- gw ---- s1 (master), s2, s3, s4
#
#	203.0.113.1, 203.0.113.2, 203.0.113.3	group g

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

require chisq roundtrip taskset
topology 4
rs set duplicate-window 0 dead-count 65535

# fresh N OPTION...: the group anew with that many servers, and no memory.
fresh() {
	rs group del g 2>/dev/null
	rs group add g match "$VIP" match 203.0.113.2 match 203.0.113.3 \
		timeout 60 "${@:2}" && servers g authentication "$1"
	forget
}

# pair OPTION...: asks two addresses with the same ports and Identifiers.
pair() {
	request -t 203.0.113.2,1812 "$@"
}

# How many servers each port and Identifier went to: "1 5" are five of them
# that went to one.
spread() {
	tail -n +$((log_seen + 1)) "$traffic/log" | awk '
		!(($4, $6, $2) in seen) {
			seen[$4, $6, $2]
			servers[$4, $6]++
		}
		END {
			for (request in servers)
				count[servers[request]]++
			for (n in count)
				print n, count[n]
		}'
}

# A client whose resends differ in Message-Authenticator: what is the same is
# the header.
rs group add g match "$VIP" timeout 60 retransmit 5
servers g authentication 1
header=01ee0026000102030405060708090a0b0c0d0e0f
count_from_here
for authenticator in 00 01; do
	roundtrip -S -x "${header}5012$(printf "$authenticator%.0s" {1..16})" \
		"nas-$$,192.0.2.2,19000" "$VIP,1812" 1 \
		"s1-$$,198.18.1.2,1812" >"$traffic/blast"
done
check "T1: a copy with another Message-Authenticator arrives" \
	grep -q ' 1$' "$traffic/blast"
counted "T1: it is a copy, as its header is the same" \
	steered 2 retransmissions 1 lost 1

respond 4

# T2. One port, one Identifier, one request after the other.
behave all silent
fresh 3 retransmit 0
count_from_here
request -i 1 -r 100 -g 100 10
went "T2: an Identifier used again is a new request, a first send" 10 s1
told "T2: the client gave up nine" abandoned 9
counted "T2: nine abandoned, none of them lost" steered 10 abandoned 9
check "T2: nor held against the server" is s1 losses 0
check "T2: one is left" test "$(rs -j request show | jq '.requests | length')" = 1

fresh 3
rs group set g timeout 1
count_from_here
PORT=$next_port request -i 1 -g 0 1
check "S1: a request is lost by time" wait_for 5 reached lost 1
PORT=$next_port request -i 1 -g 0 1
counted "T2: abandoned when it was lost already, it is lost once" \
	steered 2 abandoned 1 lost 1
next_port=$((next_port + 1))

# The answer of an abandoned one is the client's to recognize.
fresh 3
behave s1 answer hold
count_from_here
request_start r -v -g 20000 -i 1 -r 100 -w 60000 2
wait_for 5 got_by s1 2
behave s1 release
wait_for 5 reached answers 2
request_stop r
told "T2: what answers the one before reaches the client, and so does the answer" \
	answered 1 abandoned 1 answers 1 stale 1
behave all answer

# Identifier 1 for all, a new port for each: only ports tell them apart.
behave s1 silent
fresh 2
count_from_here
request -i 1 -p 300 -s 0,300,600 300
told "T2, M7: 300 requests with Identifier 1, answered by the third copy" \
	answered 300 answers 300 at-copy-3 300 abandoned 0
went "M6, M7: each of them goes its way" 300 s1,s1,s2
counted "T2: none is taken for another" steered 900 retransmissions 600 \
	failovers 300 lost 600 answers 300 pass-no-match 300
behave all answer
fresh 3 algorithm loading-share
request -i 1 -p 600 600
told "T2: 600 requests with Identifier 1 under loading-share" answered 600
# shellcheck disable=SC2046 # a word for each count
check "L2, L7: 600 draws for one Identifier, the same chance" \
	chisq $(ways | awk '{ print $1 }') -- 1 1 1

# P9. All outstanding at a time.
log_from_here() {
	forget
	log_seen=$(wc -l <"$traffic/log")
}

fresh 2 algorithm loading-share
log_from_here
behave all answer hold
count_from_here
request_start r -g 20000 -p 100 -t 203.0.113.2,1812 200
wait_for 20 reached steered 200
check "P9: two with one port and Identifier go to two servers" \
	test "$(spread)" = "2 100"
behave all release
request_wait r
told "P9: each has its own answer, from where it was asked" \
	answered 200 answers 200
counted "P9: no server had both" steered 200 answers 200 pass-no-match 200

rs server set g authentication 198.18.1.2 weight 5
log_from_here
behave all silent
count_from_here
pair -p 20 -g 0 40
check "P9, L6: nor with a weight for only one of them" test "$(spread)" = "2 20"
counted "P9: no conflict with weights" steered 40
rs server set g authentication 198.18.1.2 weight 0

log_from_here
count_from_here
pair -t 203.0.113.3,1812 -p 20 -g 0 60
check "P9: three at two servers" test "$(spread)" = "2 20"
counted "P9: the third is a conflict, and is sent all the same" \
	steered 60 conflicts 20

# A move keeps away from where the other one was as well.
fresh 4 algorithm loading-share retransmit 0
log_from_here
count_from_here
pair -p 20 -g 0 -s "$(copies 2)" 40
check "P9: with copies that move, all four servers" test "$(spread)" = "4 20"
counted "P9: and no conflict" steered 80 retransmissions 40 failovers 40 lost 40

# What is answered is in nobody's way.
fresh 2 algorithm loading-share
behave all answer
count_from_here
PORT=$next_port request 50
ASKED=203.0.113.2 PORT=$next_port request 50
counted "P9: an answered request is no conflict" \
	steered 100 answers 100 pass-no-match 100
fresh 1 algorithm loading-share
count_from_here
PORT=$next_port ASKED=203.0.113.3 request 50
counted "P9: nor with one server alone" steered 50 answers 50 pass-no-match 50
next_port=$((next_port + 1))

# Master-backup sends all to one server, which answers the newer one.
fresh 2
behave s1 silent
count_from_here
PORT=$next_port request -g 0 1
behave s1 answer
PORT=$next_port ASKED=203.0.113.2 request -v 1
next_port=$((next_port + 1))
went "P9: master-backup sends both to the master" 2 s1
by "P9: the newest has the answer" s1
told "P9: from where it was asked" answered 1
counted "P9: which is a conflict" \
	steered 2 conflicts 1 answers 1 pass-no-match 1

# One port and Identifier by turns from two processors, each of which takes over
# what the other one has left, while the table changes its size.
fresh 1
rs group set g timeout 1
behave s1 silent
count_from_here
for n in {1..20}; do
	PORT=47000 requester_arguments -i 3 -g 1 1
	taskset -c $((n % 2)) requester "${arguments[@]}" >/dev/null
	[ $((n % 5)) != 0 ] || rs set max-requests $((65536 << n / 10))
done
counted "T2: by two processors in turn, each is new" steered 20 abandoned 19
check "T2: one waits" counter_is outstanding 1
check "T2: the timer finds it where it waits" wait_for 10 reached lost 1
rs set max-requests 65536
behave s1 answer

done_testing
