# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every test of radsteer needs. Sourced by the tests in this directory;
# each of them is a KTAP document of its own and exits with
#
#	0  every subtest passed
#	1  a subtest failed
#	4  the test cannot run here, and says why
#
# The stage, made by topology N:
#
#	 nas                      gw                         s1
#	192.0.2.2/24 ------ 192.0.2.1/24
#	                    198.18.1.1/24 ------ 198.18.1.2/24
#	                    198.18.2.1/24 ---+
#	                        ...          |               s2
#	                                     +-- 198.18.2.2/24
#
# The module steers in gw. 203.0.113.1, which nobody has, is the address that
# clients ask; the gateway has a route to it, towards s1.
#
# topology6 N, after that, adds IPv6: 2001:db8:1::/64 towards the NAS and
# 2001:db8:2:I::/64 towards server I, the gateway's addresses ending in ::1 and
# the others in ::2; 2001:db8:ffff::1 is what clients ask.

set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PATH="$here:$here/unit:$PATH"

# What the names of the stage's namespaces end in. A test that gives it another
# value has another stage, with the same addresses.
stage=$$

# The address that clients ask, where a test does not say otherwise.
VIP=203.0.113.1
VIP6=2001:db8:ffff::1

ksft_pass=0
ksft_fail=0
declare -A ksft_titles=() counters_before=()
# The counter that moves by itself where there is IPv6: of neighbours that look
# for each other.
unsteady=
declare -a at_exit=()

# Run something at the end, the last given first.
defer() {
	at_exit=("$*" "${at_exit[@]}")
}

run_deferred() {
	local command

	for command in "${at_exit[@]}"; do
		eval "$command"
	done
	at_exit=()
}

trap run_deferred EXIT
trap 'exit 1' INT TERM

skip_all() {
	echo "1..0 # SKIP $*"
	exit 4
}

# Once, even if the test begins anew: see traffic_lib.sh.
[ -n "${RADSTEER_IN_GATEWAY:-}" ] || echo "TAP version 13"
[ "$(id -u)" = 0 ] || skip_all "needs root"

# Every program that is named, or the test cannot run.
require() {
	local program

	for program in "$@"; do
		command -v "$program" >/dev/null || skip_all "needs $program"
	done
}

# result TITLE STATUS: one subtest. A title names the rules that it covers.
result() {
	local number=$((ksft_pass + ksft_fail + 1))

	if [ -n "${ksft_titles[$1]:-}" ]; then
		echo "# the title was used before"
		set -- "$1" 1
	fi
	ksft_titles[$1]=1
	if [ "$2" = 0 ]; then
		ksft_pass=$((ksft_pass + 1))
		echo "ok $number $1"
	else
		ksft_fail=$((ksft_fail + 1))
		echo "not ok $number $1"
	fi
}

# check TITLE COMMAND...: passes if the command succeeds; shows what it said
# if it does not.
check() {
	local title=$1 output status=0

	shift
	output=$("$@" 2>&1) || status=$?
	[ "$status" = 0 ] || sed 's/^/# /' <<<"# $* -> $status"$'\n'"$output"
	result "$title" "$status"
}

# refused TITLE TEXT COMMAND...: passes if the command fails with status 1 and
# one line on standard error that holds the text, and changes nothing.
refused() {
	local title=$1 text=$2 output status=0 before

	shift 2
	before=$(running)
	output=$("$@" 2>&1 >/dev/null) || status=$?
	if [ "$status" != 1 ] || [ "$(wc -l <<<"$output")" != 1 ] ||
	   [[ $output != *"$text"* ]]; then
		echo "# $* -> $status: $output"
		result "$title" 1
	elif [ "$before" != "$(running)" ]; then
		echo "# $* changed the configuration"
		result "$title" 1
	else
		result "$title" 0
	fi
}

done_testing() {
	echo "1..$((ksft_pass + ksft_fail))"
	echo "# passed $ksft_pass, failed $ksft_fail"
	[ "$ksft_pass" -gt 0 ] && [ "$ksft_fail" = 0 ]
	exit
}

# pause SECONDS: like sleep, which would be another process each time.
pause() {
	[ -n "${never:-}" ] || exec {never}<> <(:)
	read -r -t "$1" -u "$never"
	return 0
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	local end=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		pause 0.05
	done
}

# at NAMESPACE COMMAND...
at() {
	local ns=$1

	shift
	ip netns exec "$ns-$stage" "$@"
}

# The command, in the gateway.
rs() {
	at gw radsteer "$@"
}

# All that is configured, without what traffic changes.
running() {
	rs -j show | jq -c 'del(.groups[].servers[][]["requests",
		"retransmissions", "answers", "accepts", "rejects",
		"challenges", "outstanding", "selected", "active", "state",
		"since", "losses", "lost", "late", "unreachable", "failovers",
		"rtt_us"])'
}

load_module() {
	local module

	require modinfo modprobe insmod radsteer jq
	[ -d /sys/module/radsteer ] && return
	if [ -n "${RADSTEER_KO:-}" ]; then
		for module in $(modinfo -F depends "$RADSTEER_KO" |
				tr , ' '); do
			modprobe "$module" || skip_all "needs module $module"
		done
		insmod "$RADSTEER_KO" || skip_all "cannot load $RADSTEER_KO"
	else
		modprobe radsteer || skip_all "needs the module radsteer"
	fi
	defer '[ ! -d /sys/module/radsteer ] || rmmod radsteer'
}

namespace() {
	if [ "$1" = gw ] && [ -n "${RADSTEER_IN_GATEWAY:-}" ]; then
		ip netns attach "$1-$stage" "$$"
	else
		ip netns add "$1-$stage"
	fi || skip_all "needs network namespaces"
	defer "ip netns del $1-$stage 2>/dev/null"
	# IPv6 would not be silent; a kernel without it is, see topology6.
	at "$1" sysctl -eqw net.ipv6.conf.default.disable_ipv6=1 \
		net.ipv6.conf.default.accept_dad=0
	ip -n "$1-$stage" link set lo up
}

# link NAMESPACE ADDRESS GATEWAY-DEVICE GATEWAY-ADDRESS
link() {
	ip link add eth0 netns "$1-$stage" type veth \
		peer name "$3" netns "gw-$stage" ||
		skip_all "needs veth"
	ip -n "gw-$stage" -batch - <<-END
		address add $4/24 dev $3
		link set $3 up
	END
	ip -n "$1-$stage" -batch - <<-END
		address add $2/24 dev eth0
		link set eth0 up
		route add default via $4
	END
}

# topology SERVERS: the stage above.
topology() {
	local i

	load_module
	namespace gw
	namespace nas
	link nas 192.0.2.2 nas 192.0.2.1
	for ((i = 1; i <= $1; i++)); do
		namespace "s$i"
		link "s$i" "198.18.$i.2" "s$i" "198.18.$i.1"
	done
	at gw sysctl -qw net.ipv4.ip_forward=1
	ip -n "gw-$stage" route add "$VIP" via 198.18.1.2
}

# link6 NAMESPACE GATEWAY-DEVICE PREFIX: IPv6 beside IPv4.
link6() {
	ip -n "gw-$stage" address add "$3::1/64" dev "$2" nodad
	ip -n "$1-$stage" -batch - <<-END
		address add $3::2/64 dev eth0 nodad
		route add default via $3::1
	END
}

# topology6 SERVERS: IPv6 on the stage that topology has made.
topology6() {
	local i ns

	[ -d /proc/sys/net/ipv6 ] || skip_all "needs IPv6"
	for ns in gw nas $(seq -f 's%g' "$1"); do
		at "$ns" sysctl -qw net.ipv6.conf.all.disable_ipv6=0
	done
	at gw sysctl -qw net.ipv6.conf.all.forwarding=1
	link6 nas nas 2001:db8:1
	for ((i = 1; i <= $1; i++)); do
		link6 "s$i" "s$i" "2001:db8:2:$i"
	done
	ip -n "gw-$stage" route add "$VIP6" via 2001:db8:2:1::2
	unsteady=pass_not_udp
}

# servers GROUP SERVICE N [WEIGHT...]: the first N servers of the stage.
servers() {
	servers_like 198.18.%u.2 "$@"
}

# The same with their IPv6 addresses.
servers6() {
	servers_like 2001:db8:2:%u::2 "$@"
}

servers_like() {
	local format=$1 group=$2 service=$3 count=$4 i address

	shift 4
	for ((i = 1; i <= count; i++)); do
		# shellcheck disable=SC2059 # one of the two above
		printf -v address "$format" "$i"
		rs server add "$group" "$service" "$address" \
			weight "${1:-0}" || return
		shift $(($# > 0))
	done
}

# ends N [PORT]: the servers of the stage as roundtrip wants them.
ends() {
	local i

	for ((i = 1; i <= $1; i++)); do
		echo "s$i-$stage,198.18.$i.2,${2:-1812}"
	done
}

# The same with their IPv6 addresses.
ends6() {
	local i

	for ((i = 1; i <= $1; i++)); do
		echo "s$i-$stage,2001:db8:2:$i::2,${2:-1812}"
	done
}

# trip [OPTION...] COUNT N [PORT]: round trips from the NAS to VIP. What the
# servers saw is in the array got, what went wrong in wrong.
trip() {
	trip_from "nas-$stage,192.0.2.2,20000" "$@"
}

# The same from the gateway itself.
trip_local() {
	trip_from "gw-$stage,192.0.2.1,20000" "$@"
}

# Both with IPv6, to VIP6.
trip6() {
	trip_from "nas-$stage,2001:db8:1::2,20000" "$@"
}

trip6_local() {
	trip_from "gw-$stage,2001:db8:1::1,20000" "$@"
}

trip_from() {
	local client=$1 output name value port asked=$VIP list=ends
	local -a options=()

	if [[ $client == *:* ]]; then
		asked=$VIP6
		list=ends6
	fi

	shift
	while [[ $1 == -* ]]; do
		options+=("$1")
		shift
		if [[ ${options[-1]} != -[CDSEnFNPwz] ]]; then
			options+=("$1")
			shift
		fi
	done
	port=${3:-1812}
	# shellcheck disable=SC2046 # a word for each server
	output=$(roundtrip "${options[@]}" "$client" "${ASKED:-$asked},$port" \
		 "$1" $("$list" "$2" "$port"))
	got=()
	wrong=()
	while read -r name value; do
		case $name in
		*,*) got+=("$value") ;;
		?*) wrong+=("$name=$value") ;;
		esac
	done <<<"$output"
}

# all_right TITLE: nothing went wrong in the last trip.
all_right() {
	[ "${#got[@]}" -gt 0 ] && [ "${#wrong[@]}" = 0 ]
	result "$1" $?
	[ "${#wrong[@]}" = 0 ] || echo "# ${wrong[*]}"
}

# served TITLE COUNT...: the servers saw that many requests in the last trip.
served() {
	local title=$1

	shift
	[ "${got[*]}" = "$*" ]
	result "$title" $?
	[ "${got[*]}" = "$*" ] || echo "# ${got[*]} instead of $*"
}

# stats NAME: all counters of the gateway, into an associative array.
stats() {
	local -n into=$1
	local json pair
	local -a pairs

	json=$(rs -j stats)
	IFS=, read -r -a pairs <<<"${json//[\{\}\"]/}"
	into=()
	for pair in "${pairs[@]}"; do
		into[${pair%%:*}]=${pair#*:}
	done
}

# counter NAME: a counter of the gateway.
counter() {
	local -A now

	stats now
	echo "${now[${1//-/_}]:-}"
}

# counter_is NAME N
counter_is() {
	[ "$(counter "$1")" = "$2" ]
}

# Keep the counters for counted.
count_from_here() {
	stats counters_before
}

# counted TITLE [NAME N]...: since count_from_here, every counter named went
# up by N, and all others of packets by nothing. What time alone can move, lost
# and expired and what is unsteady, has to be named to count.
counted() {
	local title=$1 differing='' name went
	local -A wanted=() now

	shift
	while [ $# -gt 0 ]; do
		wanted[${1//-/_}]=$2
		shift 2
	done
	stats now
	[ "${#now[@]}" -gt 0 ] || differing=" nothing"
	for name in "${!now[@]}" "${!wanted[@]}"; do
		[[ $name != @(outstanding|remembered|states|sessions|users) ]] ||
			continue
		[[ $name != @(lost|*expired|"$unsteady") || -n ${wanted[$name]:-} ]] ||
			continue
		went=$((${now[$name]:--1} - ${counters_before[$name]:-0}))
		[ "$went" = "${wanted[$name]:-0}" ] ||
			differing+=" $name $went instead of ${wanted[$name]:-0},"
	done
	[ -z "$differing" ]
	result "$title" $?
	[ -z "$differing" ] || echo "#${differing%,}"
}

# shares TITLE WEIGHT...: the shares of the last trip agree with the weights,
# by a chi-square test that is wrong once in a million.
shares() {
	local title=$1

	shift
	check "$title" chisq "${got[@]}" -- "$@"
}
