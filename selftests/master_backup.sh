#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Master-backup, seen by first sends; the administrative state takes servers
# out and brings them back.
#
#	nas ---- gw ---- s1 (master), s2, s3

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 3

state() {
	rs server set g authentication "198.18.$1.2" state "$2"
}

# The one server that is marked as the next choice.
active() {
	rs -j show | jq -r '[.groups[0].servers.authentication[] |
		select(.active).address] | join(" ")'
}

active_is() {
	[ "$(active)" = "198.18.$1.2" ]
}

check "group without an algorithm" rs group add g match "$VIP"
check "three servers" servers g authentication 3
check "M1: default is shown" \
	jq -e '.groups[0] | .algorithm == "default" and .strict == false' \
	<<<"$(rs -j show)"

trip 50 3
served "M1, M2: no algorithm, the master takes all" 50 0 0
check "M2: the master is active" active_is 1

rs group set g algorithm master-backup
trip 50 3
served "M2: master-backup, the master takes all" 50 0 0

state 1 down
check "M3: the first backup is active" active_is 2
trip 50 3
served "M3: master Down, no backup used yet, the first Up one" 0 50 0

state 2 down
trip 50 3
served "M3: master and first backup Down, the next Up one" 0 0 50

state 2 auto
check "M3: the most-recent backup is active" active_is 3
trip 50 3
served "M3, M9: the most-recent backup stays, not the first" 0 0 50

state 1 auto
trip 50 3
served "M5: the master takes the next first send" 50 0 0
state 1 down
trip 50 3
served "M9: the master did not count, the most-recent backup is the same" \
	0 0 50
state 1 drain
trip 50 3
served "M3, S6: the master drains, the most-recent backup" 0 0 50
check "M3, S6: and it is active" active_is 3
state 1 down

state 3 down
trip 50 3
served "M3: the most-recent backup Down, the first Up one" 0 50 0

state 2 down
count_from_here
trip 50 3
all_right "S8: traffic flows with every server down"
served "M4: none Up, the first configured server" 50 0 0
counted "S8: selections with none Up are counted" \
	steered 50 pass-no-match 50 answers 50 none-up 50

state 3 drain
trip 50 3
served "S6: one that drains, before those that are down" 0 0 50
state 2 up
trip 50 3
served "S6: state up is Up" 0 50 0
state 1 drain
trip 50 3
served "S6: a draining master takes no first sends" 0 50 0

# Copies of a request stay where it is, whatever would be chosen now.
state 1 auto
state 2 auto
state 3 auto
trip -i 7 -r 1 1 3
served "M2: a request at the master" 1 0 0
trip -r 3 10 3
served "M6: copies go where the request went" 30 0 0

# What is in the list, and in which order.
rs server del g authentication 198.18.1.2
check "M2: the next server is master when the master is deleted" active_is 2
trip 50 3
served "M2: the promoted master takes all" 0 50 0
rs server add g authentication 198.18.1.2 before 198.18.2.2
trip 50 3
served "M2: a server put before the master is master" 50 0 0

rs group set g algorithm master-backup strict
check "A2: strict is kept and shown" \
	jq -e '.groups[0] | .algorithm == "master-backup" and .strict' \
	<<<"$(rs -j show)"
trip 50 3
served "A2: strict chooses as master-backup" 50 0 0

# The other service of the group has its own list and its own memory.
servers g accounting 3
trip -k 4 -a 5 50 3 1813
served "M2: accounting has its own master" 50 0 0
state 1 down
trip 50 3
served "M3, M9: authentication without its master" 0 50 0
trip -k 4 -a 5 50 3 1813
served "S6: a host's accounting server has a state of its own" 50 0 0

done_testing
