#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A thousand mixed requests of one radclient, a hundred at a time: logins, the
# accounting of the same users, and Status-Server.
#
#	nas                gw                   s1
#	radclient ------ radsteer ------ FreeRADIUS
#	192.0.2.2        192.0.2.1  |    198.18.1.2
#	                            |           s2
#	                            +--- FreeRADIUS
#	                            |    198.18.2.2
#	                            |           s3
#	                            +--- FreeRADIUS
#	                                 198.18.3.2
#
# The first accounting server is s2, so it can be told whether accounting has
# followed or gone to its master. Where requests went is read from the servers'
# own records. Shares are judged by a chi-square test with a false-alarm rate of
# one in a million, on as many draws as the title says.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"

require chisq
require_freeradius
topology 3

users=235
keys=(session station name)

# mixed NAME: 235 logins of users called so, of whom each has three accounting
# requests, 20 logins of somebody whom nobody knows, and 40 Status-Server. Of a
# hundred at a time, none is so far behind that a user's accounting could be
# sent before the login is answered.
mixed() {
	local i

	for ((i = 0; i < users + 280; i++)); do
		mixed_of "$1" "$i" access
		mixed_of "$1" $((i - 200)) Start
		mixed_of "$1" $((i - 240)) Interim-Update
		mixed_of "$1" $((i - 280)) Stop
		if [ $((i % 25)) = 7 ] && [ "$i" -lt 500 ]; then
			request 192.0.2.2 "$i" access nobody
			request 192.0.2.2 "$i" status authentication
			request 192.0.2.2 "$i" status accounting
		fi
	done
}

mixed_of() {
	[ "$2" -ge 0 ] && [ "$2" -lt "$users" ] || return
	of_user "user-$1-$2" "${keys[$2 % 3]}" "$3"
}

# took PATTERN: what each server took, into got, for served and shares.
took() {
	mapfile -t got < <(recorded "$1" s1 s2 s3)
}

# round NAME WHAT EFFECTIVE
round() {
	local name=$1 what=$2 begun=$SECONDS
	local -a bound=()

	[ "$3" != follow ] ||
		bound=(session-made "$users" session-hits $((3 * users))
			session-ended "$users")
	forget_records s1 s2 s3
	mixed "$name" >"$freeradius_root/mixed"
	check "a thousand requests, $what" test 1000 = \
		"$(grep -c '^Packet-Type' "$freeradius_root/mixed")"
	count_from_here
	exchange "$VIP" 100 <"$freeradius_root/mixed"
	check "R1, R5: each is answered as it should be, $what" replied "$VIP" \
		Access-Accept $((users + 20)) Access-Reject 20 \
		Accounting-Response $((3 * users + 20))
	counted "P1, A3: each is steered, and found or not, $what" \
		steered 1000 answers 1000 pass-no-match 1000 "${bound[@]}"
	took "Access-Request .* user-"
	echo "# $((SECONDS - begun)) s: ${got[*]}"
}

# follows WHAT
follows() {
	check "A1, A2, A3: each user's accounting where the user was accepted, $1" \
		followed $((3 * users)) s1 s2 s3
}

check "three FreeRADIUS start" freeradius_all 3
# A slow machine is not to make losses.
check "group with loading-share" rs group add g algorithm loading-share \
	match "$VIP" timeout 60 retransmit 5
check "its authentication servers" servers g authentication 3
check "its accounting servers" servers_turned g accounting
[ "$ksft_fail" = 0 ] || done_testing

round share loading-share follow
shares "L2: 235 logins, the same chance, from one client" 1 1 1
follows loading-share

number=0
for algorithm in default master-backup "master-backup strict"; do
	how="algorithm $algorithm"
	effective=independent
	[ "$algorithm" != default ] || effective=follow
	# shellcheck disable=SC2086 # two words
	check "$how" rs group set g algorithm $algorithm
	round $((++number)) "$how" "$effective"
	served "M1, M2: all logins at the master, $how" "$users" 0 0
	if [ "$effective" = follow ]; then
		follows "$how"
	else
		took Accounting-Request
		served "A2, A5: accounting at its own master, $how" \
			0 $((3 * users)) 0
	fi
	took "Status-Server .* 1812 "
	served "T4: Status-Server to authentication, $how" 20 0 0
	took "Status-Server .* 1813 "
	served "T4: Status-Server to accounting, $how" 0 20 0
done

done_testing
