# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Whole sessions of one user with real servers, for what is sourced after
# freeradius_lib.sh: a login, then accounting, of which the servers' own records
# say where it went.
#
# The lists are made so that whoever does not follow is found out. The algorithm
# sends a login to s1, or under loading-share to s1 or s2 by chance; accounting
# that goes by the algorithm as well is s3's.
#
#	authentication	s1 weight 1	s2 weight 1	s3 weight 0
#	accounting	s3 weight 1	s2 weight 0	s1 weight 0
#
# What moves away from s1, or from s3, comes to s2 under master-backup (M10);
# under loading-share it comes to s3 (L2).

require nsenter

# Often asked, and so without all that ip does for a command.
rs() {
	nsenter --net="/run/netns/gw-$stage" radsteer "$@"
}

# unset is no algorithm at all, which is master-backup but follows (A2).
algorithms=(unset loading-share master-backup "master-backup strict")

# steer_by ALGORITHM: a new group that has seen nothing yet.
steer_by() {
	local i
	local -a option=()

	# shellcheck disable=SC2206 # "master-backup strict" is two words
	[ "$1" = unset ] || option=(algorithm $1)
	rs group del g 2>/dev/null
	rs group add g "${option[@]}" match "$VIP" &&
		servers g authentication 3 1 1 0 || return
	for i in 3 2 1; do
		rs server add g accounting "198.18.$i.2" \
			weight $((i == 3)) || return
	done
}

# Accounting follows under this algorithm.
follows() {
	[[ $1 != master-backup* ]]
}

# effective ALGORITHM: the module shows what follows from it.
effective() {
	local mode

	mode=$(rs -j show | jq -r '.groups[0].accounting_effective')
	echo "accounting is $mode"
	if follows "$1"; then
		[ "$mode" = follow ]
	else
		[ "$mode" = independent ]
	fi
}

# who PATTERN: the servers that have such a record, as in "s1 s2".
who() {
	local name
	local -a those=()

	for name in s1 s2 s3; do
		[ "$(recorded "$1" "$name")" = 0 ] || those+=("$name")
	done
	echo "${those[*]}"
}

# records PATTERN: how many all servers have of these.
records() {
	local sum

	sum=$(recorded "$1" s1 s2 s3 | paste -sd+)
	echo $((sum))
}

# recorded_by NAME PATTERN N: that many at least.
recorded_by() {
	[ "$(recorded "$2" "$1")" -ge "$3" ]
}

# read_rises: by how much each counter is up since count_from_here, into the
# array rise.
read_rises() {
	local name

	stats rise
	for name in "${!rise[@]}"; do
		rise[$name]=$((rise[$name] - ${counters_before[$name]:-0}))
	done
}
declare -A rise=()

# rose [NAME N]...: these counters have gone up by so much.
rose() {
	local status=0

	read_rises
	while [ $# -gt 0 ]; do
		[ "${rise[${1//-/_}]:-}" = "$2" ] || status=1
		echo "$1 ${rise[${1//-/_}]:-missing}, to be $2"
		shift 2
	done
	return "$status"
}

# show_records: for who wants to know why.
show_records() {
	local name

	for name in s1 s2 s3; do
		sed "s/^/$name: /" "$freeradius_root/$name"/{requests,accepts,rejects}
	done
}

# decided accepts|rejects: the servers that have said so to the user.
decided() {
	local name
	local -a those=()

	for name in s1 s2 s3; do
		! grep -q " bob " "$freeradius_root/$name/$1" ||
			those+=("$name")
	done
	echo "${those[*]}"
}

# The servers that have something of the last login: one, if all is well.
home() {
	who Access-Request
}

# login_at ALGORITHM: one server has all of the last login and has accepted it,
# and it is one that the algorithm takes.
login_at() {
	local home

	home=$(home)
	if [ "$(decided accepts)" = "$home" ] &&
	   [ "$(decided rejects)" = "" ]; then
		case $1,$home in
		loading-share,s[12] | unset,s1 | master-backup*,s1) return ;;
		esac
	fi
	show_records
	return 1
}

# accounting_home ALGORITHM: where the accounting of the last login belongs.
accounting_home() {
	if follows "$1"; then
		home
	else
		echo s3
	fi
}

# accounting_at NAME STATUS...: of each of these there is a record, of one session
# and of this user, and that server has all that there is of the session.
accounting_at() {
	local name=$1 status session='' other

	shift
	for status; do
		other=$(sed -n "s/^Accounting.* bob $status \([^ ]*\) .*/\1/p" \
			"$freeradius_root/$name/requests" | sort -u)
		if [ -z "$other" ] || [ "${session:-$other}" != "$other" ]; then
			echo "$status of ${other:-none}, not of ${session:-any}"
			show_records
			return 1
		fi
		session=$other
	done
	[ "$(who "Accounting.* bob ")" = "$name" ] && return
	show_records
	return 1
}
