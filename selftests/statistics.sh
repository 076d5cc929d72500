#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The draws of loading-share, 20,000 and more for each rule, on the module
# itself with the random source that it uses in production: one client, one
# source port, one request at a time.
#
#	nas ---- gw ---- s1, s2, s3, s4
#
# Every judgement is a chi-square test with a false-alarm rate of one in a
# million, of as many draws as its title says.

. "$(dirname "$0")/lib.sh"

require chisq roundtrip
topology 4
draws=20000
order=$(mktemp) || skip_all "needs a temporary file"
defer rm -f "$order"

rs group add g algorithm loading-share match "$VIP" timeout 60

# fresh WEIGHT...
fresh() {
	local i

	for i in 1 2 3 4; do
		rs server del g authentication "198.18.$i.2" 2>/dev/null
	done
	servers g authentication 4 "$@"
}

# draw: the server of each, from 0, into the file.
draw() {
	# shellcheck disable=SC2046 # a word for each server
	roundtrip -l 20 -o "nas-$$,192.0.2.2,20000" "$VIP,1812" "$draws" \
		$(ends 4) | sed -n 's/^order //p' >"$order"
	mapfile -t got < <(awk '{ n[$1]++ }
		END { for (i = 0; i < 4; i++) print n[i] + 0 }' "$order")
}

# follow K: how often each server came after K equal ones, whichever; as many
# numbers as servers, the first for the same one again and the others in order
# from there on.
follow() {
	awk -v k="$1" '
		run >= k { n[($1 - last + 4) % 4]++ }
		{ run = $1 == last && NR > 1 ? run + 1 : 1; last = $1 }
		END { for (i = 0; i < 4; i++) print n[i] + 0 }' "$order"
}

fresh 10 20 30 40
draw
shares "L2: $draws draws by weights 10, 20, 30, 40" 10 20 30 40

fresh 1 1 1 1
draw
shares "L2: $draws draws by equal weights" 1 1 1 1
for k in 1 2 3; do
	mapfile -t got < <(follow "$k")
	shares "L7: the choice after $k equal ones, of $draws draws" 1 1 1 1
done

# The same by unequal weights: what comes after the fourth, again and again.
fresh 1 2 3 4
draw
for k in 1 2 3; do
	mapfile -t got < <(awk -v k="$k" '
		run >= k { n[$1]++ }
		{ run = $1 == 3 ? run + 1 : 0 }
		END { for (i = 0; i < 4; i++) print n[i] + 0 }' "$order")
	shares "L7: by weights, after $k times the heaviest, of $draws draws" \
		1 2 3 4
done
# No round robin, no smoothing: the second half knows nothing of the first.
mapfile -t got < <(awk -v half=$((draws / 2)) 'NR > half { n[$1]++ }
	END { for (i = 0; i < 4; i++) print n[i] + 0 }' "$order")
shares "L7: by weights, the second half of $draws draws" 1 2 3 4

# L6: only weights of 0 are Up in a list that has a sum.
fresh 0 7 0 0
rs server set g authentication 198.18.2.2 state down
draw
shares "L6: $draws draws, only weights of 0 Up" 1 0 1 1

# L4: none Up, by liveness: nobody answers one, nor the next.
fresh 10 20 30 40
rs set dead-count 1 dead-interval 0 dead-time 86400 duplicate-window 0
rs group set g timeout 1 retransmit 5
all_down() {
	rs -j show | jq -e '[.groups[0].servers.authentication[].state] |
		unique == ["down"]'
}
trip -S 60 4
wait_for 10 all_down
check "S2: all are Down" all_down
# Each answer makes one Up: here none comes, and losses change nothing more.
# shellcheck disable=SC2046 # a word for each server
roundtrip -S -l 20 -n -o "nas-$$,192.0.2.2,21000" "$VIP,1812" "$draws" \
	$(ends 4) | sed -n 's/^order //p' >"$order"
mapfile -t got < <(awk '{ n[$1]++ }
	END { for (i = 0; i < 4; i++) print n[i] + 0 }' "$order")
check "S8: they are Down still" all_down
shares "L4: $draws draws with none Up, by weights 10, 20, 30, 40" 10 20 30 40

done_testing
