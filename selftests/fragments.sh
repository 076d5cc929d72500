#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Requests and answers in fragments: whole again before they are steered, and
# cut anew as their way asks.
#
#	nas ---- gw ---- s1	where the address asked is routed to
#	           \---- s2	the server
#
# The links of nas and s2 have an MTU of 1500 or 1280 each; that of s1 keeps
# 1500, so that what gw sends itself is cut for another way than it takes.
# Routers do not cut IPv6: there the ends know the MTU of the whole way.

. "$(dirname "$0")/lib.sh"

require roundtrip nft
topology 2
topology6 2
ip -n "nas-$$" address add 192.0.2.3/24 dev eth0
ip -n "nas-$$" address add 2001:db8:1::3/64 dev eth0 nodad
ip -n "gw-$$" address add 192.0.2.4/24 dev nas
ip -n "gw-$$" address add 2001:db8:1::4/64 dev nas nodad

check "a group of IPv4" rs group add four match "$VIP"
check "its server" rs server add four authentication 198.18.2.2
check "a group of IPv6" rs group add six match "$VIP6"
check "its server, the other" \
	rs server add six authentication 2001:db8:2:2::2
# Some of these requests are never answered, and more are to come.
rs set dead-count 65535

# mtu NAMESPACE GATEWAY-DEVICE MTU
mtu() {
	ip -n "$1-$$" link set eth0 mtu "$3"
	ip -n "gw-$$" link set "$2" mtu "$3"
}

# way MTU-OF-NAS MTU-OF-S2
way() {
	local least=$(($1 < $2 ? $1 : $2))

	mtu nas nas "$1"
	mtu s2 s2 "$2"
	ip -n "nas-$$" -6 route replace default via 2001:db8:1::1 mtu "$least"
	ip -n "s2-$$" -6 route replace default via 2001:db8:2:2::1 mtu "$least"
}

# Seen before anybody puts them together.
for ns in nas s2; do
	at "$ns" nft -f - <<-N || skip_all "needs nftables"
		table inet seen {
			chain early {
				type filter hook prerouting priority -500;
				ip frag-off & 0x3fff != 0 counter comment fragments
				exthdr frag exists counter comment fragments
				meta length > 1280 counter comment over1280
				meta length > 1500 counter comment over1500
				udp checksum 0 counter comment unsummed
			}
		}
	N
done

# seen NAMESPACE: packets by comment, since the last time, into the array now.
declare -A seen_before=()
seen() {
	local name packets
	local -A all=()

	while read -r packets name; do
		all[$name]=$((${all[$name]:-0} + packets))
	done < <(at "$1" nft list table inet seen | sed -n \
		's/.*counter packets \([0-9]*\) .*comment "\(.*\)"/\1 \2/p')
	now=()
	for name in "${!all[@]}"; do
		now[$name]=$((all[$name] - ${seen_before[$1,$name]:-0}))
		seen_before[$1,$name]=${all[$name]}
	done
}

# cut TITLE MTU-OF-NAS MTU-OF-S2 [REQUESTS ANSWERS]: so many fragments came to
# the server and to the client, if it was told, and none was too long.
cut() {
	local far near bad
	local -A now

	seen s2
	far=${now[fragments]}
	bad=$((now[unsummed] + ${now["over$3"]}))
	seen nas
	near=${now[fragments]}
	bad=$((bad + now[unsummed] + ${now["over$2"]}))
	[ "$far $near $bad" = "${4:-$far} ${5:-$near} 0" ] && [ "$far" -gt 0 ]
	result "$1" $?
	[ "$far $near $bad" = "${4:-$far} ${5:-$near} 0" ] ||
		echo "# $far, $near fragments, $bad wrong"
}

# The fragments of 4096 octets by MTU, both ways: 8 octets of UDP header, at
# most 1480 and 1256 octets in one of IPv4, 1448 and 1232 in one of IPv6.
declare -A pieces=([4,1500]=3 [4,1280]=4 [6,1500]=3 [6,1280]=4)

# matrix WHO: all ways, both families, forwarded and local.
matrix() {
	local mtus family trip label near far least requests answers
	local -A now

	# Not what was before.
	seen s2
	seen nas
	for mtus in 1500,1500 1500,1280 1280,1500 1280,1280; do
		near=${mtus%,*}
		far=${mtus#*,}
		least=$((near < far ? near : far))
		way "$near" "$far"
		for trip in trip trip6 trip_local trip6_local; do
			label="$1, $mtus, $trip"
			[[ $trip == *6* ]] && family=6 || family=4
			"$trip" -l 4096 -L 4096 3 2
			all_right "P1, R1: 4096 octets both ways, $label"
			"$trip" -l 1000 -p 1000 -L 2000 1 2
			all_right "P1, R1: 2000 octets with padding, $label"
			[[ $trip != *local ]] || least=$far
			answers=$((3 * pieces[$family,$least] + 2))
			requests=$answers
			[[ $trip != *local ]] || answers=0
			least=$((near < far ? near : far))
			cut "P1, R1: in fragments for this way, $label" \
				"$near" "$far" "$requests" "$answers"
		done
	done
}

# orders WHO: fragments in any order, among those of another client that have
# the same identification.
orders() {
	local trip other order label

	for trip in trip trip6 trip_local trip6_local; do
		case $trip in
		trip) other=192.0.2.3,20000 ;;
		trip6) other=2001:db8:1::3,20000 ;;
		trip_local) other=192.0.2.4,20000 ;;
		trip6_local) other=2001:db8:1::4,20000 ;;
		esac
		label="$1, $trip"
		count_from_here
		for order in 210 120 0012; do
			"$trip" -l 4096 -L 4096 -f "1500,$order" \
				-g "1280,3$order" 1 2
			all_right "P1, R1: in the order $order, $label"
		done
		for order in 0a1b2c c2b1a0 0ba12c; do
			"$trip" -l 4096 -f "1500,$order" -O "$other" 1 2
			all_right "P1, P4: two clients, $order, $label"
		done
		counted "P1: all of them steered, $label" \
			steered 9 answers 9 pass-no-match 9

		# A gap, and an overlap: their other fragments come before the
		# last of a request that is whole.
		count_from_here
		for order in ab0d123 dcb0123 0a1c2d3 a+b0cd123 +dcba0123; do
			"$trip" -l 4096 -f "1280,$order" -O "$other" 1 2
			all_right "P1: $order is one request only, $label"
		done
		counted "P1: nothing counts the others, $label" \
			steered 5 answers 5 pass-no-match 5
		count_from_here
		for order in 0312 032 01+23; do
			"$trip" -L 4096 -g "1280,$order" 1 2
			all_right "R1: an answer of fragments $order, $label"
		done
		counted "R1: one answer, nothing counts the others, $label" \
			steered 3 answers 1 pass-no-match 1 abandoned 1
	done
}

matrix "nobody else"
way 1500 1500
orders "nobody else"

for ns in gw nas s2; do
	at "$ns" nft -f - <<-N || skip_all "needs nftables with conntrack"
		table inet guard {
			chain known {
				type filter hook prerouting priority 0;
				ct state invalid drop
			}
		}
	N
done
matrix "conntrack"
way 1500 1500
orders "conntrack"

done_testing
