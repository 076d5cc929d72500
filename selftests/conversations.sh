#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Section 4 of the rules: an Access-Request that carries a State goes to the
# server that gave it.
#
#	nas                 gw                s1, s2, s3
#	requester ------ radsteer ------------ responder
#	192.0.2.2        192.0.2.1          198.18.{1,2,3}.2
#
# Server N gives the State "from N" in each Access-Challenge.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"
. "$(dirname "$0")/conversations_lib.sh"

topology 3
respond 3
rs set duplicate-window 0 state-time 3600
patience=20000
check "a group" rs group add g algorithm loading-share match "$VIP"
check "its servers" servers g authentication 3

converse

forget
count_from_here
ask "from nobody" 60
counted "E3: a State that nobody gave is unknown" steered 60 answers 60 \
	pass-no-match 60 state-unknown 60
check "E3: and the algorithm selects" test "$(ways | wc -l)" = 3

count_from_here
CLIENT="gw-$$,192.0.2.1" ask "from 2" 30
counted "E1: another client has no such State" steered 30 answers 30 \
	pass-no-match 30 state-unknown 30

# What is in front of a malformed attribute counts, what is behind it does not.
for what in "short 0101" "none 0100" "beyond 01ff"; do
	forget
	count_from_here
	request -x "$(state "from 2")${what#* }" 20
	told "P8: steered, a State and then a length that is ${what% *}" \
		answered 20
	went "P8: the State counts, ${what% *}" 20 s2
	counted "P8: and is found, ${what% *}" steered 20 answers 20 \
		pass-no-match 20 state-hits 20
	count_from_here
	request -x "${what#* }$(state "from 2")" 20
	counted "P8: behind it nothing is read, ${what% *}" steered 20 \
		answers 20 pass-no-match 20
done
count_from_here
request -x "1802$(state "from 2")" 20
counted "P8: a State without a value is none, the next one is" steered 20 \
	answers 20 pass-no-match 20 state-hits 20

# A server that drains goes on with its conversations.
check "s2 drains" rs server set g authentication 198.18.2.2 state drain
forget
ask "from 2" 30
went "E2, S6: its conversations go on there" 30 s2
forget
request 40
check "S6: and no new ones" test "$(ways | grep -c s2)" = 0

# The first in state down or gone: the algorithm selects.
check "s2 is down" rs server set g authentication 198.18.2.2 state down
forget
count_from_here
ask "from 2" 30
check "E3, S6: nothing goes to it" test "$(ways | grep -c s2)" = 0
counted "E3: which is counted as unknown" steered 30 answers 30 \
	pass-no-match 30 state-unknown 30
rs server set g authentication 198.18.2.2 state auto
forget
ask "from 2" 10
went "E2: afterwards the State is still known" 10 s2

# It is silent in the middle: the retransmission rules, then the algorithm.
behave s2 silent
forget
count_from_here
ask "from 2" -s "$(copies 3)" 1
check "E2, M7: two copies to its server, the third moves" \
	grep -qE "^1 s2,s2,s[13]$" <(ways)
counted "E2: it was known" steered 3 retransmissions 2 failovers 1 lost 2 \
	answers 1 pass-no-match 1 state-hits 1

# It goes Down by losses.
rs set dead-count 1 dead-interval 0 dead-time 86400
ask "from 2" -s "$(copies 3)" 1
check "s2 is Down" is s2 state down
forget
count_from_here
ask "from 2" 30
check "E3: nothing goes to a server that is Down" test "$(ways | grep -c s2)" = 0
counted "E3: its State is unknown" steered 30 answers 30 pass-no-match 30 \
	state-unknown 30

# It comes back: new conversations alone, others stay where they are.
behave s2 answer
rs server set g authentication 198.18.2.2 state up
rs server set g authentication 198.18.2.2 state auto
check "s2 is Up" is s2 state up
forget
ask "from 1" 30
went "E4: what is under way at s1 stays there" 30 s1
rs set dead-count 10 dead-interval 5 dead-time 180

# In every algorithm.
for algorithm in default master-backup "master-backup strict"; do
	# shellcheck disable=SC2086 # words
	rs group set g algorithm $algorithm
	forget
	ask "from 3" 20
	went "E2: the State of a backup, $algorithm" 20 s3
	forget
	request 20
	went "M2: new ones go to the master, $algorithm" 20 s1
done
rs group set g algorithm loading-share

# Time.
rs set state-time 6
challenge 2
request 30
behave all answer
forget
ask "from 2" 10
went "E1: before its time is over a State is known" 10 s2
count_from_here
state_is_over() {
	ask "from 2" 1
	reached state-unknown 1
}
check "E1: afterwards it is not, however often it was used" \
	wait_for 20 state_is_over
check "E1: it is forgotten" wait_for 20 counter_is states 0
check "E1: which is counted" reached state-expired 1
rs set state-time 3600

# give STATE: s1 gives it to the client. What is used last is told by the kernel's
# tick, of which there are several in each run of requester.
give() {
	behave all answer code 11 attributes "$(state "$1")"
	request 1
	behave all answer
}

# known STATE: is it?
known() {
	count_from_here
	ask "$1" 1
	reached state-hits 1
}

rs set max-states 3
count_from_here
give A
give B
give C
check "bounds: three States are remembered" test "$(counter states)" = 3
check "bounds: the first one is used" known A
count_from_here
give D
check "bounds: with a fourth there are three" test "$(counter states)" = 3
check "bounds: which is counted" reached state-evicted 1
for name in A C D; do
	check "bounds: $name is known" known "$name"
done
check "bounds: the least recently used was forgotten" eval "! known B"
rs set max-states 1
check "bounds: it can be lowered" test "$(counter states)" = 1
rs set max-states 262144
check "bounds: the last one used is left" known D

# What has gone through another group is nobody's after that one's end.
check "another group" rs group add h match 203.0.113.9
check "its server" rs server add h authentication 198.18.1.2
before=$(counter states)
behave all answer code 11 attributes "$(state "by h")"
ASKED=203.0.113.9 request 1
check "E1: the other group's State is remembered" test \
	"$(counter states)" = $((before + 1))
behave all answer
count_from_here
ask "by h" 5
counted "E2: a State is known whichever address is asked" steered 5 answers 5 \
	pass-no-match 5 state-hits 5
rs group del h
check "C3: the States of a group end with it" test "$(counter states)" = \
	"$before"
rs group del g
check "C3: and all with the last" test "$(counter states)" = 0

done_testing
