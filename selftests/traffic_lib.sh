# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Clients that resend and servers that behave as they are told, for what is
# sourced after lib.sh: see requester.c and responder.c.
#
# The servers of the stage are called s1, s2, ... at the port for
# authentication and a1, a2, ... at the one for accounting.
#
# Such a test asks the module about every other request. It is spared the way
# into the gateway each time: the test itself runs there, from its beginning.

if [ -z "${RADSTEER_IN_GATEWAY:-}" ]; then
	RADSTEER_IN_GATEWAY=1 exec unshare --net "$BASH" "$0" "$@"
fi

rs() {
	radsteer "$@"
}

require requester responder unshare

traffic=$(mktemp -d) || skip_all "needs a temporary directory"
defer rm -rf "$traffic"

# The next port of the client: no two runs share one, unless they mean to.
next_port=20000
declare -A requester_pid=() said=()
reply=()

# respond N [ADDRESS...]: start the first N servers of the stage. They answer, at
# addresses in which I is the server's number (198.18.I.2).
respond() {
	local -a servers=()
	local i address count=$1

	shift
	[ $# -gt 0 ] || set -- 198.18.I.2
	for ((i = 1; i <= count; i++)); do
		for address; do
			address=${address/I/$i}
			servers+=("s$i-$$,$address,1812,s$i")
			servers+=("s$i-$$,$address,1813,a$i")
		done
	done
	mkfifo "$traffic/orders" "$traffic/replies" || return
	responder "$traffic/log" "${servers[@]}" <"$traffic/orders" \
		>"$traffic/replies" &
	defer "kill $! 2>/dev/null"
	exec {orders}>"$traffic/orders" {replies}<"$traffic/replies"
	obeyed
}

# The responder's reply; its clock goes to responder_ms.
obeyed() {
	local word

	reply=()
	while read -r -t 60 -u "$replies" word responder_ms; do
		case $word in
		ok) return 0 ;;
		bad) return 1 ;;
		*) reply+=("$responder_ms") ;;
		esac
	done
	return 1
}

# behave LABEL WORD...: see responder.c.
behave() {
	echo "$*" >&"$orders"
	obeyed || echo "# the servers do not understand: $*"
}

# Forget what the servers got up to now.
forget() {
	behave all forget
}

# got_by LABEL N: a server has had that many datagrams at least.
got_by() {
	local count=0 way copies

	behave all ways
	for way in "${reply[@]}"; do
		copies=,${way#* },
		while [[ $copies == *",$1,"* ]]; do
			copies=${copies/,$1,/,}
			count=$((count + ${way%% *}))
		done
	done
	[ "$count" -ge "$2" ]
}

# The ways that requests took since forget, as in "s1,s1,s2", a line for each,
# after how many took it.
ways() {
	behave all ways
	[ "${#reply[@]}" = 0 ] || printf '%s\n' "${reply[@]}"
}

# went TITLE [COUNT WAY]...: all requests since forget went these ways, which
# are given in the order of their letters.
went() {
	local title=$1 wanted='' seen

	shift
	while [ $# -gt 0 ]; do
		wanted+="$1 $2; "
		shift 2
	done
	behave all ways
	seen=$(printf '%s; ' "${reply[@]}")
	[ "$seen" = "$wanted" ]
	result "$title" $?
	[ "$seen" = "$wanted" ] || echo "# went $seen instead of $wanted"
}

# copies N: the schedule of so many copies, one soon after the other.
copies() {
	local text=0 i

	for ((i = 1; i < $1; i++)); do
		text+=,$((20 * i))
	done
	echo "$text"
}

# of LABEL KEY: what the module shows of a server, in the first group that has
# it.
of() {
	local json port=1812

	[[ $1 == s* ]] || port=1813
	json=$(rs -j show)
	[[ $json =~ \{\"address\":\"198.18.${1:1}.2\",\"port\":$port,[^\}]* ]] &&
		[[ ${BASH_REMATCH[0]} =~ \"${2//-/_}\":\"?([^\",]*) ]] &&
		echo "${BASH_REMATCH[1]}"
}

# is LABEL KEY VALUE: the module shows that of a server.
is() {
	local value

	value=$(of "$1" "$2")
	[ "$value" = "$3" ] || echo "$1: $2 is $value"
	[ "$value" = "$3" ]
}

# reached NAME N: a counter went up by N or more since count_from_here.
reached() {
	[ $(($(counter "$1") - counters_before[${1//-/_}])) -ge "$2" ]
}

# Put the arguments of requester together. Each run has ports that no other
# had, unless PORT says which; CLIENT, ASKED and SERVICE_PORT say who asks whom.
requester_arguments() {
	local ports=1 i

	for ((i = 1; i < $#; i++)); do
		[ "${!i}" != -p ] || ports=${*:i+1:1}
	done
	port=${PORT:-$next_port}
	[ -n "${PORT:-}" ] || next_port=$((next_port + ports))
	arguments=("${@:1:$#-1}" "${CLIENT:-nas-$$,192.0.2.2},$port"
		"${ASKED:-$VIP},${SERVICE_PORT:-1812}" "${!#}")
}

# What requester has said: numbers in the array said by name, and the lines of
# requests in the array requests.
requester_said() {
	local name value

	said=()
	requests=()
	while read -r name value; do
		if [ "$name" = request ]; then
			requests+=("$value")
		else
			said[$name]=$value
		fi
	done <"$traffic/$1"
}

# attributes [NAME VALUE]...: of a packet, in hex. VALUE is a text, or a number
# where the attribute has one; "########" is the number of the request, in four
# octets: see requester.c.
attributes() {
	local -A type=([user]=1 [nas-address]=4 [state]=24 [station]=31
		       [nas]=32 [status]=40 [delay]=41 [session]=44
		       [session-time]=46 [timestamp]=55)
	local value i

	while [ $# -gt 0 ]; do
		case $1 in
		status | delay | session-time | timestamp)
			printf -v value %08x "$2"
			;;
		*)
			value=$2
			[ "$2" = "########" ] || {
				value=
				for ((i = 0; i < ${#2}; i++)); do
					printf -v value "%s%02x" "$value" \
						"'${2:i:1}"
				done
			}
			;;
		esac
		printf %02x%02x%s "${type[$1]}" $((2 + ${#value} / 2)) "$value"
		shift 2
	done
}

# request [OPTION...] COUNT: to the end. patience says how many ms it waits for an
# answer that a test expects, on however slow a machine.
request() {
	requester_arguments ${patience:+-g "$patience"} "$@"
	requester "${arguments[@]}" >"$traffic/request"
	requester_said request
}

# request_start NAME [OPTION...] COUNT: go on meanwhile. It has the patience to
# wait for what a test does, unless it is told to give up.
request_start() {
	requester_arguments -g 60000 "${@:2}"
	requester "${arguments[@]}" >"$traffic/$1" &
	requester_pid[$1]=$!
	defer "kill ${requester_pid[$1]} 2>/dev/null"
}

# request_again NAME: one more copy of all that waits for its answer, with -m.
request_again() {
	kill -USR1 "${requester_pid[$1]}"
}

# request_wait NAME: until it has come to its end.
request_wait() {
	wait "${requester_pid[$1]}"
	requester_said "$1"
}

# request_finish NAME: no new requests, and then to its end.
request_finish() {
	kill -USR2 "${requester_pid[$1]}"
	request_wait "$1"
}

# request_stop NAME: make an end of it.
request_stop() {
	kill "${requester_pid[$1]}"
	request_wait "$1"
}

# servers_of ARRAY [FIRST]: which server answered each of the last requests, as
# its number, into the array from a place on. They were sent with -v.
servers_of() {
	local -n into=$1
	local i=${2:-0} line

	for line in "${requests[@]}"; do
		into[i++]=${line##*[sa]}
	done
}

# told TITLE [NAME N]...: the last requester said so; what is wrong with
# answers is 0 if it is not named.
told() {
	local title=$1 status=0 name
	local -A wanted=([wrong-source]=0 [wrong-code]=0 [stale]=0
			 [unmatched]=0 [refused]=0)

	shift
	while [ $# -gt 0 ]; do
		wanted[$1]=$2
		shift 2
	done
	for name in "${!wanted[@]}"; do
		[ "${said[$name]:-0}" = "${wanted[$name]}" ] || status=1
	done
	result "$title" "$status"
	[ "$status" = 0 ] || for name in "${!said[@]}"; do
		echo "# $name ${said[$name]}, wanted ${wanted[$name]:-any}"
	done
}

# by TITLE LABELS: the only request of the last requester was answered by these
# servers, in that order.
by() {
	[ "${#requests[@]}" = 1 ] && [ "${requests[0]##* }" = "$2" ]
	result "$1" $?
	[ "${requests[*]##* }" = "$2" ] || echo "# ${requests[*]}"
}

# watch: take down the events from now on.
watch() {
	# The command itself, not a function, is what is to be killed.
	radsteer -j monitor >"$traffic/events" &
	defer "kill $! 2>/dev/null && wait $!"
	events_seen=0
	clocks
	wait_for 10 watching
}

# Somebody of this namespace listens to a group of generic netlink.
watching() {
	local socket protocol port_id groups rest

	# Read whole: the file does not like to be read again from its middle.
	while read -r socket protocol port_id groups rest; do
		[ "$protocol" = 16 ] && [ "$groups" != 00000000 ] && return
	done <<<"$(</proc/net/netlink)"
	return 1
}

# The events that were not seen yet into the array events, as "LABEL OLD NEW
# REASON LOSSES", and their times into event_time.
events_read() {
	local line word label
	local -a lines
	local -A of=()

	mapfile -t -s "$events_seen" lines <"$traffic/events"
	events=()
	event_time=()
	for line in "${lines[@]}"; do
		for word in time service address old new reason losses; do
			[[ $line =~ \"$word\":\"?([^\",\}]*) ]]
			of[$word]=${BASH_REMATCH[1]:-}
		done
		label=${of[address]#198.18.}
		label=${label%.*}
		[ "${of[service]}" = accounting ] && label=a$label || label=s$label
		events+=("$label ${of[old]} ${of[new]} ${of[reason]} ${of[losses]}")
		event_time+=("${of[time]}")
	done
}

events_are() {
	events_read
	[ "${#events[@]}" -ge "$1" ]
}

# happened TITLE EVENT...: these events and no others, since the last time.
happened() {
	local title=$1 seen wanted

	shift
	wait_for 5 events_are $#
	events_read
	events_seen=$((events_seen + ${#events[@]}))
	seen=$(printf '%s; ' "${events[@]}")
	wanted=$(printf '%s; ' "$@")
	[ "$seen" = "$wanted" ]
	result "$title" $?
	[ "$seen" = "$wanted" ] || echo "# $seen instead of $wanted"
}

# How far the clock of the events is ahead of the responder's, in ms: by the
# reply that came soonest.
clocks() {
	local before after i soonest=1000000

	for i in {1..10}; do
		before=$((${EPOCHREALTIME/./} / 1000))
		behave all ways
		after=$((${EPOCHREALTIME/./} / 1000))
		[ $((after - before)) -lt "$soonest" ] || continue
		soonest=$((after - before))
		clock_ahead=$(((before + after) / 2 - responder_ms))
	done
}

# event_ms N: when the Nth of the last events was, by the responder's clock.
event_ms() {
	echo $(($(date -d "${event_time[$1]}" +%s%3N) - clock_ahead))
}
