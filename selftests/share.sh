#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Loading-share on the module itself, with the random source that it uses in
# production: one client, one source port, one request at a time.
#
#	nas ---- gw ---- s1, s2, s3, s4
#
# Every judgement on shares is a chi-square test with a false-alarm rate of one
# in a million, on as many draws as its title says.

. "$(dirname "$0")/lib.sh"

require chisq roundtrip
topology 4

check "group with loading-share" \
	rs group add g algorithm loading-share match "$VIP"
check "four servers with weights 10, 20, 30, 40" \
	servers g authentication 4 10 20 30 40

count_from_here
trip 4000 4
all_right "R1: 4000 answers from the address asked, octets as the server sent"
shares "L2: 4000 draws by weights 10, 20, 30, 40" 10 20 30 40
counted "P1: each request steered once, each answer given back" \
	steered 4000 pass-no-match 4000 answers 4000

# The first server out: its weight is out of the sum as well.
rs server set g authentication 198.18.1.2 state down
trip 2000 4
all_right "R1: 2000 answers without the first server"
shares "L2, L3, L9: 2000 draws, the first Down, 2/9, 3/9, 4/9" 0 2 3 4
rs server set g authentication 198.18.1.2 state drain
trip 1000 4
shares "S6: 1000 draws, the first draining" 0 2 3 4
rs server set g authentication 198.18.1.2 state auto

for i in 1 2 3 4; do
	rs server set g authentication "198.18.$i.2" state down
done
count_from_here
trip 2000 4
all_right "S8: 2000 answers with every server administratively down"
shares "L4, L9: 2000 draws, none Up, by weights 10, 20, 30, 40" 10 20 30 40
counted "S8: selections with none Up are counted" \
	steered 2000 pass-no-match 2000 answers 2000 none-up 2000

rs server set g authentication 198.18.3.2 state up
trip 200 4
served "S6: none is selected that is down while another is not" 0 0 200 0
for i in 1 2 3 4; do
	rs server set g authentication "198.18.$i.2" state auto weight 0
done

trip 4000 4
all_right "R1: 4000 answers without weights"
shares "L1, L2: 4000 draws by weights of 0, the same chance" 1 1 1 1

rs server set g authentication 198.18.2.2 weight 5
trip 1000 4
served "L2: weight 0 gets nothing beside a weight" 0 1000 0 0
rs server set g authentication 198.18.2.2 state down
trip 3000 4
shares "L6: 3000 draws, only weights of 0 Up in a list with a sum" 1 0 1 1
rs server set g authentication 198.18.2.2 state auto weight 65535
check "L1: weight 65535" rs server set g authentication 198.18.4.2 weight 65535
trip 1000 4
shares "L1: 1000 draws by the greatest weights" 0 1 0 1

# Each draw on its own: which server follows the second does not depend on it.
for i in 1 2 3 4; do
	rs server set g authentication "198.18.$i.2" weight 1
done
# shellcheck disable=SC2046 # a word for each server
roundtrip -o "nas-$$,192.0.2.2,20000" "$VIP,1812" 6000 \
	$(ends 4) >"/tmp/order-$$"
defer rm -f "/tmp/order-$$"
# shellcheck disable=SC2046 # a word for each count
check "L7: the choice after an equal one, of 6000 draws" chisq $(awk '
	/^order / {
		if ($2 == last)
			same++
		else if (last != "")
			other++
		last = $2
	}
	END { print same, other }' "/tmp/order-$$") -- 1 3
# shellcheck disable=SC2046 # a word for each count
check "L7: the choice after two equal ones, of 6000 draws" chisq $(awk '
	/^order / {
		if (last != "" && last == before) {
			if ($2 == last)
				same++
			else
				other++
		}
		before = last
		last = $2
	}
	END { print same, other }' "/tmp/order-$$") -- 1 3

done_testing
