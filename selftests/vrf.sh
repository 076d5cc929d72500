#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# VRFs, whose devices run hooks twice, and routing by mark: each packet is
# steered and counted once.
#
#	nas ---- [red] gw [blue] ---- s1, s2, s3
#
#	203.0.113.1, 2001:db8:ffff::1	groups g and g6, loading-share
#
# Routes lead from red to the servers, and from blue to the NAS.

. "$(dirname "$0")/lib.sh"

require roundtrip
topology 3
topology6 3

ip -n "gw-$$" -batch - <<-'END' || skip_all "needs VRF"
	link add red type vrf table 10
	link add blue type vrf table 20
	link set red up
	link set blue up
	link set nas master red
	link set s1 master blue
	link set s2 master blue
	link set s3 master blue
END
# A change of the master takes addresses of IPv6 away.
ip -n "gw-$$" address replace 2001:db8:1::1/64 dev nas nodad
for i in 1 2 3; do
	ip -n "gw-$$" address replace "2001:db8:2:$i::1/64" dev "s$i" nodad
	ip -n "gw-$$" route add "198.18.$i.0/24" dev "s$i" table 10
	ip -n "gw-$$" route add "2001:db8:2:$i::/64" dev "s$i" table 10
done
ip -n "gw-$$" route add 192.0.2.0/24 dev nas table 20
ip -n "gw-$$" route add 2001:db8:1::/64 dev nas table 20
for table in 10 20; do
	ip -n "gw-$$" route add "$VIP" via 198.18.1.2 dev s1 table "$table"
	ip -n "gw-$$" route add "$VIP6" via 2001:db8:2:1::2 dev s1 \
		table "$table"
done
at gw sysctl -qw net.ipv4.udp_l3mdev_accept=1

rs set duplicate-window 0
rs group add g algorithm loading-share match "$VIP"
rs group add g6 algorithm loading-share match "$VIP6"
servers g authentication 3
servers6 g6 authentication 3

# The second time, requests go to what no group matches, and answers come from
# what has no server; what goes out by a VRF comes past it and the device.
for client in trip trip6; do
	count_from_here
	"$client" -C 300 3
	all_right "P7, R1: $client between two VRFs"
	shares "L2: $client between two VRFs, drawn once" 1 1 1
	counted "P7: $client, steered and counted once" steered 300 \
		answers 300 pass-no-match 900
done

# A client of the gateway in blue, where its own addresses are those towards
# the servers.
from_blue() {
	local address=198.18.1.1

	[ "$1" = ends ] || address=2001:db8:2:1::1
	trip_from "gw-$$,$address,20000" -B blue "${@:2}"
}
for list in ends ends6; do
	for option in -C -n; do
		count_from_here
		from_blue "$list" "$option" 300 3
		all_right "P7, R1: local, by blue, $list $option"
		shares "L2: local, by blue, drawn once, $list $option" 1 1 1
		counted "P7: local, by blue, counted once, $list $option" \
			steered 300 answers 300 pass-no-match 900
	done
done
# A queue on the device of the VRF makes packets take another way.
at gw tc qdisc add dev blue root pfifo
for list in ends ends6; do
	count_from_here
	from_blue "$list" -C 300 3
	all_right "P7, R1: local, by the queue of blue, $list"
	counted "P7: local, by the queue of blue, counted once, $list" \
		steered 300 answers 300 pass-no-match 600
done
at gw tc qdisc del dev blue root

# Where a group matches its own servers, what comes past again is matched.
rs group del g
rs group del g6
rs group add g algorithm master-backup timeout 60
rs group add g6 algorithm master-backup timeout 60
servers g authentication 3
servers6 g6 authentication 3
for list in ends ends6; do
	asked=198.18.3.2 client=trip
	[ "$list" = ends ] || asked=2001:db8:2:3::2 client=trip6
	for window in 0 50; do
		rs set duplicate-window "$window"
		count_from_here
		ASKED=$asked "$client" -r 1 200 3
		all_right "P2, R1: $client to a server's address, $window ms"
		served "M2: $client, all to the master, $window ms" 200 0 0
		counted "P2: $client, each counted once, $window ms" \
			steered 200 answers 200 pass-again 200 \
			pass-no-match 400
		count_from_here
		ASKED=$asked from_blue "$list" 200 3
		all_right "P2, R1: local, to a server's address, $list $window"
		served "M2: local, all to the master, $list $window" 200 0 0
		counted "P2: local, each counted once, $list $window" \
			steered 200 answers 200 pass-again 200 \
			pass-no-match 400
	done
done

# Servers that can only be reached by a table that a mark chooses.
rs group set g match "$VIP"
rs group set g6 match "$VIP6"
ip -n "gw-$$" -batch - <<-'END'
	link set nas nomaster
	link set s1 nomaster
	link set s2 nomaster
	link set s3 nomaster
	link del red
	link del blue
END
ip -n "gw-$$" address replace 2001:db8:1::1/64 dev nas nodad
for i in 1 2 3; do
	ip -n "gw-$$" address replace "2001:db8:2:$i::1/64" dev "s$i" nodad
	ip -n "gw-$$" -batch - <<-END
		route del 198.18.$i.0/24 dev s$i
		route del 2001:db8:2:$i::/64 dev s$i
		route add 198.18.$i.0/24 dev s$i table 30
		route add 2001:db8:2:$i::/64 dev s$i table 30
	END
done
ip -n "gw-$$" -4 rule add fwmark 7 table 30
ip -n "gw-$$" -6 rule add fwmark 7 table 30
ip -n "gw-$$" -batch - <<-END
	route replace $VIP dev lo
	route replace $VIP6 dev lo
END
at gw nft -f - <<-'END' || skip_all "needs nftables"
	table inet marks {
		chain in {
			type filter hook prerouting priority -300;
			iifname nas meta mark set 7
		}
		chain out {
			type route hook output priority -300;
			meta l4proto udp meta mark set 7
		}
	}
END
for client in trip trip6 trip_local trip6_local; do
	count_from_here
	"$client" -C 100 3
	all_right "P7, R1: $client, servers reached by mark alone"
	counted "P7: $client by mark, each counted" steered 100 answers 100 \
		pass-no-match 100
done

done_testing
