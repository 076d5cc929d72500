#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Others on the gateway hold packets, send them another way, or drop them.
#
#	nas ---- gw ---- s1 (master), s2
#
#	requests from nas		by the devices n0, n1
#	answers from s1			by the devices t0, t1
#	requests to s1			by the devices d0, d1, and back to s1

. "$(dirname "$0")/lib.sh"

require roundtrip nft tc queue
topology 2
topology6 2
rs set duplicate-window 0 dead-count 65535
rs group add g match "$VIP" timeout 60
rs group add g6 match "$VIP6" timeout 60
check "servers" servers g authentication 2
check "servers with IPv6" servers6 g6 authentication 2

# all_ways TITLE: ten requests by every way.
all_ways() {
	local title=$1 way

	for way in trip trip_local trip6 trip6_local; do
		count_from_here
		"$way" 10 2
		all_right "R1, $title, $way: ten round trips"
		served "M2, $title, $way: to the master" 10 0
		counted "P7, $title, $way: each once" \
			steered 10 answers 10 pass-no-match 10
	done
}

# rules TEXT: the only ones that the gateway has, beside the counter seen.
rules() {
	at gw nft -f - <<-N || skip_all "needs nftables"
		flush ruleset
		table inet t {
			counter seen { }
			$1
		}
	N
}

# has_seen N: so many packets.
has_seen() {
	local n

	n=$(at gw nft -j list counter inet t seen |
		jq '.nftables[].counter? | select(.).packets')
	[ "$n" = "$1" ] || echo "it has seen $n"
	[ "$n" = "$1" ]
}

# held TITLE TIMES VERDICT MS [HOOK PRIORITY]...: a queue does that with each
# packet at these places, which all four ways come past so often.
held() {
	local title=$1 times=$2 verdict=$3 ms=$4 chains='' queue

	shift 4
	while [ $# -gt 0 ]; do
		chains+="chain $1_${2/-/before} {
			type filter hook $1 priority $2;
			meta mark 1 accept
			udp dport 1812 counter name seen queue num 7
			udp sport 1812 counter name seen queue num 7
		}
		"
		shift 2
	done
	ip netns exec "gw-$stage" queue 7 "$ms" "$verdict" &
	queue=$!
	wait_for 10 at gw grep -q '^ *7 ' \
		/proc/net/netfilter/nfnetlink_queue ||
		skip_all "needs netfilter queues"
	rules "$chains"
	all_ways "$title"
	check "$title: each came there" has_seen "$times"
	rules ""
	kill "$queue"
	wait "$queue" 2>/dev/null
}

# Before and behind the module's hooks, at all of them. What is repeated has a
# mark from then on, and is held once.
modprobe -q nfnetlink_queue
held "held everywhere" 340 accept 3 prerouting -260 prerouting -240 \
	output -260 output -240 forward 0 input 200 \
	postrouting 140 postrouting 200
held "held, repeated before" 80 repeat 0 prerouting -260 output -260
held "held, repeated behind" 80 repeat 0 prerouting -240 output -240
held "held, repeated late" 80 repeat 0 forward 0 input 200 postrouting 200

# through DEVICE PEER AS: a pair of devices in the gateway, the second one with
# the hardware address of AS.
through() {
	ip -n "gw-$stage" link add "$1" type veth peer name "$2"
	ip -n "gw-$stage" link set "$2" \
		address "$(at gw cat "/sys/class/net/$3/address")"
	at gw sysctl -qw "net.ipv6.conf.$2.disable_ipv6=0"
	ip -n "gw-$stage" link set "$1" up
	ip -n "gw-$stage" link set "$2" up
}
through n0 n1 nas
through t0 t1 s1
through d0 d1 s1

# filter DEVICE ingress|egress WORD...
filter() {
	tc -n "gw-$stage" filter add dev "$@" || skip_all "needs tc"
}
for device in nas s1 d1; do
	tc -n "gw-$stage" qdisc add dev "$device" clsact || skip_all "needs tc"
done
for protocol in ip ipv6; do
	filter nas ingress protocol $protocol prio ${#protocol} flower \
		ip_proto udp action mirred egress redirect dev n0
	filter s1 ingress protocol $protocol prio ${#protocol} flower \
		ip_proto udp action mirred egress redirect dev t0
done
# What has been there once goes out.
filter s1 egress protocol all prio 1 u32 match u32 0 0 indev d1 flowid 1:1
filter s1 egress protocol all prio 2 matchall \
	action mirred egress redirect dev d0
filter d1 ingress protocol all prio 1 matchall \
	action mirred egress redirect dev s1

rules "chain pre {
	type filter hook prerouting priority -400;
	iifname n1 udp dport 1812 counter name seen
	iifname t1 udp sport 1812 counter name seen
}"
all_ways "redirected"
check "P7: 20 requests and 40 answers came by other devices" has_seen 60
check "P7: 40 requests left by another device and came back" test "$(ip \
	-n "gw-$stage" -s -j link show d1 | jq '.[].stats64.rx.packets')" -ge 40
for device in nas s1 d1; do
	tc -n "gw-$stage" qdisc del dev "$device" clsact
done

# Dropped by a rule that sees the real server. Two requests of three
# copies each; the first two copies of each are lost, the third one moves.
lost_at() {
	jq "[.groups[].servers.authentication[0].lost] | add" \
		<<<"$(rs -j show)"
}
rules "chain drops {
		type filter hook forward priority 0;
		jump masters
	}
	chain out {
		type filter hook output priority 0;
		jump masters
	}
	chain masters {
		ip daddr 198.18.1.2 udp dport 1812 counter name seen drop
		ip6 daddr 2001:db8:2:1::2 udp dport 1812 counter name seen drop
	}"
for way in trip trip_local trip6 trip6_local; do
	before=$(lost_at)
	count_from_here
	"$way" -r 3 2 2
	served "M7, dropped, $way: the third copies come to the backup" 0 2
	check "M7, dropped, $way: the first two do not" \
		test "${wrong[*]}" = lost-request=4
	counted "M7, S1, dropped, $way: copies, losses and moves" steered 6 \
		retransmissions 4 failovers 2 lost 4 answers 2 pass-no-match 2
	check "S1, dropped, $way: they are losses of the master" \
		test $(($(lost_at) - before)) = 4
done
check "dropped: the master's two copies of each request" has_seen 16

# Who drops before the hook, drops what was never steered.
rules "chain pre {
		type filter hook prerouting priority raw;
		udp dport 1812 counter name seen drop
	}
	chain out {
		type filter hook output priority raw;
		udp dport 1812 counter name seen drop
	}"
for way in trip trip_local trip6 trip6_local; do
	count_from_here
	"$way" 1 2
	check "P7, dropped before, $way: nothing comes" \
		test "${got[*]} ${wrong[*]}" = "0 0 lost-request=1"
	counted "P7, dropped before, $way: nothing is counted"
done
check "P7, dropped before: that was the rule" has_seen 4

done_testing
