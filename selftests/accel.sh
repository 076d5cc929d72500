#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The pattern of accel-ppp: each Access-Request has a connected socket of its own
# and the Identifier 1; with its blast protection, Message-Authenticator is
# another one in each copy, and all else the same. Each session has a connected
# socket for its accounting.
#
#	nas                 gw                s1, s2, s3
#	requester ------ radsteer ------------ responder
#	192.0.2.2        192.0.2.1          198.18.{1,2,3}.2

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

sessions=150
topology 3
respond 3
rs set duplicate-window 0 dead-count 65535
declare -a login=() account=()

who=$(attributes user bob station "########" session "########")
blast=5012@@@@@@@@112233445566778899aabbcc
# Three copies, as accel-ppp sends them, but ten times as fast.
copies=0,300,600

# accounts STATUS PORT: a report of every session, from a socket of its own.
accounts() {
	PORT=$2 SERVICE_PORT=1813 request -v -C -k 4 -p "$sessions" \
		-s "$copies" -g 5000 -x "$(attributes status "$1")$who" \
		"$sessions"
	servers_of account
}

# at_most N LABEL: no request went to a server more often than that.
at_most() {
	local way worst=0 seen

	while read -r _ way; do
		seen=${way//[!${2:1}]/}
		[ "${#seen}" -le "$worst" ] || worst=${#seen}
	done < <(ways)
	[ "$worst" -le "$1" ]
}

base=20000
for algorithm in loading-share default master-backup "master-backup strict"; do
	# shellcheck disable=SC2086 # words
	check "a group, $algorithm" rs group add g algorithm $algorithm \
		match "$VIP"
	servers g authentication 3
	servers g accounting 3

	for silent in nobody s1; do
		behave all answer
		[ $silent = nobody ] || behave $silent silent
		how="$algorithm, $silent silent"
		forget
		count_from_here
		PORT=$base request -v -C -i 1 -p "$sessions" -s "$copies" \
			-g 5000 -x "$who$blast" "$sessions"
		servers_of login
		told "R1: $sessions logins, $how" answered "$sessions"
		check "M6, M7: no server has more than two copies, $how" eval \
			"at_most 2 s1 && at_most 2 s2 && at_most 2 s3"
		if [ $silent != nobody ]; then
			check "T1: copies are known whatever their signature, $how" \
				reached retransmissions 50
			check "T2: and none is taken for a new one, $how" eval \
				"! reached abandoned 1"
			check "M7: each ends at another server, $how" test -z \
				"$(printf '%s\n' "${login[@]}" | grep 1)"
		fi

		behave all answer
		forget
		for status in 1 3 2; do
			accounts $status $((base + 1000))
			told "R1: accounting, status $status, $how" \
				answered "$sessions"
			case $algorithm in
			master-backup*)
				printf '%s\n' "${account[@]}" | grep -qv 1
				[ $? = 1 ]
				result "A5: status $status at the master, $how" $?
				;;
			*)
				[ "${account[*]}" = "${login[*]}" ]
				result "A1: status $status at the login's server, $how" $?
				;;
			esac
		done
		base=$((base + 2000))
	done
	rs group del g
done

done_testing
