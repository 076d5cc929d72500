#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# C3, C4: what is taken away under traffic, and that nothing is left.
#
#	nas ---- gw ---- s1, s2

. "$(dirname "$0")/lib.sh"

require roundtrip lsmod
[ -d /sys/module/radsteer ] && skip_all "the module is loaded already"

# A cache that SLUB merged with another leaves its name in sysfs for good, so
# only /proc tells; what is allocated still, kmemleak finds on the debug kernel.
slab() {
	grep -q '^radsteer_request' /proc/slabinfo
}

users() {
	lsmod | awk -v module="$1" '$1 == module { print $3 }'
}

# Something steered, all the time, until the file is gone.
traffic() {
	while [ -e "/tmp/traffic-$$" ]; do
		# shellcheck disable=SC2046 # a word for each server
		roundtrip -S "nas-$$,192.0.2.2,20000" "$VIP,1812" 50 \
			$(ends 2) >/dev/null 2>&1
		at gw bash -c "printf '\1\1\0\24aaaaaaaaaaaaaaaa' \
			>/dev/udp/$VIP/1812" 2>/dev/null
	done
}

configure() {
	rs group add g algorithm loading-share match "$VIP" &&
		servers g authentication 2
}

topology 2
check "C4: an unused module goes" rmmod radsteer
check "C4: its memory is gone" eval '! slab'
# The connection tracker may use it too.
others=$(users nf_defrag_ipv4)

load_module
check "C4: one group" configure
trip 100 2
all_right "C4: it steers"
check "C4: unloading it with a group and remembered requests" rmmod radsteer
check "C4: nothing is left of its memory" eval '! slab'
check "C4: nor of its use of other modules" test "$(users nf_defrag_ipv4)" = "$others"
trip -S 1 2
[ "${wrong[*]}" = lost-request=1 ]
result "C4: nor of its hooks" $?

# Hooks come with the first group and go with the last.
load_module
check "design: no reassembly without a group" \
	test "$(users nf_defrag_ipv4)" = $((others + 1))
touch "/tmp/traffic-$$"
defer rm -f "/tmp/traffic-$$"
traffic &

for i in {1..20}; do
	configure && rs server del g authentication 198.18.1.2 &&
		rs server add g authentication 198.18.1.2 &&
		rs group set g algorithm master-backup && rs group del g ||
		break
done
[ "$i" = 20 ]
result "C3: a group comes and goes under traffic" $?
check "C3: nothing is remembered of it" test "$(counter remembered)" = 0

for i in {1..5}; do
	configure && rmmod radsteer && load_module || break
done
[ "$i" = 5 ]
result "C4: unloading under traffic" $?

check "C4: one more group" configure
rm -f "/tmp/traffic-$$"
wait

# A namespace goes while its requests wait for an answer.
trip -S 100 2
ip netns del "gw-$$"
check "C4: the module goes after its namespace" \
	wait_for 10 rmmod radsteer
check "C4: nothing is left after that" eval '! slab'

done_testing
