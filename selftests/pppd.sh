#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Somebody dials in by PPP with PAP, and is accounted for, under each algorithm:
# pppd at both ends of a pseudo terminal, one of them with its RADIUS plugin.
#
#	home            nas                     gw              s1
#	pppd --- pty -- pppd, radius.so ----- radsteer --- FreeRADIUS
#	10.0.0.2        10.0.0.1              192.0.2.1 |  198.18.1.2
#	                192.0.2.2                       |          s2
#	                                                +- FreeRADIUS
#	                                                |  198.18.2.2
#	                                                |          s3
#	                                                +- FreeRADIUS
#	                                                   198.18.3.2
#
# No Acct-Session-Id is in its Access-Request, and no Calling-Station-Id where
# nobody has called: a user is known by the name alone (A3). Interim-Updates
# there could be one a minute, which is too long for a test.

# shellcheck disable=SC2317 # functions are called by check and wait_for

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/freeradius_lib.sh"
. "$(dirname "$0")/accounting_lib.sh"

require pppd
require_freeradius
modprobe ppp_async || skip_all "needs PPP"
topology 3
namespace home

line=$freeradius_root/line
mkdir "$line"

plugin_exists() {
	local file

	for file in /usr/lib*/pppd/*/radius.so; do
		[ ! -e "$file" ] || return 0
	done
	return 1
}
plugin_exists || skip_all "needs pppd's radius.so"

# What the plugin wants to read. It resends after 10 s.
client_files() {
	cat >"$line/radiusclient.conf" <<-END
		auth_order radius
		login_tries 1
		login_timeout 60
		nologin $line/nologin
		issue $line/issue
		authserver $VIP:1812
		acctserver $VIP:1813
		servers $line/servers
		dictionary $line/dictionary
		login_radius /bin/false
		seqfile $line/sequence
		mapfile $line/ports
		default_realm
		radius_timeout 10
		radius_retries 3
	END
	echo "$VIP $RADIUS_SECRET" >"$line/servers"
	: >"$line/ports"
	cat >"$line/dictionary" <<-END
		ATTRIBUTE User-Name 1 string
		ATTRIBUTE User-Password 2 string
		ATTRIBUTE NAS-IP-Address 4 ipaddr
		ATTRIBUTE NAS-Port 5 integer
		ATTRIBUTE Service-Type 6 integer
		ATTRIBUTE Framed-Protocol 7 integer
		ATTRIBUTE Framed-IP-Address 8 ipaddr
		ATTRIBUTE Reply-Message 18 string
		ATTRIBUTE Class 25 string
		ATTRIBUTE Calling-Station-Id 31 string
		ATTRIBUTE NAS-Identifier 32 string
		ATTRIBUTE Acct-Status-Type 40 integer
		ATTRIBUTE Acct-Delay-Time 41 integer
		ATTRIBUTE Acct-Input-Octets 42 integer
		ATTRIBUTE Acct-Output-Octets 43 integer
		ATTRIBUTE Acct-Session-Id 44 string
		ATTRIBUTE Acct-Authentic 45 integer
		ATTRIBUTE Acct-Session-Time 46 integer
		ATTRIBUTE Acct-Input-Packets 47 integer
		ATTRIBUTE Acct-Output-Packets 48 integer
		ATTRIBUTE Acct-Terminate-Cause 49 integer
		ATTRIBUTE NAS-Port-Type 61 integer
		ATTRIBUTE Acct-Interim-Interval 85 integer
	END
}

# dial PASSWORD: in the background; pid is of the pppd that asks.
dial() {
	local -a caller=(pppd notty noauth user bob password "$1" noipdefault
		nodefaultroute noccp)

	: >"$line/log"
	ip netns exec "nas-$stage" pppd nodetach noccp auth require-pap \
		refuse-eap plugin radius.so \
		radius-config-file "$line/radiusclient.conf" \
		logfile "$line/log" debug \
		10.0.0.1:10.0.0.2 \
		pty "ip netns exec home-$stage ${caller[*]} 2>&1" \
		</dev/null >"$line/output" 2>&1 &
	pid=$!
	disown "$pid"
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# hang_up PID: pppd sends its Stop and ends.
hang_up() {
	gone "$1" && return
	kill "$1" && wait_for 60 gone "$1"
}

line_is_up() {
	ip -n "nas-$stage" -4 address show up | grep -q "10.0.0.1 peer 10.0.0.2" &&
		ip -n "home-$stage" -4 address show up | grep -q 10.0.0.2
}

# up_or_gone: either, after a call.
up_or_gone() {
	line_is_up || gone "$pid"
}

# login PASSWORD: with nothing before it on record.
login() {
	forget_records s1 s2 s3
	count_from_here
	dial "$1"
	wait_for 60 up_or_gone && line_is_up && return
	cat "$line/log" "$line/output" | tail -n 40 | sed 's/^/# /'
	return 1
}

rejected() {
	dial wrong
	wait_for 60 gone "$pid" && [ "$(decided rejects)" = s1 ] &&
		[ "$(decided accepts)" = "" ] && return
	tail -n 40 "$line/log"
	show_records
	return 1
}

# session ALGORITHM: from the login to the Stop.
session() {
	local at rule

	check "$1: a group" steer_by "$1"
	check "A2: $1: what is in effect is shown" effective "$1"
	login hello
	result "R1: $1: a login, PPP is up" $?
	check "M2, L2: $1: the login's server" login_at "$1"
	! follows "$1" || check "A3: $1: the user is known by name" test \
		"$(counter users)" = 1
	at=$(accounting_home "$1")
	wait_for 60 recorded_by "$at" "Accounting.* bob Start" 1
	check "$1: the line is hung up" hang_up "$pid"
	pid=
	follows "$1" && rule=A1 || rule=A5
	check "A2, $rule: $1: Start and Stop at $at" \
		accounting_at "$at" Start Stop
	check "R1: $1: all is answered, with one copy of each" wait_for 10 \
		all_answered
}

# pppd ends when it has the answer to its Stop, or has given up. If a script of its
# own ends while it waits for an answer, that interrupts it, and it sends the request
# again at once: a duplicate, whose answer may come twice.
all_answered() {
	local taken

	taken=$(records "")
	read_rises
	[ $((rise[steered] - rise[duplicates])) = "$taken" ] &&
		[ "${rise[answers]}" -ge "$taken" ] &&
		[ "${rise[answers]}" -le "${rise[steered]}" ] &&
		[ "${rise[retransmissions]}" = 0 ]
}

# The last call, if it is not over.
pid=
defer '[ -z "$pid" ] || hang_up "$pid"'

client_files
check "FreeRADIUS starts" freeradius_all 3
[ "$ksft_fail" = 0 ] || done_testing

for algorithm in "${algorithms[@]}"; do
	session "$algorithm"
done

check "a group that has seen nothing" steer_by unset
forget_records s1 s2 s3
check "R5: a login with another password is rejected" rejected
check "A3: no accounting comes of it" test "$(records Accounting)" = 0
check "A3: nobody is learned by it" test \
	"$(counter users),$(counter sessions)" = 0,0

done_testing
