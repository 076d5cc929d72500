#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The exchanges that RFCs print, octet by octet, and two of accounting made as
# RFC 2866 says, which prints none.
#
#	nas ---- gw ---- s1
#
#	203.0.113.1, 2001:db8:ffff::1	groups g and g6: s1

. "$(dirname "$0")/lib.sh"

require roundtrip md5sum
topology 1
topology6 1
rs group add g accounting independent match "$VIP"
rs group add g6 accounting independent match "$VIP6"
for service in authentication accounting; do
	servers g "$service" 1
	servers6 g6 "$service" 1
done

# What the secret of all of them is, in hex: xyzzy5461.
secret=78797a7a7935343631

# signed REQUEST ANSWER: the answer's Authenticator is right, so that neither
# was copied wrongly.
signed() {
	local octets=${2:0:8}${1:8:32}${2:40}$secret text='' i

	for ((i = 0; i < ${#octets}; i += 2)); do
		text+="\x${octets:i:2}"
	done
	[ "$(printf '%b' "$text" | md5sum)" = "${2:8:32}  -" ]
}

port=20000
# exchange TITLE PORT REQUEST ANSWER [NAME N]: with that counter, too.
exchange() {
	local ns address asked list

	check "$1: signed" signed "$3" "$4"
	while read -r ns address asked list; do
		count_from_here
		check "R1, R5: $1, $ns asks $asked" \
			roundtrip -x "$3" -X "$4" \
			"$ns-$$,$address,$((port += 1))" "$asked,$2" 1 \
			"$("$list" 1 "$2")"
		counted "P1: $1, $ns asks $asked, counted" steered 1 \
			answers 1 pass-no-match 1 "${@:5}"
	done <<-END
		nas 192.0.2.2 $VIP ends
		gw 192.0.2.1 $VIP ends
		nas 2001:db8:1::2 $VIP6 ends6
		gw 2001:db8:1::1 $VIP6 ends6
	END
}

exchange "RFC 2865 7.1, a user for a host" 1812 \
010000380f403f9473978057bd83d5cb98f4227a01066e656d6f02120dbe708d93d413ce3196e43f782a0aee0406c0a80110050600000003 \
0200002686fe220e7624ba2a1005f6bf9b55e0b20606000000010f06000000000e06c0a80103
exchange "RFC 2865 7.2, a user with CHAP" 1812 \
010100472aee86f08d0d55969ca5978e0d3367a20108666c6f707379031316e97557c316185895f293ff63440772750406c0a80110050600000014060600000002070600000001 \
0201003815efbc7dab26cfa3dc34d9c03c8601a40606000000020706000000010806fffffffe0a06000000020d06000000010c06000005dc
exchange "RFC 2865 7.3, a user who is challenged" 1812 \
01020039f3a47a1f6a6d76710b947ab93041a03901076d6f707379021233657573778289b570885e15084825c50406c0a80110050600000007 \
0b02004e36f3c8764ae8c71157403c0c71ff9c4512304368616c6c656e67652033323736393433302e2020456e74657220726573706f6e73652061742070726f6d70742e180a3332373639343330
exchange "RFC 2865 7.3, E2, the response, rejected" 1812 \
01030043b122556d428a13d0d6253807c457ecf001076d6f7073790212692c1f205fc081b919b95195f561a5810406c0a80110050600000007180a3332373639343330 \
03030014a42f4fca45916c4e09c8340f9e746aa0 state-hits 1
exchange "RFC 2866, Start" 1813 \
040400362ec1a0831fd7ce99b4318f376420093501066e656d6f0406c0a801100506000000032806000000012c0a3030303030303031 \
05040014d30f4ab79ce9776039f6ee98f832dce2
exchange "RFC 2866, Stop" 1813 \
0405003c5e4391578f9f9864617f0b1f36c685fb01066e656d6f0406c0a801100506000000032806000000022c0a30303030303030312e060000003c \
050500141ade0c696fd51727b01c1b1b7c555074
exchange "RFC 5997 6.1, T4, Status-Server" 1812 \
0cda00268a54f4686fb394c52866e302185d062350125a665e2e1e8411f3e243822097c84fa3 \
02da0014ef0d552a4bf2d693ec2b6fe8b5411d66
exchange "RFC 5997 6.2, T4, Status-Server for accounting" 1813 \
0cb30026925f6b66dd5fed571fcb1db7ad3882605012e8d6eabda910875cd91fdade26367858 \
05b300140f6f92145f107e2f504e860a4860669c
exchange "RFC 5997 6.3, T4, a longer one" 1812 \
0c47002cbf58de56ae408ad3b70c8513f9b03fbe0406c00002105012852d6fec61e7ed74b8e32dac2f2a5fb2 \
0247003446f43e62fd0354424cbbebfd6d214e06122052414449555320536572766572207570203220646179732c2031383a3430

done_testing
