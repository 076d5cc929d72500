#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Stations log in by EAP while one of three servers is stopped and started again,
# by a signal and by death. A conversation cannot go on elsewhere, so those that
# are under way at that server may fail, once; the next try succeeds with another
# one. Nobody else is to notice.
#
#	nas                gw                   s1
#	eapol_test ----- radsteer ------ FreeRADIUS
#	192.0.2.2        192.0.2.1  |    198.18.1.2
#	                            |           s2, which stops
#	                            +--- FreeRADIUS
#	                            |    198.18.2.2
#	                            |           s3
#	                            +--- FreeRADIUS
#	                                 198.18.3.2
#
# eapol_test sends copies after 3, 9 and 21 s: the one after 9 s moves (M7). Who
# was where is read from the servers' own records.
#
# s2 has half of the logins: that none of 24 comes to it happens once in 16
# million times.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"
. "$(dirname "$0")/logins_lib.sh"

topology 3

count=24
next=1
failures=0

# under_way N: so many stations have begun at s2 and are not in. A conversation is
# short, so no other process is started to find out.
under_way() {
	local -a requests accepts
	local -A stations=()
	local line

	mapfile -t requests <"$freeradius_root/s2/requests"
	mapfile -t accepts <"$freeradius_root/s2/accepts"
	for line in "${requests[@]}"; do
		line=${line#* bob - * }
		stations[${line%% *}]=1
	done
	[ $((${#stations[@]} - ${#accepts[@]})) -ge "$1" ]
}

soon_under_way() {
	wait_for 60 under_way "$1" && return
	cut -d' ' -f8 "$freeradius_root/s2/accepts"
	rs show
	tail -n 8 "$freeradius_root/s2/radius.log"
	return 1
}

# logins_start: the next stations log in, with as many tries as they take, while
# the test goes on.
logins_start() {
	forget_records s1 s2 s3
	count_from_here
	begun=$SECONDS
	logins "$next" $((next + count - 1)) 5 &
	logins_pid=$!
	next=$((next + count))
}

logins_wait() {
	wait "$logins_pid"
	failed=$(grep -vc ' 0$' "$logins/ended")
	failures=$((failures + failed))
	mapfile -t got < <(cd "$freeradius_root" &&
		grep -hc '' s1/accepts s2/accepts s3/accepts)
	echo "# $failed tries failed, $((SECONDS - begun)) s, in at ${got[*]}"
}

# What went wrong with the stations, which is nothing: everybody is in at last,
# and who failed, did so once, having been at s2. The rest is free of s2's
# failure: at one server, or moved away from s2 at the beginning.
judge() {
	local name

	{
		sed 's/^/ended /' "$logins/ended"
		for name in s1 s2 s3; do
			sed "s/^/$name /" "$freeradius_root/$name/requests"
		done
	} | awk -v count="$count" -v what="$1" '
		$1 == "ended" {
			tries[$2]++
			if ($4 == 0)
				in_at_last[$2] = 1
			else
				failed[$2]++
			next
		}
		{
			at[$9, $1] = 1
		}
		END {
			for (who in tries) {
				all++
				in_all += in_at_last[who]
				failures += failed[who]
				if (failed[who] > 1)
					twice = twice " " who
				if (failed[who] && !((who, "s2") in at))
					others = others " " who
				if (!failed[who] && !((who, "s2") in at) &&
				    ((who, "s1") in at) && ((who, "s3") in at))
					crossed = crossed " " who
			}
			printf "%d of %d are in, after %d failures\n",
				in_all, count, failures
			print "failed twice:" twice
			print "failed and were not at s2:" others
			print "at s1 and s3:" crossed
			if (what == "in")
				exit(all != count || in_all != count)
			if (what == "once")
				exit(twice != "")
			if (what == "others")
				exit(others != "" || crossed != "")
			exit(what != "none" || failures > 0)
		}'
}

# judge_all WHAT
judge_all() {
	check "E3: everybody logs in at last, $1" judge in
	check "E3: who fails does so once, $1" judge once
	check "E2, E4: nobody fails who was not at s2, $1" judge others
}

# s2 is Up, or to be tried again.
s2_back() {
	[ "$(rs -j show | jq -r '.groups[0].servers.authentication[1].state')" \
		!= down ]
}

check "certificates" logins_prepare
check "three FreeRADIUS start" freeradius_all 3
check "a group" rs group add g algorithm loading-share match "$VIP" timeout 3
check "its servers" servers g authentication 3 1 2 1
rs set dead-count 3 dead-interval 0 dead-time 15
[ "$ksft_fail" = 0 ] || done_testing

# A pause that is shorter than what it takes to move.
copies=$(counter retransmissions)
copied() {
	[ "$(counter retransmissions)" -gt "$copies" ]
}
what="a pause of one copy"
logins_start
check "conversations are under way, $what" soon_under_way 2
freeradius_pause s2
check "M6: a client sends a copy, $what" wait_for 60 copied
freeradius_resume s2
logins_wait
check "M6: nobody fails, $what" judge none
check "E2: everybody is in, $what" judge in

for round in 1 2; do
	for how in SIGSTOP death; do
		what="$how, $round"
		logins_start
		check "conversations are under way, $what" soon_under_way 2
		if [ "$how" = SIGSTOP ]; then
			freeradius_pause s2
		else
			freeradius_stop s2
		fi
		logins_wait
		judge_all "$what"

		# Only new conversations come to it afterwards.
		if [ "$how" = SIGSTOP ]; then
			freeradius_resume s2
		else
			freeradius_start s2
		fi
		check "S3, S4: s2 is back, $what" wait_for 60 s2_back
		logins_start
		logins_wait
		check "s2 runs, $what" freeradius_signal s2 0
		check "E4: nobody fails afterwards, $what" judge none
		check "S3: s2 takes logins again, $what" test -s \
			"$freeradius_root/s2/accepts"
	done
done
check "E3: there were conversations that could not go on" test "$failures" -gt 0

done_testing
