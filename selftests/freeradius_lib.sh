# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Real RADIUS servers and a real client, for what is sourced after lib.sh:
# FreeRADIUS in a namespace of the stage, and radclient.
#
# Each server has a directory of its own with
#
#	radiusd.conf          its configuration, as small as it can be
#	radius.log            what it says itself
#	requests              a line for each request it has taken up, written
#	                      by its own linelog: this is what a test believes
#	accepts, rejects      the same for each request it has accepted or rejected
#	namespace, pid        where it runs, and as what
#
# All servers know the client's secret, and the user bob by the password hello,
# and so everybody whose name begins with user-. All others are rejected. Either
# answer carries the server's name. To the user mute nobody answers.
#
# A test may want more of its servers before it starts them:
#
#	freeradius_ipv6	not empty: they listen to IPv6 as well
#	freeradius_eap	a directory: they know EAP-TLS, with what is in there of
#			root.crt, server.crt and server.key, and make its
#			packets as long as the client's Framed-MTU; and for bob
#			TTLS-PAP and PEAP-MSCHAPv2
#	freeradius_forwards
#			the name of a server: it proxies to VIP the requests of
#			users whose names begin with user-roaming-
#
# And one can be a proxy, see freeradius_proxy.

RADIUS_SECRET=testing123

# What is put down of a request, see recorded.
freeradius_record="%{Packet-Type} \
%{%{Packet-Src-IP-Address}:-%{Packet-Src-IPv6-Address}} \
%{%{Packet-Dst-IP-Address}:-%{Packet-Dst-IPv6-Address}} \
%{Packet-Dst-Port} %{%{User-Name}:--} %{%{Acct-Status-Type}:--} \
%{%{Acct-Session-Id}:--} %{%{Calling-Station-Id}:--} %{Packet-Src-Port} \
%{%{State}:--} %I %{%{Acct-Delay-Time}:--}"

# The server is radiusd outside Debian.
freeradius_program=$(type -P freeradius || type -P radiusd)

require_freeradius() {
	[ -n "$freeradius_program" ] || skip_all "needs freeradius"
	require radclient
	[ -n "${freeradius_root:-}" ] && return
	freeradius_root=$(mktemp -d) || skip_all "needs a temporary directory"
	defer rm -rf "$freeradius_root"
	defer freeradius_stop_all
	freeradius_dictionary
}

# Most of a start is the reading of dictionaries, of which there are 200. These
# few will do for server and client.
freeradius_dictionary() {
	local name

	mkdir "$freeradius_root/dictionaries"
	for name in rfc2865 rfc2866 rfc2869 microsoft freeradius \
		freeradius.internal; do
		# shellcheck disable=SC2016 # FreeRADIUS has variables as well
		printf '$INCLUDE %s/dictionary.%s\n' \
			"${FREERADIUS_DICTIONARIES:-/usr/share/freeradius}" \
			"$name"
	done >"$freeradius_root/dictionaries/dictionary"
}

# freeradius NAMESPACE NAME: a server, answering when this returns.
freeradius() {
	freeradius_configure "$1" "$2" && freeradius_start "$2"
}

# freeradius_all N: a server in each of the first N namespaces of the stage,
# with the namespace's name. All of them start at once, which saves time.
freeradius_all() {
	local i

	for ((i = 1; i <= $1; i++)); do
		freeradius_configure "s$i" "s$i" && freeradius_launch "s$i" ||
			return
	done
	for ((i = 1; i <= $1; i++)); do
		freeradius_ready "s$i" || return
	done
}

freeradius_configure() {
	local namespace=$1 name=$2 dir

	require_freeradius
	dir=$freeradius_root/$name
	mkdir "$dir" || return
	echo "$namespace-$$" >"$dir/namespace"
	# Of another mode than it wants, FreeRADIUS complains at each request.
	(umask 077; : >"$dir/requests"; : >"$dir/accepts"; : >"$dir/rejects")
	freeradius_conf "$name" "$dir" >"$dir/radiusd.conf"
}

# What a server and a proxy have in common. No more modules than it takes, and no
# default that would make FreeRADIUS look outside the directory. They see the
# client's own address, so one client entry stands for all. A Reject goes out at
# once, as its delay is of no interest here. A pause is not to make them give up
# what they were at.
freeradius_head() {
	local name=$1 dir=$2

	cat <<END
name = $name
prefix = $dir
raddbdir = $dir
run_dir = $dir
logdir = $dir
cleanup_delay = 5
max_request_time = 120
max_requests = 16384

log {
	destination = files
	file = $dir/radius.log
}

security {
	reject_delay = 0
	status_server = yes
}

thread pool {
	start_servers = 2
	max_servers = 2
	min_spare_servers = 1
	max_spare_servers = 2
	cleanup_delay = 60
}

client any {
	ipaddr = 0.0.0.0/0
	secret = $RADIUS_SECRET
}
END
}

# Each request is put down before anything else is done about it.
freeradius_conf() {
	local name=$1 dir=$2

	freeradius_head "$name" "$dir"
	freeradius_home "$name"
	cat <<END
$(freeradius_client6)

modules {
	pap {
	}
	linelog {
		filename = $dir/requests
		format = "$freeradius_record"
	}
	linelog accepts {
		filename = $dir/accepts
		format = "$freeradius_record"
	}
	linelog rejects {
		filename = $dir/rejects
		format = "$freeradius_record"
	}
$(freeradius_eap_module)
}

server default {
	listen {
		type = auth
		ipaddr = *
		port = 1812
	}
	listen {
		type = acct
		ipaddr = *
		port = 1813
	}
$(freeradius_listen6)

	authorize {
		linelog
		update reply {
			&Reply-Message := "$name"
		}
		if (&User-Name == "mute") {
			update control {
				&Response-Packet-Type := Do-Not-Respond
			}
		}
$(freeradius_roaming "$name")
		if (&User-Name == "bob" || &User-Name =~ /^user-/) {
			update control {
				&Cleartext-Password := "hello"
			}
			pap
		}
		${freeradius_eap:+eap}
		Autz-Type Status-Server {
			linelog
		}
	}
	authenticate {
		pap
		${freeradius_eap:+eap}
	}
	post-auth {
		if (&User-Name != "mute") {
			accepts
		}
		Post-Auth-Type REJECT {
			rejects
		}
	}
	preacct {
$(freeradius_roaming "$name")
	}
	accounting {
		linelog
		Acct-Type Status-Server {
			linelog
		}
	}
}
$(freeradius_inner)
END
}

freeradius_client6() {
	[ -n "${freeradius_ipv6:-}" ] || return
	cat <<END
client any6 {
	ipv6addr = ::/0
	secret = $RADIUS_SECRET
}
END
}

freeradius_listen6() {
	[ -n "${freeradius_ipv6:-}" ] || return
	cat <<END
	listen {
		type = auth
		ipv6addr = ::
		port = 1812
	}
	listen {
		type = acct
		ipv6addr = ::
		port = 1813
	}
END
}

freeradius_eap_module() {
	[ -n "${freeradius_eap:-}" ] || return
	cat <<END
	eap {
		default_eap_type = tls
		tls-config certificates {
			private_key_file = $freeradius_eap/server.key
			certificate_file = $freeradius_eap/server.crt
			ca_file = $freeradius_eap/root.crt
			fragment_size = 4000
		}
		tls {
			tls = certificates
		}
		ttls {
			tls = certificates
			virtual_server = inner
		}
		peap {
			tls = certificates
			virtual_server = inner
		}
		mschapv2 {
		}
	}
	mschap {
	}
END
}

# What is said inside of TTLS and PEAP.
freeradius_inner() {
	[ -n "${freeradius_eap:-}" ] || return
	cat <<END
server inner {
	authorize {
		if (&User-Name == "bob") {
			update control {
				&Cleartext-Password := "hello"
			}
		}
		eap
		pap
	}
	authenticate {
		pap
		mschap
		eap
	}
}
END
}

# freeradius_proxy NAMESPACE NAME CHECK: a proxy, to VIP, of what is asked at
# 127.0.0.1, with status_check CHECK. It has one socket for each port of VIP.
freeradius_proxy() {
	local dir=$freeradius_root/$2

	mkdir "$dir" || return
	echo "$1-$$" >"$dir/namespace"
	freeradius_proxy_conf "$2" "$dir" "$3" >"$dir/radiusd.conf"
	freeradius_start "$2"
}

# It asks whether a server is alive only after a request was in vain for
# response_window, and nothing else has come from there for a quarter of
# zombie_period.
freeradius_proxy_conf() {
	local name=$1 dir=$2 check=$3 window=25

	[ "$check" = none ] || window=10
	freeradius_head "$name" "$dir"
	echo "proxy_requests = yes"
	echo "modules {"
	echo "}"
	freeradius_realm "$check" "$window"
	cat <<END
server default {
	listen {
		type = auth
		ipaddr = 127.0.0.1
		port = 1812
	}
	listen {
		type = acct
		ipaddr = 127.0.0.1
		port = 1813
	}
	authorize {
		update control {
			&Proxy-To-Realm := vip
		}
	}
	preacct {
		update control {
			&Proxy-To-Realm := vip
		}
	}
	accounting {
	}
}
END
}

# freeradius_realm CHECK WINDOW: VIP, as where a proxy sends requests.
freeradius_realm() {
	local check=$1 window=$2 service

	for service in auth acct; do
		cat <<END
home_server $service {
	type = $service
	ipaddr = $VIP
	port = $([ $service = auth ] && echo 1812 || echo 1813)
	secret = $RADIUS_SECRET
	response_window = $window
	zombie_period = $window
	status_check = $check
	check_interval = 6
	check_timeout = 4
	num_answers_to_alive = 3
}
home_server_pool $service {
	type = fail-over
	home_server = $service
}
END
	done
	cat <<END
realm vip {
	auth_pool = auth
	acct_pool = acct
}
END
}

# freeradius_home NAME: where this server proxies to, if it does.
freeradius_home() {
	if [ "${freeradius_forwards:-}" = "$1" ]; then
		echo "proxy_requests = yes"
		freeradius_realm none 60
	else
		echo "proxy_requests = no"
	fi
}

# freeradius_roaming NAME: whose requests this server proxies, if it does.
freeradius_roaming() {
	[ "${freeradius_forwards:-}" = "$1" ] || return
	cat <<END
		if (&User-Name =~ /^user-roaming-/) {
			update control {
				&Proxy-To-Realm := vip
			}
		}
END
}

# freeradius_start NAME: start it again, with its records kept.
freeradius_start() {
	freeradius_launch "$1" && freeradius_ready "$1"
}

freeradius_launch() {
	local dir=$freeradius_root/$1

	: >"$dir/radius.log"
	# ip replaces itself with the program, so the process is the server.
	ip netns exec "$(<"$dir/namespace")" "$freeradius_program" -f \
		-d "$dir" -n radiusd -D "$freeradius_root/dictionaries" \
		</dev/null >"$dir/output" 2>&1 &
	echo "$!" >"$dir/pid"
	# Bash tells of the end of a job that is its own.
	disown "$!"
}

freeradius_ready() {
	wait_for 30 freeradius_ready_or_gone "$1" &&
		! freeradius_gone "$1" && return
	echo "# FreeRADIUS does not start as $1"
	sed 's/^/# /' "$freeradius_root/$1"/{radius.log,output}
	return 1
}

freeradius_ready_or_gone() {
	grep -q "Ready to process requests" "$freeradius_root/$1/radius.log" ||
		freeradius_gone "$1"
}

freeradius_signal() {
	kill "-$2" "$(<"$freeradius_root/$1/pid")"
}

freeradius_gone() {
	! freeradius_signal "$1" 0 2>/dev/null
}

# freeradius_stop NAME: the server dies without a word.
freeradius_stop() {
	[ -e "$freeradius_root/$1/pid" ] || return 0
	freeradius_signal "$1" KILL 2>/dev/null
	wait_for 10 freeradius_gone "$1" || return
	rm "$freeradius_root/$1/pid"
}

freeradius_stop_all() {
	local pid name

	for pid in "$freeradius_root"/*/pid; do
		name=${pid%/pid}
		freeradius_stop "${name##*/}"
	done
}

# freeradius_pause NAME: the server is there, and takes no notice.
freeradius_pause() {
	freeradius_signal "$1" STOP
}

freeradius_resume() {
	freeradius_signal "$1" CONT
}

# weights W W W: of the servers for authentication in group g.
weights() {
	local i

	for i in 1 2 3; do
		rs server set g authentication "198.18.$i.2" weight "${!i}" ||
			return
	done
}

# servers_turned GROUP SERVICE: servers 2, 3 and 1, so that this service has another
# master than one whose list is in order.
servers_turned() {
	local i

	for i in 2 3 1; do
		rs server add "$1" "$2" "198.18.$i.2" || return
	done
}

# recorded PATTERN NAME...: how many requests each server itself took up, a line
# for each. Their records begin with Access-Request, Accounting-Request or
# Status-Server; then come the addresses from and to, the port, User-Name,
# Acct-Status-Type, Acct-Session-Id, Calling-Station-Id, the client's port, State,
# the Identifier and Acct-Delay-Time, - for what is not there.
recorded() {
	local pattern=$1

	shift
	set -- "${@/#/$freeradius_root/}"
	grep -hc -e "^$pattern" "${@/%//requests}"
	# Having counted to 0 is no failure.
	[ $? -le 1 ]
}

# exchange ADDRESS AT-ONCE: the requests that come in, in the words of radclient,
# go from nas to that address, so many at a time, each once and with the
# patience of a slow machine. What radclient printed is in said, what it complains
# of would come between in the middle of a line.
exchange() {
	said=$(at nas timeout 600 radclient -4 -s -p "$2" -r 1 -t 60 \
		-d "$freeradius_root" -D "$freeradius_root/dictionaries" \
		"$1" auto "$RADIUS_SECRET" 2>"$freeradius_root/complaints")
}

# replied ADDRESS [CODE COUNT]...: the last exchange brought these answers from
# that address, and no others, and left nothing unanswered.
replied() {
	local address=$1 all=0 status=0

	shift
	while [ $# -gt 0 ]; do
		[ "$(grep -c "^Received $1 Id .* from $address:181[23] to " \
			<<<"$said")" = "$2" ] || status=1
		all=$((all + $2))
		shift 2
	done
	[ "$(grep -c '^Sent ' <<<"$said")" = "$all" ] &&
		[ "$(grep -c '^Received ' <<<"$said")" = "$all" ] || status=1
	[ "$status" = 0 ] || {
		tail -n 12 <<<"$said"
		tail -n 5 "$freeradius_root/complaints"
	}
	return "$status"
}

# of_user NAME KEY KIND: a user's request, in the words of radclient: access, or
# what is the Acct-Status-Type of accounting. What both have in common is, by
# the key,
#
#	session	Acct-Session-Id
#	station	Calling-Station-Id
#	name	User-Name, which both have in any case
of_user() {
	local text="User-Name = \"$1\""$'\n'

	if [ "$3" = access ]; then
		text+=$'Packet-Type = Access-Request\nPacket-Dst-Port = 1812\n'
		text+=$'User-Password = "hello"\n'
		[ "$2" != session ] ||
			text+="Acct-Session-Id = \"session-$1\""$'\n'
	else
		text+=$'Packet-Type = Accounting-Request\n'
		text+=$'Packet-Dst-Port = 1813\n'
		text+="Acct-Status-Type = $3"$'\n'
		text+="Acct-Session-Id = \"session-$1\""$'\n'
	fi
	[ "$2" != station ] || text+="Calling-Station-Id = \"at-$1\""$'\n'
	printf '%s\n' "$text"
}

# followed COUNT NAME...: these servers, together, took that many accounting
# requests, each at the server that has accepted whose session it is. A session
# is called session-X, X being the User-Name or the Calling-Station-Id of the
# Access-Request.
followed() {
	local count=$1 name

	shift
	for name; do
		sed "s/^/a $name /" "$freeradius_root/$name/accepts"
	done >"$freeradius_root/followed"
	for name; do
		sed -n "s/^Accounting-Request/r $name &/p" \
			"$freeradius_root/$name/requests"
	done >>"$freeradius_root/followed"
	awk -v count="$count" '
		$1 == "a" {
			at["session-" $7] = at["session-" $10] = $2
			next
		}
		{
			seen++
		}
		$2 != at[$9] {
			astray++
		}
		astray && astray <= 5 && $2 != at[$9] {
			print $8, "of", $9, "at", $2, "not", at[$9]
		}
		END {
			printf "%d requests instead of %d, %d astray\n",
				seen, count, astray
			exit(seen != count || astray > 0)
		}' "$freeradius_root/followed"
}

# forget_records NAME...
forget_records() {
	local name

	for name; do
		: >"$freeradius_root/$name/requests"
		: >"$freeradius_root/$name/accepts"
		: >"$freeradius_root/$name/rejects"
	done
}

# send NAMESPACE COUNT access [USER [PASSWORD]]
# send NAMESPACE COUNT accounting [STATUS-TYPE]
# send NAMESPACE COUNT status authentication|accounting
# send NAMESPACE COUNT all	that many of each of these four
#
# Real requests to VIP from nas, or from gw itself with its address on that
# side. Each is sent once and given a minute, for the sake of slow machines, or as
# often as tries says and for as long as patience says. Sets
#
#	accepted, rejected, unanswered	as radclient counts them
#	from_asked			answers from the address and port asked
#	said				what radclient has printed; its complaints
#					would come between in the middle of a line
#
# radclient itself takes an answer for one only if it comes from the address
# and port asked and is signed with the secret: another one leaves its request
# unanswered.
# shellcheck disable=SC2034 # for the caller
send() {
	local namespace=$1 name value
	local -A address=([nas]=192.0.2.2 [gw]=192.0.2.1)

	accepted=0 rejected=0 unanswered=$2
	said=$(requests "${address[$1]}" "${@:2}" |
		at "$namespace" timeout 300 radclient -4 -s -p 16 \
			-r "${tries:-1}" -t "${patience:-60}" \
			-d "$freeradius_root" \
			-D "$freeradius_root/dictionaries" \
			"$VIP" auto "$RADIUS_SECRET" \
			2>"$freeradius_root/complaints")
	from_asked=$(grep -cE "^Received (Acce|Acco).* from $VIP:181[23] to " \
		<<<"$said")
	while IFS=$': \t' read -r name value; do
		case $name in
		Accepted) accepted=$value ;;
		Rejected) rejected=$value ;;
		Lost) unanswered=$value ;;
		esac
	done <<<"$said"
}

# requests SOURCE COUNT ...: as send has them, in the words of radclient, each
# followed by an empty line.
requests() {
	local source=$1 count=$2 i

	shift 2
	for ((i = 0; i < count; i++)); do
		if [ "$1" = all ]; then
			request "$source" "$i" access
			request "$source" "$i" accounting
			request "$source" "$i" status authentication
			request "$source" "$i" status accounting
		else
			request "$source" "$i" "$@"
		fi
	done
}

# request SOURCE NUMBER KIND [WORD...]
request() {
	local port=1812

	case $3 in
	access)
		echo "Packet-Type = Access-Request"
		echo "User-Name = \"${4:-bob}\""
		echo "User-Password = \"${5:-hello}\""
		;;
	accounting)
		port=1813
		echo "Packet-Type = Accounting-Request"
		echo "User-Name = \"bob\""
		echo "Acct-Status-Type = ${4:-Start}"
		echo "Acct-Session-Id = \"$2\""
		;;
	status)
		[ "$4" = authentication ] || port=1813
		echo "Packet-Type = Status-Server"
		echo "Message-Authenticator = 0x00"
		;;
	esac
	echo "Packet-Dst-Port = $port"
	echo "Packet-Src-IP-Address = $1"
	echo
}
