#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# IPsec between the gateway and a server, whose policies name the server, and
# between the gateway and a client, whose policies name the address asked.
#
#	nas ---- gw ==== s1		transport mode for the gateway's own,
#					tunnel mode for the client's requests
#	nas ==== gw ---- s1		tunnel mode
#
# No policy for the other address is there. What should be encrypted and is not
# is dropped by the end that it comes to, and counted on the wire.

. "$(dirname "$0")/lib.sh"

require roundtrip nft
topology 1
topology6 1
rs group add g match "$VIP" timeout 60
rs group add g6 match "$VIP6" timeout 60
check "a server" servers g authentication 1
check "a server with IPv6" servers6 g6 authentication 1

# Taps on the wire, where a packet arrives: requests at the server, and so on.
# What comes out of a tunnel arrives there once more, decrypted.
for tap in nas,eth0 s1,eth0 gw,nas gw,s1; do
	at "${tap%,*}" nft -f - <<-N || skip_all "needs nftables of netdev"
		table netdev tap-${tap#*,} {
			counter sealed { }
			counter plain { }
			chain tap {
				type filter hook ingress device ${tap#*,} priority -500;
				meta l4proto esp counter name sealed
				meta ipsec missing udp dport 1812 counter name plain
				meta ipsec missing udp sport 1812 counter name plain
			}
		}
	N
done

# tapped NAMESPACE DEVICE: how many packets of ESP, and how many that are not
# encrypted, since the last time.
tapped() {
	at "$1" nft -j reset counters table netdev "tap-$2" |
		jq -r '[.nftables[].counter? | select(.)] | sort_by(.name) |
			map(.packets) | "\(.[1]) \(.[0])"'
}

# reset: all taps begin anew.
reset() {
	tapped s1 eth0
	tapped gw s1
	tapped nas eth0
	tapped gw nas
} >/dev/null

# state MODE FROM TO [NAMESPACE...]: packets are encrypted that way. Each pair
# of addresses has an SPI of its own.
spi=256
key=0x$(printf '%02x' {1..20})
state() {
	local ns

	spi=$((spi + 1))
	for ns in "${@:4}"; do
		ip -n "$ns-$stage" xfrm state add src "$2" dst "$3" proto esp \
			spi "$spi" reqid 1 mode "$1" \
			aead 'rfc4106(gcm(aes))' "$key" 128 ||
			skip_all "needs ESP"
	done
}

# policy NAMESPACE DIRECTIONS MODE FROM TO SELECTOR... [level LEVEL]
policy() {
	local ns=$1 directions=$2 mode=$3 from=$4 to=$5 direction
	local -a level=()

	shift 5
	[ "${*: -2:1}" != level ] || { level=("${@: -2}"); set -- "${@:1:$#-2}"; }
	for direction in $directions; do
		ip -n "$ns-$stage" xfrm policy add "$@" dir "$direction" \
			tmpl src "$from" dst "$to" proto esp reqid 1 \
			mode "$mode" "${level[@]}" || skip_all "needs XFRM"
	done
}

# between MODE NS PEER ADDRESS PEER-ADDRESS LOCAL REMOTE: the gateway's packets
# from LOCAL to REMOTE, and those back, between these addresses.
between() {
	local mode=$1 a=$2 b=$3 from=$4 to=$5 local=$6 remote=$7

	state "$mode" "$from" "$to" "$a" "$b"
	state "$mode" "$to" "$from" "$a" "$b"
	policy "$a" out "$mode" "$from" "$to" src "$local" dst "$remote"
	policy "$b" "in fwd" "$mode" "$from" "$to" src "$local" dst "$remote"
	policy "$b" out "$mode" "$to" "$from" src "$remote" dst "$local"
	policy "$a" "in fwd" "$mode" "$to" "$from" src "$remote" dst "$local"
}

flush() {
	local ns

	for ns in nas gw s1; do
		ip -n "$ns-$stage" xfrm policy flush
		ip -n "$ns-$stage" xfrm state flush
	done
}

# encrypted TITLE WAY [N]: round trips between gateway and server.
encrypted() {
	local n=${3:-20}

	reset
	count_from_here
	"$2" "$n" 1
	all_right "R1, $1: $n round trips"
	counted "P7, $1: each once" steered "$n" answers "$n" pass-no-match "$n"
	check "P7, $1: requests on the wire" test "$(tapped s1 eth0)" = "$n 0"
	check "R1, $1: answers on the wire" test "$(tapped gw s1)" = "$n 0"
}

s1=198.18.1.2 s16=2001:db8:2:1::2
gw=198.18.1.1 gw6=2001:db8:2:1::1

# Without a policy, they are to be seen.
trip 20 1
check "the taps see what is not encrypted" test "$(tapped s1 eth0)" = "0 20"
check "its answers as well" test "$(tapped gw s1)" = "0 20"

between transport gw s1 192.0.2.1 $s1 192.0.2.1/32 $s1/32
between transport gw s1 2001:db8:1::1 $s16 2001:db8:1::1/128 $s16/128
encrypted "transport mode, local" trip_local
encrypted "transport mode, local, IPv6" trip6_local

between tunnel gw s1 $gw $s1 192.0.2.2/32 $s1/32
between tunnel gw s1 $gw6 $s16 2001:db8:1::2/128 $s16/128
encrypted "tunnel mode, forwarded" trip
encrypted "tunnel mode, forwarded, IPv6" trip6
encrypted "transport mode beside it, local" trip_local
flush

# A policy of the address asked is none of the server.
between tunnel gw s1 $gw $s1 192.0.2.2/32 $VIP/32
between tunnel gw s1 $gw6 $s16 2001:db8:1::2/128 $VIP6/128
ip -n "s1-$stage" xfrm policy flush
for way in trip trip6; do
	reset
	"$way" 20 1
	all_right "P7, policies of the address asked, $way: 20 round trips"
	check "P7, policies of the address asked, $way: they do not matter" \
		test "$(tapped s1 eth0)" = "0 20"
done
flush

# The client's side, whose policies name the address asked.
between tunnel gw nas 192.0.2.1 192.0.2.2 $VIP/32 192.0.2.2/32
between tunnel gw nas 2001:db8:1::1 2001:db8:1::2 $VIP6/128 2001:db8:1::2/128
for way in trip trip6; do
	reset
	count_from_here
	"$way" 2 1
	counted "P7, tunnel to the client, $way: each once" \
		steered 2 answers 2 pass-no-match 2
	check "P7, tunnel to the client, $way: requests come encrypted" \
		test "$(tapped gw nas)" = "2 0"
	check "R1, tunnel to the client, $way: answers leave so" \
		test "$(tapped nas eth0)" = "2 0"
	all_right "R1, tunnel to the client, $way: round trips"
done
# They are to come so, and in no other way.
ip -n "nas-$stage" xfrm policy flush
for way in trip trip6; do
	count_from_here
	"$way" -S 1 1
	[ "${wrong[*]}" = lost-request=1 ]
	result "P7, no tunnel from the client, $way: not let in" $?
	counted "P7, no tunnel from the client, $way: counted" pass-policy 1
done
flush

# The gateway's own requests through a tunnel.
between tunnel gw s1 $gw $s1 192.0.2.1/32 $s1/32
between tunnel gw s1 $gw6 $s16 2001:db8:1::1/128 $s16/128
encrypted "tunnel mode, local" trip_local 5
encrypted "tunnel mode, local, IPv6" trip6_local 5
flush
# One policy for the server and the address asked alike.
between tunnel gw s1 $gw $s1 192.0.2.1/32 0.0.0.0/0
between tunnel gw s1 $gw6 $s16 2001:db8:1::1/128 ::/0
encrypted "tunnel mode, local, one policy for all" trip_local 5
encrypted "tunnel mode, local, one policy for all, IPv6" trip6_local 5

done_testing
