#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Real servers that stop and start again, by a signal and by death, under
# requests of a real client: FreeRADIUS and radclient.
#
#	nas ---- gw ---- s1 (master), s2, s3
#
# radclient sends three copies, 3 s apart: the third moves (M7).

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"

require_freeradius
topology 3
freeradius_all 3 || skip_all "FreeRADIUS does not start"

# What send goes by.
# shellcheck disable=SC2034
tries=3 patience=3

rs group add g algorithm master-backup match "$VIP" timeout 1
servers g authentication 3
servers g accounting 3
rs set dead-count 3 dead-interval 0 dead-time 20

# Of a service's master: KEY, of what the module shows.
master() {
	rs -j show | jq -r ".groups[0].servers.$1[0].$2"
}

state_is() {
	local state

	for state in $(master authentication state) $(master accounting state)
	do
		[[ " $* " == *" $state "* ]] || return 1
	done
}

# took PATTERN N...: what each server's own log has.
took() {
	local pattern=$1

	shift
	[ "$(recorded "$pattern" s1 s2 s3 | xargs)" = "$*" ]
}

# answered TITLE N: all of the last requests.
answered() {
	[ "$accepted" = "$2" ] && [ "$unanswered" = 0 ] &&
		[ "$from_asked" = "$2" ]
	result "$1" $?
	[ "$unanswered" = 0 ] || echo "# $unanswered of $2 unanswered"
}

send nas 20 access
answered "M2: 20 requests" 20
check "M2: at the master" took Access-Request 20 0 0

for how in SIGSTOP death; do
	forget_records s1 s2 s3
	count_from_here
	if [ "$how" = SIGSTOP ]; then
		freeradius_pause s1
	else
		freeradius_stop s1
	fi

	# One request: two copies are lost, the third moves.
	send nas 1 access
	answered "M7: $how of the master, one request is answered" 1
	check "M7: $how, by the backup" took Access-Request 0 1 0
	check "S2: $how, one request's losses do not take it Down" \
		state_is up assumed-up
	# The host of a server that died says so.
	icmp=0
	[ "$how" = SIGSTOP ] || icmp=2
	counted "M7: $how, two losses, one move" steered 3 answers 1 \
		pass-no-match 1 retransmissions 2 failovers 1 lost 2 \
		unreachable "$icmp" error-held "$icmp" pass-not-udp "$icmp"

	send nas 40 access
	answered "M7: $how, 40 requests are answered" 40
	check "S2: $how, the master is Down" test \
		"$(master authentication state)" = down
	check "S2: $how, of the other service nothing is known" test \
		"$(master accounting state)" = up
	send gw 10 accounting
	answered "M7: $how, 10 of accounting from the gateway" 10
	check "M3: $how, the backup has them all" took 'A[a-z]*-Request' 0 51 0

	# Down: first sends go to the backup at once. After dead-time one
	# request tries the master, and is not lost for it.
	send nas 20 access
	answered "M3: $how, 20 more" 20
	if [ "$how" = SIGSTOP ]; then
		freeradius_resume s1
		check "S3: $how, late answers make it Up" wait_for 40 state_is up
		# All that it had not read is read before this one is answered.
		send nas 1 access
		send nas 1 accounting
	else
		freeradius_start s1
		check "S4: $how, to be tried again after dead-time" \
			wait_for 40 state_is assumed-up
	fi
	forget_records s1 s2 s3
	send nas 20 access
	answered "M5: $how, 20 after its return" 20
	send nas 20 accounting
	answered "M5: $how, 20 of accounting" 20
	check "M5: $how, all at the master" took 'A[a-z]*-Request' 40 0 0
	check "S3: $how, which is Up" state_is up
done

done_testing
