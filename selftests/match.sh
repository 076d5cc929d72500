#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a group matches: its servers, addresses, ports of its own.
#
#	nas ---- gw ---- s1, s2, s3

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 3

# asks TITLE ADDRESS PORT COUNT...: ten requests, and which servers saw them.
asks() {
	local title=$1 address=$2 port=$3

	shift 3
	ASKED=$address trip_ports "$port"
	all_right "$title, answered"
	served "$title" "$@"
}

# Requests to one port, servers at 1812.
trip_ports() {
	local output name value

	# shellcheck disable=SC2046 # a word for each server
	output=$(roundtrip "nas-$$,192.0.2.2,20000" "$ASKED,$1" 10 $(ends 3))
	got=()
	wrong=()
	while read -r name value; do
		case $name in
		*,*) got+=("$value") ;;
		?*) wrong+=("$name=$value") ;;
		esac
	done <<<"$output"
}

check "group that matches its servers" rs group add g timeout 60
servers g authentication 3
asks "P2: the master's own address" 198.18.1.2 1812 10 0 0
rs group set g algorithm loading-share
rs server set g authentication 198.18.3.2 weight 1
asks "P2: a server's address is steered like any other" \
	198.18.1.2 1812 0 0 10
rs group set g algorithm default

# A client that goes on to its next server by itself, with the same packet:
# what it asked is another address, so it is another request.
packet=01ee001400112233445566778899aabbccddeeff
rs server set g authentication 198.18.1.2 state down
# shellcheck disable=SC2046 # a word for each server
roundtrip -S -x $packet "nas-$$,192.0.2.2,20000" 198.18.1.2,1812 1 \
	$(ends 3) >/dev/null
count_from_here
# Not within the moment in which it would be the steered one that comes past again.
pause 0.1
# shellcheck disable=SC2046 # a word for each server
check "R1: a client's own next server answers from its own address" \
	roundtrip -x $packet "nas-$$,192.0.2.2,20000" 198.18.2.2,1812 1 $(ends 3)
counted "R1, P9: it is a request of its own, at the same server" \
	steered 1 answers 1 pass-no-match 1 conflicts 1
rs server set g authentication 198.18.1.2 state auto

rs group set g match "$VIP"
asks "P2: an address instead of the servers" "$VIP" 1812 10 0 0
asks "P2: the servers are not matched any more" 198.18.2.2 1812 0 10 0

rs group set g match "$VIP" auth-port 1645 match servers
asks "P2: a port for authentication" "$VIP" 1645 10 0 0
asks "P2: servers beside an address" 198.18.2.2 1812 10 0 0

# All sixteen, the last one as well as the first.
many=()
for i in {1..16}; do
	many+=(match "203.0.113.$i")
done
check "P2: sixteen addresses" rs group set g "${many[@]}"
asks "P2: the sixteenth" 203.0.113.16 1812 10 0 0

# Two groups.
refused "P2: the address of another group, which is named" "group g" \
	rs group add h match 203.0.113.5
check "P2: an address that is free" rs group add h match 203.0.113.77
refused "P2: the address of another group, by a change" "group g" \
	rs group set h match 203.0.113.5
check "P2: the same address, another port" \
	rs group set h match 203.0.113.5 auth-port 1645 acct-port 1646
refused "P2: the same port for one service" "group g" \
	rs group set h match 203.0.113.5 auth-port 1645
check "P2: one server in two groups" rs server add h authentication 198.18.2.2
ASKED=203.0.113.5 trip_ports 1645
served "P2: each group has its own servers" 0 10 0
check "P2: one of them may match it" rs group set h \
	match 203.0.113.5 auth-port 1645 acct-port 1646 match servers
refused "P2: the other may not" "group h" rs group set g match servers
refused "P2: nor may a server come that the other group matches" "group g" \
	rs server add h authentication 203.0.113.9

# A server's state is the same in all lists, weight and place are not.
rs server add g accounting 198.18.1.2
rs server set h authentication 198.18.2.2 state drain weight 7
check "S6: the administrative state is shared, the weight is not" jq -e '
	[.groups[].servers.authentication[] |
	 select(.address == "198.18.2.2") | {admin, weight}] |
	. == [{"admin": "drain", "weight": 0}, {"admin": "drain", "weight": 7}]
	' <<<"$(rs -j show)"
rs server del h authentication 198.18.2.2
rs server add h authentication 198.18.2.2
check "S6: the state stays while another list has the server" jq -e '
	[.groups[].servers.authentication[] |
	 select(.address == "198.18.2.2") | .admin] == ["drain", "drain"]
	' <<<"$(rs -j show)"
rs server del h authentication 198.18.2.2
rs server del g authentication 198.18.2.2
rs server add h authentication 198.18.2.2
check "S6: a new server starts Up" jq -e '
	.groups[1].servers.authentication[0] |
	.admin == "auto" and .state == "up"' <<<"$(rs -j show)"

# Namespaces do not see each other.
namespace other
check "P7: another namespace has no groups" \
	test "$(ip netns exec "other-$$" radsteer -j show |
		jq -c .groups)" = '[]'
check "P7: it may have the same names and addresses" \
	ip netns exec "other-$$" radsteer group add g match 203.0.113.5
check "P7: and its own counters" test "$(ip netns exec "other-$$" \
	radsteer -j stats | jq .steered)" = 0

done_testing
