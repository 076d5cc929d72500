#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A station logs in at an access point, by WPA2-Enterprise with PEAP, and is
# accounted for, under each algorithm: wpa_supplicant, hostapd, FreeRADIUS. The
# air between the two is mac80211_hwsim's.
#
#	sta                   nas               gw              s1
#	wpa_supplicant ) ) hostapd ----------- radsteer --- FreeRADIUS
#	                   192.0.2.2           192.0.2.1 |  198.18.1.2
#	                                                 |          s2
#	                                                 +- FreeRADIUS
#	                                                 |  198.18.2.2
#	                                                 |          s3
#	                                                 +- FreeRADIUS
#	                                                    198.18.3.2
#
# hostapd sends copies of a Start or Stop 3, 9 and 21 seconds after the first,
# each with a new Identifier and Acct-Delay-Time: with "retransmit 1" the third
# one moves. Of an Interim-Update it sends none.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"
. "$(dirname "$0")/accounting_lib.sh"

require hostapd hostapd_cli wpa_supplicant wpa_cli iw openssl nft
require_freeradius
topology 3
namespace sta

air=$freeradius_root/air
mkdir "$air"

# radio PHY NAMESPACE: give it away; the name of its device. With the namespace
# it does not go but comes back.
radio() {
	local device

	for device in /sys/class/ieee80211/"$1"/device/net/*; do
		iw phy "$1" set netns name "$2-$stage" || return
		echo "${device##*/}"
	done
}

radios() {
	local -a phys

	[ ! -d /sys/module/mac80211_hwsim ] || return
	modprobe mac80211_hwsim radios=2 || return
	defer rmmod mac80211_hwsim
	phys=(/sys/class/mac80211_hwsim/*/ieee80211/*)
	access_point=$(radio "${phys[0]##*/}" nas) &&
		station=$(radio "${phys[1]##*/}" sta) &&
		[ -n "$access_point" ] && [ -n "$station" ]
}
radios || skip_all "needs mac80211_hwsim for itself"

certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-days 30 -subj /CN=radius -keyout "$freeradius_root/server.key" \
		-out "$freeradius_root/server.crt" &&
		cp "$freeradius_root/server.crt" "$freeradius_root/root.crt"
}

hostapd_conf() {
	cat <<END
interface=$access_point
driver=nl80211
ctrl_interface=$air/hostapd
ssid=radsteer
hw_mode=g
channel=1
wpa=2
wpa_key_mgmt=WPA-EAP
rsn_pairwise=CCMP
ieee8021x=1
disable_pmksa_caching=1
own_ip_addr=192.0.2.2
nas_identifier=nas
auth_server_addr=$VIP
auth_server_port=1812
auth_server_shared_secret=$RADIUS_SECRET
acct_server_addr=$VIP
acct_server_port=1813
acct_server_shared_secret=$RADIUS_SECRET
radius_acct_interim_interval=2
END
}

supplicant_conf() {
	cat <<END
ctrl_interface=$air/supplicant
network={
	disabled=1
	ssid="radsteer"
	scan_freq=2412
	key_mgmt=WPA-EAP
	eap=PEAP
	phase2="auth=MSCHAPV2"
	identity="bob"
	password="hello"
	ca_cert="$freeradius_root/root.crt"
}
END
}

ap() {
	at nas hostapd_cli -p "$air/hostapd" -i "$access_point" "$@"
}

sta() {
	at sta wpa_cli -p "$air/supplicant" -i "$station" "$@"
}

# end PID-FILE: of what runs in the background, if it does.
end() {
	[ ! -e "$1" ] || kill "$(<"$1")"
	wait_for 10 test ! -e "$1"
}

ap_is_up() {
	ap status | grep -q ^state=ENABLED
}

start_ap() {
	hostapd_conf >"$air/hostapd.conf"
	defer end "$air/hostapd.pid"
	at nas hostapd -B -P "$air/hostapd.pid" -f "$air/hostapd.log" \
		"$air/hostapd.conf" && wait_for 20 ap_is_up && return
	cat "$air/hostapd.log"
	return 1
}

start_sta() {
	supplicant_conf >"$air/supplicant.conf"
	defer end "$air/supplicant.pid"
	at sta wpa_supplicant -B -P "$air/supplicant.pid" \
		-f "$air/supplicant.log" -D nl80211 -i "$station" \
		-c "$air/supplicant.conf" && wait_for 20 sta ping && return
	cat "$air/supplicant.log"
	return 1
}

sta_is() {
	sta status | grep -q "^wpa_state=$1"
}

# login TITLE: from first to last, with nothing before it on record.
login() {
	local status=0

	forget_records s1 s2 s3
	count_from_here
	copies_before=("$(ap_copies Acc)" "$(ap_copies Auth)")
	sta enable_network 0 >/dev/null && wait_for 60 sta_is COMPLETED ||
		status=1
	result "$1" "$status"
	[ "$status" = 0 ] || tail -n 40 "$air/supplicant.log" \
		"$air/hostapd.log" | sed 's/^/# /'
}

logout() {
	sta disable_network 0 && wait_for 20 sta_is 'DISCONNECTED\|INACTIVE'
}

# ap_copies Acc|Auth: copies that hostapd says it has sent, of one service.
ap_copies() {
	ap mib | sed -n "s/^radius$1Client[A-Za-z]*Retransmissions=//p"
}

# copies_known N: the module has taken all copies that hostapd has sent for
# copies, and these are N at least, of which one moved.
copies_known() {
	local accounting=$(($(ap_copies Acc) - copies_before[0]))
	local authentication=$(($(ap_copies Auth) - copies_before[1]))

	echo "$accounting copies of accounting, $authentication others"
	[ "$accounting" -ge "$1" ] && rose renumbered "$accounting" \
		retransmissions $((accounting + authentication)) failovers 1
}

# The requests that came with a State, by the servers' records, and each was
# known. A station that is slow may begin a conversation anew.
states_known() {
	local with

	with=$(cat "$freeradius_root"/s[123]/requests |
		awk '$1 == "Access-Request" && $10 != "-"' | wc -l)
	echo "$with requests with a State"
	[ "$with" -ge 4 ] &&
		rose state-hits "$with" state-unknown 0 failovers 0
}

# session ALGORITHM: login, Start, Interim-Updates and Stop; nobody is silent.
session() {
	local at rule

	check "$1: a group" steer_by "$1"
	check "A2: $1: what is in effect is shown" effective "$1"
	login "$1: a login"
	check "E2: $1: one server has the whole conversation" login_at "$1"
	check "E1: $1: each State was known" states_known
	at=$(accounting_home "$1")
	wait_for 60 recorded_by "$at" "Accounting.* bob Interim-Update" 2
	check "$1: logout" logout
	wait_for 30 recorded_by "$at" "Accounting.* bob Stop" 1
	follows "$1" && rule=A1 || rule=A5
	check "A2, $rule: $1: Start, Interim-Updates and Stop at $at" \
		accounting_at "$at" Start Interim-Update Stop
	check "M6: $1: nothing has moved" rose failovers 0
}

# The Identifiers of a server's records of one kind, each once.
identifiers() {
	sed -n "s/^Accounting.* bob $2 .* \([^ ]*\) [^ ]*$/\1/p" \
		"$freeradius_root/$1/requests" | sort -u
}

# copies_at STATUS NAME N OTHER: so many copies at one and at least one at the
# other, no Identifier twice, and Acct-Delay-Time grown.
copies_at() {
	local here there both

	here=$(identifiers "$2" "$1" | wc -w)
	there=$(identifiers "$4" "$1" | wc -w)
	both=$({ identifiers "$2" "$1"; identifiers "$4" "$1"; } |
		sort -u | wc -w)
	[ "$here" = "$3" ] && [ "$there" -ge 1 ] &&
		[ "$both" = $((here + there)) ] &&
		[ "$(recorded "Accounting.* bob $1 .* 0$" "$4")" = 0 ] &&
		return
	show_records
	return 1
}

# silent_stop ALGORITHM: the accounting server dies before the Stop.
silent_stop() {
	local at

	check "$1: a new group" steer_by "$1"
	login "$1: a login, then silence"
	at=$(accounting_home "$1")
	wait_for 60 recorded_by "$at" "Accounting.* bob Start" 1
	freeradius_pause "$at"
	check "$1: logout in silence" logout
	check "M7, M10: $1: the Stop moves to s2" \
		wait_for 60 recorded_by s2 "Accounting.* bob Stop" 1
	check "T3: $1: copies of the Stop are known for copies" copies_known 2
	freeradius_resume "$at"
	wait_for 30 recorded_by "$at" "Accounting.* bob Stop" 2
	check "M6, M7: $1: two before it were for $at, no Identifier twice" \
		copies_at Stop "$at" 2 s2
}

# Accounting alone is silent, or no longer.
accounting_silent() {
	at "$1" nft -f - <<-'N'
	table ip silent {
		chain input {
			type filter hook input priority 0;
			udp dport 1813 counter drop
		}
	}
	N
}

accounting_speaks() {
	at "$1" nft delete table ip silent
}

# The datagrams that were dropped by one of the servers.
dropped() {
	at "$1" nft -j list table ip silent |
		jq '.nftables[].rule?.expr[]?.counter? | select(.).packets'
}

# Under loading-share a Start moves, and the session with it, for ever.
silent_start() {
	local name

	check "$1: a new group" steer_by "$1"
	check "$1: no Interim-Updates" ap set radius_acct_interim_interval 0
	for name in s1 s2; do
		check "$1: $name is silent about accounting" \
			accounting_silent "$name"
	done
	login "$1: a login, accounting silent"
	check "E2: $1: one server has that conversation, too" login_at "$1"
	check "L3, L8: $1: the Start moves to s3" \
		wait_for 60 recorded_by s3 "Accounting.* bob Start" 1
	check "T3: $1: copies of the Start are known for copies" copies_known 2
	check "A1, L8: $1: two before it were for the login's server" \
		test "$(dropped "$(home)")" = 2
	for name in s1 s2; do
		check "$1: $name speaks" accounting_speaks "$name"
	done
	check "$1: logout after that" logout
	wait_for 30 recorded_by s3 "Accounting.* bob Stop" 1
	check "A4: $1: the Stop goes where the Start went" \
		accounting_at s3 Start Stop
}

freeradius_eap=$freeradius_root
check "certificate" certificate
check "FreeRADIUS starts" freeradius_all 3
check "A6: a group for Accounting-On" steer_by unset
check "hostapd starts" start_ap
check "wpa_supplicant starts" start_sta
check "A6: Accounting-On goes to the master" \
	wait_for 30 recorded_by s3 "Accounting.* - Accounting-On" 1
[ "$ksft_fail" = 0 ] || done_testing

for algorithm in "${algorithms[@]}"; do
	session "$algorithm"
done
silent_stop unset
silent_stop master-backup
silent_start loading-share

done_testing
