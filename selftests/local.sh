#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Requests that the gateway sends itself.
#
#	gw ---- s1, s2, s3

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 3

check "group with loading-share" \
	rs group add g algorithm loading-share match "$VIP"
check "three servers" servers g authentication 3

count_from_here
trip_local 1000 3
all_right "P7, R1: 1000 requests of an unconnected socket"
shares "L2: 1000 local draws, the same chance" 1 1 1
counted "P7: each local request steered once, each answer given back" \
	steered 1000 answers 1000 pass-no-match 1000

trip_local -C 1000 3
all_right "P7, R1: 1000 requests of a connected socket"
trip_local -C -l 3800 -p 200 100 3
all_right "P1: 100 local requests of 3800 octets and padding"

rs group set g match servers
ASKED=198.18.1.2 trip_local -C 300 3
all_right "P2, P7: requests to the address of one of the servers"
shares "L2: 300 local draws among servers that are matched" 1 1 1

# A server on the gateway itself: each packet comes past twice.
rs server add g authentication 192.0.2.1 before 198.18.1.2
rs group set g algorithm master-backup match "$VIP"
count_from_here
roundtrip "gw-$$,192.0.2.1,20005" "$VIP,1812" 10 "gw-$$,192.0.2.1,1812" \
	>"/tmp/local-$$"
check "P7: ten requests to a server on the gateway, answered" \
	grep -qx "gw-$$,192.0.2.1,1812 10" "/tmp/local-$$"
counted "P7: each is steered and answered once" \
	steered 10 answers 10 pass-no-match 30
rm -f "/tmp/local-$$"
rs server del g authentication 192.0.2.1

# A server that the gateway has no route to: the sender is told.
rs group set g algorithm master-backup match "$VIP"
rs server add g authentication 192.168.77.1 before 198.18.1.2
count_from_here
trip_local -S 1 3
[ "${wrong[*]}" = lost-request=1 ]
result "P7: a request that has no route to its server fails" $?
counted "P7: it is counted" unroutable 1
check "P7: the sender is told that the network is unreachable" \
	grep -q 'unreachable' <<<"$(at gw bash -c \
	"printf '\1\1\0\24aaaaaaaaaaaaaaaa' >/dev/udp/$VIP/1812" 2>&1)"

done_testing
