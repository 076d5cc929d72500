#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Packets that come with a sum of all their octets (CHECKSUM_COMPLETE), as
# they do from a tunnel whose outer checksum was computed: what is rewritten
# still fits that sum.
#
#	nas ---- gw ---- s1
#	 \======//	VXLAN with checksums: 198.51.100.0/24, 2001:db8:3::/64

. "$(dirname "$0")/lib.sh"

require roundtrip nft ethtool nstat
topology 1
topology6 1

# tunnel NAMESPACE DEVICE OWN OTHER HOST
tunnel() {
	ip -n "$1-$$" link add vx type vxlan id 7 local "$3" remote "$4" \
		dstport 4789 udpcsum || skip_all "needs VXLAN"
	ip -n "$1-$$" address add "198.51.100.$5/24" dev vx
	ip -n "$1-$$" address add "2001:db8:3::$5/64" dev vx nodad
	ip -n "$1-$$" link set vx up
	at "$1" ethtool -K "$2" tx off >/dev/null
	at "$1" ethtool -K vx tx off >/dev/null
}

tunnel nas eth0 192.0.2.2 192.0.2.1 2
tunnel gw nas 192.0.2.1 192.0.2.2 1
ip -n "nas-$$" route replace default via 198.51.100.1
ip -n "nas-$$" -6 route replace default via 2001:db8:3::1
# Routers do not cut IPv6: the server knows how much goes into the tunnel.
ip -n "s1-$$" -6 route replace default via 2001:db8:2:1::1 mtu 1400
# Sums that are there are checked by whoever gets them.
for ns in gw,s1 s1,eth0; do
	at "${ns%,*}" ethtool -K "${ns#*,}" tx off >/dev/null
done

check "a group of IPv4" rs group add four match "$VIP"
check "its server" rs server add four authentication 198.18.1.2
check "a group of IPv6" rs group add six match "$VIP6"
check "its server, the other" \
	rs server add six authentication 2001:db8:2:1::2

# The kernel says how it took what came out of the tunnel.
trace=/sys/kernel/tracing
[ -d "$trace/events" ] || mount -t tracefs tracefs "$trace" ||
	skip_all "needs tracefs"
for event in napi_gro_receive netif_receive_skb netif_rx; do
	echo 'name == "vx"' >"$trace/events/net/${event}_entry/filter"
	echo 1 >"$trace/events/net/${event}_entry/enable"
	defer "echo 0 >$trace/events/net/${event}_entry/enable"
done
echo >"$trace/trace"

sent=0
for who in "nobody else" conntrack; do
	for client in 198.51.100.2 2001:db8:3::2; do
		trip_from "nas-$$,$client,20000" -L 100 5 1
		all_right "R1: out of a tunnel and into it, $client, $who"
		trip_from "nas-$$,$client,20001" -z -L 100 5 1
		all_right "R1: with sums of 0, $client, $who"
		trip_from "nas-$$,$client,20002" -l 4096 -L 4096 5 1
		all_right "R1: in fragments, $client, $who"
		# The tunnel's own packets pass as well, counted.
		sent=$((sent + 15))
		check "R1: all of them steered, $client, $who" test \
			"$(counter steered) $(counter answers)" = "$sent $sent"
	done
	[ "$who" = conntrack ] || at gw nft -f - <<-N ||
		table inet guard {
			chain known {
				type filter hook prerouting priority 0;
				ct state invalid drop
			}
		}
	N
		skip_all "needs nftables with conntrack"
done
check "they came with a sum of their own" \
	grep -q 'dev=vx .*ip_summed=2' "$trace/trace"

for ns in nas gw s1; do
	check "R1: $ns believed all of them" test "$(at "$ns" \
		nstat -asz UdpInCsumErrors Udp6InCsumErrors |
		awk '/Csum/ { sum += $2 } END { print sum }')" = 0
done

done_testing
