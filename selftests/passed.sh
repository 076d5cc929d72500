#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What is no RADIUS request, or not for a group, passes as it is, and each
# reason has its counter.
#
#	nas ---- gw ---- s1, s2
#	                 s1 has the address that is asked as well: what passes
#	                 untouched arrives there

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 2
ip -n "s1-$$" address add "$VIP/32" dev lo

check "group with master-backup" rs group add g match "$VIP"
check "s2 alone is a server" rs server add g authentication 198.18.2.2

# passes TITLE COUNTER HEX [PORT]: the octets go to VIP and arrive there.
passes() {
	local output

	count_from_here
	output=$(roundtrip -S -x "$3" "nas-$$,192.0.2.2,20000" \
		 "$VIP,${4:-1812}" 1 "s1-$$,$VIP,${4:-1812}")
	[ "$output" = "s1-$$,$VIP,${4:-1812} 1" ]
	result "$1" $?
	counted "$1, counted" "$2" 1
}


a=000102030405060708090a0b0c0d0e0f

passes "P1: an empty datagram" pass-malformed ""
passes "P1: one octet" pass-malformed 01
passes "P1: 19 octets" pass-malformed "01010014${a%??}"
passes "P1: 19 octets that say 19" pass-malformed "01010013${a%??}"
passes "P1: Length 19 in 20 octets" pass-malformed "01010013$a"
passes "P1: Length 0" pass-malformed "01010000$a"
passes "P1: Length beyond the datagram" pass-malformed "01010015$a"
passes "P1: Length 4097" pass-malformed \
	"01011001$a$(printf 'ff%.0s' {1..4076})"
passes "P1: Length 65535" pass-malformed "0101ffff$a"
passes "P3: code 0" pass-code "00010014$a"
passes "P3: Access-Accept" pass-code "02010014$a"
passes "P3: Access-Challenge" pass-code "0b010014$a"
passes "P3: Disconnect-Request" pass-code "28010014$a"
passes "P3: CoA-Request" pass-code "2b010014$a"
passes "P3: code 255" pass-code "ff010014$a"
passes "P3: port 3799" pass-no-match "01010014$a" 3799
passes "P1: Accounting-Request to the port for authentication" pass-service \
	"04010014$a"
passes "P1: a list without a server" pass-no-server "04010014$a" 1813
passes "P1: Access-Request to the port for accounting" pass-service \
	"01010014$a" 1813

count_from_here
trip -S -l 20 1 2
served "P1: a request of 20 octets is steered" 0 1
count_from_here
trip -S -l 4096 1 2
served "P1: a request of 4096 octets is steered" 0 1
trip -S -l 20 -p 100 1 2
served "P1: a request with padding is steered, padding and all" 0 1
all_right "P1: the padding is passed on"
count_from_here
trip -S -k 12 1 2
served "P1, T4: Status-Server is steered" 0 1

count_from_here
at nas bash -c "exec 3<>/dev/tcp/$VIP/1812" 2>/dev/null
declare -A after=()
stats after
[ "${after[pass_not_udp]}" -gt "${counters_before[pass_not_udp]}" ] &&
	[ "${after[steered]}" = "${counters_before[steered]}" ]
result "P3: TCP passes, counted" $?

at nas ping -c 1 -W 2 "$VIP" >/dev/null
result "P3: ICMP passes" $?

done_testing
