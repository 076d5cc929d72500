#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The connection tracker, NAT, bridges and flow tables of others on the gateway
# work with client and real server, both ways. See firewall.sh and ipv6.sh as
# well.
#
#	nas ---- gw ---- s1 (master), s2
#
# And with all of them on one bridge in the gateway:
#
#	nas ---- gw (bridge) ---- s1 (master), s2

. "$(dirname "$0")/lib.sh"

require roundtrip nft conntrack
topology 2
topology6 2
rs group add g match "$VIP" timeout 60
rs group add g6 match "$VIP6" timeout 60
check "servers" servers g authentication 2
check "servers with IPv6" servers6 g6 authentication 2

# all_ways TITLE COUNT1 COUNT2: requests by every way, and how many
# of 40 each server gets. What a server sees of the client and what is asked may
# be said for a way: seen[WAY], asks[WAY].
declare -A seen=() asks=()
all_ways() {
	local title=$1 s1=$2 s2=$3 way

	for way in trip trip_local trip6 trip6_local; do
		count_from_here
		ASKED=${asks[$way]:-} "$way" -v "${seen[$way]:-${own[$way]}}" 40 2
		all_right "R1, $title, $way: 40 round trips"
		served "P7, $title, $way: where they went" "$s1" "$s2"
		counted "P7, $title, $way: each once" \
			steered 40 answers 40 pass-no-match 40
	done
}
declare -A own=([trip]="192.0.2.2,20000" [trip_local]="192.0.2.1,20000"
		[trip6]="2001:db8:1::2,20000" [trip6_local]="2001:db8:1::1,20000")

# rules: the only ones that the gateway has; nothing is tracked by others.
rules() {
	at gw nft -f - <<<"flush ruleset"$'\n'"$(cat)" ||
		skip_all "needs nftables with NAT"
	at gw conntrack -F 2>/dev/null
}

# hits NAME: packets that a counter of the rules has seen.
hits() {
	at gw nft -j list counter inet t "$1" |
		jq '.nftables[].counter? | select(.).packets'
}

# tracked TEXT: connections with that.
tracked() {
	at gw conntrack -L -f ipv4 -p udp 2>/dev/null | grep -c "$1"
	at gw conntrack -L -f ipv6 -p udp 2>/dev/null | grep -c "$1"
}

# Without a rule that needs it, the tracker has no hook in a namespace.
all_ways "no conntrack" 40 0
[[ $(at gw sysctl -en net.netfilter.nf_conntrack_count) != *[1-9]* ]]
result "P7: and nothing was tracked" $?

guard='
	chain forward {
		type filter hook forward priority 0; policy drop;
		ct state established,related accept
		iifname nas oifname { s1, s2 } udp dport 1812 ip daddr 198.18.0.0/16 accept
		iifname nas oifname { s1, s2 } udp dport 1812 ip6 daddr 2001:db8:2::/48 accept
	}
	chain input {
		type filter hook input priority 0; policy drop;
		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
		ct state established,related accept
	}
	chain output {
		type filter hook output priority 0; policy drop;
		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
		ct state established,related accept
		udp dport 1812 ip daddr 198.18.0.0/16 accept
		udp dport 1812 ip6 daddr 2001:db8:2::/48 accept
	}'
rules <<<"table inet t {$guard
}"
all_ways "policy drop" 40 0
check "P7: what is tracked is client and real server" \
	test "$(tracked "dst=198.18.1.2" | paste -sd ' ')" = "2 0"
check "P7: none with the address asked" \
	test "$(tracked "dst=$VIP" | paste -sd ' ')" = "0 0"
check "P7: nor with that of IPv6" \
	test "$(tracked "dst=$VIP6" | paste -sd ' ')" = "0 0"

# Source NAT that gives the client another port as well.
rules <<'N'
table inet t {
	chain postrouting {
		type nat hook postrouting priority srcnat;
		oifname != { s1, s2 } accept
		ip saddr 192.0.2.2 meta l4proto udp snat ip to 198.18.1.1:40000
		ip saddr 192.0.2.1 meta l4proto udp snat ip to 198.18.1.1:40001
		ip6 saddr 2001:db8:1::2 meta l4proto udp snat ip6 to [2001:db8:2:1::1]:40000
		ip6 saddr 2001:db8:1::1 meta l4proto udp snat ip6 to [2001:db8:2:1::1]:40001
	}
}
N
seen=([trip]="198.18.1.1,40000" [trip_local]="198.18.1.1,40001"
      [trip6]="2001:db8:2:1::1,40000" [trip6_local]="2001:db8:2:1::1,40001")
all_ways "SNAT with ports" 40 0
seen=()

# Destination NAT for the address asked comes too late to see it; for a real
# server, it is heeded.
dnat='
	chain pre {
		type nat hook prerouting priority dstnat;
		jump theirs
	}
	chain out {
		type nat hook output priority -100;
		jump theirs
	}'
rules <<N
table inet t {
	counter asked { }
	chain theirs {
		ip daddr $VIP udp dport 1812 counter name asked dnat ip to 198.18.2.2
		ip6 daddr $VIP6 udp dport 1812 counter name asked dnat ip6 to 2001:db8:2:2::2
	}
	$dnat
}
N
all_ways "DNAT of the address asked" 40 0
check "P7: no packet came to that rule" test "$(hits asked)" = 0

rules <<N
table inet t {
	chain theirs {
		ip daddr 198.18.1.2 udp dport 1812 dnat ip to 198.18.2.2
		ip6 daddr 2001:db8:2:1::2 udp dport 1812 dnat ip6 to 2001:db8:2:2::2
	}
	$dnat
}
N
all_ways "DNAT of the real server" 0 40

# A group does not touch what another address has been given by NAT, its
# servers not being among those of the group.
rules <<N
table inet t {
	chain theirs {
		ip daddr 203.0.113.7 udp dport 1812 dnat ip to 198.18.2.2
		ip6 daddr 2001:db8:ffff::7 udp dport 1812 dnat ip6 to 2001:db8:2:2::2
	}
	$dnat
}
N
ip -n "gw-$stage" route add 203.0.113.7 via 198.18.1.2
ip -n "gw-$stage" route add 2001:db8:ffff::7 via 2001:db8:2:1::2
for way in trip trip_local trip6 trip6_local; do
	[[ $way == trip6* ]] && asked=2001:db8:ffff::7 || asked=203.0.113.7
	count_from_here
	ASKED=$asked "$way" 40 2
	all_right "P3, DNAT of another address, $way: 40 round trips"
	served "P3, DNAT of another address, $way: as the rule says" 0 40
	counted "P3, DNAT of another address, $way: passed" pass-no-match 80
done

# Not tracked, by the raw table; what is tracked is dropped.
rules <<'N'
table inet t {
	chain pre {
		type filter hook prerouting priority raw;
		udp dport 1812 notrack
		udp sport 1812 notrack
	}
	chain out {
		type filter hook output priority raw;
		udp dport 1812 notrack
	}
	chain forward {
		type filter hook forward priority 0; policy drop;
		ct state untracked accept
	}
	chain input {
		type filter hook input priority 0; policy drop;
		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
		ct state untracked accept
	}
	chain post {
		type nat hook postrouting priority srcnat;
		oifname { s1, s2 } masquerade
	}
}
N
all_ways "notrack" 40 0
check "P7: none is tracked" test "$(tracked dport=1812 | paste -sd ' ')" = "0 0"

# Strict reverse path filters: the kernel's, and one for IPv6.
rules <<'N'
table inet t {
	chain pre {
		type filter hook prerouting priority filter;
		meta nfproto ipv6 meta l4proto udp fib saddr . iif oif missing drop
	}
}
N
at gw sysctl -qw net.ipv4.conf.all.rp_filter=1
ip -n "nas-$stage" address add 198.18.9.9/32 dev lo
ip -n "nas-$stage" address add 2001:db8:2:2::9/128 dev lo nodad
for address in 198.18.9.9 2001:db8:2:2::9; do
	trip_from "nas-$stage,$address,20000" 1 2
	[ "${wrong[*]}" = lost-request=1 ]
	result "the filter of $address drops what comes from elsewhere" $?
done
all_ways "rp_filter" 40 0
at gw sysctl -qw net.ipv4.conf.all.rp_filter=0

# Everybody on one bridge, whose packets pass the hooks of IP.
modprobe br_netfilter || skip_all "needs the module br_netfilter"
plain=$stage
stage=$stage-bridge
namespace gw
for ns in nas s1 s2; do
	namespace "$ns"
done
at gw sysctl -qw net.ipv4.ip_forward=1 \
	net.ipv4.conf.all.send_redirects=0 \
	net.ipv4.conf.default.send_redirects=0
ip -n "gw-$stage" link add br0 type bridge
ip -n "gw-$stage" link set br0 up
for ns in gw nas s1 s2; do
	at "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=0
done
at gw sysctl -qw net.ipv6.conf.all.forwarding=1 \
	net.bridge.bridge-nf-call-iptables=1 \
	net.bridge.bridge-nf-call-ip6tables=1
# port NAMESPACE IPV4 IPV6: the end's addresses, those of the gateway likewise.
port() {
	ip link add eth0 netns "$1-$stage" type veth \
		peer name "$1" netns "gw-$stage"
	ip -n "gw-$stage" -batch - <<-END
		link set $1 master br0 up
		address add $2.1/24 dev br0
		address add $3::1/64 dev br0 nodad
	END
	ip -n "$1-$stage" -batch - <<-END
		address add $2.2/24 dev eth0
		address add $3::2/64 dev eth0 nodad
		link set eth0 up
		route add default via $2.1
		route add default via $3::1
	END
}
port nas 192.0.2 2001:db8:1
port s1 198.18.1 2001:db8:2:1
port s2 198.18.2 2001:db8:2:2
rs group add g match "$VIP" timeout 60
rs group add g6 match "$VIP6" timeout 60
servers g authentication 2
servers6 g6 authentication 2
ip -n "gw-$stage" route add "$VIP" via 198.18.1.2
ip -n "gw-$stage" route add "$VIP6" via 2001:db8:2:1::2
all_ways "routed from a bridge to itself" 40 0

# Neighbours: they send to each other by the bridge and not to the gateway.
for ns in nas s1 s2; do
	ip -n "$ns-$stage" -batch - <<-END
		route replace 192.0.2.0/24 dev eth0
		route replace 198.18.0.0/16 dev eth0
		route replace 2001:db8:1::/64 dev eth0
		route replace 2001:db8:2::/48 dev eth0
	END
done
ip -n "s2-$stage" address add "$VIP/32" dev lo
ip -n "s2-$stage" address add "$VIP6/128" dev eth0 nodad
ip -n "nas-$stage" route add "$VIP" dev eth0
ip -n "nas-$stage" route add "$VIP6" dev eth0
for way in trip trip6; do
	for kind in address servers; do
		count_from_here
		"$way" 40 2
		all_right "P7, R1, bridged, $kind, $way: 40 round trips"
		served "P7, bridged, $kind, $way: to the master" 40 0
		counted "P7, bridged, $kind, $way: each once" \
			steered 40 answers 40 pass-no-match 40
		rs group set g match servers
		rs group set g6 match servers
		[ "$way" = trip ] && ASKED=198.18.2.2 || ASKED=2001:db8:2:2::2
	done
	unset ASKED
	rs group set g match "$VIP"
	rs group set g6 match "$VIP6"
done
stage=$plain

# Flow tables, which let packets of a known connection go from device to device
# without any of the hooks.
rules <<'N'
table inet t {
	flowtable f {
		hook ingress priority filter
		devices = { nas, s1, s2 }
	}
	chain forward {
		type filter hook forward priority 0;
		meta l4proto udp flow add @f
	}
}
N
for way in trip trip6; do
	[ "$way" = trip ] && asked=198.18.1.2 || asked=2001:db8:2:1::2
	ASKED=$asked "$way" 20 2 4000
	all_right "flow table, $way: 20 round trips of something else"
done
check "flow table: they are in it" \
	test "$(tracked OFFLOAD | paste -sd ' ')" = "1 1"
all_ways "flow table, address" 40 0
rs group set g match servers
rs group set g6 match servers
for server in 1 2; do
	asks=([trip]=198.18.$server.2 [trip6]=2001:db8:2:$server::2)
	asks[trip_local]=${asks[trip]}
	asks[trip6_local]=${asks[trip6]}
	all_ways "flow table, server $server" 40 0
done

done_testing
