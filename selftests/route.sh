#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The way to a server of what the gateway sends itself, which is kept from one
# request to the next: whatever it depends on counts at once.
#
#	gw ---- s1	198.18.1.2, 2001:db8:2:1::2, the server
#	   ---- s2	has the same addresses, behind its own
#
# Who has a request shows which way it went.

# shellcheck disable=SC2317 # functions are called by check

. "$(dirname "$0")/lib.sh"

require nft roundtrip timeout
topology 2
topology6 2
at s2 ip address add 198.18.1.2/32 dev lo
at s2 ip -6 address add 2001:db8:2:1::2/128 dev lo nodad

rs group add g match "$VIP"
rs group add g6 match "$VIP6"
servers g authentication 1
servers6 g6 authentication 1

# use 4|6: what is sent from now on.
use() {
	if [ "$1" = 4 ]; then
		client=192.0.2.1 asked=$VIP
		server=198.18.1.2 prefix=198.18.1.2/32 via=198.18.2.2
	else
		client=2001:db8:1::1 asked=$VIP6
		server=2001:db8:2:1::2 prefix=$server/128 via=2001:db8:2:2::2
	fi
}

route() {
	at gw ip -"$family" route "$@"
}

# goes TITLE S1 S2 [OPTION...]: so many requests to each, all answered.
goes() {
	local title="$1, IPv$family" one=$2 two=$3 output

	shift 3
	output=$(roundtrip "$@" "gw-$$,$client,20000" "$asked,1812" \
		 $((one + two)) "s1-$$,$server,1812" "s2-$$,$server,1812")
	output=${output//$'\n'/; }
	[ "$output" = "s1-$$,$server,1812 $one; s2-$$,$server,1812 $two" ]
	result "$title" $?
	[[ $output == *" $one; "*" $two" ]] || echo "# $output"
}

# fails TITLE: a request that is not sent.
fails() {
	local output

	output=$(roundtrip "gw-$$,$client,20000" "$asked,1812" 1 \
		 "s2-$$,$server,1812")
	[[ $output == *lost-request\ 1* ]]
	result "$1, IPv$family" $?
}

# Whatever is there has been used: the way to s1 is known.
for family in 4 6; do
	use "$family"
	goes "P7: the way that there is" 20 0
	route add "$prefix" via "$via" dev s2
	goes "P7: a better route" 0 20
	route del "$prefix" via "$via" dev s2
	goes "P7: the route from before" 20 0

	route add unreachable "$prefix"
	count_from_here
	fails "P7: no route any more"
	counted "P7: it is counted, IPv$family" unroutable 1
	route del unreachable "$prefix"
	goes "P7: a route again" 20 0

	# IPv4 takes what has no route for a neighbour.
	[ "$family" = 4 ] || for i in 2001:db8:2:1::/64 "$VIP6"; do
		route add "$i" via "$via" dev s2 metric 5000
	done
	goes "P7: a socket that is bound to a device" 0 20 -B s2
	goes "P7: a socket that is not" 20 0

	at gw ip -"$family" xfrm policy add dir out dst "$prefix" action block
	fails "P7: a policy of IPsec against it"
	at gw ip -"$family" xfrm policy del dir out dst "$prefix"
	goes "P7: no policy any more" 20 0
done
at gw ip xfrm policy setdefault out block
for family in 4 6; do
	use "$family"
	fails "P7: what no policy allows is blocked"
done
at gw ip xfrm policy setdefault out accept
for family in 4 6; do
	use "$family"
	goes "P7: it is not any more" 20 0
done

# The kernel waits for whoever holds a device that goes, and complains after ten
# seconds of that.
for family in 4 6; do
	use "$family"
	at gw ip link add gone type dummy
	at gw ip link set gone up
	route add "$prefix" dev gone
	fails "P7: a device that leads nowhere"
	check "P7: nobody holds a device that goes, IPv$family" \
		timeout 100 ip -n "gw-$$" link del gone
	goes "P7: the way without it" 20 0
done

# From two addresses in turn, one of which has a route of its own; but for kernels
# that know none of these (CONFIG_IPV6_SUBTREES).
family=6
use 6
own=0
! route add "$prefix" from 2001:db8:2:2::1/128 via "$via" dev s2 2>/dev/null ||
	own=5
for i in 1 2 3; do
	client=2001:db8:1::1 goes "P7: from one address, $i" 5 0
	client=2001:db8:2:2::1 goes "P7: from another one, $i" $((5 - own)) "$own"
done
[ "$own" = 0 ] || route del "$prefix" from 2001:db8:2:2::1/128

# By the type of service.
at gw nft -f - <<-'END'
	table ip t {
		chain output {
			type filter hook output priority -300
			udp sport 20001 ip dscp set 4
		}
	}
END
family=4
use 4
route add "$prefix" tos 0x10 via "$via" dev s2
goes "P7: of no service" 5 0
output=$(roundtrip "gw-$$,$client,20001" "$asked,1812" 5 \
	 "s1-$$,$server,1812" "s2-$$,$server,1812")
check "P7: of a service that has a route of its own" \
	grep -qx "s2-$$,$server,1812 5" <<<"$output"
goes "P7: of no service, again" 5 0
route del "$prefix" tos 0x10

# A rule makes all others look for their route as well, for good: so this is last.
for family in 4 6; do
	use "$family"
	route add "$prefix" via "$via" dev s2 table 40
	at gw ip -"$family" rule add from "$client" table 40
	goes "P7: a rule" 0 20
	at gw ip -"$family" rule del from "$client" table 40
	goes "P7: no rule any more" 20 0
done

done_testing
