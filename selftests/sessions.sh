#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Section 3 of the rules: accounting follows authentication.
#
#	nas                 gw                s1, s2, s3
#	requester ------ radsteer ------------ responder
#	192.0.2.2        192.0.2.1          198.18.{1,2,3}.2
#
# Server N authenticates as sN and accounts as aN, at one address.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

topology 3
respond 3
rs set duplicate-window 0
patience=20000

declare -a login=() account=() kept=() again=()

# What tells a user: by session id and station, or by less.
both="$(attributes user bob station "########" session "########")"
by_session="$(attributes user bob session "########")"
by_station="$(attributes user bob station "########")"
by_name="$(attributes user "########")"

# logins FIRST COUNT [ATTRIBUTES]: Access-Requests, with the number of the first
# one; their servers into the array login, by number.
logins() {
	request -v -n "$1" -x "${3:-$both}" "$2"
	servers_of login "$1"
	told "R1: logins $1 and on, ${3:-by both}, $((++run))" answered "$2"
}

# accounts FIRST COUNT STATUS [ATTRIBUTES]: the same for accounting.
accounts() {
	SERVICE_PORT=1813 request -v -k 4 -n "$1" \
		-x "$(attributes status "$3" delay 0)${4:-$both}" "$2"
	servers_of account "$1"
	told "R1: accounting of $1 and on, status $3, $((++run))" answered "$2"
}
run=0

# take ARRAY ARRAY: one becomes what the other is, with the same numbers.
take() {
	local -n to=$1 from=$2
	local i

	to=()
	for i in "${!from[@]}"; do
		to[i]=${from[i]}
	done
}

# followed FIRST COUNT: accounting went where these logins were.
followed() {
	local i

	for ((i = $1; i < $1 + $2; i++)); do
		[ "${login[i]}" = "${account[i]}" ] && continue
		echo "$i: login at ${login[i]}, accounting at ${account[i]}"
		return 1
	done
}

# spread N NAME FIRST COUNT: there are N servers in that part of the array.
spread() {
	local -n array=$2

	[ "$(printf '%s\n' "${array[@]:$3:$4}" | sort -u | wc -l)" = "$1" ]
}

check "a group" rs group add g algorithm loading-share match "$VIP"
check "its servers" servers g authentication 3
check "its servers for accounting" servers g accounting 3

# By everything that a user is known by.
count_from_here
logins 0 60
check "L2: they are shared out" spread 3 login 0 60
counted "A3: 60 sessions are bound" steered 60 answers 60 pass-no-match 60 \
	session-made 60
check "A3: there are so many" test "$(counter sessions),$(counter users)" = \
	60,60
for status in 1 3 2; do
	count_from_here
	accounts 0 60 "$status"
	check "A1: accounting follows the login, status $status" followed 0 60
	ended=()
	[ "$status" != 2 ] || ended=(session-ended 60)
	counted "A1: which is counted, status $status" steered 60 answers 60 \
		pass-no-match 60 session-hits 60 "${ended[@]}"
done

# Either key alone will do.
for keys in session station name; do
	by=by_$keys
	logins 100 60 "${!by}"
	for status in 1 3; do
		accounts 100 60 "$status" "${!by}"
		check "A3: by $keys alone, status $status" followed 100 60
	done
done
logins 200 60
accounts 200 60 1 "$by_station"
check "A3: the login told both, accounting has the station" followed 200 60
logins 260 40 "$by_station"
accounts 260 40 1
check "A3: the login told the station, accounting has both" followed 260 40
accounts 260 40 3 "$by_session"
check "A4: and from then on the session is known" followed 260 40
logins 300 60 "$(attributes user bob station "########")"
accounts 300 60 1 "$(attributes user "########")"
check "A3: a station is no name" eval "! followed 300 60"

# Another client's sessions are others.
logins 400 40
count_from_here
CLIENT="gw-$$,192.0.2.1" accounts 400 40 1
counted "A3: another client has no such session" steered 40 answers 40 \
	pass-no-match 40 session-unknown 40 session-made 40

# Nobody was learned.
count_from_here
accounts 500 60 1
counted "A4: unknown sessions are bound" steered 60 answers 60 \
	pass-no-match 60 session-unknown 60 session-made 60
check "A4: the algorithm selects" spread 3 account 500 60
take login account
for status in 3 2; do
	accounts 500 60 "$status"
	check "A4: they stay there, status $status" followed 500 60
done
count_from_here
accounts 600 20 1 "$by_name"
counted "A4: without a session there is nothing to bind" steered 20 \
	answers 20 pass-no-match 20 session-unknown 20
count_from_here
accounts 600 20 1 "$(attributes nas nas1)"
counted "A8: with nothing to know it by it is steered all the same" \
	steered 20 answers 20 pass-no-match 20 session-unknown 20

# Accounting-On and Accounting-Off are nobody's.
for status in 7 8; do
	count_from_here
	accounts 700 30 "$status"
	counted "A6: status $status is bound to nothing" steered 30 \
		answers 30 pass-no-match 30
done

# The server for accounting is Down, and comes back.
logins 800 60
rs server set g accounting 198.18.2.2 state down
count_from_here
accounts 800 60 1
moved=$(printf '%s\n' "${login[@]:800:60}" | grep -c 2)
counted "A4: its sessions are bound to others" steered 60 answers 60 \
	pass-no-match 60 session-hits $((60 - moved)) session-unknown "$moved"
check "A4: nothing goes to it" eval "! spread 3 account 800 60"
rs server set g accounting 198.18.2.2 state auto
take login account
accounts 800 60 3
check "A4: they do not move back" followed 800 60
accounts 800 60 2
check "A4: to the end" followed 800 60

# A server that drains keeps its sessions.
logins 900 60
rs server set g accounting 198.18.2.2 state drain
accounts 900 60 1
check "S6: sessions bound to a draining server go there" followed 900 60
rs server set g accounting 198.18.2.2 state auto

# One that is gone, and one that was never there.
logins 1000 60
rs server del g accounting 198.18.2.2
count_from_here
accounts 1000 60 1
moved=$(printf '%s\n' "${login[@]:1000:60}" | grep -c 2)
counted "A4: no server at the address of the login" steered 60 answers 60 \
	pass-no-match 60 session-hits $((60 - moved)) session-unknown "$moved"
take login account
rs server add g accounting 198.18.2.2
accounts 1000 60 3
check "C2, A4: a server that comes back changes nothing for them" \
	followed 1000 60

# It goes silent in mid-session: each session moves once, whatever comes first.
logins 1100 60
accounts 1100 60 1
for i in {1100..1159}; do
	[ "${account[i]}" != 2 ] || break
done
behave a2 silent
forget
count_from_here
SERVICE_PORT=1813 request_start interim -m -k 4 -n "$i" \
	-x "$(attributes status 3 timestamp 7)$both" 1
check "A1: the Interim-Update goes to its server" wait_for 10 got_by a2 1
SERVICE_PORT=1813 request_start stop -m -k 4 -n "$i" \
	-x "$(attributes status 2 timestamp 8)$both" 1
check "A1: and the Stop" wait_for 10 got_by a2 2
request_again interim
check "M6: a copy of one stays" wait_for 10 got_by a2 3
request_again interim
request_wait interim
check "M7: and the next one moves" grep -qE '^1 a2,a2,a[13]$' <(ways)
request_again stop
check "M6: the other one has its own copies" wait_for 10 got_by a2 4
request_again stop
request_wait stop
check "A4: it goes where the session went on" \
	grep -qE '^2 a2,a2,a([13])$' <(ways)
counted "A4: the session moved once" steered 6 retransmissions 4 failovers 2 \
	lost 4 answers 2 pass-no-match 2 session-hits 2 session-moved 1 \
	session-ended 1
behave a2 answer

# An Access-Accept in mid-session is that of a user who was asked once more.
logins 1200 60
accounts 1200 60 1
take kept login
logins 1200 60
check "L7: the users were accepted by others as well" eval \
	"! [ '${kept[*]:1200:60}' = '${login[*]:1200:60}' ]"
take again login
take login kept
accounts 1200 60 3
check "A4: accounting that is under way stays" followed 1200 60
take login again
accounts 1200 60 1
check "A1: a Start after that is of a new session" followed 1200 60

# What the setting says.
judge() {
	check "A2: $1 is $2" test "$(rs -j group show g |
		jq -r '.groups[0].accounting_effective')" = "$2"
}

rs group set g accounting independent
judge "loading-share accounting independent" independent
logins 1300 60
forget
count_from_here
accounts 1300 60 1
check "A5: accounting does not follow" eval "! followed 1300 60"
counted "A5: nothing is bound" steered 60 answers 60 pass-no-match 60
rs group set g accounting auto
judge "loading-share" follow

# The login is at a backup, and its master for accounting is Up.
rs server set g authentication 198.18.1.2 state down
base=1400
for algorithm in master-backup "master-backup strict" default; do
	# shellcheck disable=SC2086 # words
	rs group set g algorithm $algorithm
	logins "$base" 20
	went=independent
	[ "$algorithm" != default ] || went=follow
	judge "$algorithm" "$went"
	for status in 1 3 2; do
		forget
		accounts "$base" 20 "$status"
		if [ "$algorithm" = default ]; then
			went "A1: status $status follows, $algorithm" 20 a2
		else
			went "A5: status $status at the master, $algorithm" \
				20 a1
		fi
	done
	base=$((base + 100))
done
rs group set g algorithm master-backup accounting follow
judge "master-backup accounting follow" follow
logins 1700 20
forget
accounts 1700 20 1
went "A1: which says so" 20 a2
rs group set g algorithm loading-share accounting auto
rs server set g authentication 198.18.1.2 state auto

# The end of a session.
rs group del g
check "C3: sessions end with their group" test \
	"$(counter sessions),$(counter users)" = 0,0
rs group add g algorithm loading-share match "$VIP"
servers g authentication 3
servers g accounting 3
logins 2000 1
accounts 2000 1 1
accounts 2000 1 2
shown() {
	rs -j session show | jq -r ".sessions[] | [$1] | @csv" | sort
}
check "A7: with its Stop a session has ended, and its user" test \
	"$(shown .kind,.ended)" = $'"session",true\n"user",true'
check "A7: for 30 s" test "$(rs -j session show |
	jq '[.sessions[] | .left_ms > 20000 and .left_ms <= 30100] | all')" = \
	true
login[2000]=${account[2000]}
for i in 1 2 3; do
	accounts 2000 1 2
	check "A7: a repeated Stop goes to the same server, $i" followed 2000 1
done
none_left() {
	[ "$(counter sessions),$(counter users)" = 0,0 ]
}
check "A7: then it is forgotten" wait_for 60 none_left
check "A7: as if nothing had been" test "$(rs session show)" = "no sessions"

# The Stop of an earlier session comes when the user has logged in again. The
# logins tell no session.
later="$(attributes user bob station "########")2c0761########"
logins 2050 20 "$by_station"
accounts 2050 20 1
logins 2050 20 "$by_station"
accounts 2050 20 2
accounts 2050 20 1 "$later"
check "A1, A7: a late Stop takes no user away" followed 2050 20
accounts 2050 20 2 "$later"
check "A7: the user ends with the latest session" test 20 = \
	"$(shown .kind,.ended | grep -c '^"user",true$')"

# Time without traffic.
rs set session-time 6
logins 2100 10
astray=0
for ((begin = SECONDS; SECONDS - begin < 10;)); do
	accounts 2100 10 3 "$by_session"
	followed 2100 10 || astray=$((astray + 1))
done
check "A7: traffic keeps a session for longer than that" test "$astray" = 0
none_goes_on() {
	! shown .kind,.ended | grep -q 'false$'
}
check "A7: without traffic it is forgotten" wait_for 20 none_goes_on
# Those that have ended, above, have their thirty seconds.
check "A7: so are those that have ended" wait_for 60 none_left
check "A7: which is counted" reached session-expired 10
rs set session-time 86400

# Bounds.
rs set max-sessions 3
for i in 1 2 3; do
	logins "220$i" 1
done
check "bounds: three sessions are bound" test "$(counter sessions)" = 3
accounts 2201 1 1
count_from_here
logins 2204 1
check "bounds: with a fourth there are three" test \
	"$(counter sessions),$(counter users)" = 3,3
check "bounds: which is counted" reached session-evicted 1
for i in 1 3 4; do
	count_from_here
	accounts "220$i" 1 3 "$by_session"
	check "bounds: session $i is known" reached session-hits 1
done
count_from_here
accounts 2202 1 3 "$by_session"
check "bounds: the least recently used was forgotten" reached session-unknown 1
rs set max-sessions 1
check "bounds: it can be lowered" test "$(counter sessions),$(counter users)" \
	= 1,1

# Nothing of a user is shown.
rs set max-sessions 1000
secret=topsecretuser
request -x "$(attributes user $secret station $secret session $secret)" 2
SERVICE_PORT=1813 request -k 4 \
	-x "$(attributes status 1 user $secret station $secret \
		session $secret)" 1
check "security: no name, station or session id is shown" test -z "$(
	{ rs -j session show; rs session show; rs request show; rs -j show; } |
		grep -i -e $secret -e "$(printf %s $secret | od -An -tx1 |
			tr -d ' \n')")"

done_testing
