#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# P6: without memory for it, a request is steered all the same.
#
#	nas ---- gw ---- s1, s2
#
# Needs a kernel that can refuse memory, as the debug kernel can. It refuses the
# first that is asked for on behalf of the client without being able to wait:
# once the routes are known, that for the request. So the client is one of the
# gateway's own.

. "$(dirname "$0")/lib.sh"

require roundtrip
[ -e /proc/self/fail-nth ] || skip_all "needs a kernel with CONFIG_FAILSLAB"
topology 2
rs group add g match "$VIP" timeout 60
servers g authentication 2
trip_local 20 2
all_right "R1: with memory, 20 requests"

# An answer from another address than was asked has no socket, and the gateway
# says so each time.
at gw sysctl -qw net.ipv4.icmp_ratemask=0
count_from_here
# From another port: an Identifier that is used again needs no memory.
trip_from "gw-$$,192.0.2.1,20050" -C -F 30 2
served "P6: 30 requests without memory are steered" 30 0
counted "P6: they are counted, and their answers are nobody's" steered 30 \
	unremembered 30 answer-stray 30 pass-no-match 30 pass-not-udp 30
check "P6: nothing is remembered of them" test "$(counter outstanding)" = 0

count_from_here
trip_local 20 2
all_right "P6: with memory again, 20 requests"
counted "P6: none without being remembered" steered 20 answers 20 \
	pass-no-match 20

# One that is not remembered is a first one each time.
rs set duplicate-window 0
count_from_here
trip_local -C -F -S -i 77 -r 3 1 2
counted "P6: without memory each copy is a first one" steered 3 unremembered 3

# Where a request that moves finds no memory for its former server.
rs group set g retransmit 0
packet=014f001400112233445566778899aabbccddeeff
# shellcheck disable=SC2046 # a word for each server
roundtrip -C -S -x $packet "gw-$$,192.0.2.1,20000" "$VIP,1812" 1 $(ends 2) \
	>/dev/null
count_from_here
# shellcheck disable=SC2046 # a word for each server
check "P6: without memory a request moves all the same" \
	roundtrip -C -F -x $packet "gw-$$,192.0.2.1,20000" "$VIP,1812" 1 $(ends 2)
counted "P6: what it left is not remembered" steered 1 retransmissions 1 \
	failovers 1 lost 1 unremembered 1 answers 1 pass-no-match 1

# The first memory for accounting that follows is that for its session.
servers g accounting 2
packet=044e001a00112233445566778899aabbccddeeff2c0661626364
report() {
	# shellcheck disable=SC2046 # a word for each server
	roundtrip -C "$@" -a 5 -x "$packet" "gw-$$,192.0.2.1,20100" "$VIP,1813" \
		1 $(ends 2 1813)
}
count_from_here
check "P6, A8: without memory for its session accounting is steered" report -F
counted "P6, A4: the session is not bound" steered 1 answers 1 pass-no-match 1 \
	session-unknown 1 unremembered 1
check "P6: there is none" counter_is sessions 0
packet=${packet/4e/4f}
count_from_here
check "P6: with memory again" report
counted "P6, A4: it is bound" steered 1 answers 1 pass-no-match 1 \
	session-unknown 1 session-made 1

done_testing
