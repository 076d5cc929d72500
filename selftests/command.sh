#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command and the kernel: what is refused, what is shown.
#
#	gw alone; no packet is sent

. "$(dirname "$0")/lib.sh"

topology 1

# shows TITLE FILTER: jq finds it true of what is shown.
shows() {
	check "$1" jq -e "$2" <<<"$(rs -j show)"
}

check "an empty namespace shows no groups" \
	test "$(rs -j show | jq -c .groups)" = '[]'
check "show in words" rs show

check "a group" rs group add first
shows "the defaults" '.groups[0] == {
	"name": "first", "family": null, "algorithm": "default",
	"strict": false, "accounting": "auto",
	"accounting_effective": "follow", "retransmit": 1, "timeout": 5,
	"match": ["servers"],
	"servers": {"authentication": [], "accounting": []}}'
check "a group with everything" rs group add second algorithm loading-share \
	accounting independent retransmit 5 timeout 60 \
	match 203.0.113.1 auth-port 1645 acct-port 1646 match servers
shows "everything" '.groups[1] | del(.servers) == {
	"name": "second", "family": "inet", "algorithm": "loading-share",
	"strict": false, "accounting": "independent",
	"accounting_effective": "independent", "retransmit": 5, "timeout": 60,
	"match": ["servers", {"address": "203.0.113.1", "auth_port": 1645,
			      "acct_port": 1646}]}'

# A2: what auto amounts to.
for row in "default follow" "loading-share follow" \
	   "master-backup independent" "master-backup_strict independent"; do
	# shellcheck disable=SC2086 # two words
	rs group set first algorithm ${row%% *} 2>/dev/null ||
		rs group set first algorithm master-backup strict
	shows "A2: accounting auto under ${row%% *}" \
		".groups[0].accounting_effective == \"${row##* }\""
done
rs group set first accounting follow
shows "A2: follow is follow under master-backup" \
	'.groups[0].accounting_effective == "follow"'

check "a server" rs server add first authentication 198.18.1.2
check "a server with everything" rs server add first authentication \
	198.18.1.3 port 1645 weight 65535 state drain before 198.18.1.2
shows "a list in order" '[.groups[0].servers.authentication[] |
	{address, port, weight, admin, state, master, active}] == [
	{"address": "198.18.1.3", "port": 1645, "weight": 65535,
	 "admin": "drain", "state": "up", "master": true, "active": false},
	{"address": "198.18.1.2", "port": 1812, "weight": 0,
	 "admin": "auto", "state": "up", "master": false, "active": true}]'
check "server set changes what is given alone" \
	rs server set first authentication 198.18.1.3 port 1645 weight 3
shows "weight changed, state not" '.groups[0].servers.authentication[0] |
	.weight == 3 and .admin == "drain"'
check "server show" jq -e '.groups | length == 1' \
	<<<"$(rs -j server show first)"
check "group show" jq -e '.groups[0].name == "first"' \
	<<<"$(rs -j group show first)"
check "version tells that of the module" jq -e '.command == .module' \
	<<<"$(rs -j version)"

refused "a group twice" "first" rs group add first
refused "a group that is not there, set" "third" rs group set third timeout 5
refused "a group that is not there, deleted" "third" rs group del third
refused "a group that is not there, shown" "third" rs group show third
refused "servers of a group that is not there" "third" rs server show third
refused "a server for a group that is not there" "third" \
	rs server add third accounting 198.18.1.2
refused "a server twice" "198.18.1.2" \
	rs server add first authentication 198.18.1.2
refused "a server that is not there, set" "198.18.1.9" \
	rs server set first authentication 198.18.1.9 weight 1
refused "a server that is not there, deleted" "198.18.1.9" \
	rs server del first authentication 198.18.1.9
refused "a server of the other service" "198.18.1.2" \
	rs server del first accounting 198.18.1.2
refused "a server at another port" "198.18.1.2" \
	rs server del first authentication 198.18.1.2 port 1813
refused "a server before one that is not there" "to go before" \
	rs server add first authentication 198.18.1.4 before 198.18.1.9
for address in 0.0.0.0 224.0.0.1 255.255.255.255; do
	refused "server $address" "$address" \
		rs server add first authentication "$address"
	refused "match $address" "$address" rs group set first match "$address"
done
for words in "group add a:b" "group add -x" "group set first retransmit 6" \
	     "group set first timeout 0" "group set first timeout 61" \
	     "server add first authentication ::ffff:192.0.2.1" \
	     "server set first authentication 198.18.1.2 weight 65536"; do
	before=$(running)
	# shellcheck disable=SC2086 # words
	rs $words >/dev/null 2>&1
	[ $? = 2 ] && [ "$before" = "$(running)" ]
	result "usage: $words" $?
done

# Without the capability, nothing is to be seen or done.
if command -v setpriv >/dev/null; then
	for words in "group add x" "show" "stats" "server show"; do
		# shellcheck disable=SC2086 # words
		output=$(at gw setpriv --bounding-set -net_admin \
			 --inh-caps -net_admin radsteer $words 2>&1)
		[ $? = 1 ] && [[ $output == *CAP_NET_ADMIN* ]]
		result "refused without CAP_NET_ADMIN: $words" $?
	done
fi

check "a group goes" rs group del second
check "the other group goes" rs group del first
check "nothing is left" test "$(rs -j show | jq -c .groups)" = '[]'

done_testing
