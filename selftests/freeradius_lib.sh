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
#
# All servers know the client's secret, and the user bob by the password hello.
# Everybody else is rejected. Either answer carries the server's name.

RADIUS_SECRET=testing123

declare -A freeradius_ns=() freeradius_pid=()

# The server is radiusd outside Debian.
freeradius_program=$(command -v freeradius || command -v radiusd)

require_freeradius() {
	[ -n "$freeradius_program" ] || skip_all "needs freeradius"
	require radclient
	[ -n "${freeradius_root:-}" ] && return
	freeradius_root=$(mktemp -d) || skip_all "needs a temporary directory"
	defer rm -rf "$freeradius_root"
	freeradius_dictionary
}

# Most of a start is the reading of dictionaries, of which there are 200. These
# few will do for server and client.
freeradius_dictionary() {
	local name

	mkdir "$freeradius_root/dictionaries"
	for name in rfc2865 rfc2866 rfc2869 freeradius freeradius.internal; do
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
	freeradius_ns[$name]=$namespace
	dir=$freeradius_root/$name
	mkdir "$dir" || return
	# Of another mode than it wants, FreeRADIUS complains at each request.
	(umask 077; : >"$dir/requests")
	freeradius_conf "$name" "$dir" >"$dir/radiusd.conf"
}

# The servers see the client's own address, so one client entry stands for all.
# A Reject goes out at once, as its delay is of no interest here. Each request
# is put down before anything else is done about it. Three modules, and no
# default that would make FreeRADIUS look outside the directory.
freeradius_conf() {
	local name=$1 dir=$2

	cat <<END
name = $name
prefix = $dir
raddbdir = $dir
run_dir = $dir
logdir = $dir
cleanup_delay = 5
max_requests = 16384
proxy_requests = no

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

modules {
	pap {
	}
	linelog {
		filename = $dir/requests
		format = "%{Packet-Type} %{Packet-Src-IP-Address} %{Packet-Dst-IP-Address} %{%{User-Name}:--} %{%{Acct-Status-Type}:--} %{%{Acct-Session-Id}:--}"
	}
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

	authorize {
		linelog
		update reply {
			&Reply-Message := "$name"
		}
		if (&User-Name == "bob") {
			update control {
				&Cleartext-Password := "hello"
			}
			pap
		}
		Autz-Type Status-Server {
			linelog
		}
	}
	authenticate {
		pap
	}
	accounting {
		linelog
		Acct-Type Status-Server {
			linelog
		}
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
	ip netns exec "${freeradius_ns[$1]}-$$" "$freeradius_program" -f \
		-d "$dir" -n radiusd -D "$freeradius_root/dictionaries" \
		</dev/null >"$dir/output" 2>&1 &
	freeradius_pid[$1]=$!
	# Bash tells of the end of a job that is its own.
	disown "$!"
	defer "freeradius_stop $1"
}

freeradius_ready() {
	wait_for 30 freeradius_ready_or_gone "$1" &&
		kill -0 "${freeradius_pid[$1]}" 2>/dev/null && return
	echo "# FreeRADIUS does not start in ${freeradius_ns[$1]}"
	sed 's/^/# /' "$freeradius_root/$1"/{radius.log,output}
	return 1
}

freeradius_ready_or_gone() {
	grep -q "Ready to process requests" "$freeradius_root/$1/radius.log" ||
		freeradius_gone "$1"
}

freeradius_gone() {
	! kill -0 "${freeradius_pid[$1]}" 2>/dev/null
}

# freeradius_stop NAME: the server dies without a word.
freeradius_stop() {
	[ -n "${freeradius_pid[$1]:-}" ] || return 0
	kill -KILL "${freeradius_pid[$1]}" 2>/dev/null
	wait_for 10 freeradius_gone "$1" || return
	unset "freeradius_pid[$1]"
}

# freeradius_pause NAME: the server is there, and takes no notice.
freeradius_pause() {
	kill -STOP "${freeradius_pid[$1]}"
}

freeradius_resume() {
	kill -CONT "${freeradius_pid[$1]}"
}

# recorded NAME PATTERN: how many requests the server itself took up. The lines
# begin with Access-Request, Accounting-Request or Status-Server; then come the
# addresses from and to, User-Name, Acct-Status-Type and Acct-Session-Id.
recorded() {
	grep -c -e "^$2" "$freeradius_root/$1/requests"
}

# forget_records NAME...
forget_records() {
	local name

	for name; do
		: >"$freeradius_root/$name/requests"
	done
}

# access_requests COUNT [SOURCE [USER [PASSWORD]]]: for ask. From SOURCE, an
# address of the sender, or the one its routes choose.
access_requests() {
	local i

	for ((i = 0; i < $1; i++)); do
		printf '%s\n' "User-Name = \"${3:-bob}\"" \
			"User-Password = \"${4:-hello}\"" "NAS-Port = $i" \
			${2:+"Packet-Src-IP-Address = $2"} ""
	done
}

# accounting_requests COUNT [SOURCE [STATUS]]: each of a session of its own.
accounting_requests() {
	local i

	for ((i = 0; i < $1; i++)); do
		printf '%s\n' 'User-Name = "bob"' \
			"Acct-Status-Type = ${3:-Start}" \
			"Acct-Session-Id = \"$i\"" "NAS-Port = $i" \
			${2:+"Packet-Src-IP-Address = $2"} ""
	done
}

# status_requests COUNT [SOURCE]
status_requests() {
	local i

	for ((i = 0; i < $1; i++)); do
		printf '%s\n' "Message-Authenticator = 0x00" \
			${2:+"Packet-Src-IP-Address = $2"} ""
	done
}

# ask NAMESPACE PORT TYPE [OPTION...]: send the requests on standard input to
# VIP, each once, unless OPTION says otherwise. Sets accepted, rejected and
# unanswered. radclient takes an answer only from the address and port asked,
# and only with an authenticator that fits: anything else is unanswered.
ask() {
	local namespace=$1 port=$2 type=$3 name value

	shift 3
	accepted=0 rejected=0 unanswered=-1
	said=$(radclient_in "$namespace" -s -r 1 -t 10 -p 16 "$@" \
		"${ASKED:-$VIP}:$port" "$type" "$RADIUS_SECRET" 2>&1)
	while IFS=$': \t' read -r name value; do
		case $name in
		Accepted) accepted=$value ;;
		Rejected) rejected=$value ;;
		Lost) unanswered=$value ;;
		esac
	done <<<"$said"
}

# radclient_in NAMESPACE ARG...
radclient_in() {
	local namespace=$1

	shift
	at "$namespace" radclient -4 -d "$freeradius_root" \
		-D "$freeradius_root/dictionaries" "$@"
}
