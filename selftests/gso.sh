#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Several datagrams in one buffer: what a client sends at a time, and what a
# device has put together on the way in. Each is steered by itself.
#
#	nas ---- gw ---- s1, s2, s3
#
#	203.0.113.1, 2001:db8:ffff::1	groups g and g6, loading-share

# shellcheck disable=SC2317 # functions are called by check

. "$(dirname "$0")/lib.sh"

require roundtrip ethtool nft
topology 3
topology6 3

rs group add g algorithm loading-share match "$VIP"
rs group add g6 algorithm loading-share match "$VIP6"
servers g authentication 3
servers6 g6 authentication 3

# Buffers that come to the gateway: more than one request or answer is long.
at gw nft -f - <<-'END' || skip_all "needs nftables"
	table inet seen {
		chain early {
			type filter hook prerouting priority -500;
			udp dport 1812 meta length > 500 counter
			udp sport 1812 meta length > 150 counter
		}
	}
END

# seen sport|dport: how many of them.
seen() {
	at gw nft -j list table inet seen | jq --arg field "$1" '.nftables[].rule?
		| select(.).expr | select(.[0].match.left.payload.field == $field)
		| .[2].counter.packets'
}

# moved NAME N: a counter did, since count_from_here.
moved() {
	local now

	now=$(counter "$1")
	echo "$1 went up by $((now - ${counters_before[${1//-/_}]}))"
	[ $((now - ${counters_before[${1//-/_}]})) = "$2" ]
}

for client in trip trip6 trip_local trip6_local; do
	count_from_here
	"$client" -G 16 20 3
	all_right "P1, R1: $client, 20 buffers of 16 requests"
	shares "L2, L7: $client, each drawn by itself" 1 1 1
	check "P1: $client, each steered" moved steered 320
	check "R1: $client, each answered" moved answers 320
	check "P1: $client, none passed in a buffer" moved pass-gso 0
done
check "P1: they came to the gateway in buffers" test "$(seen dport)" = 40
check "R1: so did the answers" test "$(seen sport)" -gt 0

done_testing
