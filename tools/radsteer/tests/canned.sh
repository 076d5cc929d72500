#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the command makes of what a module tells, by a build of it that has
# canned.c in place of the netlink socket.
#
# Usage: canned.sh RADSTEER-CANNED

set -u

command=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TZ=UTC

n=0
failed=0
echo 'TAP version 13'

result() {
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n $1"
	else
		failed=$((failed + 1))
		echo "not ok $n $1"
	fi
}

# run WORD...: status in $status, output with all times replaced in $output,
# standard error in $said.
run() {
	status=0
	output=$(timeout 20 "$command" "$@" 2>"$work/err" </dev/null) ||
		status=$?
	untimed
	said=$(<"$work/err")
}

untimed() {
	local date='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}'

	output=$(sed -E -e "s/$date\\.[0-9]{3}\\+00:00/MILLIS/" \
		-e "s/^$date\\+00:00/SECONDS/" <<<"$output")
}

# is TITLE STATUS OUTPUT SAID: what the last run did is just that.
is() {
	[ "$status" = "$2" ] && [ "$output" = "$3" ] && [ "$said" = "$4" ]
	result "$1" $?
	[ "$status" = "$2" ] && [ "$output" = "$3" ] && [ "$said" = "$4" ] ||
		printf '%s\n' "status $status" "$output" "$said" | sed 's/^/# /'
}

# prints TITLE OUTPUT WORD...
prints() {
	local title=$1 expected=$2

	shift 2
	run "$@"
	is "$title" 0 "$expected" ""
}

# fits TITLE COLUMNS: no line of the last run is longer.
fits() {
	[ "$(wc -L <<<"$output")" -le "$2" ]
	result "$1" $?
}

group() {
	echo -n "{\"name\":\"$1\",\"family\":\"inet\",\"algorithm\":\"default\""
	echo -n ',"strict":false,"accounting":"auto"'
	echo -n ',"accounting_effective":"follow","retransmit":1,"timeout":5'
	echo -n ",\"match\":[\"servers\"],\"servers\":{\"authentication\":[$2]"
	echo -n ',"accounting":[]}}'
}

# server N STATE LOSSES MASTER ACTIVE RTT
server() {
	echo -n "{\"address\":\"198.51.100.$1\",\"port\":1812,\"weight\":0"
	echo -n ",\"admin\":\"auto\",\"state\":\"$2\",\"since\":AGO"
	echo -n ",\"losses\":$3,\"master\":$4,\"active\":$5"
	echo -n ',"requests":113,"retransmissions":114,"answers":115'
	echo -n ',"accepts":116,"rejects":117,"challenges":118,"lost":121'
	echo -n ',"late":122,"unreachable":123'
	echo -n "${6:+,\"rtt_us\":$6}"
	echo -n ',"outstanding":119,"selected":120,"failovers":124}'
}

# ago: "since" of the last run as how long ago that was, to ten seconds.
ago() {
	local found since age

	mapfile -t found < <(grep -o '"since":[0-9]*' <<<"$output")
	for since in "${found[@]}"; do
		age=$((($(date +%s) - ${since#*:}) / 10 * 10))
		output=${output/$since/\"since\":AGO}
		ages+=("$age")
	done
}

# Settings
settings='{"dead_count":10,"dead_interval":5,"dead_time":180'
settings+=',"max_requests":65536,"max_sessions":1048576,"max_states":262144'
settings+=',"state_time":120,"session_time":86400,"duplicate_window":50}'
servers=$(server 1 down 0 true false)
servers+=,$(server 2 assumed-up 12 false true 1234)
servers+=,$(server 3 up 24 false false 1234)
servers+=,$(server 4 up 36 false false 1234)
expected="{\"groups\":[$(group east "$servers"),$(group west "")]"
expected+=",\"settings\":$settings}"
run -j show
ages=()
ago
is 'show, members in order' 0 "$expected" ""
[ "${ages[*]}" = "0 190 7500 356460" ]
result 'since is now less the age of the state' $?
run show
fits 'show fits 120 columns' 120
[ "${output##*$'\n\n'}" = 'settings
  dead-count 10, dead-interval 5 s, dead-time 180 s
  max-requests 65536, max-sessions 1048576, max-states 262144
  state-time 120 s, session-time 86400 s, duplicate-window 50 ms' ]
result 'show has the settings at its end' $?
for word in assumed-up SINCE 3m12s 2h05m 4d03h LOSSES LOST FAILOVERS; do
	[[ $output == *" $word "* ]]
	result "show: $word" $?
done
run server show
fits 'server show fits 120 columns' 120
[[ $output == *UNREACHABLE*RTT-US*LATE*OUTSTANDING* ]]
result 'server show has the rest of the counters' $?

: >"$work/sent"
export CANNED_SENT=$work/sent
run set duplicate-window 0 dead-time 86400 dead-count 65535 max-requests \
	4194304 dead-interval 3600 session-time 1209600 state-time 3600 \
	max-states 4194303 max-sessions 4194302
is 'set everything' 0 "" ""
[ "$(<"$work/sent")" = "1 2 65535
2 2 3600
3 4 86400
5 4 4194304
6 4 4194302
7 4 4194303
8 2 3600
9 4 1209600
4 2 0" ]
result 'all of it is sent' $?
: >"$work/sent"
run set dead-time 1
[ "$(<"$work/sent")" = "3 4 1" ]
result 'what is not given is not sent' $?
CANNED=no run set dead-time 1
is 'a refusal names the setting' 1 "" \
	'radsteer: settings: dead-time: not today'

# Addresses of both families, on their way to the kernel
: >"$work/sent"
run server add g accounting 2001:DB8:0:0:0:0:0:1 before 2001:db8::2 port 1812
is 'an IPv6 server' 0 "" ""
[ "$(<"$work/sent")" = "2 2 103
3 1 01
4 16 20010db8000000000000000000000001
5 2 5383
8 16 20010db8000000000000000000000002
9 2 5127" ]
result 'its address and that of the other have 16 octets' $?
: >"$work/sent"
run server add g accounting 0.0.0.1 before 0.0.0.2
[ "$(grep -E '^[48] ' "$work/sent")" = "4 4 16777216
8 4 33554432" ]
result 'those of an IPv4 server have four' $?
: >"$work/sent"
run group add g match 2001:db8::1 acct-port 1
[[ $(<"$work/sent") == *'8 36 1400020020010db800000000000000000000000106'* ]]
result 'the address of a match has 16 octets' $?
CANNED=no run group add g match 192.0.2.1 match 2001:db8:0:0:1::1
is 'a refusal names the IPv6 match' 1 "" \
	'radsteer: group "g": match 2001:db8::1:0:0:1: not today'
CANNED=no run group add g match 2001:db8::1 match 192.0.2.1
is 'a refusal names the IPv4 match' 1 "" \
	'radsteer: group "g": match 192.0.2.1: not today'
CANNED=no run server add g accounting 2001:DB8:0:0::1
is 'a refusal names the IPv6 server, written as usual' 1 "" \
	'radsteer: accounting server 2001:db8::1 port 1813 of group "g": not today'

# Requests
request() {
	echo -n "{\"group\":\"$1\",\"client\":\"192.0.2.2\""
	echo -n ",\"client_port\":$2,\"asked\":\"203.0.113.1\""
	echo -n ',"asked_port":1645,"server":"198.51.100.1"'
	echo -n ",\"server_port\":1812,\"code\":$3,\"identifier\":$4"
	echo -n ",\"copies\":$5,\"failovers\":2,\"age_ms\":$6,\"lost\":$7}"
}

expected="{\"requests\":[$(request east 20001 4 1 2 2919 true)"
expected+=",$(request west 20002 12 2 1 838 false)"
expected+=",$(request west 20000 1 0 1 0 false)]}"
prints 'request show, members in order, the oldest first' "$expected" \
	-j request show
CANNED_REQUESTS=0 prints 'request show without any' '{"requests":[]}' \
	-j request show
CANNED_REQUESTS=0 prints 'the same as text' 'no outstanding requests' \
	request show
CANNED_REQUESTS=4 prints 'requests as text' \
'GROUP  CLIENT           ASKED             SERVER             CODE                  ID  COPIES  FAILOVERS  AGE-MS  LOST
east   192.0.2.2:20003  203.0.113.1:1645  198.51.100.1:1812  99                     3       2          2    3757  lost
east   192.0.2.2:20001  203.0.113.1:1645  198.51.100.1:1812  4 accounting-request   1       2          2    2919  lost
west   192.0.2.2:20002  203.0.113.1:1645  198.51.100.1:1812  12 status-server       2       1          2     838  -
west   192.0.2.2:20000  203.0.113.1:1645  198.51.100.1:1812  1 access-request       0       1          2       0  -' \
	request show
CANNED_REQUESTS=20000 run -j request show
[ "$status" = 0 ] && [ "$(grep -o '"age_ms"' <<<"$output" | wc -l)" = 20000 ]
result 'twenty thousand requests' $?

# Sessions
session() {
	echo -n "{\"kind\":\"$1\",\"key\":\"$2\",\"group\":\"$3\""
	echo -n ",\"service\":\"$4\",\"server\":\"198.51.100.1\""
	echo -n ",\"server_port\":$5,\"idle_ms\":$6,\"left_ms\":$7"
	echo -n ",\"ended\":$8}"
}

bound="{\"sessions\":[$(session user fedcba98765432bb east \
	authentication 1812 3 86399997 false)"
bound+=",$(session session fdb97530eca864cb east \
	accounting 1813 754000 5 true)"
bound+=",$(session session 00000000000000ab west \
	authentication 1812 90061000 999 false)]}"
prints 'session show, members in order, the last used first' "$bound" \
	-j session show
CANNED_SESSIONS=0 prints 'session show without any' '{"sessions":[]}' \
	-j session show
CANNED_SESSIONS=0 prints 'no sessions as text' 'no sessions' session show
CANNED_SESSIONS=5 prints 'sessions as text' \
'GROUP  KIND     KEY               SERVICE         SERVER             IDLE    LEFT    ENDED
east   user     fedcba98765432bb  authentication  198.51.100.1:1812  0s      23h59m  -
east   session  fdb97530eca864cb  accounting      198.51.100.1:1813  12m34s  0s      ended
east   session  fb72ea61d950c8eb  authentication  198.51.100.1:1812  1d01h   0s      -
west   user     fc962fc962fc96db  authentication  198.51.100.1:1812  59s     1h00m   -
west   session  00000000000000ab  authentication  198.51.100.1:1812  1d01h   0s      -' \
	session show
CANNED=bare prints 'a session without attributes' \
	'{"sessions":[{"ended":false}]}' -j session show
CANNED=bare prints 'the same session as text' \
'GROUP  KIND  KEY  SERVICE  SERVER  IDLE  LEFT  ENDED
-      -     -    -        -       -     -     -' \
	session show
CANNED_SESSIONS=20000 run session show
[ "$status" = 0 ] && [ "$(wc -l <<<"$output")" = 20001 ]
result 'twenty thousand sessions' $?

# The same with IPv6
export CANNED_INET6=1
prints 'IPv6 requests, members in order' "$(sed -e \
	's/"192.0.2.2"/"2001:db8::c000:202"/g' -e \
	's/"203.0.113.1"/"2001:db8::cb00:7101"/g' -e \
	's/"198.51.100.1"/"2001:db8::c633:6401"/g' <<<"$expected")" \
	-j request show
CANNED_REQUESTS=1 prints 'IPv6 requests as text' \
'GROUP  CLIENT                      ASKED                       SERVER                      CODE              ID  COPIES  FAILOVERS  AGE-MS  LOST
west   [2001:db8::c000:202]:20000  [2001:db8::cb00:7101]:1645  [2001:db8::c633:6401]:1812  1 access-request   0       1          2       0  -' \
	request show
prints 'IPv6 sessions' "${bound//198.51.100.1/2001:db8::c633:6401}" \
	-j session show
CANNED_SESSIONS=1 prints 'IPv6 sessions as text' \
'GROUP  KIND     KEY               SERVICE         SERVER                      IDLE   LEFT  ENDED
west   session  00000000000000ab  authentication  [2001:db8::c633:6401]:1812  1d01h  0s    -' \
	session show
run -j show
[[ $output == *'"name":"east","family":"inet6",'*'"address":"2001:db8::c633:6401","port":1812'* ]]
result 'IPv6 groups and servers' $?
run show
[[ $output == *", family inet6"*$'\n    ADDRESS              PORT  '*$'\n    2001:db8::c633:6401  1812 '* ]]
result 'IPv6 groups and servers as text' $?
CANNED_EVENTS=ux run monitor
is 'IPv6 events' 1 \
	'SECONDS authentication 2001:db8::c612:102 port 1812 assumed-up -> up: answer' \
	'radsteer: the module radsteer was unloaded: no more events come'
unset CANNED_INET6

# Statistics
counters=(steered pass-not-udp pass-fragment pass-gso pass-no-match
	pass-malformed pass-code pass-service pass-no-server pass-again
	pass-no-memory pass-checksum pass-policy pass-hairpin
	retransmissions renumbered duplicates failovers lost unreachable
	none-up conflicts unremembered
	abandoned evicted expired unroutable answers answer-late answer-stray
	answer-no-memory answer-policy answer-again answer-errors errors
	error-held error-stray state-hits state-unknown state-expired
	state-evicted session-made session-hits session-unknown session-moved
	session-ended session-expired session-evicted user-expired
	user-evicted states sessions users outstanding remembered)
# Its number in the user API is the value of each.
lines=''
members=''
for i in "${!counters[@]}"; do
	printf -v line '%-16s  %d\n' "${counters[i]}" $((i + 2))
	lines+=$line
	members+=",\"${counters[i]//-/_}\":$((i + 2))"
done
prints 'stats in the order of the user API' "{${members#,}}" -j stats
prints 'stats has a line for each counter' "${lines%$'\n'}" stats

# Events. The monitor ends with the module, which is quicker than a signal.
gone='radsteer: the module radsteer was unloaded: no more events come'
state='SECONDS authentication 198.18.1.2 port 1812'
CANNED_EVENTS=dteualx run monitor
is 'monitor' 1 "$state up -> down: losses (10 in a row)
$state down -> assumed-up: dead-time
$state assumed-up -> down: exhausted
$state assumed-up -> up: answer
$state down -> up: admin
SECONDS events were lost" "$gone"
state='{"time":"MILLIS","event":"state","service":"authentication"'
state+=',"address":"198.18.1.2","port":1812'
CANNED_EVENTS=dlux run -j monitor
is 'monitor in JSON' 1 \
	"$state,\"old\":\"up\",\"new\":\"down\",\"reason\":\"losses\",\"losses\":10}
{\"time\":\"MILLIS\",\"event\":\"lost\"}
$state,\"old\":\"assumed-up\",\"new\":\"up\",\"reason\":\"answer\",\"losses\":0}" \
	"$gone"
CANNED_EVENTS=nbx run -j monitor
is 'monitor under a later module' 1 \
	"$state,\"old\":\"up\",\"new\":\"unknown\",\"reason\":\"unknown\",\"losses\":0}
{\"time\":\"MILLIS\",\"event\":\"state\"}" "$gone"
CANNED_EVENTS=bx run monitor
is 'an event without attributes' 1 'SECONDS - - port 0 - -> -: -' "$gone"
output=$(TZ=XXX-5:30 CANNED_EVENTS=bx "$command" monitor 2>/dev/null)
[[ $output == *+05:30' '* ]]
result 'local time east of Greenwich' $?
output=$(TZ=XXX3:30 CANNED_EVENTS=bx "$command" -j monitor 2>/dev/null)
[[ $output == *-03:30'"'* ]]
result 'local time west of Greenwich' $?

# ends TITLE WORD...: on a signal, with status 0 and all that was told.
ends() {
	local title=$1 signal pid

	shift
	for signal in INT TERM; do
		: >"$work/out"
		CANNED_EVENTS='du' "$command" "$@" >"$work/out" 2>"$work/err" &
		pid=$!
		for ((i = 0; i < 200; i++)); do
			[ "$(wc -l <"$work/out")" != 2 ] || break
			sleep 0.05
		done
		kill -"$signal" "$pid"
		wait "$pid"
		status=$?
		output=$(wc -l <"$work/out")
		said=$(<"$work/err")
		is "$title ends on SIG$signal" 0 2 ""
	done
}

ends 'monitor' monitor
ends 'monitor in JSON' -j monitor

# A reader that has enough, before and after an event.
for events in '' d dddddddd; do
	CANNED_EVENTS=$events timeout 20 "$command" monitor 2>"$work/err" |
		head -n "${#events}" >"$work/out"
	status=${PIPESTATUS[0]} output='' said=$(<"$work/err")
	is "monitor ends when a reader of ${#events} lines is done" 0 "" ""
done
CANNED_EVENTS=d timeout 20 "$command" monitor 2>"$work/err" >/dev/full
status=$? output='' said=$(<"$work/err")
is 'monitor ends when it cannot write' 1 "" \
	'radsteer: standard output: No space left on device'

# A reader that has stopped: the pipe fills up, and a signal is heard still.
mkfifo "$work/pipe"
{
	read -r
	echo >"$work/started"
	sleep 20
} <"$work/pipe" &
reader=$!
CANNED_EVENTS=$(printf 'd%.0s' {1..2000}) "$command" monitor >"$work/pipe" \
	2>"$work/err" &
pid=$!
for ((i = 0; i < 200; i++)); do
	[ ! -s "$work/started" ] || break
	sleep 0.05
done
kill -TERM "$pid"
wait "$pid"
status=$? output='' said=$(<"$work/err")
is 'monitor ends on a signal when its reader has stopped' 0 "" ""
kill "$reader"
wait "$reader" 2>/dev/null

# A module that is older than the command
export CANNED=old
run -j show
[ "$status" = 0 ] && [[ $output != *settings* && $output != *since* &&
	$output != *lost* && $output == *'"selected":120}'* ]]
result 'show leaves out what an older module has not' $?
run show
[ "$status" = 0 ] && [[ $output != *settings* ]]
result 'the same as text' $?
run set dead-time 5
is 'set under an older module' 1 "" \
	'radsteer: settings: the loaded module is too old: that of this command is needed'
run request show
is 'request show under an older module' 1 "" \
	'radsteer: requests: the loaded module is too old: that of this command is needed'
run session show
is 'session show under an older module' 1 "" \
	'radsteer: sessions: the loaded module is too old: that of this command is needed'
run monitor
is 'monitor under an older module' 1 "" \
	'radsteer: events: the loaded module is too old: that of this command is needed'

echo "1..$n"
echo "# Totals: pass:$((n - failed)) fail:$failed"
[ "$failed" -eq 0 ]
