#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Clients of every kind get their answers, from the address that they asked,
# at the one that they asked from, wherever the address asked is.
#
#	nas ---- gw ---- s1, s2
#	    two addresses at nas and two at gw, of each family

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 2
topology6 2
ip -n "nas-$$" address add 192.0.2.3/24 dev eth0
ip -n "gw-$$" address add 192.0.2.4/24 dev nas
# Not to be chosen by the kernel itself, as those of IPv4 are not.
ip -n "nas-$$" address add 2001:db8:1::3/64 dev eth0 nodad preferred_lft 0
ip -n "gw-$$" address add 2001:db8:1::4/64 dev nas nodad preferred_lft 0

# VIP is routed towards s1, and so it can be seen that s2 is the server.
four() {
	rs server "$1" four authentication 198.18.2.2
}

six() {
	rs server "$1" six authentication 2001:db8:2:2::2
}

check "a group of IPv4" rs group add four match "$VIP"
check "its server" four add
check "a group of IPv6" rs group add six match "$VIP6"
check "its server, the other" six add

# to_s2 TITLE COUNT: what the last trip sent was steered to s2 and answered.
to_s2() {
	all_right "$1"
	served "$1, by s2" 0 "$2"
}

# The client's addresses: forwarded and local ones, the first and another, and
# the device towards the servers or from the NAS.
first=([0]=192.0.2.2 [1]=192.0.2.1 [2]=2001:db8:1::2 [3]=2001:db8:1::1)
another=([0]=192.0.2.3 [1]=192.0.2.4 [2]=2001:db8:1::3 [3]=2001:db8:1::4)
# What a client is at that has no address of its own: the route's choice.
routed=([0]=192.0.2.2 [1]=198.18.1.1 [2]=2001:db8:1::2 [3]=2001:db8:2:1::1)
wild=([0]=0.0.0.0 [1]=0.0.0.0 [2]=:: [3]=::)
label=([0]=IPv4 [1]="local IPv4" [2]=IPv6 [3]="local IPv6")
host=([0]="nas-$$" [1]="gw-$$" [2]="nas-$$" [3]="gw-$$")

# all WHERE OPTION...: clients of every kind, -C connected and -n not so.
all() {
	local where=$1 i w client option n

	shift
	for i in 0 1 2 3; do
		w="$where, ${label[i]}"
		n=2
		count_from_here
		for client in "${first[i]}" "${another[i]}"; do
			trip_from "${host[i]},$client,20000" -P 1 2
			to_s2 "P4, R1: $client chosen for each, $w" 1
			for option in "$@"; do
				trip_from "${host[i]},$client,20001" "$option" \
					1 2
				to_s2 "P7, R1: bound to $client $option, $w" 1
				n=$((n + 1))
			done
		done
		for option in "$@"; do
			trip_from "${host[i]},${wild[i]},20002" "$option" \
				-v "${seen[i]},20002" 1 2
			to_s2 "P7, R1: without an address $option, $w" 1
			n=$((n + 1))
			[[ $i == [02] ]] || continue
			trip_from "${host[i]},${wild[i]},20003" "$option" \
				-B eth0 -v "${seen[i]},20003" 1 2
			to_s2 "P7, R1: bound to a device $option, $w" 1
			n=$((n + 1))
		done
		counted "P7, R1: all of them steered, $w" \
			steered "$n" answers "$n" pass-no-match "$n"
	done
}

seen=("${routed[@]}")
all "routed" -n -C

# Bound to the device that leads to the server. That towards another is none
# for it: the kernel keeps to the device when it looks for the way anew.
for i in 1 3; do
	ip -n "gw-$$" route replace "${VIP}" via 198.18.2.2
	ip -n "gw-$$" -6 route replace "${VIP6}" via 2001:db8:2:2::2
	trip_from "${host[i]},${first[i]},20010" -B s2 2 2
	to_s2 "P7, R1: bound to the device of its server, ${label[i]}" 2
	trip_from "${host[i]},${first[i]},20011" -B s2 -C 2 2
	to_s2 "P7, R1: connected and bound to it, ${label[i]}" 2
done

# No route at all: whoever forwards steers before it looks for one.
ip -n "gw-$$" route del "$VIP"
ip -n "gw-$$" -6 route del "$VIP6"
for i in 0 2; do
	count_from_here
	trip_from "${host[i]},${first[i]},20020" 2 2
	to_s2 "P7, R1: to what has no route, ${label[i]}" 2
	trip_from "${host[i]},${another[i]},20021" -C 2 2
	to_s2 "P7, R1: connected to what has no route, ${label[i]}" 2
	counted "P7: all of them steered, no route, ${label[i]}" \
		steered 4 answers 4 pass-no-match 4
done

# At the gateway itself. What asks its own address without one of its own does
# so from there, and the servers find it by their default route.
# local_at DEVICE OPTION...
local_at() {
	ip -n "gw-$$" address add "$VIP/32" dev "$1"
	ip -n "gw-$$" address add "$VIP6/128" dev "$1" nodad
	seen=("${routed[0]}" "$VIP" "${routed[2]}" "$VIP6")
	all "local at $1" "${@:2}"
	ip -n "gw-$$" address del "$VIP/32" dev "$1"
	ip -n "gw-$$" address del "$VIP6/128" dev "$1"
}

local_at lo -n -C
ip -n "gw-$$" link add dummy0 type dummy || skip_all "needs dummy"
ip -n "gw-$$" link set dummy0 up
local_at dummy0 -C

# The servers' own addresses, the master's first.
rs group set four match servers
rs group set six match servers
check "a backup of IPv4" rs server add four authentication 198.18.1.2
check "a backup of IPv6" rs server add six authentication 2001:db8:2:1::2
for server in 2 1; do
	for i in 0 1 2 3; do
		w="${label[i]} to s$server"
		asked=198.18.$server.2
		[ "$i" -lt 2 ] || asked=2001:db8:2:$server::2
		count_from_here
		for option in -n -C -P; do
			ASKED=$asked trip_from \
				"${host[i]},${another[i]},20030" "$option" 2 2
			to_s2 "P2, R1: a server is asked, $w, $option" 2
		done
		counted "P2, R1: all of them steered, $w" \
			steered 6 answers 6 pass-no-match 6
	done
done

done_testing
