#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proxies in front: all that they send has one client address and one port, or one
# for each service, and numbers of its own. FreeRADIUS and radsecproxy, with and
# without the habit of asking by Status-Server whether a server is alive.
#
#	nas                             gw                  s1
#	radclient --- proxy -------- radsteer ------ FreeRADIUS
#	      127.0.0.1  192.0.2.2   192.0.2.1  |    198.18.1.2
#	                                        |           s2
#	                                        +--- FreeRADIUS
#	                                        |    198.18.2.2
#	                                        |           s3
#	                                        +--- FreeRADIUS
#	                                             198.18.3.2
#
# The first accounting server is s2, so it can be told whether accounting has
# followed or gone to its master. Where requests went is read from the servers'
# own records. Shares are judged by a chi-square test with a false-alarm rate of
# one in a million, on as many draws as the title says.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"

require chisq radsecproxy
require_freeradius
topology 3

keys=(session station name)

# radsecproxy_start NAME CHECK: as freeradius_proxy, with StatusServer CHECK.
radsecproxy_start() {
	local dir=$freeradius_root/$1

	mkdir "$dir" || return
	cat >"$dir/conf" <<END
ListenUDP 127.0.0.1:1812
ListenUDP 127.0.0.1:1813
SourceUDP 192.0.2.2:30000
LogLevel 2
client nas {
	host 127.0.0.1
	type udp
	secret $RADIUS_SECRET
}
server auth {
	host $VIP
	port 1812
	type udp
	secret $RADIUS_SECRET
	retryInterval 30
	StatusServer $2
}
server acct {
	host $VIP
	port 1813
	type udp
	secret $RADIUS_SECRET
	retryInterval 30
	StatusServer $2
}
realm * {
	server auth
	accountingServer acct
}
END
	ip netns exec "nas-$$" radsecproxy -f -c "$dir/conf" </dev/null \
		>"$dir/radius.log" 2>&1 &
	echo "$!" >"$dir/pid"
	disown "$!"
	wait_for 30 radsecproxy_listens "$1" && return
	sed 's/^/# /' "$dir/radius.log"
	return 1
}

radsecproxy_listens() {
	[ "$(grep -c 'listening for udp on' "$freeradius_root/$1/radius.log")" = 2 ]
}

proxy_start() {
	case $1 in
	freeradius-*)
		freeradius_proxy nas "$proxy" "${1#freeradius-}"
		;;
	radsecproxy-*)
		radsecproxy_start "$proxy" "${1#radsecproxy-}"
		;;
	esac
}

# users FIRST COUNT KIND...
users() {
	local kind i

	for kind in "${@:3}"; do
		for ((i = $1; i < $1 + $2; i++)); do
			of_user "user-$i" "${keys[i % 3]}" "$kind"
		done
	done
}

took() {
	mapfile -t got < <(recorded "$1" s1 s2 s3)
}

next=1

# round COUNT WHAT EFFECTIVE: so many users log in, 50 of them at a time, and then
# their accounting is sent.
round() {
	local count=$1 what=$2 begun=$SECONDS accounting=$1 all
	local -a bound=() kinds=(Start)

	if [ "$3" = follow ]; then
		kinds=(Start Stop)
		accounting=$((2 * count))
		bound=(session-made "$count" session-hits "$accounting"
			session-ended "$count")
	fi
	all=$((count + 5 + accounting))
	forget_records s1 s2 s3
	count_from_here
	exchange 127.0.0.1 50 < <(
		users "$next" "$count" access
		for i in 1 2 3 4 5; do
			of_user "nobody-$i" name access
		done
	)
	check "R1, R5: $count logins succeed, and five do not, $what" \
		replied 127.0.0.1 Access-Accept "$count" Access-Reject 5
	exchange 127.0.0.1 50 < <(users "$next" "$count" "${kinds[@]}")
	check "R1, R5: the accounting of $count is answered, $what" \
		replied 127.0.0.1 Accounting-Response "$accounting"
	counted "P1, P9: each is steered once, $what" steered "$all" \
		answers "$all" pass-no-match "$all" "${bound[@]}"
	check "P4: servers see one client address and one port, $what" \
		one_source "$all"
	next=$((next + count))
	if [ "$3" = follow ]; then
		check "A1, A2, A3: accounting at the server of the login, $what" \
			followed "$accounting" s1 s2 s3
	else
		took Accounting-Request
		served "A2, A5: accounting at its own master, $what" \
			0 "$accounting" 0
	fi
	took "Access-Request .* user-"
	echo "# $((SECONDS - begun)) s: ${got[*]}"
}

# one_source COUNT: all that the servers have of a service is from one port, and
# what radsecproxy sends of both.
one_source() {
	local count service address port ports=0 all=0

	while read -r count service address port; do
		echo "$count to $service from $address, port $port"
		[ "$address" = 192.0.2.2 ] || return
		[[ $proxy != radsecproxy-* || $port == 30000 ]] || return
		ports=$((ports + 1))
		all=$((all + count))
	done < <(awk '{ print $4, $2, $9 }' "$freeradius_root"/s[123]/requests |
		sort | uniq -c)
	[ "$ports" = 2 ] && [ "$all" = "$1" ]
}

# asked PORT: some server has a Status-Server there.
asked() {
	grep -q "^Status-Server 192.0.2.2 [0-9.]* $1 " \
		"$freeradius_root"/s[123]/requests
}

# Each Status-Server since count_from_here has been answered.
all_answered() {
	[ $(($(counter answers) - counters_before[answers])) = \
		"$(cat "$freeradius_root"/s[123]/requests | wc -l)" ]
}

# asked_masters: which servers have a Status-Server, by service.
asked_masters() {
	took "Status-Server .* 1812 "
	check "T4: only the master of authentication was asked, $proxy" \
		test "${got[*]:1}" = "0 0"
	took "Status-Server .* 1813 "
	check "T4: only the master of accounting was asked, $proxy" \
		test "${got[0]} ${got[2]}" = "0 0"
	exchange 127.0.0.1 1 < <(of_user user-again name access)
	check "R1: afterwards logins succeed, $proxy" \
		replied 127.0.0.1 Access-Accept 1
}

check "three FreeRADIUS start" freeradius_all 3
# A slow machine is not to make losses.
check "a group" rs group add g match "$VIP" timeout 60 retransmit 5
check "its authentication servers" servers g authentication 3
check "its accounting servers" servers_turned g accounting
[ "$ksft_fail" = 0 ] || done_testing

for proxy in freeradius-none freeradius-status-server radsecproxy-off \
	radsecproxy-on; do
	check "$proxy starts" proxy_start "$proxy"
	[ "$ksft_fail" = 0 ] || break
	rs group set g algorithm loading-share
	case $proxy in
	*-none | *-off)
		round 150 "$proxy, loading-share" follow
		shares "L2: 150 logins, the same chance, $proxy" 1 1 1
		;;
	*)
		round 50 "$proxy, loading-share" follow
		;;
	esac
	for algorithm in default master-backup "master-backup strict"; do
		how="$proxy, algorithm $algorithm"
		# shellcheck disable=SC2086 # two words
		rs group set g algorithm $algorithm
		if [ "$algorithm" = default ]; then
			round 50 "$how" follow
		else
			round 50 "$how" independent
		fi
		served "M1, M2: logins at the master, $how" 50 0 0
	done
	case $proxy in
	freeradius-status-server)
		# What nobody answers makes it ask, after 10 s.
		forget_records s1 s2 s3
		count_from_here
		exchange 127.0.0.1 1 < <(of_user mute name access)
		check "$proxy asks whether the server is alive" \
			wait_for 30 asked 1812
		check "T4, R5: and is answered, $proxy" wait_for 10 \
			grep -q "Received response to status check" \
			"$freeradius_root/$proxy/radius.log"
		asked_masters
		;;
	radsecproxy-on)
		# It does so when nothing else has gone on for 25 s.
		forget_records s1 s2 s3
		count_from_here
		check "$proxy asks whether servers are alive" wait_for 60 \
			eval "asked 1812 && asked 1813"
		check "T4, R5: and is answered, $proxy" wait_for 10 all_answered
		asked_masters
		;;
	esac
	check "$proxy stops" freeradius_stop "$proxy"
done

done_testing
