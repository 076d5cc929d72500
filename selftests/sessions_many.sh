#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A7, section 9: many sessions at a time, and their memory. What a report of one of
# them costs is told by the bench.
#
#	nas                 gw                s1, s2, s3
#	requester ------ radsteer ------------ responder
#	192.0.2.2        192.0.2.1          198.18.{1,2,3}.2
#
#	SESSIONS	so many (default 20000)

. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/traffic_lib.sh"

sessions=${SESSIONS:-20000}
topology 3
respond 3
rs set duplicate-window 0 max-sessions "$sessions"
check "a group" rs group add g algorithm loading-share match "$VIP"
check "its servers" servers g authentication 3
check "its servers for accounting" servers g accounting 3

who=$(attributes station "########" session "########")

# By 64 at a time, as many as sockets can hold.
logins() {
	PORT=20000 request -n "$1" -p 64 -r 1000000 -g 60000 -x "$who" "$2"
}

accounts() {
	PORT=20000 SERVICE_PORT=1813 request -n "$1" -p 64 -k 4 -g 60000 \
		-x "$(attributes status 3)$who" "$2"
}

all_answered() {
	local i done=0

	for ((i = $2; i < $3; i += 16384)); do
		"$1" "$i" $((i + 16384 > $3 ? $3 - i : 16384))
		done=$((done + said[answered]))
	done
	echo "$done of $(($3 - $2))"
	[ "$done" = $(($3 - $2)) ]
}

check "R1: $sessions logins" all_answered logins 0 "$sessions"
check "A3: $sessions sessions are bound" test \
	"$(counter sessions),$(counter users)" = "$sessions,$sessions"
check "A7: none was forgotten" test "$(counter session-evicted)" = 0

# objects CACHE: how many there are, and the octets of each.
objects() {
	awk -v "name=$1" '$1 == name { print $2, $4 }' /proc/slabinfo
}
read -r number size < <(objects radsteer_binding)
# The guest lets no two caches share their slabs, as another kernel may; that for
# debugging puts more beside each object.
if [ -n "${number:-}${RADSTEER_KERNEL:-}" ] &&
   [ "${RADSTEER_KERNEL:-}" != debug ]; then
	echo "# ${number:-no} bindings of ${size:-no} octets"
	check "section 9: a session takes 128 octets at most" test \
		$((${number:-sessions * 1000} * ${size:-1} / sessions)) -le 130 \
		-a "${size:-65}" -le 64
fi

count_from_here
check "R1: accounting of all of them" all_answered accounts 0 "$sessions"
check "A1: every one was known" reached session-hits "$sessions"
check "A1: and none was not" test "$(counter session-unknown)" = 0
shown() {
	rs -j session show | jq '.sessions | length'
}
[ "$sessions" -gt 50000 ] ||
	check "section 9: all of them are shown" test "$(shown)" = \
		$((2 * sessions))
begin=$SECONDS
check "C3: they end with their group" rs group del g
echo "# which took $((SECONDS - begin)) s"
check "C3: all of them" test "$(counter sessions),$(counter users)" = 0,0

done_testing
