#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the command refuses by itself, before it says a word to the kernel. Each
# row is a command line that is none: the command ends with status 2, prints
# nothing, and says one sentence that names the word at fault.
#
# Usage: usage.sh [RADSTEER]    the command to test, or the first on PATH

set -u

command=${1:-radsteer}
if ! command=$(type -P "$command"); then
	echo "Bail out! there is no command ${1:-radsteer}"
	exit 1
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

long=abcdefghijklmnopqrstuvwxyz012345
matches=()
for i in {1..17}; do
	matches+=(match "192.0.2.$i")
done

# bad TITLE IN_SENTENCE WORD...
#
# Add a row: a title, what the sentence has to contain, and the command line.
rows=()
bad() {
	local line

	# Each word is quoted, so that a row survives as one string.
	printf -v line '%q ' "$@"
	rows+=("$line")
}

server=(server add g authentication 192.0.2.1)

# Commands and global options
bad 'no command at all' 'group, server, set, show, stats, request, session, monitor'
bad 'only a global option' '"-j"' -j
bad 'unknown command' '"frob"' frob
bad 'abbreviated command' '"gr"' gr show
bad 'command in capitals' '"SHOW"' SHOW
bad 'empty command' '""' ''
bad 'unknown global option' '"-x"' -x show
bad 'joined global options' '"-jp"' -jp show
bad 'long global option' '"--help"' --help
bad 'lone dash' '"-"' - show
bad 'global option twice' '"-j"' -j -j show
bad 'other global option twice' '"-p"' -p -j -p show
bad 'global option behind the command' '"-j"' show -j
bad 'word behind -V' '"now"' -V now
bad 'word behind -h' '"group"' -h group
bad 'word behind version' '"now"' version now
bad 'word behind help' '"group"' help group
bad 'word behind show' '"g"' show g
bad 'word behind stats' '"rest"' stats rest
bad 'word behind monitor' '"now"' monitor now
bad 'global option behind monitor' '"-j"' monitor -j
bad 'monitor on several lines' '"-p"' -p monitor
bad 'monitor in JSON on several lines' '"-p"' -j -p monitor
bad 'request without a verb' '"request"' request
bad 'unknown verb of request' '"list"' request list
bad 'abbreviated verb of request' '"sh"' request sh
bad 'word behind request show' '"g"' request show g
bad 'session without a verb' '"session"' session
bad 'unknown verb of session' '"list"' session list
bad 'abbreviated verb of session' '"sh"' session sh
bad 'session in the plural' '"sessions"' sessions show
bad 'word behind session show' '"g"' session show g
bad 'group without a verb' '"group"' group
bad 'unknown verb of group' '"list"' group list
bad 'abbreviated verb of group' '"sh"' group sh
bad 'server without a verb' '"server"' server
bad 'unknown verb of server' '"replace"' server replace

# Names
bad 'group add without a name' '"add"' group add
bad 'group set without a name' '"set"' group set
bad 'group del without a name' '"del"' group del
bad 'empty name' '""' group add ''
bad 'name of 32 characters' "\"$long\"" group add "$long"
bad 'very long name' '"aaaaaaaa' group add "$(printf 'a%.0s' {1..5000})"
bad 'name that begins with a dash' '"-g"' group add -g
bad 'name that begins with a dot' '".g"' group del .g
bad 'name that begins with an underscore' '"_g"' group show _g
bad 'name with a space' '"a b"' group add 'a b'
bad 'name with a slash' '"a/b"' group add a/b
bad 'name with an escape sequence' '"a\x1b[31mb"' group add $'a\e[31mb'
bad 'name with a newline' '"a\x0ab"' group add $'a\nb'
bad 'name with DEL' '"a\x7f"' group add $'a\177'
bad 'name with a tab first' '"\x09a"' group add $'\ta'
bad 'name with a C1 control character' '"a\xc2\x9bb"' group add $'a\xc2\x9bb'
bad 'name beyond ASCII' '"gr\xc3\xbcn"' group add $'gr\xc3\xbcn'
bad 'bad name where servers are shown' '"a:b"' server show a:b
bad 'bad name where a server is added' '"a,b"' server add a,b accounting 192.0.2.1
bad 'two names where one group is deleted' '"h"' group del g h
bad 'two names where groups are shown' '"h"' group show g h
bad 'two names where servers are shown' '"h"' server show g h

# Settings of groups
bad 'unknown option of a group' '"colour"' group add g colour red
bad 'unknown option with a newline' '"a\x0ab"' group add g $'a\nb'
bad 'group set with nothing to set' 'algorithm, accounting' group set g
bad 'algorithm without a value' '"algorithm"' group add g algorithm
bad 'unknown algorithm' '"round-robin"' group add g algorithm round-robin
bad 'abbreviated algorithm' '"master"' group add g algorithm master
bad 'strict with loading-share' '"strict"' group add g algorithm loading-share strict
bad 'strict with default' '"strict"' group add g algorithm default strict
bad 'strict twice' '"strict"' group set g algorithm master-backup strict strict
bad 'algorithm twice' '"algorithm"' group add g algorithm default algorithm default
bad 'accounting without a value' '"accounting"' group set g accounting
bad 'unknown accounting' '"yes"' group add g accounting yes
bad 'accounting twice' '"accounting"' group add g accounting auto accounting auto
bad 'retransmit without a value' '"retransmit"' group add g retransmit
bad 'retransmit above its range' '"6"' group add g retransmit 6
bad 'negative retransmit' '"-1"' group add g retransmit -1
bad 'retransmit twice' '"retransmit"' group add g retransmit 1 retransmit 1
bad 'timeout without a value' '"timeout"' group add g timeout
bad 'timeout below its range' '"0"' group add g timeout 0
bad 'timeout above its range' '"61"' group add g timeout 61
bad 'timeout with a unit' '"5s"' group add g timeout 5s
bad 'timeout with a sign' '"+5"' group add g timeout +5
bad 'timeout with a space' '" 5"' group add g timeout ' 5'
bad 'timeout in hexadecimal' '"0x5"' group add g timeout 0x5
bad 'timeout with a fraction' '"1.5"' group add g timeout 1.5
bad 'empty timeout' '""' group add g timeout ''
bad 'timeout that is 5 modulo 2^32' '"4294967301"' group add g timeout 4294967301
bad 'timeout that is 5 modulo 2^64' '"18446744073709551621"' group add g timeout 18446744073709551621
bad 'timeout with an escape' '"5\x1b"' group add g timeout $'5\e'
bad 'timeout twice' '"timeout"' group set g timeout 5 timeout 6

# Matches
bad 'match without a value' '"match"' group add g match
bad 'match servers twice' '"servers"' group add g match servers match servers
bad 'the same match twice' '"192.0.2.1"' group add g match 192.0.2.1 match 192.0.2.1
bad 'the same match, its usual ports written out' '"192.0.2.1"' group add g match 192.0.2.1 match 192.0.2.1 acct-port 1813 auth-port 1812
bad '17 matches' '"192.0.2.17"' group add g "${matches[@]}"
bad 'the same IPv6 match twice' '"2001:db8::1"' group add g match 2001:db8::1 match 2001:db8::1
bad 'the same IPv6 match, written out' '"2001:DB8:0:0:0:0:0:1"' group add g match 2001:db8::1 match 2001:DB8:0:0:0:0:0:1
bad 'IPv6 match and a bad port of it' '"65536"' group add g match 2001:db8::1 acct-port 65536
bad 'IPv6 prefix to match' '"2001:db8::/32" is malformed' group add g match 2001:db8::/32
bad 'IPv4 within IPv6 to match' 'IPv4 address within IPv6' group add g match ::ffff:192.0.2.1
bad 'match of a host name' '"radius.example"' group add g match radius.example
bad 'match of a prefix' '"192.0.2.0/24"' group add g match 192.0.2.0/24
bad 'auth-port of match servers' '"auth-port"' group add g match servers auth-port 1812
bad 'auth-port without a match' '"auth-port"' group add g auth-port 1812
bad 'acct-port apart from its match' '"acct-port"' group add g match 192.0.2.1 timeout 5 acct-port 1813
bad 'auth-port without a value' '"auth-port"' group add g match 192.0.2.1 auth-port
bad 'auth-port 0' '"0"' group add g match 192.0.2.1 auth-port 0
bad 'acct-port 65536' '"65536"' group add g match 192.0.2.1 acct-port 65536
bad 'auth-port twice' '"auth-port"' group add g match 192.0.2.1 auth-port 1 auth-port 1

# Servers
bad 'server without a group' '"add"' server add
bad 'server without a service' '"g"' server add g
bad 'server without an address' '"accounting"' server del g accounting
bad 'unknown service' '"auth"' server add g auth 192.0.2.1
bad 'IPv6 server of a link' 'names an interface' server add g accounting fe80::1%eth0
bad 'IPv6 server of a link by number' 'names an interface' server set g accounting fe80::1%2 weight 1
bad 'IPv4 address with an interface' '"192.0.2.1%eth0" is malformed' server add g accounting 192.0.2.1%eth0
bad 'IPv4 address within IPv6' 'IPv4 address within IPv6' server add g accounting ::ffff:192.0.2.1
bad 'IPv4 address within IPv6 in hexadecimal' 'IPv4 address within IPv6' server add g accounting ::FFFF:c000:201
bad 'IPv4 address within IPv6, written out' 'IPv4 address within IPv6' server del g accounting 0:0:0:0:0:ffff:c000:0201
bad 'IPv6 address in brackets' '"[2001:db8::1]" is malformed' server add g accounting '[2001:db8::1]'
bad 'IPv6 address in brackets with a port' '"[2001:db8::1]:1812" is malformed' server add g accounting '[2001:db8::1]:1812'
bad 'two gaps in an IPv6 address' '"2001::db8::1" is malformed' server add g accounting 2001::db8::1
bad 'five digits in an IPv6 address' '"2001:db8::00001" is malformed' server add g accounting 2001:db8::00001
bad 'nine parts of an IPv6 address' '"1:2:3:4:5:6:7:8:9" is malformed' server add g accounting 1:2:3:4:5:6:7:8:9
bad 'seven parts of an IPv6 address' '"1:2:3:4:5:6:7" is malformed' server add g accounting 1:2:3:4:5:6:7
bad 'no hexadecimal digit in an IPv6 address' '"2001:db8::g" is malformed' server add g accounting 2001:db8::g
bad 'lone colon' '":" is malformed' server add g accounting :
bad 'IPv6 address with a space' '"2001:db8::1 "' server add g accounting '2001:db8::1 '
bad 'an example of each family' '192.0.2.1 or 2001:db8::1' server add g accounting x
bad 'server by host name' 'host names are not looked up' server add g accounting radius1
bad 'address with a port' '"192.0.2.1:1812"' server add g accounting 192.0.2.1:1812
bad 'address of three octets' '"192.0.2"' server add g accounting 192.0.2
bad 'octet above its range' '"192.0.2.256"' server add g accounting 192.0.2.256
bad 'octet with a leading zero' '"192.0.2.01"' server add g accounting 192.0.2.01
bad 'address as one number' '"3221225985"' server add g accounting 3221225985
bad 'address with a control character' '"192.0.2.1\x0d"' server add g accounting $'192.0.2.1\r'
bad 'empty address' '""' server add g accounting ''
bad 'port without a value' '"port"' "${server[@]}" port
bad 'port 0' '"0"' "${server[@]}" port 0
bad 'port above its range' '"65536"' "${server[@]}" port 65536
bad 'port by name' '"radius"' "${server[@]}" port radius
bad 'port twice' '"port"' "${server[@]}" port 1812 port 1812
bad 'weight without a value' '"weight"' "${server[@]}" weight
bad 'weight above its range' '"65536"' "${server[@]}" weight 65536
bad 'weight twice' '"weight"' "${server[@]}" weight 1 weight 2
bad 'state without a value' '"state"' "${server[@]}" state
bad 'unknown state' '"dead"' "${server[@]}" state dead
bad 'state twice' '"state"' "${server[@]}" state up state down
bad 'before without a value' '"before"' "${server[@]}" before
bad 'before an IPv6 address of a link' 'names an interface' "${server[@]}" before fe80::1%lo
bad 'before a host name' '"first"' "${server[@]}" before first
bad 'IPv6 before with a bad port' '"70000"' server add g accounting 2001:db8::1 before 2001:db8::2 port 70000
bad 'before a bad port' '"70000"' "${server[@]}" before 192.0.2.2 port 70000
bad 'before twice' '"before"' "${server[@]}" before 192.0.2.2 before 192.0.2.3
bad 'unknown option of a server' '"priority"' "${server[@]}" priority 1
bad 'before where a server is changed' '"before"' server set g accounting 192.0.2.1 before 192.0.2.2
bad 'server set with nothing to set' 'weight or state' server set g accounting 192.0.2.1
bad 'server set with a port alone' 'weight or state' server set g accounting 192.0.2.1 port 1813
bad 'weight where a server is deleted' '"weight"' server del g accounting 192.0.2.1 weight 1
bad 'state where a server is deleted' '"state"' server del g accounting 192.0.2.1 state up

# A good address is not what the sentence is about.
for address in :: ::1 2001:db8::1 2001:DB8:0:0:0:0:0:1 fe80::1 ff02::1 \
	       1:2:3:4:5:6:7:8 ::1.2.3.4 64:ff9b::192.0.2.1 ::fffe:192.0.2.1; do
	bad "port 0 at $address" 'port "0"' server add g accounting \
		"$address" port 0
done

# Settings of the namespace
bad 'set with nothing to set' 'dead-count, dead-interval' set
bad 'unknown setting' '"dead"' set dead 10
bad 'setting of a group' '"timeout"' set timeout 5
bad 'setting in the singular' '"max-session"' set max-session 5
bad 'setting in JSON spelling' '"dead_count"' set dead_count 5
bad 'setting beside a good one' '"rest"' set dead-count 5 rest
for row in 'dead-count 1 65535' 'dead-interval 0 3600' 'dead-time 1 86400' \
	   'max-requests 1 4194304' 'max-sessions 1 4194304' \
	   'max-states 1 4194304' 'state-time 1 3600' \
	   'session-time 1 1209600' 'duplicate-window 0 1000'; do
	read -r word min max <<<"$row"
	bad "$word without a value" "\"$word\"" set "$word"
	bad "$word twice" "\"$word\"" set "$word" 5 "$word" 5
	bad "$word below its range" "\"$((min - 1))\"" \
		set "$word" $((min - 1))
	bad "$word above its range" "\"$((max + 1))\"" \
		set "$word" $((max + 1))
	bad "$word names its range" "from $min to $max" set "$word" x
	bad "$word with a unit" '"5s"' set "$word" 5s
	bad "empty $word" '""' set "$word" ''
	bad "$word that is 5 modulo 2^32" '"4294967301"' \
		set "$word" 4294967301
	bad "$word followed by a word" '"dead-time"' set "$word" dead-time
done

# What is wrong with one run, a line each; no line if nothing is.
faults() {
	local status=$1 expected=$2 sentence

	sentence=$(<"$work/err")
	[ "$status" -eq 2 ] || echo "exit status $status, not 2"
	[ ! -s "$work/out" ] || echo "something on standard output"
	[ "$(wc -l <"$work/err")" -eq 1 ] || echo "not one line"
	[[ $sentence == 'radsteer: '* ]] || echo "no prefix"
	[[ $sentence == *"$expected"* ]] || echo "without $expected"
	! LC_ALL=C grep -q '[^ -~]' "$work/err" ||
		echo "something raw beside printable ASCII"
}

echo 'TAP version 13'
echo "1..${#rows[@]}"
n=0
failed=0
words=()
for line in "${rows[@]}"; do
	n=$((n + 1))
	eval "words=($line)"
	timeout 10 "$command" "${words[@]:2}" >"$work/out" 2>"$work/err" \
		</dev/null
	found=$(faults $? "${words[1]}")
	if [ -z "$found" ]; then
		echo "ok $n ${words[0]}"
		continue
	fi
	failed=$((failed + 1))
	echo "not ok $n ${words[0]}"
	printf '%s\n' "$found" "said: $(tr -c ' -~\n' '?' <"$work/err")" |
		sed 's/^/# /'
done
echo "# Totals: pass:$((n - failed)) fail:$failed"
[ "$failed" -eq 0 ]
