#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Answers: from the address that was asked, and nothing else is touched.
#
#	nas ---- gw ---- s1, s2

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 2
# Copies come at once here, and are copies all the same.
rs set duplicate-window 0

# What is not answered is not lost meanwhile, which would be counted.
check "group with master-backup" rs group add g accounting independent \
	match "$VIP" timeout 60
check "s1 for authentication and accounting" servers g authentication 1
servers g accounting 1

# delivered TITLE OPTION...: a request and its answer.
delivered() {
	local title=$1

	shift
	count_from_here
	trip "$@"
	all_right "$title"
	counted "$title, counted" steered 1 answers 1 pass-no-match 1
}

# stray TITLE OPTION...: what came from the server is no answer: it reaches
# the client as it was sent, from the server's own address.
stray() {
	local title=$1

	shift
	count_from_here
	trip "$@"
	[ "${wrong[*]}" = wrong-source=1 ]
	result "$title" $?
	counted "$title, counted" steered 1 answer-stray 1 pass-no-match 1
}

for answer in 2 3 11 52; do
	delivered "R1, R5: $answer answers 1" -k 1 -a $answer 1 1
done
for answer in 5 52; do
	delivered "R1, R5: $answer answers 4" -k 4 -a $answer 1 1 1813
done
for answer in 2 3 5 11 52; do
	delivered "R1, R5, T4: $answer answers 12" -k 12 -a $answer 1 1
done
delivered "R1, R5, T4: 5 answers 12 on the port for accounting" \
	-k 12 -a 5 1 1 1813

# Requests with an Identifier of their own: none outstanding is in the way.
stray "R4, R5: 5 does not answer 1" -i 100 -a 5 1 1
stray "R4, R5: 2 does not answer 4" -i 101 -k 4 -a 2 1 1 1813
stray "R4, R5: 1 answers nothing" -i 102 -a 1 1 1
stray "R4, R5: 43 answers nothing" -i 103 -a 43 1 1
stray "R4: another Identifier" -i 104 -I 1 1 1

count_from_here
trip -i 110 -E 1 1
[ "${wrong[*]}" = wrong-source=1 ]
result "R4: another port of the server" $?
counted "R4: what comes from no server's port is not counted" \
	steered 1 pass-no-match 1

count_from_here
trip -i 111 -A 3 1 1
all_right "R2: an answer that is repeated goes through each time"
counted "R2: each is counted" steered 1 answers 3 pass-no-match 3

count_from_here
trip -i 112 -r 3 1 1
all_right "R3: a late copy of an answered request has its answer"
counted "R3: it is a further copy" \
	steered 3 retransmissions 2 answers 3 pass-no-match 3
check "R3: the server was sent one request and two copies" \
	jq -e '.groups[0].servers.authentication[0] |
	       .retransmissions == 2 and .outstanding >= 0' <<<"$(rs -j show)"

# One Identifier for all: the Authenticator tells requests apart.
count_from_here
trip -i 1 50 1
all_right "T2: 50 requests with Identifier 1 from one port, all answered"
counted "T2: 50 new requests, none abandoned" \
	steered 50 answers 50 pass-no-match 50
count_from_here
trip -S -i 2 10 1
counted "T2: an unanswered request whose Identifier is used again" \
	steered 10 abandoned 9

# What is outstanding at a server outlives its place in the list.
count_from_here
trip -S -i 3 1 1
check "S6: outstanding is shown" jq -e \
	'.groups[0].servers.authentication[0].outstanding > 0' \
	<<<"$(rs -j show)"

# The configuration changes while a request is on its way.
rs server add g authentication 198.18.2.2
trip -i 120 -b "ip netns exec gw-$$ radsteer server del g authentication \
	198.18.1.2" 1 2
served "C2: a request to a server that is taken off meanwhile" 1 0
all_right "C2: its answer is translated still"
trip 10 2
served "C2: the next requests go to the server that is left" 0 10

trip -i 121 -b "ip netns exec gw-$$ radsteer server set g authentication \
	198.18.2.2 state down" 1 2
all_right "S6: an answer of a server that is set down meanwhile"

trip -i 122 -b "ip netns exec gw-$$ radsteer group del g" 1 2
[ "${wrong[*]}" = wrong-source=1 ]
result "C3: a request of a group that is deleted meanwhile has ended" $?

done_testing
