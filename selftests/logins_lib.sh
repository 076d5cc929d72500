# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Many stations that log in by EAP, for what is sourced after freeradius_lib.sh:
# eapol_test in the namespace nas, as a NAS has them, a process and a port each.
#
# A station has a number. In turns they log in by PEAP-MSCHAPv2, TTLS-PAP and
# EAP-TLS. Its Calling-Station-Id is that of station N, and every other station
# has an Acct-Session-Id in its Access-Requests as well.

require eapol_test openssl
require_freeradius

freeradius_eap=$freeradius_root
logins=$freeradius_root/logins
# How many log in at a time.
logins_at_once=8

# certificate NAME [ISSUER]
certificate() {
	local name=$freeradius_eap/$1 issuer=${2:+$freeradius_eap/$2} ca=TRUE

	[ $# = 1 ] || ca=FALSE
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-days 30 -subj "/O=radsteer/CN=$1" \
		${issuer:+-CA "$issuer.crt" -CAkey "$issuer.key"} \
		-addext "basicConstraints=critical,CA:$ca" \
		-keyout "$name.key" -out "$name.crt"
}

# What eapol_test is to do.
logins_network() {
	echo "network={"
	echo "	key_mgmt=IEEE8021X"
	echo "	eap=${1^^}"
	echo "	identity=\"bob\""
	echo "	ca_cert=\"$freeradius_eap/root.crt\""
	case $1 in
	peap)
		echo "	password=\"hello\""
		echo "	phase2=\"auth=MSCHAPV2\""
		;;
	ttls)
		echo "	password=\"hello\""
		echo "	phase2=\"auth=PAP\""
		;;
	tls)
		echo "	client_cert=\"$freeradius_eap/bob.crt\""
		echo "	private_key=\"$freeradius_eap/bob.key\""
		;;
	esac
	echo "}"
}

# logins_prepare: certificates and what else there has to be before the servers
# start.
logins_prepare() {
	local method

	mkdir "$logins" || return
	certificate root && certificate server root && certificate bob root ||
		return
	for method in peap ttls tls; do
		logins_network "$method" >"$logins/$method"
	done
}

# station N: its Calling-Station-Id, into name. The octets are decimal, which
# nobody minds.
station() {
	printf -v name '02-00-00-00-%02d-%02d' $(($1 / 100)) $(($1 % 100))
}

# login N TRY: one login of a station, in nas. What eapol_test says of it is in a
# file, and how it ended is a line in another one.
login() {
	local said=$logins/said-$1-$2 method=peap status=0 name
	local -a session=()

	station "$1"
	[ $(($1 % 3)) != 1 ] || method=ttls
	[ $(($1 % 3)) != 2 ] || method=tls
	[ $(($1 % 2)) = 0 ] || session=(-N "44:s:session-$name")
	eapol_test -c "$logins/$method" -a "$VIP" -A 192.0.2.2 \
		-s "$RADIUS_SECRET" -M "${name//-/:}" "${session[@]}" -t 200 \
		>"$said" 2>&1 || status=$?
	echo "$name $2 $status" >>"$logins/ended"
	return "$status"
}

# logins FIRST LAST [TRIES]: the stations of these numbers, some at once, log in
# until they are in or have tried so often.
logins() {
	local worker

	rm -f "$logins"/said-*
	: >"$logins/ended"
	for ((worker = 0; worker < logins_at_once; worker++)); do
		at nas "$BASH" -c 'logins_in_turn "$@"' - \
			$(($1 + worker)) "$2" "${3:-1}" &
	done
	wait
}

logins_in_turn() {
	local n try

	for ((n = $1; n <= $2; n += logins_at_once)); do
		for ((try = 1; try <= $3; try++)); do
			login "$n" "$try" && break
		done
	done
}

# The way into the namespace is taken once for many.
export -f station login logins_in_turn
export logins logins_at_once VIP RADIUS_SECRET

# said_lines PATTERN: how many lines of all that eapol_test said since logins.
said_lines() {
	cat "$logins"/said-* | grep -cE -e "$1"
}
