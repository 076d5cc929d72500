#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets that lie, one by one and by the thousand: what is steered, what
# passes, and by which counter.
#
#	nas ---- gw ---- s1 (master), s2
#
#	203.0.113.1, 2001:db8:ffff::1	groups g and g6: s1, s2
#
# FUZZ is how many packets of each kind are changed at random (4000).

. "$(dirname "$0")/lib.sh"

require roundtrip inject nft
topology 2
topology6 2

rs set duplicate-window 0 dead-count 65535
rs group add g accounting independent match "$VIP" timeout 60
rs group add g6 accounting independent match "$VIP6" timeout 60
servers g authentication 2
servers6 g6 authentication 2
servers g accounting 2
servers6 g6 accounting 2

# Nobody says anything but what a test lets it say, so that every packet that
# comes to the hooks is accounted for: neighbours are known, and what machines
# send by themselves is dropped before the hooks see it.
# known NAMESPACE DEVICE NAMESPACE DEVICE ADDRESS...: where the other one is.
known() {
	local mac address

	mac=$(ip -n "$3-$$" -j link show "$4" | jq -r '.[0].address')
	for address in "${@:5}"; do
		ip -n "$1-$$" neighbour replace "$address" lladdr "$mac" \
			dev "$2" nud permanent
	done
}

known nas eth0 gw nas 192.0.2.1 2001:db8:1::1
known gw nas nas eth0 192.0.2.2 2001:db8:1::2 192.0.2.255
for i in 1 2; do
	known gw "s$i" "s$i" eth0 "198.18.$i.2" "2001:db8:2:$i::2"
	known "s$i" eth0 gw "s$i" "198.18.$i.1" "2001:db8:2:$i::1"
done
for ns in nas gw s1 s2; do
	at "$ns" nft -f - <<-'END' || skip_all "needs nftables"
		table inet quiet {
			chain out {
				type filter hook output priority -310;
				meta mark 9 accept
				meta l4proto { icmp, icmpv6, igmp } drop
			}
		}
	END
done
unsteady=

# A request, with a User-Name and a NAS-Port, and the same for accounting.
request=01ee002300112233445566778899aabbccddeeff0106616c6963050600000007ff030a
accounting=04${request#??}

# Packets to the matched address, from the NAS and from the gateway itself:
# send4 [OPTION...] HEX..., send6, send4_local, send6_local
send() {
	local from=$1 asked=$2
	local -a options=()

	shift 2
	while [[ $1 == -* ]]; do
		options+=("$1")
		shift
		[[ ${options[-1]} == -[czrb] ]] || {
			options+=("$1")
			shift
		}
	done
	inject "${options[@]}" "$from,${PORT:-20000}" \
		"${ASKED:-$asked,1812}" "$@" >/dev/null
}
send4() { send "nas-$$,192.0.2.2" "$VIP" "$@"; }
send6() { send "nas-$$,2001:db8:1::2" "$VIP6" "$@"; }
send4_local() { send "gw-$$,192.0.2.1" "$VIP" "$@"; }
send6_local() { send "gw-$$,2001:db8:1::1" "$VIP6" "$@"; }
ways="send4 send6 send4_local send6_local"

# Every truncation of a request: below 20 octets of RADIUS there is no header,
# and then Length says more than there is.
truncated=()
for ((octets = 0; octets < 35; octets++)); do
	truncated+=("${request:0:2 * octets}")
done
for way in $ways; do
	count_from_here
	"$way" "${truncated[@]:0:35}"
	counted "P1: $way, every truncation passes" pass-malformed 35
	count_from_here
	"$way" "$request" "$request"00112233
	counted "P1: $way, the request and one with padding are steered" \
		steered 2 retransmissions 1
done

# Lengths of RADIUS, and what the UDP header says.
lies=()
for length in 0000 0013 0024 1000 1001 ffff; do
	lies+=("${request:0:4}$length${request:8}")
done
for way in $ways; do
	count_from_here
	"$way" "${lies[@]}"
	counted "P1: $way, a Length that lies" pass-malformed 6
	count_from_here
	# 20 is true for the header alone: the rest is padding.
	"$way" "${request:0:4}0014${request:8}"
	counted "P1: $way, a Length of 20" steered 1 retransmissions 1 \
		failovers 1
	count_from_here
	for length in 0 7 8 27 28 42; do
		"$way" -l "$length" "$request"
	done
	for length in 44 65535; do
		"$way" -l "$length" "$request"
	done
	# 8 + 20 octets hold a header, which says that there is more.
	counted "P1: $way, a UDP length that lies" pass-malformed 8
	count_from_here
	for octets in 0 4 7; do
		"$way" -t "$octets" "$request"
	done
	counted "P3: $way, no UDP header" pass-not-udp 3
done

# P8: attributes that lie do not keep a request from its server.
lies=()
for attribute in 0100 0101 0107 01ff 1800 18ff 2c01 2c00; do
	lies+=("${request:0:4}0018${request:8:32}${attribute}6161")
done
for way in $ways; do
	count_from_here
	"$way" "${lies[@]}"
	counted "P8: $way, attributes that lie are steered" steered 8 \
		retransmissions 8 failovers 4
done

# Codes, ports and addresses.
codes=(00 02 03 05 0b 28 2b 34 ff)
for way in $ways; do
	ask=$VIP
	[[ $way == send4* ]] || ask=$VIP6
	count_from_here
	"$way" "${codes[@]/%/${request#??}}"
	counted "P3: $way, codes that are no request" pass-code 9
	count_from_here
	ASKED=$ask,0 "$way" "$request"
	ASKED=$ask,1814 "$way" "$request"
	counted "P3: $way, ports 0 and 1814" pass-no-match 2
	count_from_here
	ASKED=$ask,1813 "$way" "$accounting"
	counted "P1: $way, accounting" steered 1
	count_from_here
	ASKED=$ask,1813 "$way" "$request"
	"$way" "$accounting"
	counted "P2: $way, each at the other's port" pass-service 2
	count_from_here
	PORT=0 "$way" "$request"
	counted "P1: $way, from port 0" steered 1
done
count_from_here
for to in 255.255.255.255 224.0.0.1 192.0.2.255; do
	ASKED=$to,1812 send4 "$request"
done
ASKED=ff02::1,1812 send6 "$request"
counted "P3: broadcast and multicast" pass-no-match 4
refused "a match of a broadcast address" "not that of one host" \
	rs group set g match 255.255.255.255

# Options, and other headers before that of UDP.
count_from_here
for options in 01010101 0101 94040000 07070400000000 8307080a0b0c0d 44 ff 8200; do
	send4 -o "$options" "$request"
done
counted "P1: IP options are no obstacle" steered 8 retransmissions 8 failovers 4
count_from_here
send6 -o 00010400000000 "$request"
send6 -o 0001040000000001 "$request"
counted "P1: destination options are none, if their length is right" \
	steered 1 retransmissions 1 pass-no-match 1
count_from_here
# Routing headers, with no stage left and with one, and one without end.
send6 -r -o 00040000000000 "$request"
send6 -r -o 00040100000000 "$request"
send6 -o ff010400000000 "$request"
counted "P3: routing headers pass, and one that is longer than the packet" \
	pass-not-udp 3

# Checksums.
count_from_here
send4 -c "$request"
send6 -c "$request"
send6 -z "$request"
counted "P1: a wrong UDP checksum, and none with IPv6" pass-checksum 3
count_from_here
send4 -z "$request"
counted "P1: with IPv4, it may be left out" steered 1 retransmissions 1

# A matched address that is a server's own.
rs group del g
rs group add g accounting independent match servers match "$VIP" \
	timeout 60
servers g authentication 2
count_from_here
PORT=20700 ASKED=198.18.1.2,1812 send4 "$request"
PORT=20701 ASKED=198.18.2.2,1812 send4 "$request"
PORT=20702 send4 "$request"
counted "P2: servers' own addresses, matched" steered 3
check "M2: all went to the master" jq -e \
	'[.requests[] | select(.client_port >= 20700) | .server] |
	unique == ["198.18.1.2"]' <<<"$(rs -j request show)"

# Answers that pretend: the request of port 20702 waits for one from s1.
# pretend FROM TO HEX
pretend() {
	inject "${@:4}" "$1" "$2" "$3" >/dev/null
}
answer=02ee0014ffeeddccbbaa99887766554433221100
count_from_here
for packet in \
	"s2-$$,198.18.2.2,1812 192.0.2.2,20702 $answer" \
	"s1-$$,198.18.1.2,1813 192.0.2.2,20702 $answer" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20709 $answer" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20702 02ef${answer:4}" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20702 05${answer:2}" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20702 2c${answer:2}" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20702 ${answer:0:4}0015${answer:8}" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20702 ${answer:0:38}" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20702 $answer -c" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20702 $answer -l 27" \
	"s1-$$,198.18.1.2,1812 192.0.2.2,20702 $answer -l 29"; do
	# shellcheck disable=SC2086 # words
	pretend $packet
done
# One of them comes from what is no server.
counted "R1, R4: answers that pretend pass, and prove nothing" \
	pass-no-match 11 answer-stray 10
count_from_here
truncated=()
for ((octets = 0; octets < 20; octets++)); do
	truncated+=("${answer:0:2 * octets}")
done
inject "s1-$$,198.18.1.2,1812" 192.0.2.2,20702 "${truncated[@]}" >/dev/null
counted "R4: every truncation of an answer passes" pass-no-match 20 \
	answer-stray 20
check "R1: the request still waits" jq -e '[.requests[] |
	select(.client_port == 20702)] | length == 1' <<<"$(rs -j request show)"
count_from_here
pretend "s1-$$,198.18.1.2,1812" 192.0.2.2,20702 "$answer"
counted "R1: the true one is given back" pass-no-match 1 answers 1

# At random, from both sides, through the gateway and from it. All that comes
# to a request hook is counted once.
fuzz() {
	local title=$1 seed=$2 sent went=0 name
	local -A now

	shift 2
	count_from_here
	sent=$(inject -f "$seed" -n "${FUZZ:-4000}" "$@")
	stats now
	for name in "${!now[@]}"; do
		case $name in
		steered | unroutable | answer_errors | pass_*)
			went=$((went + now[$name] - counters_before[$name]))
			echo "# $name $((now[$name] - counters_before[$name]))"
			;;
		esac
	done
	[ "$sent" -gt 0 ] && [ "$went" = "$sent" ]
	result "P1, P3, P8: $title, every packet is accounted for" $?
	echo "# seed $seed, sent $sent, counted $went"
}
seed=${SEED:-$RANDOM}
fuzz "forwarded" "$seed" "nas-$$,192.0.2.2,20000" "$VIP,1812" "$request"
fuzz "forwarded, IPv6" "$seed" "nas-$$,2001:db8:1::2,20000" "$VIP6,1812" \
	"$request"
fuzz "local" "$seed" "gw-$$,192.0.2.1,20000" "$VIP,1812" "$request"
fuzz "local, IPv6" "$seed" "gw-$$,2001:db8:1::1,20000" "$VIP6,1812" "$request"
fuzz "answers" "$seed" "s1-$$,198.18.1.2,1812" 192.0.2.2,20000 "$answer"
fuzz "answers, IPv6" "$seed" "s1-$$,2001:db8:2:1::2,1812" 2001:db8:1::2,20000 \
	"$answer"
fuzz "answers to the gateway" "$seed" "s1-$$,198.18.1.2,1812" \
	192.0.2.1,20000 "$answer"
trip 100 2
all_right "P1, R1: it steers as before"
trip6 100 2
all_right "P1, R1: IPv6 as well"

done_testing
