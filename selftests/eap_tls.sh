#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Real logins by EAP-TLS, whose certificates make RADIUS packets longer than the
# links carry: each of these is in fragments on either side of the gateway.
#
#	nas                     gw                          s1
#	eapol_test ----- eapol_test, radsteer ------ FreeRADIUS
#	192.0.2.2        192.0.2.1                   198.18.1.2
#	2001:db8:1::2    2001:db8:1::1          2001:db8:2:1::2
#
# eapol_test connects its socket to the address that it asks, checks what the
# server has signed, and at the end compares the keys of both sides: that it
# says SUCCESS tells that no octet was changed on the way.

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"

# The test itself runs in the gateway, which spares it the way there.
if [ -z "${RADSTEER_IN_GATEWAY:-}" ]; then
	RADSTEER_IN_GATEWAY=1 exec unshare --net "$BASH" "$0" "$@"
fi

rs() {
	radsteer "$@"
}

require eapol_test openssl nft unshare
require_freeradius
topology 1
topology6 1

declare -A way=([nas]=forwarded [gw]=local)
declare -A asked_at=([4]=$VIP [6]=$VIP6) server_at=([4]=198.18.1.2
	[6]=2001:db8:2:1::2)
declare -A client=([nas4]=192.0.2.2 [nas6]=2001:db8:1::2
	[gw4]=192.0.2.1 [gw6]=2001:db8:1::1)

freeradius_ipv6=1
freeradius_eap=$freeradius_root
said=$freeradius_root/said

# certificate NAME [ISSUER [CA]]: with names enough to be of 3 KB. Its file holds
# those of its issuers as well, but for the root.
certificate() {
	local name=$freeradius_eap/$1 issuer=${2:+$freeradius_eap/$2}

	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-days 30 -subj "/O=radsteer/CN=$1" \
		${issuer:+-CA "$issuer.crt" -CAkey "$issuer.key"} \
		-addext "basicConstraints=critical,CA:${3:-TRUE}" \
		-addext "subjectAltName=DNS:$1$(printf ',DNS:%060d.example' \
			{1..40})" \
		-keyout "$name.key" -out "$name.crt" || return
	[[ ${2:-root} == root ]] || cat "$issuer.crt" >>"$name.crt"
}

certificates() {
	certificate root && certificate first root &&
		certificate second first && certificate server second FALSE &&
		certificate alice second FALSE &&
		certificate stranger && certificate mallory stranger FALSE &&
		cat "$freeradius_eap/stranger.crt" >>"$freeradius_eap/mallory.crt"
}

# What a user's eapol_test is to do, with EAP packets as long as that.
eapol() {
	cat <<END
network={
	key_mgmt=IEEE8021X
	eap=TLS
	identity="$1"
	ca_cert="$freeradius_eap/root.crt"
	client_cert="$freeradius_eap/$1.crt"
	private_key="$freeradius_eap/$1.key"
	fragment_size=$2
}
END
}

# Fragments that arrive, before anybody puts them together, by device.
watch_fragments() {
	at "$1" nft -f - <<-'N'
	table inet seen {
		counter nas { }
		counter s1 { }
		counter eth0 { }
		chain fragment {
			counter name iifname map {
				"nas" : "nas", "s1" : "s1", "eth0" : "eth0"
			}
		}
		chain early {
			type filter hook prerouting priority -500;
			ip frag-off & 0x3fff != 0 goto fragment
			exthdr frag exists goto fragment
		}
	}
	N
}

# What came since the last time, into the array fragments, as in "s1-eth0".
fragments() {
	local name word value device

	for name in nas gw s1; do
		while read -r word value _; do
			case $word in
			counter) device=$value ;;
			packets) fragments[$name-$device]=$value ;;
			esac
		done < <(at "$name" nft reset counters table inet seen)
	done
}
declare -A fragments=()

# Set the MTU of all links.
links() {
	ip -n "nas-$$" link set eth0 mtu "$1" &&
		ip -n "gw-$$" link set nas mtu "$1" &&
		ip -n "gw-$$" link set s1 mtu "$1" &&
		ip -n "s1-$$" link set eth0 mtu "$1"
}

# in_pieces LENGTH: add the fragments that a RADIUS packet takes to least and
# most. All but the last hold a multiple of 8 octets, the last may hold more.
in_pieces() {
	local room=$((mtu - 20)) octets=$(($1 + 8)) even

	[ "$octets" -gt $((family == 4 ? room : room - 20)) ] || return
	[ "$family" = 4 ] || room=$((mtu - 48))
	even=$((room / 8 * 8))
	least=$((least + 1 + (octets - room + even - 1) / even))
	most=$((most + (octets + even - 1) / even))
}

# login USER SIZE: from $from by IPv$family; what eapol_test says is in the file
# $said. Sets, of requests and answers alike, how many there were, the longest,
# and how many fragments they take; copies are requests that were sent again.
login() {
	local line kind length id
	local -A length_of=()

	count_from_here
	forget_records s1
	at "$from" eapol_test -c "$freeradius_eap/$1-$2" \
		-a "${asked_at[$family]}" -A "${client[$from$family]}" \
		-s "$RADIUS_SECRET" -N "12:d:$2" -t 200 >"$said" 2>&1
	fragments
	declare -gA count=([requests]=0 [answers]=0 [copies]=0)
	declare -gA longest=([requests]=0 [answers]=0)
	declare -gA least_of=([requests]=0 [answers]=0) most_of=()
	while read -r line; do
		if [[ $line =~ code=1\ .*identifier=(.*)\ length=(.*) ]]; then
			kind=requests
			length=${BASH_REMATCH[2]}
			length_of[${BASH_REMATCH[1]}]=$length
		elif [[ $line =~ Resending.*id=([0-9]*) ]]; then
			kind=requests
			length=${length_of[${BASH_REMATCH[1]}]}
			count[copies]=$((count[copies] + 1))
		elif [[ $line =~ Received\ ([0-9]*)\ bytes ]]; then
			kind=answers
			length=${BASH_REMATCH[1]}
		else
			continue
		fi
		count[$kind]=$((count[$kind] + 1))
		[ "$length" -le "${longest[$kind]}" ] || longest[$kind]=$length
		least=${least_of[$kind]} most=${most_of[$kind]:-0}
		in_pieces "$length"
		least_of[$kind]=$least most_of[$kind]=$most
	done < <(grep -E '^RADIUS message|Resending RADIUS|^Received .* RADIUS' \
		"$said")
}

# in_fragments KIND WHERE: those of the last login came in as many fragments as
# they take, and there were some.
in_fragments() {
	local seen=${fragments[$2]}

	echo "$1 by $2: $seen of ${least_of[$1]} to ${most_of[$1]}"
	[ "${least_of[$1]}" -gt 1 ] && [ "$seen" -ge "${least_of[$1]}" ] &&
		[ "$seen" -le "${most_of[$1]}" ]
}

# Those of the last login, on each link that it took.
all_in_fragments() {
	in_fragments requests s1-eth0 && in_fragments answers gw-s1 || return
	if [ "$from" = nas ]; then
		in_fragments requests gw-nas && in_fragments answers nas-eth0
	else
		[ "${fragments[gw-nas]},${fragments[nas-eth0]}" = 0,0 ]
	fi
}

# The server took each request once, from the client itself.
client_seen() {
	local first=$((count[requests] - count[copies])) all own

	all=$(recorded "" s1)
	own="Access-Request ${client[$from$family]} ${server_at[$family]} 1812"
	own=$(recorded "$own $1 " s1)
	echo "$first requests, the server has $all, $own as they should be"
	[ "$all" = "$first" ] && [ "$own" = "$first" ]
}

# ended WORD CODE: what eapol_test and the server say in the end.
ended() {
	[ "$(tail -n 1 "$said")" = "$1" ] &&
		[ "$(grep -c "^RADIUS message: code=$2 " "$said")" = 1 ] &&
		return
	grep -E '^(RADIUS|EAP|SSL|OpenSSL|Re|[A-Z]*$)' "$said" | tail -n 40
	return 1
}

# judge USER HOW WORD CODE: all that is to be said of the last login.
judge() {
	check "P1, R1: $3 for $1, $2" ended "$3" "$4"
	# All but the first carry the State of the challenge before, behind all
	# of the certificates.
	counted "P7, E2: each request steered, each answer given back, $1, $2" \
		steered "${count[requests]}" answers "${count[answers]}" \
		state-hits $((count[requests] - count[copies] - 1)) \
		pass-no-match "${count[answers]}" \
		retransmissions "${count[copies]}"
	check "R1: as many answers as requests, $1, $2" test \
		"${count[answers]}" = $((count[requests] - count[copies]))
	check "P1: fragments on each link both ways, $1, $2" all_in_fragments
	check "P4: the server sees the client itself, $1, $2" client_seen "$1"
}

check "certificates" certificates
for size in 1440 3900; do
	for name in alice mallory; do
		eapol "$name" "$size" >"$freeradius_eap/$name-$size"
	done
done
check "FreeRADIUS starts" freeradius_all 1
for name in nas gw s1; do
	check "fragments are counted in $name" watch_fragments "$name"
done
[ "$ksft_fail" = 0 ] || done_testing

check "a group of IPv4" rs group add four match "$VIP"
check "its server" servers four authentication 1
check "a group of IPv6" rs group add six match "$VIP6"
check "its server, of IPv6" servers6 six authentication 1

# logins USER WORD CODE WHAT: by both families and from both sides.
logins() {
	for family in 4 6; do
		for from in nas gw; do
			how="IPv$family, ${way[$from]}, $4"
			login "$1" "$size"
			judge "$1" "$how" "$2" "$3"
		done
	done
}

size=1440 mtu=1500
check "links of 1500 octets" links 1500
logins alice SUCCESS 2 "EAP of 1440, MTU 1500"

# Whoever has a certificate of another root is refused, for that reason.
mtu=1280
check "links of 1280 octets" links 1280
logins mallory FAILURE 3 "EAP of 1440, MTU 1280"
check "the certificate's root is what was wrong, each time" test 4 = \
	"$(grep -c 'Alert write:fatal:unknown CA' "$freeradius_root/s1/radius.log")"

size=3900
logins alice SUCCESS 2 "EAP of 3900, MTU 1280"
check "P1: these were RADIUS packets of 4000 octets, both ways" test \
	"${longest[requests]}" -ge 4000 -a "${longest[answers]}" -ge 3990

# A firewall that lets the first request to the server pass, and then what the
# connection tracker knows.
nft -f - <<'N' || skip_all "needs nftables with conntrack"
table inet guard {
	counter new { }
	counter dropped { }
	chain forward {
		type filter hook forward priority 0; policy drop;
		ct state established accept
		ip saddr 192.0.2.2 ip daddr 198.18.1.2 goto request
		ip6 saddr 2001:db8:1::2 ip6 daddr 2001:db8:2:1::2 goto request
		meta l4proto udp counter name dropped
	}
	chain request {
		udp dport 1812 ct state new counter name new accept
	}
	chain input {
		type filter hook input priority 0; policy drop;
		iif lo accept
		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
		ct state established accept
		meta l4proto udp counter name dropped
	}
}
N

guard() {
	nft -j list counter inet guard "$1" |
		jq '.nftables[].counter? | select(.).packets'
}

mtu=1500
check "links of 1500 octets once more" links 1500
logins alice SUCCESS 2 "EAP of 3900, MTU 1500, behind a firewall"
check "R1: the firewall has dropped nothing" test "$(guard dropped)" = 0
check "P4: two new connections were let through" test "$(guard new)" = 2

# It does drop what is for the address that was asked.
rs group del four
dropped() {
	[ "$(guard dropped)" = 1 ]
}
at nas bash -c "echo >/dev/udp/$VIP/1812"
check "the firewall drops what is not steered" wait_for 10 dropped

done_testing
