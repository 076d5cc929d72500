#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the other tests see with IPv4, with IPv6.
#
#	nas ---- gw ---- s1 (master), s2, s3, s4
#
#	2001:db8:ffff::1	group g: all of them
#	203.0.113.1		group four: s1, s2 with IPv4

. "$(dirname "$0")/lib.sh"

require roundtrip nft
topology 4
topology6 4

server() {
	rs server "$1" g authentication "2001:db8:2:$2::2" "${@:3}"
}

# Of an address, what the kernel makes of it.
check "a group of IPv6" rs group add g algorithm loading-share match "$VIP6"
check "P7: its family is shown before it has a server" jq -e '
	.groups[0] | .family == "inet6" and .match == [{
	"address": "2001:db8:ffff::1", "auth_port": 1812,
	"acct_port": 1813}]' <<<"$(rs -j show)"
check "four servers with weights 10, 20, 30, 40" \
	servers6 g authentication 4 10 20 30 40
check "three servers for accounting" servers6 g accounting 3
check "a group of IPv4 beside it" rs group add four match "$VIP"
check "its servers" servers four authentication 2

refused "an IPv4 server in a group of IPv6" \
	"the group is of another address family" \
	rs server add g authentication 198.18.1.2
refused "an IPv6 server in a group of IPv4" \
	"the group is of another address family" \
	rs server add four authentication 2001:db8:2:1::2
refused "matches of two families" "addresses of one family" \
	rs group add h match "$VIP6" match 203.0.113.5
refused "an IPv6 match where the servers are IPv4" \
	"the servers of the group are of another address family" \
	rs group set four match 2001:db8:ffff::4
refused "an IPv4 match where the servers are IPv6" \
	"the servers of the group are of another address family" \
	rs group set g match 203.0.113.5
for address in ff02::1 ff0e::1 ::; do
	refused "a server at $address" "the address is not that of one host" \
		rs server add g authentication "$address"
	refused "a match of $address" "the address is not that of one host" \
		rs group set g match "$address"
done
refused "a link-local server" \
	"a link-local address needs a device, which a server does not have" \
	rs server add g authentication fe80::1
refused "a match of a link-local address" \
	"a link-local address needs a device, which a server does not have" \
	rs group set g match fe80::1
refused "before an IPv4 server" "no such server to go before" \
	rs server add g authentication 2001:db8:2:9::2 before 198.18.1.2
refused "P2: what another group matches, which is named" \
	"[2001:db8:ffff::1]:1812 is matched by group g" \
	rs group add h match 2001:db8:ffff:0::1
refused "a server that is there, written in full" "already" \
	rs server add g authentication 2001:0DB8:0002:0001:0:0:0:2

# Forwarded and local requests, drawn.
count_from_here
trip6 2000 4
all_right "P7, R1: 2000 forwarded requests"
shares "L2: 2000 draws by weights 10, 20, 30, 40" 10 20 30 40
counted "P7: each steered once, each answer given back" \
	steered 2000 answers 2000 pass-no-match 2000
trip6 -n 600 4
all_right "P7, P4, R1: 600 requests of three client ports"
trip6 -C 600 4
all_right "P7, R1: 600 requests of a connected socket"

count_from_here
trip6_local 2000 4
all_right "P7, R1: 2000 local requests"
shares "L2: 2000 local draws by weights 10, 20, 30, 40" 10 20 30 40
counted "P7: each local one steered once, each answer given back" \
	steered 2000 answers 2000 pass-no-match 2000
trip6_local -C 600 4
all_right "P7, R1: 600 local requests of a connected socket"

trip6 -k 4 -a 5 300 3 1813
all_right "R5: 300 accounting requests"
shares "L2: 300 draws for accounting, the same chance" 1 1 1
trip6_local -C -k 4 -a 5 100 3 1813
all_right "R5: 100 local accounting requests"

trip6 -l 3800 -p 200 100 4
all_right "P1: 100 requests of 3800 octets and padding, in fragments"
trip6_local -l 3800 -p 200 100 4
all_right "P1: 100 local requests of 3800 octets and padding"

# Other headers before that of UDP, seen before anybody changes a packet.
at gw nft -f - <<'N' || skip_all "needs nftables"
table ip6 seen {
	counter options { }
	chain early {
		type filter hook prerouting priority -500;
		exthdr dst exists counter name options
	}
}
N
count_from_here
trip6 -D 100 4
all_right "P1, R1: 100 requests behind destination options"
check "both ways have them" test "$(at gw nft -j list counter ip6 seen \
	options | jq '.nftables[].counter? | select(.).packets')" = 200
at gw nft delete table ip6 seen
trip6_local -D 100 4
all_right "P1, R1: 100 local requests behind destination options"
trip6 -D -l 3800 100 4
all_right "P1, R1: 100 requests behind destination options, in fragments"
counted "P1: all of them steered" steered 300 answers 300 pass-no-match 300

trip 100 2
all_right "P7: IPv4 goes its way meanwhile"
check "P3: ICMPv6 passes" at nas ping -6 -c 1 -W 2 2001:db8:2:1::2

# Master-backup.
rs set duplicate-window 0 dead-count 65535
rs group set g algorithm master-backup timeout 60
trip6 100 4
all_right "R1: 100 requests to the master"
served "M2: the master takes all" 100 0 0 0
server set 1 state down
trip6_local 100 4
all_right "R1: 100 local requests to the first backup"
served "M3: the master is Down, the first backup takes all" 0 100 0 0
server set 1 state auto

# A client that sends thrice: the servers are silent, the third copy moves.
count_from_here
trip6 -S -r 3 10 4
all_right "M7: ten requests, each sent three times"
served "M7: the third copy moves" 20 10 0 0
counted "M7: each copy counted, each move counted" steered 30 \
	retransmissions 20 failovers 10 lost 20
check "M7: a request as it is shown" jq -e '.requests | length == 10 and
	(.[0] | [.client, .client_port, .asked, .asked_port, .server,
		 .server_port, .failovers] == ["2001:db8:1::2", 20000,
		 "2001:db8:ffff::1", 1812, "2001:db8:2:2::2", 1812, 1])' \
	<<<"$(rs -j request show)"
[[ $(rs request show) == *" [2001:db8:1::2]:20000  [2001:db8:ffff::1]:1812  [2001:db8:2:2::2]:1812  1 access-request "* ]]
result "M7: the same as text" $?

# once OPTION...: one copy of a certain request.
packet=01ee001400112233445566778899aabbccddeeff
once() {
	# shellcheck disable=SC2046 # a word for each server
	roundtrip "$@" -x "$packet" "nas-$$,2001:db8:1::2,20000" \
		"$VIP6,1812" 1 $(ends6 4) | grep -v ' 0$'
}

check "M6: the first copy goes to the master" \
	test "$(once -S)" = "s1-$$,2001:db8:2:1::2,1812 1"
check "M6: the second as well" \
	test "$(once -S)" = "s1-$$,2001:db8:2:1::2,1812 1"
check "M7, R1: the third goes to the backup, whose answer is given back" \
	test "$(once)" = "s2-$$,2001:db8:2:2::2,1812 1"
check "R3: a late copy goes there too" \
	test "$(once)" = "s2-$$,2001:db8:2:2::2,1812 1"

# Nobody listens at the master.
count_from_here
roundtrip -S -x "02${packet#??}" "nas-$$,2001:db8:1::2,20001" "$VIP6,1812" 1 \
	"s2-$$,2001:db8:2:2::2,1812" >/dev/null
counted "P3: an answer's code is none of a request" pass-code 1
count_from_here
roundtrip -S -x "$packet" "nas-$$,2001:db8:1::2,20001" "$VIP6,1812" 1 \
	"s2-$$,2001:db8:2:2::2,1812" >/dev/null
counted "S1: an ICMPv6 error is a loss at once" steered 1 lost 1 unreachable 1 \
	error-held 1

# A server that there is no way to.
server add 9 before 2001:db8:2:1::2
count_from_here
at gw ip -6 route add unreachable 2001:db8:2:9::/64
trip6_local -S 1 4
[ "${wrong[*]}" = lost-request=1 ]
result "P7: a local request that has no route to its server fails" $?
counted "P7: it is counted" unroutable 1
server del 9

# What is matched, by a group without a past.
rs group del g
rs group add g algorithm master-backup
servers6 g authentication 4 10 20 30 40
check "P2: a group without a match matches its servers" jq -e '.groups[] |
	select(.name == "g") | .family == "inet6" and .match == ["servers"]' \
	<<<"$(rs -j show)"
ASKED=2001:db8:2:3::2 trip6 50 4
all_right "P2, R1: requests to the address of one of the servers"
served "P2: all of them steered to the master" 50 0 0 0
ASKED=2001:db8:2:3::2 trip6_local -C 50 4
all_right "P2, R1: the same from the gateway itself"
served "P2: these steered to the master as well" 50 0 0 0
rs group set g match "$VIP6" auth-port 1645 match 2001:db8:ffff::2
count_from_here
ASKED=2001:db8:ffff::2 trip6 50 4
all_right "P2, R1: another address"
counted "P2: each steered" steered 50 answers 50 pass-no-match 50
rs group set g match "$VIP6"

# Two namespaces with groups of one name: the NAS is one of them.
at nas radsteer group add g match 2001:db8:ffff::2
at nas radsteer server add g authentication 2001:db8:2:3::2
count_from_here
ASKED=2001:db8:ffff::2 trip6 50 4
all_right "P7, R1: requests that the client's own namespace steers"
served "P7: to the server of its group" 0 0 50 0
counted "P7, R4: the gateway lets them pass, and what its server answers" \
	pass-no-match 100 answer-stray 50
trip6 50 4
all_right "P7, R1: requests that the gateway steers"
served "P7: to the master of the gateway's group" 50 0 0 0
check "P7: each namespace has its counters" test "$(at nas \
	radsteer -j stats | jq -c '[.steered, .answers]')" = '[50,50]'
at nas radsteer group del g

# A firewall that sees client and real server.
rs group set g algorithm loading-share
at gw nft -f - <<'N' || skip_all "needs nftables with conntrack"
table ip6 guard {
	chain forward {
		type filter hook forward priority 0; policy drop;
		ct state established,related accept
		ip6 saddr 2001:db8:1::/64 ip6 daddr 2001:db8:2::/48 udp dport 1812 accept
	}
	chain input {
		type filter hook input priority 0; policy drop;
		iif lo accept
		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
		ct state established,related accept
	}
}
N

rs group set g match 2001:db8:ffff::9
trip6 -S 1 4
[ "${wrong[*]}" = lost-request=1 ]
result "the firewall drops what goes to the address asked" $?
rs group set g match "$VIP6"

count_from_here
trip6 2000 4
all_right "R1, P4: 2000 requests through policy drop and ct state"
shares "L2: 2000 draws behind a firewall" 10 20 30 40
counted "P7: each steered once behind a firewall" \
	steered 2000 pass-no-match 2000 answers 2000
trip6_local 500 4
all_right "R1, P7: 500 local requests through policy drop and ct state"
trip6 -D -l 3800 50 4
all_right "R1: fragments and destination options through them"

at gw nft -f - <<'N' || skip_all "needs nftables with masquerading"
table ip6 hide {
	chain postrouting {
		type nat hook postrouting priority 100;
		ip6 daddr 2001:db8:2::/48 masquerade
	}
}
N

count_from_here
trip6 -v any 500 4
all_right "R1: 500 requests through masquerading"
counted "R1: each answer found its client behind masquerading" \
	steered 500 pass-no-match 500 answers 500
trip6_local -v any -C 500 4
all_right "R1, P7: 500 local requests of a connected socket, masqueraded"

done_testing
