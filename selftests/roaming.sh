#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# P10 with real servers: s1, a server of the group, proxies what is asked about
# some users to the address that is matched.
#
#	nas                 gw                s1
#	radclient ------ radsteer ------ FreeRADIUS, a proxy for some
#	192.0.2.2        192.0.2.1  |    198.18.1.2
#	                            |           s2
#	                            +--- FreeRADIUS
#	                            |    198.18.2.2
#	                            |           s3
#	                            +--- FreeRADIUS
#	                                 198.18.3.2
#
# One loss is enough to take a server Down. Where requests went is read from the
# servers' own records.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"

require_freeradius
topology 3
# shellcheck disable=SC2034 # for freeradius_conf
freeradius_forwards=s1
check "three FreeRADIUS start" freeradius_all 3
[ "$ksft_fail" = 0 ] || done_testing

check "a group" rs group add g match "$VIP" timeout 60
check "its authentication servers" servers g authentication 3
check "its accounting servers" servers g accounting 3
rs set dead-count 1 dead-interval 0 dead-time 86400

# users FIRST COUNT KIND...: of a roaming user each.
users() {
	local kind i

	for kind in "${@:3}"; do
		for ((i = $1; i < $1 + $2; i++)); do
			of_user "user-roaming-$i" session "$kind"
		done
	done
}

# all_up: no server has lost a copy, and each is Up.
all_up() {
	rs -j show | jq -e '[.groups[0].servers[][] | select(.state != "up" or
		.lost != 0 or .failovers != 0)] == []'
}

# taken PATTERN COUNT: the NAS sent so many. Of these s1 took some, and each of them
# went on to s2 or s3; the number that s1 took goes to first.
taken() {
	local pattern=$1 count=$2
	local -a own

	mapfile -t own < <(recorded "$pattern" s1 s2 s3)
	first=${own[0]}
	echo "${own[*]}"
	[ $((own[1] + own[2])) = "$count" ]
}

# from_s1 PATTERN: how many s2 and s3 have that s1 sent.
from_s1() {
	cat "$freeradius_root"/s[23]/requests | grep -c "^$1 198.18.1.2 "
}

next=1
for algorithm in default master-backup "master-backup strict" loading-share; do
	# shellcheck disable=SC2086 # two words
	rs group set g algorithm $algorithm
	forget_records s1 s2 s3
	count_from_here
	exchange "$VIP" 10 < <(users "$next" 40 access)
	check "P10, R1: 40 logins succeed, algorithm $algorithm" \
		replied "$VIP" Access-Accept 40
	taken Access-Request 40 >/dev/null
	result "P10: each is taken by s2 or s3 at last, algorithm $algorithm" $?
	logins=$first
	check "P10: what s1 took came from it, algorithm $algorithm" \
		test "$(from_s1 Access-Request)" = "$logins"
	exchange "$VIP" 10 < <(users "$next" 40 Start Stop)
	check "P10, R1: their accounting is answered, algorithm $algorithm" \
		replied "$VIP" Accounting-Response 80
	taken Accounting-Request 80 >/dev/null
	result "P10: by s2 or s3 at last, algorithm $algorithm" $?
	check "P10: what s1 took of it came from it, algorithm $algorithm" \
		test "$(from_s1 Accounting-Request)" = "$first"
	case $algorithm in
	loading-share)
		check "L2: s1 took some, and not all" \
			test "$logins" -gt 0 -a "$logins" -lt 40
		check "A1: and the accounting of these" \
			test "$first" = $((2 * logins))
		;;
	*)
		check "M2: the master took all, algorithm $algorithm" \
			test "$logins $first" = "40 80"
		;;
	esac
	check "P10: the counters agree, algorithm $algorithm" test \
		"$(($(counter steered) - counters_before[steered]))" = \
		$((120 + logins + first))
	check "P10: all servers are Up, algorithm $algorithm" all_up
	next=$((next + 40))
done

for i in 2 3; do
	rs server del g authentication "198.18.$i.2"
done
count_from_here
exchange "$VIP" 1 < <(of_user user-1 name access)
check "R1: with s1 alone a user of its own logs in" \
	replied "$VIP" Access-Accept 1
counted "P10: which is no proxied request" steered 1 answers 1 pass-no-match 1
at nas timeout 600 radclient -4 -r 1 -t 5 -d "$freeradius_root" \
	-D "$freeradius_root/dictionaries" "$VIP" auto "$RADIUS_SECRET" \
	>/dev/null 2>&1 < <(of_user user-roaming-0 name access)
check "P10: a roaming user's request passes" test \
	"$(counter pass-hairpin)" -gt 0
check "P10: the server that is left loses nothing by that" all_up

done_testing
