#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# T3: accounting that is sent again with another Acct-Delay-Time, and so with
# another Identifier and Authenticator, is a retransmission.
#
#	nas                 gw                s1, s2, s3
#	requester ------ radsteer ------------ responder
#	192.0.2.2        192.0.2.1          198.18.{1,2,3}.2

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 3
respond 3
rs set dead-count 65535

# No copy is lost by time alone.
group() {
	rs group add g algorithm "$1" timeout 60 match "$VIP" &&
		servers g accounting 3
}
check "a group" group master-backup

SERVICE_PORT=1813

# report STATUS [NAME VALUE]...: one copy of what is reported of a session, by a
# socket of its own.
report() {
	request -g 300 -k 4 -x "$(attributes user bob session "${session:-one}" \
		nas "${nas:-nas1}" status "$@")" 1
}

# begin: nothing that was before matters.
begin() {
	session=s$((++sessions))
	rs group del g
	group "$algorithm"
	forget
	count_from_here
}
sessions=0
algorithm=master-backup

behave a1 silent

for status in 1 2 3; do
	begin
	for delay in 0 3 6; do
		report "$status" delay "$delay" timestamp 1000
	done
	went "T3, M7: two copies to the master, the third moves, $status" \
		2 a1 1 a2
	counted "T3: they are counted as copies, $status" steered 3 \
		retransmissions 2 renumbered 2 failovers 1 lost 2 answers 1 \
		pass-no-match 1
done

begin
for delay in 0 3 6 9 12; do
	behave all silent
	report 1 delay "$delay" timestamp 1000
done
went "T3, M10: and so on, from server to server" 2 a1 2 a2 1 a3
counted "T3: a history is taken over each time" steered 5 retransmissions 4 \
	renumbered 4 failovers 2 lost 4
behave all answer
behave a1 silent
check "T3: one of them waits for an answer" counter_is outstanding 1
report 1 delay 15 timestamp 1000
check "T3: after which none does" counter_is outstanding 0

# What makes a copy of it: each of these is sent after "delay 5 timestamp 1000".
# copy NAME STATUS [NAME VALUE]...
copy() {
	begin
	report 3 delay 5 timestamp 1000 session-time 60
	report "${@:2}"
	counted "T3: a copy, $1" steered 2 retransmissions 1 renumbered 1 lost 1
}

fresh() {
	begin
	report 3 delay 5 timestamp 1000 session-time 60
	nas=${other_nas:-nas1} session=${other_session:-$session} report "${@:2}"
	counted "T3: a new one, $1" steered 2
}

copy "the delay has grown" 3 delay 9 timestamp 1000
copy "the delay alone has grown" 3 delay 9 timestamp 1009
# Reported twice at a time, which is no retransmission.
begin
request -g 300 -k 4 -x "$(attributes session "$session" nas nas1 status 3 \
	timestamp 1000)" 3
counted "T1, T3: three reports at one moment are new ones" steered 3
copy "the moment is the same" 3 delay 5 timestamp 1000
copy "the delay is left out" 3 timestamp 1000
fresh "a later Interim-Update" 3 delay 0 timestamp 1300 session-time 360
fresh "as much delayed" 3 delay 5 timestamp 1300 session-time 60
fresh "less delayed" 3 delay 1 timestamp 1300
fresh "another kind of report" 2 delay 9 timestamp 1000
fresh "nothing to go by" 3
other_session=another fresh "another session" 3 delay 9 timestamp 1000
other_nas=nas2 fresh "another NAS-Identifier" 3 delay 9 timestamp 1000
begin
report 3 delay 5 timestamp 1000
CLIENT="gw-$$,192.0.2.1" report 3 delay 9 timestamp 1000
counted "T3: a new one, another client" steered 2

begin
report 3 session-time 60
report 3 session-time 60
counted "T3: a copy, by Acct-Session-Time where there is no moment" steered 2 \
	retransmissions 1 renumbered 1 lost 1
begin
report 3 session-time 60
report 3 session-time 61
counted "T3: a new one, by Acct-Session-Time" steered 2
begin
report 3
report 3
counted "T3: a new Interim-Update, as far as one can tell" steered 2
for status in 1 2; do
	begin
	report "$status"
	report "$status"
	counted "T3: a session has one status $status" steered 2 \
		retransmissions 1 renumbered 1 lost 1
done
begin
session=
for delay in 0 3; do
	report 7 delay "$delay"
done
counted "T3: Accounting-On without a session" steered 2 retransmissions 1 \
	renumbered 1 lost 1

begin
# onset DELAY: Accounting-On with nothing to tell who sends it.
onset() {
	request -g 300 -k 4 -x "$(attributes status 7 delay "$1")" 1
}
onset 0
CLIENT="gw-$$,192.0.2.1" onset 3
counted "T3: that of another client is new" steered 2
onset 3
counted "T3: and between is none" steered 3 retransmissions 1 renumbered 1 \
	lost 1

# With addresses in place of a name.
begin
for address in 0a000001 0a000001 0a000002; do
	request -g 300 -k 4 -x "0406$address$(attributes session $session \
		status 1 timestamp 1000)" 1
done
counted "T3: a NAS is known by NAS-IP-Address too" steered 3 \
	retransmissions 1 renumbered 1 lost 1

# Two reports of a session wait at a time: each copy finds its own.
begin
rs group set g retransmit 5
report 3 delay 0 timestamp 1000
report 3 delay 0 timestamp 1300
report 3 delay 4 timestamp 1300
report 3 delay 9 timestamp 1000
report 3 delay 14 timestamp 1000
counted "T3: two reports wait, each has its own copies" steered 5 \
	retransmissions 3 renumbered 3 lost 3
check "T3: so that two wait" test "$(rs -j request show |
	jq -c '[.requests[].copies] | sort')" = "[2,3]"

# The table changes its size between two copies.
begin
report 3 delay 0 timestamp 1000
rs set max-requests 2000000
report 3 delay 4 timestamp 1000
rs set max-requests 65536
report 3 delay 8 timestamp 1000
counted "T3: copies are known in a table of another size" steered 3 \
	retransmissions 2 renumbered 2 failovers 1 lost 2 answers 1 \
	pass-no-match 1

# So many reports of one session that not all are kept, in tables of two sizes. The
# newest are.
begin
request -g 300 -k 4 -x "$(attributes session "$session" nas nas1 status 3 \
	)3706########" 60
for stamp in {60..69}; do
	report 3 timestamp "$stamp"
done
for size in 2000000 65536; do
	rs set max-requests "$size"
done
for stamp in {1000..1019}; do
	report 3 timestamp "$stamp"
done
report 3 timestamp 0
counted "T3: of 90 reports the first is not known any more" steered 91
for stamp in {60..69}; do
	report 3 timestamp "$stamp"
done
counted "T3: and the newest are, in another table too" steered 101 \
	retransmissions 10 renumbered 10 lost 10

# A copy before the last, and it had moved itself: its first answer is of the
# server that it left. Its copies come as soon as the one before has been seen.
begin
rs set duplicate-window 0
behave all answer hold
session_of="user bob session $session nas nas1 status 1 timestamp 1000"
# shellcheck disable=SC2086 # words
request_start before -m -k 4 -x "$(attributes $session_of delay 0)" 1
check "R2, T3: one copy has come" wait_for 10 got_by a1 1
request_again before
check "R2, T3: two copies have come" wait_for 10 got_by a1 2
request_again before
check "R2, T3: the third has moved" wait_for 10 got_by a2 1
# shellcheck disable=SC2086 # words
request_start behind -k 4 -x "$(attributes $session_of delay 3)" 1
check "R2, T3: the fourth has another Identifier" wait_for 10 got_by a2 2
behave a1 release
request_wait before
told "R2, T3: the first answer to it is given back" answered 1
behave a2 release
request_wait behind
told "R2, T3: and that to the fourth" answered 1
check "R2, T3: what comes after is late" reached answer-late 1
rs set duplicate-window 50
behave all answer
behave a1 silent

# An answered one is over.
begin
behave a1 answer
report 3 delay 0 timestamp 1000
report 3 delay 3 timestamp 1000
counted "T3: after an answer it is a new one" steered 2 answers 2 \
	pass-no-match 2

# What is still said to a copy before goes to the client, from the address
# asked; and a server that was left is alive.
behave all answer hold
begin
all="user bob session $session nas nas1 status 1 timestamp 1000"
for delay in 0 3 6; do
	# shellcheck disable=SC2086 # words
	request_start "copy$delay" -k 4 -x "$(attributes $all delay $delay)" 1
	check "T3: the copy of $delay s has come" wait_for 10 \
		got_by "a$((delay / 6 + 1))" $((delay / 3 % 2 + 1))
done
went "T3: two copies to the master, one to the next" 2 a1 1 a2
behave a1 release
for delay in 0 3; do
	request_wait "copy$delay"
	told "R1: a late answer to the copy of $delay s" answered 1
done
behave a2 release
request_wait copy6
told "R1: the answer to the last copy, of another server" answered 1
counted "T3: three answers, none of them to nobody" steered 3 \
	retransmissions 2 renumbered 2 failovers 1 lost 2 answers 3 \
	pass-no-match 3
check "S3: nothing is held against a server that answered" is a1 losses 0

# Within one Identifier, as some do.
behave all answer
behave a1 silent
begin
for delay in 0 3 6; do
	PORT=45000 request -i 9 -g 300 -k 4 -x "$(attributes session $session \
		nas nas1 status 1 delay $delay timestamp 1000)" 1
done
went "T2, T3: the Identifier may be the same" 2 a1 1 a2
counted "T2, T3: none of them is abandoned" steered 3 retransmissions 2 \
	renumbered 2 failovers 1 lost 2 answers 1 pass-no-match 1

# In other algorithms as well.
algorithm=loading-share
behave all silent
for i in 1 2 3 4; do
	begin
	for delay in 0 3 6 9; do
		report 1 delay "$delay" timestamp 1000
	done
	check "T3, L8: two copies to one server, two to another, $i" \
		grep -qzE $'^2 a([123])\n2 a([123])\n$' <(ways)
	counted "T3: which are counted, $i" steered 4 retransmissions 3 \
		renumbered 3 failovers 1 lost 3 session-unknown 1 session-made 1 \
		session-moved 1
	check "A4: the session is bound, $i" test "$(counter sessions)" = 1
done

done_testing
