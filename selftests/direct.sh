#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A client that asks a server itself as well, from the port that it asks the group
# from, with the same Identifiers: each answer comes from the address that its
# request was sent to.
#
#	nas ---- gw ---- s1 (master), s2
#
#	203.0.113.1	group g
#	198.18.1.2	s1, which the client asks itself

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 2
topology6 2

respond 2 198.18.I.2 2001:db8:2:I::2
rs set duplicate-window 0 dead-count 65535
rs group add g match "$VIP" timeout 60
servers g authentication 2
rs group add g6 match "$VIP6" timeout 60
servers6 g6 authentication 2

# The newest packet of the port and Identifier decides.
count_from_here
request -t 198.18.1.2,1812 -i 7 -r 20 20
told "R1: group and server in turn, each answer from where it was asked" \
	answered 20 answers 20 wrong-source 0 unmatched 0
counted "R1: those of the group are steered, the others pass" \
	steered 10 answers 10 pass-no-match 30 answer-stray 10
check "R1: the last one was not steered, and nothing is remembered" \
	counter_is remembered 0

CLIENT=gw-$$,192.0.2.1 request -t 198.18.1.2,1812 -i 7 -r 20 20
told "R1: asked by the gateway, each answer from where it was asked" \
	answered 20 answers 20 wrong-source 0 unmatched 0
CLIENT=nas-$$,2001:db8:1::2 ASKED=$VIP6 \
	request -t 2001:db8:2:1::2,1812 -i 7 -r 20 20
told "R1: with IPv6, each answer from where it was asked" \
	answered 20 answers 20 wrong-source 0 unmatched 0

# Another server, or another Identifier, has nothing to do with it.
request -t 198.18.2.2,1812 -i 7 -r 20 20
told "R1: a server where the request was not sent, answered from there" \
	answered 20 answers 20 wrong-source 0 unmatched 0
check "R1: the group's request is remembered" counter_is remembered 1
rs group del g
rs group add g match "$VIP" timeout 60
servers g authentication 2
request -t 198.18.1.2,1812 20
told "R1: with Identifiers of their own" \
	answered 20 answers 20 wrong-source 0 unmatched 0

# A request that waits at the master, and packets from its port and Identifier.
rs group del g
rs group add g match "$VIP" timeout 60 retransmit 0
servers g authentication 2
authenticator=ffffffffffffffffffffffffffffffff

# direct CODE LENGTH [OPTION...]: such a packet, to the master.
direct() {
	inject "${@:3}" "nas-$$,192.0.2.2,$port" 198.18.1.2,1812 \
		"${1}070014$authenticator${2:-}" >/dev/null
}

behave all silent
behave s2 answer hold
forget
request_start r -v -m -i 7 1
check "M8: a request waits at the master" wait_for 60 got_by s1 1
count_from_here
direct 02
direct 01 "" -c
direct 01 "" -t 20
inject "nas-$$,192.0.2.3,$port" 198.18.1.2,1812 "01070014$authenticator" >/dev/null
inject "nas-$$,192.0.2.2,$port" 198.18.1.2,1812 "01080014$authenticator" >/dev/null
inject "nas-$$,192.0.2.2,$port" 198.18.1.2,1813 "04070014$authenticator" >/dev/null
check "R1: all have passed" wait_for 60 reached pass-no-match 6
check "R1: what is no request of its own takes nothing from it" \
	counter_is remembered 1
request_again r
check "M8: it moves to the backup" wait_for 60 got_by s2 1
direct 01
check "R1: and one more" wait_for 60 reached pass-no-match 7
behave s2 release
request_stop r
told "R2: the backup's answer is to it" answered 1 wrong-source 0

# What would have been answered by a server that it was at before goes on as it is.
behave s2 answer hold
behave s1 answer hold
forget
request_start r -v -m -i 7 1
check "M8: another one waits at the master" wait_for 60 got_by s1 1
request_again r
check "M8: and moves to the backup" wait_for 60 got_by s2 1
direct 01
check "R1: the master gets another one" wait_for 60 got_by s1 2
count_from_here
behave s1 release
check "R1: which it answers, and not the one that has moved" \
	wait_for 60 reached answer-stray 2
behave s2 release
request_stop r
told "R1: its answer comes from the backup, the other one from the master itself" \
	answered 1 answers 1 stale 1 wrong-source 1
done_testing
