#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A firewall and masquerading on the gateway see client and real server, both
# ways, and so change nothing.
#
#	nas ---- gw ---- s1, s2, s3, s4
#	          \ policy drop, ct state established,related accept,
#	            masquerade towards the servers

. "$(dirname "$0")/lib.sh"

require roundtrip nft
topology 4

check "group with loading-share" \
	rs group add g algorithm loading-share match "$VIP"
check "four servers with weights 10, 20, 30, 40" \
	servers g authentication 4 10 20 30 40

at gw nft -f - <<'N' || skip_all "needs nftables with conntrack"
table ip guard {
	chain forward {
		type filter hook forward priority 0; policy drop;
		ct state established,related accept
		ip saddr 192.0.2.0/24 ip daddr 198.18.0.0/16 udp dport 1812 counter accept
	}
	chain input {
		type filter hook input priority 0; policy drop;
		iif lo accept
		ct state established,related accept
	}
}
N

# The firewall does its work: what it does not let through is lost.
rs group set g match 203.0.113.9
trip -S 1 4
[ "${wrong[*]}" = lost-request=1 ]
result "the firewall drops what goes to the address asked" $?
rs group set g match "$VIP"

count_from_here
trip 4000 4
all_right "R1, P4: 4000 requests through policy drop and ct state"
shares "L2: 4000 draws by weights 10, 20, 30, 40 behind a firewall" 10 20 30 40
counted "P7: each forwarded request steered once, each answer given back" \
	steered 4000 pass-no-match 4000 answers 4000

trip_local 1000 4
all_right "R1, P7: 1000 local requests through policy drop and ct state"
shares "L2: 1000 local draws by weights 10, 20, 30, 40" 10 20 30 40

at gw nft -f - <<'N' || skip_all "needs nftables with masquerading"
table ip hide {
	chain postrouting {
		type nat hook postrouting priority 100;
		ip daddr 198.18.0.0/16 masquerade
	}
}
N

count_from_here
trip -v any 4000 4
all_right "R1: 4000 requests through masquerading"
shares "L2: 4000 draws by weights 10, 20, 30, 40 and masquerading" 10 20 30 40
counted "R1: each answer found its client behind masquerading" \
	steered 4000 pass-no-match 4000 answers 4000

trip_local -v any -C 1000 4
all_right "R1, P7: 1000 local requests of a connected socket, masqueraded"

check "the servers are what the connection tracker knows" \
	test "$(at gw conntrack -L -p udp 2>/dev/null | grep -c "dst=$VIP")" = 0

done_testing
