#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hundreds of stations log in by PEAP-MSCHAPv2, TTLS-PAP and EAP-TLS, some at a
# time: every login is a conversation of 4 to 10 requests that has to stay with
# the server that it began with, and its accounting goes after it.
#
#	nas                gw                   s1
#	eapol_test ----- radsteer ------ FreeRADIUS
#	radclient        192.0.2.1  |    198.18.1.2
#	192.0.2.2                   |           s2
#	                            +--- FreeRADIUS
#	                            |    198.18.2.2
#	                            |           s3
#	                            +--- FreeRADIUS
#	                                 198.18.3.2
#
# The first accounting server is not that of the first authentication server:
# so it can be told whether accounting has followed or gone to its master.
#
# Where a login went and which server accepted it is read from the servers' own
# records. Every judgement on shares is a chi-square test with a false-alarm rate
# of one in a million, on as many logins as its title says.
#
# LOGINS	how many log in for such a judgement (150); with fewer there is
#		none, which is for slow kernels

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"
. "$(dirname "$0")/logins_lib.sh"

require chisq
topology 3

# account FIRST LAST: accounting of stations, by turns known by their session or
# by their Calling-Station-Id.
account() {
	exchange "$VIP" 16 < <(
		for type in Start Interim-Update Stop; do
			for ((n = $1; n <= $2; n++)); do
				account_of "$n" "$type"
			done
		done
	)
	replied "$VIP" Accounting-Response $((3 * ($2 - $1 + 1)))
}

account_of() {
	local name

	station "$1"
	printf '%s = %s\n' Packet-Type Accounting-Request Packet-Dst-Port 1813 \
		User-Name bob Acct-Status-Type "$2" \
		Acct-Session-Id "session-$name"
	[ $(($1 % 2)) = 1 ] || echo "Calling-Station-Id = $name"
	echo
}

# All stations since logins have come in by their only try, and no server has
# accepted anything else.
all_in() {
	local in accepted

	in=$(grep -c ' 1 0$' "$logins/ended")
	accepted=$(cat "$freeradius_root"/s[123]/accepts | wc -l)
	echo "$in of $1 are in, servers have accepted $accepted"
	[ "$in" = "$1" ] && [ "$accepted" = "$1" ]
}

# Each station's requests are at one server.
no_crossing() {
	local name

	for name in s1 s2 s3; do
		sed -n "s/^Access-Request/$name &/p" \
			"$freeradius_root/$name/requests"
	done | awk -v count="$1" '
		!(($9, $1) in seen) {
			seen[$9, $1] = 1
			if (servers[$9]++)
				crossed++
			else
				stations++
		}
		END {
			printf "%d stations, %d crossings\n", stations, crossed
			exit(stations != count || crossed > 0)
		}'
}

# The requests that servers took with State, and all.
taken() {
	cat "$freeradius_root"/s[123]/requests | awk '
		$1 == "Access-Request" {
			all++
			with += $10 != "-"
		}
		END { print with + 0, all + 0 }'
}

# went_up NAME: since count_from_here.
went_up() {
	echo $(($(counter "$1") - counters_before[${1//-/_}]))
}

counters_agree() {
	local with all copies hits unknown steered answers

	read -r with all < <(taken)
	copies=$(said_lines '^Resending RADIUS message')
	hits=$(went_up state-hits) unknown=$(went_up state-unknown)
	steered=$(went_up steered) answers=$(went_up answers)
	echo "$all requests, $with with State, $copies copies; $hits hits," \
		"$unknown unknown, $steered steered, $answers answers"
	# A server may have answered a copy, too.
	[ "$hits" = "$with" ] && [ "$unknown" = 0 ] &&
		[ "$steered" = $((all + copies)) ] && [ "$answers" -ge "$all" ] &&
		[ "$answers" -le $((all + copies)) ]
}

next=1

# round COUNT WHAT: that many stations log in, and their accounting is sent.
round() {
	local first=$next last=$((next + $1 - 1)) begun=$SECONDS

	next=$((last + 1))
	forget_records s1 s2 s3
	count_from_here
	logins "$first" "$last"
	check "E2: $1 logins succeed, $2" all_in "$1"
	check "E1, E2: no conversation crosses servers, $2" no_crossing "$1"
	check "E2, E3: requests with State, module and servers agree, $2" \
		counters_agree
	mapfile -t got < <(cd "$freeradius_root" &&
		grep -c '' s1/accepts s2/accepts s3/accepts | sed 's/.*://')
	echo "# $1 logins in $((SECONDS - begun)) s: ${got[*]}"
	check "A8, R1: all accounting is answered, $2" account "$first" "$last"
}

# follows COUNT WHAT
follows() {
	check "A1, A2, A3: accounting at the server of the login, $2" \
		followed $((3 * $1)) s1 s2 s3
}

# at_master COUNT WHAT
at_master() {
	mapfile -t got < <(recorded Accounting-Request s1 s2 s3)
	served "A2, A5: accounting at its own master, $2" 0 $((3 * $1)) 0
}

# judged COUNT WEIGHT...: the shares of the last round, if they are enough.
judged() {
	if [ -n "${LOGINS:-}" ]; then
		echo "# $1 logins are too few to judge shares by"
	else
		shares "L2: shares of $1 logins by weights ${*:2}" "${@:2}"
	fi
}

check "certificates" logins_prepare
check "three FreeRADIUS start" freeradius_all 3
[ "$ksft_fail" = 0 ] || done_testing

# A slow machine is not to make losses.
check "group with loading-share" rs group add g algorithm loading-share \
	match "$VIP" timeout 60 retransmit 5
check "its authentication servers" servers g authentication 3
check "its accounting servers" servers_turned g accounting
[ "$ksft_fail" = 0 ] || done_testing

count=${LOGINS:-150}
round "$count" "equal weights"
judged "$count" 1 1 1
follows "$count" "equal weights"

check "weights 10, 20, 0" weights 10 20 0
round "$count" "weights 10, 20, 0"
judged "$count" 10 20 0
follows "$count" "weights 10, 20, 0"

# All at the master of authentication.
for algorithm in default master-backup "master-backup strict"; do
	how="algorithm $algorithm"
	# shellcheck disable=SC2086 # two words
	check "$how" rs group set g algorithm $algorithm
	round 6 "$how"
	served "M1, M2: all logins at the master, $how" 6 0 0
	if [ "$algorithm" = default ]; then
		follows 6 "$how"
	else
		at_master 6 "$how"
	fi
done

done_testing
