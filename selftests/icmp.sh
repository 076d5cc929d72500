#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# ICMP and ICMPv6 errors about steered packets: who hears of what.
#
#	nas ---- gw ---- s1 (master) ---- b
#	            `---- s2
#
#	203.0.113.1, 2001:db8:ffff::1	groups g and g6: s1, s2
#	203.0.113.2, 2001:db8:ffff::2	groups b and b6: b
#
# All links carry 1500 octets but that from s1 to b, which carries 1300.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

require roundtrip inject requester
topology 2
topology6 2
# A router of its own has to send errors as often as it is asked to.
for ns in gw s1 nas; do
	at "$ns" sysctl -qw net.ipv4.icmp_ratelimit=0 \
		net.ipv6.icmp.ratelimit=0 net.ipv4.icmp_msgs_per_sec=100000 \
		net.ipv4.icmp_msgs_burst=10000
done

# neighbour NAMESPACE ROUTER PREFIX PREFIX6: one more machine, behind a router.
neighbour() {
	namespace "$1"
	at "$1" sysctl -qw net.ipv6.conf.all.disable_ipv6=0
	ip link add eth0 netns "$1-$$" type veth peer name "$1" netns "$2-$$"
	ip -n "$2-$$" -batch - <<-END
		address add $3.1/24 dev $1
		address add $4::1/64 dev $1 nodad
		link set dev $1 up
	END
	ip -n "$1-$$" -batch - <<-END
		address add $3.2/24 dev eth0
		address add $4::2/64 dev eth0 nodad
		link set eth0 up
		route add default via $3.1
		route add default via $4::1
	END
	at "$2" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
}

neighbour b s1 198.18.101 2001:db8:2:101
ip -n "gw-$$" route add 203.0.113.2 via 198.18.1.2
ip -n "gw-$$" route add 2001:db8:ffff::2 via 2001:db8:2:1::2
ip -n "gw-$$" route add 198.18.101.0/24 via 198.18.1.2
ip -n "gw-$$" route add 2001:db8:2:101::/64 via 2001:db8:2:1::2
ip -n "s1-$$" link set dev b mtu 1300
ip -n "b-$$" link set eth0 mtu 1300

rs set duplicate-window 0 dead-count 65535
rs group add g match "$VIP" timeout 60
rs group add g6 match "$VIP6" timeout 60
rs group add b match 203.0.113.2 timeout 60
rs group add b6 match 2001:db8:ffff::2 timeout 60
servers g authentication 2
servers6 g6 authentication 2
rs server add b authentication 198.18.101.2
rs server add b6 authentication 2001:db8:2:101::2

# mtu NAMESPACE ADDRESS: what it knows of the way there.
mtu() {
	ip -n "$1-$$" route get "$2" | sed -n 's/.* mtu \([0-9]*\).*/\1/p'
}

mtu_is() {
	[ "$(mtu "$1" "$2")" = "$3" ]
}

# The first request of 1400 octets does not fit the way from s1 to b. The socket
# is told, instead of sending the second; those after it come in fragments.
# path CLIENT ADDRESS ASKED SERVER
path() {
	local output

	output=$(roundtrip -C -l 1400 "$1-$$,$2,20000" "$3,1812" 4 \
		 "b-$$,$4,1812")
	[ "$output" = "b-$$,$4,1812 2"$'\n'"lost-request 2" ]
	result "R1, P7: $1 asks $3, and large requests arrive" $?
	[ "$output" = "b-$$,$4,1812 2"$'\n'"lost-request 2" ] ||
		echo "# $output"
	check "P7: $1 has learned how much the way to $3 carries" \
		mtu_is "$1" "$3" 1300
}

count_from_here
path nas 192.0.2.2 203.0.113.2 198.18.101.2
path nas 2001:db8:1::2 2001:db8:ffff::2 2001:db8:2:101::2
path gw 192.0.2.1 203.0.113.2 198.18.101.2
path gw 2001:db8:1::1 2001:db8:ffff::2 2001:db8:2:101::2
counted "P7: each error is given back" steered 12 answers 8 errors 4 \
	pass-no-match 8
check "S1: none of them is a loss" test "$(of s1 unreachable)" = 0

# The gateway's own link is too small for a packet that it has steered. What it
# sends itself, it fragments.
ip -n "gw-$$" link set s1 mtu 1290
ip -n "s1-$$" link set eth0 mtu 1290
count_from_here
for to in trip trip6; do
	"$to" -C -l 1400 4 2
	# shellcheck disable=SC2154 # trip sets them
	[ "${got[*]} ${wrong[*]}" = "2 0 lost-request=2" ]
	result "P7: $to of the nas, by a small link of the gateway" $?
	"$to"_local -C -l 1400 4 2
	all_right "P7: $to of the gateway, by that link"
done
check "P7: the nas learns of it from the gateway" mtu_is nas "$VIP" 1290
check "P7: the nas learns of it for IPv6" mtu_is nas "$VIP6" 1290
counted "P7: errors of the gateway are given back" steered 14 answers 12 \
	errors 2 pass-no-match 12
ip -n "gw-$$" link set s1 mtu 1500
ip -n "s1-$$" link set eth0 mtu 1500

# A router that quotes 8 octets of UDP and nothing of RADIUS.
packet=01ee001400112233445566778899aabbccddeeff
# once FROM TO OPTION...: that request, which nobody answers.
once() {
	inject "${@:3}" "$1" "$2" "$packet" >/dev/null
}
for ns in s1 s2; do
	at "$ns" nft add table inet silent
	at "$ns" nft add chain inet silent first \
		'{ type filter hook prerouting priority -400; }'
	at "$ns" nft add rule inet silent first udp dport 1812-1813 drop
done
count_from_here
once "nas-$$,192.0.2.2,20200" "$VIP,1812"
once "nas-$$,2001:db8:1::2,20200" "$VIP6,1812"
roundtrip -S -C -x "${packet/ee/ef}" "nas-$$,192.0.2.2,20201" \
	"$VIP,1812" 1 "b-$$,198.18.101.2,1812" >/dev/null &
roundtrip -S -C -x "${packet/ee/ef}" "nas-$$,2001:db8:1::2,20201" \
	"$VIP6,1812" 1 "b-$$,2001:db8:2:101::2,1812" >/dev/null &
wait_for 10 reached steered 4
inject -q 28 -y 3,4 -m 1285 "s1-$$,192.0.2.2,20201" 198.18.1.2,1812 "$packet" \
	>/dev/null
inject -q 48 -y 2,0 -m 1285 "s1-$$,2001:db8:1::2,20201" 2001:db8:2:1::2,1812 \
	"$packet" >/dev/null
wait_for 10 mtu_is nas "$VIP6" 1285
check "P7: an error that quotes 8 octets of UDP is understood" \
	mtu_is nas "$VIP" 1285
check "P7: an error of IPv6 that quotes no more is, too" \
	mtu_is nas "$VIP6" 1285
wait
counted "P7: both are given back" steered 4 errors 2 pass-no-match 0

# Errors that are not to be believed.
count_from_here
inject -b -q 28 -y 3,4 -m 1281 "s1-$$,192.0.2.2,20201" 198.18.1.2,1812 \
	"$packet" >/dev/null
inject -b -q 48 -y 2,0 -m 1281 "s1-$$,2001:db8:1::2,20201" \
	2001:db8:2:1::2,1812 "$packet" >/dev/null
inject -b -q 100 -y 3,3 "s1-$$,192.0.2.2,20200" 198.18.1.2,1812 "$packet" \
	>/dev/null
inject -b -q 100 -y 1,4 "s1-$$,2001:db8:1::2,20200" 2001:db8:2:1::2,1812 \
	"$packet" >/dev/null
inject -q 100 -y 3,3 "s1-$$,192.0.2.2,20201" 198.18.1.2,1812 "$packet" \
	>/dev/null
inject -q 100 -y 1,4 "s1-$$,2001:db8:1::2,20201" 2001:db8:2:1::2,1812 \
	"$packet" >/dev/null
inject -q 28 -y 3,4 -m 1281 "s1-$$,192.0.2.2,29999" 198.18.1.2,1812 "$packet" \
	>/dev/null
counted "S1, R4: damaged errors, and those about nothing, pass" error-stray 7
check "S1: nobody has learned anything from them" mtu_is nas "$VIP" 1285
check "S1: and no server lost by them" jq -e \
	'[.groups[].servers[][] | .unreachable] | add == 0' <<<"$(rs -j show)"

# A server that is not there: the master's host says so.
for ns in s1 s2; do
	at "$ns" nft delete table inet silent
done
# tell CLIENT ASKED TITLE REFUSED COUNTER...: a request of a connected socket,
# sent twice.
next_port=30000
tell() {
	local client=$1 asked=$2 title=$3 refused=$4

	shift 4
	count_from_here
	CLIENT=$client ASKED=$asked request -C -g 0 -s 0,100 1
	told "$title" unanswered 1 refused "$refused"
	counted "$title: counted" "$@"
}
for client in "nas-$$,192.0.2.2" "gw-$$,192.0.2.1"; do
	rs server set g authentication 198.18.2.2 state auto
	tell "$client" "$VIP" "S1: ${client%%-*} hears of no server lost" 0 \
		steered 2 retransmissions 1 unreachable 2 error-held 2
	rs server set g authentication 198.18.2.2 state down
	rs server set g authentication 198.18.1.2 state down
	tell "$client" "$VIP" "S1, S8: ${client%%-*} hears of it with none Up" \
		2 steered 2 retransmissions 1 unreachable 2 none-up 1 errors 2
	rs server set g authentication 198.18.1.2 state auto
done

# Errors about answers go to the address asked. The server is to hear of them:
# it has learned how much the way carries if it understood what is quoted.
# too_large NAMESPACE ADDRESS PORT ASKED SERVER OCTETS TYPE,CODE
too_large() {
	check "P7: $1 says of an answer from $4 that it was too large ($6)" \
		roundtrip -x "$packet" -b "inject -q $6 -y $7 -m 1285 -s $2 \
			$1-$$,$4,1812 $2,$3 02${packet#??} >/dev/null" \
		"$1-$$,$2,$3" "$4,1812" 1 "s1-$$,$5,1812"
	check "P7: the server that sent it to $2 understands ($6)" mtu_is s1 "$2" \
		1285
}
count_from_here
too_large nas 192.0.2.2 20300 "$VIP" 198.18.1.2 48 3,4
too_large nas 2001:db8:1::2 20300 "$VIP6" 2001:db8:2:1::2 68 2,0
too_large gw 192.0.2.1 20300 "$VIP" 198.18.1.2 48 3,4
too_large gw 2001:db8:1::1 20300 "$VIP6" 2001:db8:2:1::2 68 2,0
counted "P7: each error is sent on" steered 4 answers 4 answer-errors 4 \
	pass-no-match 4
ip -n "s1-$$" route flush cache
count_from_here
# Without its RADIUS header, and one that is damaged.
too_large nas 192.0.2.2 20301 "$VIP" 198.18.1.2 28 3,4
inject -b -q 48 -y 3,4 -m 1281 -s 192.0.2.2 "nas-$$,$VIP,1812" \
	192.0.2.2,20301 "02${packet#??}" >/dev/null
inject -q 48 -y 3,4 -m 1281 -s 192.0.2.2 "nas-$$,$VIP,1812" \
	192.0.2.2,29999 "02${packet#??}" >/dev/null
counted "P7: a damaged error, and one about nothing, are not" steered 1 \
	answers 1 answer-errors 1 pass-no-match 1
check "P7: and nobody learns from them" mtu_is s1 192.0.2.2 1285

# Errors without a RADIUS header take time to look into, so that no more than a
# hundred of them are in a second. A slow machine may not send more. On a fast one
# all are in one second, which is not to have those of before in it.
pause 1.1
count_from_here
begin=$SECONDS
inject -n 2000 -q 28 -y 3,4 -m 1285 "s1-$$,192.0.2.2,20200" 198.18.1.2,1812 \
	"$packet" >/dev/null
declare -A now
stats now
known=$((now[errors] - counters_before[errors]))
stray=$((now[error_stray] - counters_before[error_stray]))
most=$((100 * (SECONDS - begin + 2)))
echo "# $known of 2000 given back, $most at most"
[ "$known" -ge 100 ] && [ "$known" -le "$most" ] &&
	[ $((known + stray)) = 2000 ]
result "section 9: there is a limit to errors that quote little" $?

# A client that is gone when the answer comes.
respond 2
behave all answer delay 300
for client in "nas-$$,192.0.2.2" "gw-$$,192.0.2.1"; do
	count_from_here
	before=$(at s1 cat /proc/net/snmp | awk '/^Icmp: [0-9]/ { print $5 }')
	CLIENT=$client request -g 0 1
	wait_for 10 reached answer-errors 1
	check "R1: ${client%%-*} says that nobody takes the answer" \
		reached answer-errors 1
	check "R1: the server of ${client%%-*} hears of it" test "$(at s1 \
		cat /proc/net/snmp | awk '/^Icmp: [0-9]/ { print $5 }')" = \
		$((before + 1))
done

done_testing
