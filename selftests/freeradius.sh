#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Real clients and real servers: radclient on both sides of the gateway's
# hooks, three FreeRADIUS behind it. What the servers took is read from the
# servers' own records; what radclient accepts came from where it asked.
#
#	nas                     gw                          s1
#	radclient ------ radclient, radsteer ------ FreeRADIUS
#	192.0.2.2        192.0.2.1         |        198.18.1.2
#	                                   |                s2
#	                                   +------- FreeRADIUS
#	                                   |        198.18.2.2
#	                                   |                s3
#	                                   +------- FreeRADIUS
#	                                            198.18.3.2
#
# Every judgement on shares is a chi-square test with a false-alarm rate of one
# in a million, on as many draws as its title says.

# shellcheck disable=SC2317 # functions are called by check and wait_for

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=freeradius_lib.sh
. "$(dirname "$0")/freeradius_lib.sh"

require chisq
require_freeradius
topology 3

declare -A way=([nas]=forwarded [gw]=local)
declare -A client=([nas]=192.0.2.2 [gw]=192.0.2.1)

# answered TITLE [CODE COUNT]...: every request of the last send has its answer,
# these and no others, from the address asked.
answered() {
	local title=$1 count=0 status=0

	shift
	while [ $# -gt 0 ]; do
		[ "$(grep -c "^Received $1 Id " <<<"$said")" = "$2" ] ||
			status=1
		count=$((count + $2))
		shift 2
	done
	[ "$unanswered" = 0 ] && [ "$from_asked" = "$count" ] &&
		[ "$((accepted + rejected))" = "$count" ] || status=1
	[ "$status" = 0 ] || tail -n 20 <<<"$said" | sed 's/^/# /'
	result "$title" "$status"
}

# took PATTERN: what each server took, into got, for served and shares.
took() {
	mapfile -t got < <(recorded "$1" s1 s2 s3)
}

# The requests and answers of each server as the module has them.
module_counts() {
	rs -j show | jq -c "[.groups[0].servers.$1[] | [.requests, .answers]]"
}

# The same as the servers have them, every request answered.
server_counts() {
	recorded "$1" s1 s2 s3 | jq -cs 'map([., .])'
}

counts_agree() {
	local theirs ours

	theirs=$(server_counts "$2")
	ours=$(module_counts "$1")
	[ "$theirs" = "$ours" ] || echo "$ours, the servers have $theirs"
	[ "$theirs" = "$ours" ]
}

# state N STATE: of both of a host's servers.
state() {
	rs server set g authentication "198.18.$1.2" state "$2" &&
		rs server set g accounting "198.18.$1.2" state "$2"
}

check "three FreeRADIUS start" freeradius_all 3
[ "$ksft_fail" = 0 ] || done_testing

# Accounting is drawn by itself, so that its shares can be judged as well.
check "group with loading-share" rs group add g algorithm loading-share \
	accounting independent match "$VIP"
check "authentication servers with weights 10, 20, 30" \
	servers g authentication 3 10 20 30
check "accounting servers with weights 10, 20, 30" \
	servers g accounting 3 10 20 30

# One of each kind, from either side.
for from in nas gw; do
	how=${way[$from]}
	count_from_here
	send "$from" 1 access
	answered "P7, R5: Access-Accept, $how" Access-Accept 1
	send "$from" 1 access nobody
	answered "P7, R5: Access-Reject, $how" Access-Reject 1
	send "$from" 1 accounting Start
	answered "P7, R5: Accounting-Response to a Start, $how" \
		Accounting-Response 1
	send "$from" 1 accounting Stop
	answered "P7, R5: Accounting-Response to a Stop, $how" \
		Accounting-Response 1
	send "$from" 1 status authentication
	answered "T4, P7, R5: Status-Server to authentication, $how" \
		Access-Accept 1
	send "$from" 1 status accounting
	answered "T4, P7, R5: Status-Server to accounting, $how" \
		Accounting-Response 1
	counted "R1: six requests, six answers, $how" \
		steered 6 pass-no-match 6 answers 6
done
for from in nas gw; do
	took ".* ${client[$from]} 198.18.[123].2 "
	[ "$((got[0] + got[1] + got[2]))" = 6 ]
	result "P4: servers see the client's own address, ${way[$from]}" $?
done
check "R1: requests and answers of authentication, module and servers agree" \
	counts_agree authentication ".* 1812 "
check "R1: requests and answers of accounting, module and servers agree" \
	counts_agree accounting ".* 1813 "

# Shares, as the servers have them.
forget_records s1 s2 s3
count_from_here
send nas 600 access
answered "R1: 600 Access-Accepts from the address asked, forwarded" \
	Access-Accept 600
counted "R1: 600 requests, 600 answers, nothing else" \
	steered 600 pass-no-match 600 answers 600
took "Access-Request ${client[nas]}"
shares "L2: 600 real Access-Requests by weights 10, 20, 30, forwarded" 10 20 30
send gw 300 access
answered "R1: 300 Access-Accepts from the address asked, local" \
	Access-Accept 300
took "Access-Request ${client[gw]}"
shares "L2: 300 real Access-Requests by weights 10, 20, 30, local" 10 20 30
send nas 300 accounting
answered "R1: 300 Accounting-Responses from the address asked" \
	Accounting-Response 300
took Accounting-Request
shares "L2: 300 real Accounting-Requests by weights 10, 20, 30" 10 20 30
check "weights of 0" weights 0 0 0
forget_records s1 s2 s3
send nas 300 access
answered "R1: 300 Access-Accepts without weights" Access-Accept 300
took Access-Request
shares "L2: 300 real Access-Requests by weights of 0, the same chance" 1 1 1

# Without an algorithm, the first server is the master. The administrator takes
# it out, and only then does it die.
check "group without an algorithm" rs group set g algorithm default
count_from_here

# phase SIDES RULES WHAT TAKEN...: ten of each kind from one side or both, and
# how many of ten each server takes.
phase() {
	local sides=$1 rules=$2 what=$3 from how

	shift 3
	for from in $sides; do
		how=${way[$from]}
		forget_records s1 s2 s3
		send "$from" 10 all
		answered "R1, R5: all answered, $what, $how" \
			Access-Accept 20 Accounting-Response 20
		took Access-Request
		served "$rules, P7: access, $what, $how" "$@"
		took Accounting-Request
		served "$rules, P7: accounting, $what, $how" "$@"
		took "Status-Server .* 1812 "
		served "T4: Status-Server to authentication, $what, $how" "$@"
		took "Status-Server .* 1813 "
		served "T4: Status-Server to accounting, $what, $how" "$@"
	done
}

phase "nas gw" "M1, M2" "master Up" 10 0 0
check "S6: both servers of the master's host administratively down" \
	state 1 down
check "the master dies" freeradius_stop s1
phase "nas gw" "M3, S6" "master down and dead" 0 10 0
check "S6: the first backup drains" state 2 drain
phase nas "M3, S6" "master dead, first backup draining" 0 0 10
check "the first backup is back" state 2 auto
check "the master is back" freeradius_start s1
forget_records s1 s2 s3
send nas 10 access
took Access-Request
served "S6: what runs again and is still down gets nothing" 0 0 10
check "S6: the master in state auto" state 1 auto
phase "nas gw" M5 "master back" 10 0 0
counted "no request unanswered, and none out of its way" \
	steered 290 pass-no-match 290 answers 290

# A server that is slow gets the client's copies, and answers them in the end.
check "M7: six copies for one server" rs group set g retransmit 5
retransmitted=$(counter retransmissions)
copied() {
	[ "$(counter retransmissions)" -gt "$retransmitted" ]
}
forget_records s1 s2 s3
freeradius_pause s1
{
	wait_for 20 copied
	freeradius_resume s1
} &
resumer=$!
tries=5 patience=1 send nas 1 access
wait "$resumer"
answered "M6, R1: an answer after a copy, from the server of the first" \
	Access-Accept 1
took Access-Request
served "M6: copies of a real client go where the request went" 1 0 0

# P5: a packet is passed on as it was signed, so the secret has to be shared.
patience=1
send nas 3 access
[ "$accepted" = 3 ]
result "P5: a client that has the servers' secret is accepted" $?
RADIUS_SECRET=another send nas 3 access
[ "$accepted,$rejected" = 0,0 ]
result "P5: nothing is signed anew for one that has another" $?

done_testing
