#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# UDP checksums stay right, whoever of the way computes or checks them; none is
# made where there was none, and what comes with a wrong one is not believed.
#
#	nas ---- gw ---- s1, which has the address asked as well: what passes
#	                 untouched comes there

. "$(dirname "$0")/lib.sh"

require roundtrip nft ethtool nstat tcpdump tshark
topology 1
topology6 1
ip -n "s1-$$" address add "$VIP/32" dev lo
ip -n "s1-$$" address add "$VIP6/128" dev lo nodad

check "a group of IPv4" rs group add four match "$VIP"
check "its server" rs server add four authentication 198.18.1.2
check "a group of IPv6" rs group add six match "$VIP6"
check "its server, the other" \
	rs server add six authentication 2001:db8:2:1::2
rs set dead-count 65535

# Seen last of all, by who gets it.
for ns in nas gw s1; do
	at "$ns" nft -f - <<-N || skip_all "needs nftables"
		table inet seen {
			counter mangled { }
			counter unsummed { }
			counter untouched { }
			chain late {
				type filter hook input priority 300;
				udp checksum 0xffff counter name mangled
				udp checksum 0 counter name unsummed
				meta l4proto != udp accept
				ip daddr $VIP counter name untouched
				ip6 daddr $VIP6 counter name untouched
				ip saddr 198.18.1.2 counter name untouched
				ip6 saddr 2001:db8:2:1::2 counter name untouched
			}
		}
	N
done

# seen TITLE NAMESPACE COUNTER N [COUNTER N]...: since the last time.
seen() {
	local title=$1 ns=$2 word value name status=0
	local -A now=()

	shift 2
	while read -r word value _; do
		case $word in
		counter) name=$value ;;
		packets) now[$name]=$value ;;
		esac
	done < <(at "$ns" nft reset counters table inet seen)
	while [ $# -gt 0 ]; do
		[ "${now[$1]:-}" = "$2" ] || status=1
		[ "${now[$1]:-}" = "$2" ] ||
			echo "# $ns: $1 ${now[$1]:-} instead of $2"
		shift 2
	done
	result "$title" "$status"
}

# refuse NAMESPACE: datagrams that it did not believe.
refuse() {
	at "$1" nstat -asz UdpInCsumErrors Udp6InCsumErrors |
		{ read -r _; read -r _ a _; read -r _ b _; echo $((a + b)); }
}

# each TITLE [OPTION...] COUNT: forwarded and local, of both families.
each() {
	local title=$1 trip
	local -a all=()

	shift
	for trip in trip trip6 trip_local trip6_local; do
		"$trip" "$@" 1
		all+=("${wrong[@]/#/$trip }")
		[ "${got[*]}" = "${*: -1}" ] || all+=("$trip got ${got[*]}")
	done
	wrong=("${all[@]}")
	all_right "$title"
}

# offload NAMESPACE DEVICE on|off
offload() {
	at "$1" ethtool -K "$2" tx "$3" rx "$3" >/dev/null ||
		echo "# no offload $*"
}

each "R1: all offloads on" 4
for ns in nas gw s1; do
	seen "R1: sums are made for whoever asks for them, $ns" "$ns" \
		unsummed 0 untouched 0
done
# Who leaves the sum to who sends it on: all 16 sets of these, by one change
# each.
declare -A leaves=([nas]=on [gw-nas]=on [gw-s1]=on [s1]=on)
for change in none nas gw-nas nas gw-s1 nas gw-nas nas s1 nas gw-nas nas \
	      gw-s1 nas gw-nas nas; do
	if [ "$change" != none ]; then
		[ "${leaves[$change]}" = on ] && leaves[$change]=off ||
			leaves[$change]=on
		case $change in
		gw-*) offload gw "${change#gw-}" "${leaves[$change]}" ;;
		*) offload "$change" eth0 "${leaves[$change]}" ;;
		esac
	fi
	label="nas ${leaves[nas]}, gw ${leaves[gw-nas]} and ${leaves[gw-s1]}"
	label+=", s1 ${leaves[s1]}"
	each "R1: sums of 0, $label" -z -L 100 2

	# The sum is there when somebody did not leave it to the next.
	forwarded=4 local=4 answers=4 local_answers=4
	[ "${leaves[gw-s1]}" = off ] || local=0
	[ "${leaves[nas]}${leaves[gw-s1]}" != onon ] || forwarded=0
	[ "${leaves[s1]}" = off ] || local_answers=0
	[ "${leaves[s1]}${leaves[gw-nas]}" != onon ] || answers=0
	seen "R1: sums of 0 come to s1 as 0xffff, $label" s1 \
		mangled $((forwarded + local)) unsummed 0 untouched 0
	seen "R1: and to nas, $label" nas \
		mangled "$answers" unsummed 0 untouched 0
	seen "R1: and to gw, $label" gw \
		mangled "$local_answers" unsummed 0 untouched 0
done
for ns in nas gw s1; do
	check "R1: $ns believed all of them" test "$(refuse "$ns")" = 0
done

# Everybody computes sums: what is on the wire is what counts.
for device in nas,eth0 gw,nas gw,s1 s1,eth0; do
	offload "${device%,*}" "${device#*,}" off
done
captures=$(mktemp -d) || skip_all "needs a temporary directory"
defer rm -rf "$captures"
for ns in nas s1; do
	at "$ns" tcpdump -U -i eth0 -w "$captures/$ns" udp port 1812 \
		2>"$captures/$ns.said" &
	defer "kill $! 2>/dev/null"
	wait_for 20 grep -q listening "$captures/$ns.said"
done
each "R1: captured" 3
each "R1: captured, sums of 0" -z 3
count_from_here
trip -N 3 1
all_right "R1: without checksums"
trip_local -N 3 1
all_right "R1: local ones without checksums"
counted "R1: those are steered" steered 6 answers 6 pass-no-match 6
seen "R1: no checksum is made for requests" s1 unsummed 6 untouched 0
seen "R1: nor for answers" nas unsummed 3 untouched 0
seen "R1: nor for local ones" gw unsummed 3 untouched 0

# captured NAMESPACE N: so many packets in its file.
captured() {
	[ "$(tcpdump -r "$captures/$1" 2>/dev/null | wc -l)" = "$2" ]
}

# nas: 2 families, 2 runs, 3 trips both ways, and 3 without a sum; s1 the same
# of the local ones beside.
wait_for 20 captured nas 30
wait_for 20 captured s1 60
tail -c +25 "$captures/s1" | cat "$captures/nas" - >"$captures/both"
read -r good bad absent <<<"$(tshark -r "$captures/both" -T fields \
	-o udp.check_checksum:TRUE -o ip.check_checksum:TRUE \
	-e udp.checksum.status -e ip.checksum.status 2>/dev/null | awk '
	/0/ { bad++ }
	$1 == 1 && ($2 == "" || $2 == 1) { good++ }
	$1 == 3 && $2 == 1 { absent++ }
	END { print good + 0, bad + 0, absent + 0 }')"
check "R1: all checksums of UDP and IPv4 are right, as another sees it" \
	test "$good $bad $absent" = "72 0 18"

# Wrong ones.
for trip in trip trip6 trip_local trip6_local; do
	seen "nothing is left to see at s1, $trip" s1
	seen "nothing is left to see at nas, $trip" nas
	seen "nothing is left to see at gw, $trip" gw
	before=$(refuse s1)
	count_from_here
	"$trip" -S -w -f 1500,0 1 1
	all_right "P3: a request with a wrong checksum, $trip"
	counted "P3: it passes, counted, $trip" pass-checksum 1
	seen "P3: it passes untouched, $trip" s1 untouched 1
	check "P3: s1 does not believe it, $trip" \
		test "$(refuse s1)" = $((before + 1))

	[[ $trip == *local ]] && ns=gw || ns=nas
	before=$(refuse "$ns")
	count_from_here
	"$trip" -w -g 1500,0 1 1
	all_right "R4: an answer with a wrong checksum, $trip"
	counted "R4: it is not believed, $trip" \
		steered 1 pass-no-match 1 answer-stray 1
	seen "R4: it passes untouched, $trip" "$ns" untouched 1
	check "R4: $ns does not believe it either, $trip" \
		test "$(refuse "$ns")" = $((before + 1))
done

done_testing
