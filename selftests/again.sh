#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets that come past the hooks a second time on their way: each is steered,
# and given back, once.
#
#	nas ---- gw ---- s1 (master), s2
#
#	h0 ---- h1	in gw: what comes from the NAS or from s2 leaves by h0,
#			comes in again by h1, and goes on then
#
# The groups g and g6 match their own servers, so that a packet which has been
# rewritten looks like one that is to be.

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 2
topology6 2

ip -n "gw-$$" link add h0 type veth peer name h1
at gw sysctl -qw net.ipv6.conf.h0.disable_ipv6=0 \
	net.ipv6.conf.h1.disable_ipv6=0 net.ipv4.conf.h1.rp_filter=0
mac=$(at gw cat /sys/class/net/h1/address)
ip -n "gw-$$" -batch - <<-END
	address add 198.18.99.1/24 dev h0
	address add 2001:db8:2:99::1/64 dev h0 nodad
	link set h0 up
	link set h1 up
	neighbour add 198.18.99.2 lladdr $mac dev h0 nud permanent
	neighbour add 2001:db8:2:99::2 lladdr $mac dev h0 nud permanent
	route add default via 198.18.99.2 dev h0 table 40
	route add default via 2001:db8:2:99::2 dev h0 table 40
END
for family in -4 -6; do
	ip -n "gw-$$" "$family" rule add iif nas lookup 40
	ip -n "gw-$$" "$family" rule add iif s2 lookup 40
done

rs set duplicate-window 0 dead-count 65535
rs group add g algorithm master-backup timeout 60
rs group add g6 algorithm master-backup timeout 60
servers g authentication 2
servers6 g6 authentication 2

for way in "trip 198.18.2.2" "trip6 2001:db8:2:2::2"; do
	read -r way asked <<<"$way"
	count_from_here
	ASKED=$asked "$way" 50 2
	all_right "P2, R1: $way, 50 requests to the backup's address"
	served "M2: $way, all to the master" 50 0
	counted "P2: $way, each is steered once" steered 50 answers 50 \
		pass-again 50 pass-no-match 50
done

# A request that moves from the server that was asked to another one, whose
# answer looks like one of the first when it comes past again. What goes to the
# address asked is the same packet the second time: a duplicate, by T1 alone.
rs set duplicate-window 50
packet=01ee001400112233445566778899aabbccddeeff
# once OPTION...: a copy of it
once() {
	roundtrip "$@" -x "$packet" "nas-$$,$client,30000" "$asked,1812" 1 \
		"s1-$$,$asked,1812" "s2-$$,$backup,1812"
}
while read -r group client asked backup; do
	count_from_here
	once -S >/dev/null
	pause 0.1
	once -S >/dev/null
	pause 0.1
	counted "T1: $group, two copies, each with a duplicate" steered 4 \
		duplicates 2 retransmissions 1 lost 1
	count_from_here
	check "M7, R1: $group, the backup's answer comes from the master" once
	counted "R1, R2: $group, it is given back once" steered 1 \
		retransmissions 1 failovers 1 lost 1 answers 1 answer-again 1 \
		pass-again 1 pass-no-match 2
	check "S3: $group, and proves nothing of the master" jq -e --arg \
		group "$group" '.groups[] | select(.name == $group) |
		.servers.authentication[0] | .losses == 2 and .late == 0' \
		<<<"$(rs -j show)"
done <<-END
	g 192.0.2.2 198.18.1.2 198.18.2.2
	g6 2001:db8:1::2 2001:db8:2:1::2 2001:db8:2:2::2
END

done_testing
