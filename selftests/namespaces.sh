#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every network namespace is on its own: two gateways whose addresses, groups,
# clients and requests are the same, and gateways that go under traffic.
#
#	nas ---- gw ---- s1, s2		stage one: s1 is the master
#	nas ---- gw ---- s1, s2		stage two, the same addresses: s2 is
#	nas ---- gw ---- s1		stages that come and go

. "$(dirname "$0")/lib.sh"

require roundtrip requester unshare
work=$(mktemp -d) || skip_all "needs a temporary directory"
defer rm -rf "$work"
one=$$
two=$$-two
declare -A name=([$one]=one [$two]=two) other=([$one]=$two [$two]=$one)

# within STAGE COMMAND...
within() {
	local stage=$1

	shift
	"$@"
}

# Somebody in the gateway waits for events.
listening() {
	at gw awk '$2 == 16 && $4 != "00000000" { n++ } END { exit !n }' \
		/proc/net/netlink
}

for stage in "$two" "$one"; do
	topology 2
	topology6 2
	ip netns exec "gw-$stage" radsteer -j monitor >"$work/${name[$stage]}" &
	defer "kill $! 2>/dev/null && wait $!"
	wait_for 10 listening || skip_all "cannot listen to events"
done

# groups FIRST SECOND: both groups, with these servers.
groups() {
	local i

	rs group add g timeout 60 match "$VIP" &&
		rs group add g6 timeout 60 match "$VIP6" || return
	for i in "$@"; do
		rs server add g authentication "198.18.$i.2" &&
			rs server add g6 authentication "2001:db8:2:$i::2" ||
			return
	done
}

check "P7: groups in a namespace" groups 1 2
check "P7: nothing of them in another" \
	jq -e '.groups == []' <<<"$(within "$two" rs -j show)"
check "P7: groups of the same names and matches there" \
	within "$two" groups 2 1
before=$(within "$two" running)
rs set dead-count 2 dead-interval 0 duplicate-window 0
check "P7: settings are of one alone" \
	test "$before" = "$(within "$two" running)"
within "$two" rs set dead-count 65535 duplicate-window 0
check "P7: and stay when the other's change" jq -e '.settings |
	."dead-count" == 2 or .dead_count == 2' <<<"$(rs -j show)"

# Clients, ports and Identifiers are the same again and again.
for way in trip trip_local trip6 trip6_local; do
	for stage in "$one" "$two"; do
		title="$way in stage ${name[$stage]}"
		within "${other[$stage]}" count_from_here
		"$way" 100 2
		all_right "P7, R1: $title"
		[ "$stage" = "$one" ] && wanted="100 0" || wanted="0 100"
		# shellcheck disable=SC2086 # a word for each server
		served "M2: $title: to its own master" $wanted
		within "${other[$stage]}" \
			counted "P7: $title: the other counts nothing"
	done
done
for stage in "$one" "$two"; do
	check "P7: stage ${name[$stage]} has counted its own alone" jq -e '
		.steered == 400 and .answers == 400' <<<"$(rs -j stats)"
done
stage=$one

# outstanding N: so many requests wait for their answers.
outstanding() {
	jq -e ".requests | length == $1" <<<"$(rs -j request show)"
}

# The very same packet in both, and what looks like its answer.
packet=ee001400112233445566778899aabbccddeeff
same_packet() {
	local title=$1 nas=$2 server=$3 asked=$4
	local -a ends=()
	local i

	# send: to whichever server gets it.
	send() {
		ends=()
		for i in 1 2; do
			ends+=("s$i-$stage,${server/I/$i},1812")
		done
		roundtrip -S -x "01$packet" "nas-$stage,$nas,20009" \
			"$asked,1812" 1 "${ends[@]}" >/dev/null
	}
	# answer FROM: of s1, which the client sees come from there.
	answer() {
		roundtrip -S -x "02$packet" -v "$1,1812" \
			"s1-$stage,${server/I/1},1812" "$nas,20009" 1 \
			"nas-$stage,$nas,20009"
	}

	check "$title: a packet" send
	check "P7, $title: it is outstanding" outstanding 1
	check "P7, $title: not in the other" within "$two" outstanding 0
	within "$two" count_from_here
	check "P7, $title: its answer is untouched in the other" \
		within "$two" answer "${server/I/1}"
	within "$two" counted "R4, $title: a stray" \
		pass-no-match 1 answer-stray 1
	within "$two" count_from_here
	check "$title: the same packet in the other" within "$two" send
	within "$two" counted "T1, $title: a first copy there" steered 1
	count_from_here
	check "$title: the same packet again" send
	check "R1, $title: its answer" answer "$asked"
	counted "T1, $title: a retransmission here" steered 1 \
		retransmissions 1 lost 1 answers 1 pass-no-match 1
	check "P7, $title: answered, outstanding no more" outstanding 0
	check "P7, $title: it still is in the other" within "$two" outstanding 1
	within "$two" rs group del "$5"
	check "C3, $title: until its group goes" within "$two" outstanding 0
}

# A server that is silent: Down in one, no matter in two.
for way in trip trip6; do
	for stage in "$two" "$one"; do
		"$way" -S -r 3 1 2
	done
done
states() {
	jq -c '[.groups[].servers.authentication[].state]' <<<"$(rs -j show)"
}
check "S2: the masters are Down in one" \
	test "$(states)" = '["down","up","down","up"]'
check "P7: and Up in two" \
	test "$(within "$two" states)" = '["up","up","up","up"]'

# An event of its own says that what came before would have been there.
within "$two" rs set dead-count 2 dead-interval 0
within "$two" trip -S -r 3 1 2
check "S7: the other's event" wait_for 10 grep -q losses "$work/two"
check "P7: one has its events alone" test "$(jq -r '.address' "$work/one" |
	paste -sd ' ')" = "198.18.1.2 2001:db8:2:1::2"
check "P7: two has its event alone" test "$(jq -r '.address' "$work/two" |
	paste -sd ' ')" = 198.18.2.2
within "$two" rs set dead-count 65535
for stage in "$one" "$two"; do
	rs group del g
	rs group del g6
done
groups 1 2
within "$one" groups 1 2
stage=$one

same_packet IPv4 192.0.2.2 198.18.I.2 "$VIP" g
same_packet IPv6 2001:db8:1::2 2001:db8:2:I::2 "$VIP6" g6

# Gateways go, another one's traffic goes on: every round trip there is right.
bystander() {
	while [ -e "$work/go" ]; do
		pause 0.2
		trip 50 2
		echo "${got[*]} ${wrong[*]}"
		trip6_local 50 2
		echo "${got[*]} ${wrong[*]}"
	done >"$work/bystander"
}
touch "$work/go"
count_from_here
bystander &
bystander=$!
defer "rm -f '$work/go'"

steering() {
	[ "$(counter steered)" -ge 50 ]
}

# leave CLIENT ADDRESS ADDRESS6 N: the gateway of another stage goes while these
# send. If they are in it, it goes with them, their sockets being the last that
# hold it.
leave() {
	local -a pids=()

	namespace gw
	link nas 192.0.2.2 nas 192.0.2.1
	link s1 198.18.1.2 s1 198.18.1.1
	at gw sysctl -qw net.ipv4.ip_forward=1
	topology6 1
	groups 1
	ip -n "gw-$stage" route add "$VIP" via 198.18.1.2
	requester -p 64 -s 0,5,10 -r 50 "$1-$stage,$2,30000" "$VIP,1812" \
		1000000 >/dev/null 2>&1 &
	pids+=($!)
	roundtrip "$1-$stage,$3,20000" "$VIP6,1812" 1000000 \
		"s1-$stage,2001:db8:2:1::2,1812" >/dev/null 2>&1 &
	pids+=($!)
	wait_for 30 steering || echo "# nothing was steered"
	ip netns del "gw-$stage"
	[ "$1" != gw ] || kill -KILL "${pids[@]}"
	# Its devices go with it, and with them their peers.
	wait_for 60 eval '! ip -n "nas-$stage" link show eth0'
	result "C4: a gateway goes under traffic, $1 $4" $?
	kill -KILL "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
}

stage=$$-going
namespace nas
namespace s1
for i in {1..5}; do
	leave nas 192.0.2.2 2001:db8:1::2 "$i"
	leave gw 192.0.2.1 2001:db8:1::1 "$i"
done
stage=$one

rm "$work/go"
wait "$bystander"
trips=$(wc -l <"$work/bystander")
check "P7: another gateway's traffic was right all the time" \
	test "$(sort -u "$work/bystander")" = "50 0 "
counted "P7: each of its requests was steered and answered once" \
	steered $((trips * 50)) answers $((trips * 50)) \
	pass-no-match $((trips * 50))
trip6 100 2
all_right "C4: it still steers"
for stage in "$one" "$two"; do
	ip netns del "gw-$stage"
done
check "C4: the module goes when all gateways are gone" \
	wait_for 60 rmmod radsteer

done_testing
