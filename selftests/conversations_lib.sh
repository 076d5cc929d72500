# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Conversations by State, for what is sourced after traffic_lib.sh, with the three
# servers of its stage in one group under loading-share.

# State S: of a packet.
state() {
	attributes state "$1"
}

# ask STATE [OPTION...] COUNT: requests that carry that State.
ask() {
	request -x "$(attributes user bob)$(state "$1")" "${@:2}"
}

# challenge N...: these servers give the State "from N" from now on.
challenge() {
	local i

	for i; do
		behave "s$i" answer code 11 attributes "$(state "from $i")"
	done
}

# converse: 60 conversations begin, and go on with the server of their State. The
# client's port is not part of the key: each run has another one.
converse() {
	local i

	challenge 1 2 3
	count_from_here
	request 60
	told "R1: 60 conversations begin" answered 60
	counted "E1: without a State nothing is looked up" steered 60 \
		answers 60 pass-no-match 60
	check "E1: each State is remembered once" counter_is states 3

	behave all answer
	for i in 1 2 3; do
		forget
		count_from_here
		ask "from $i" 40
		told "R1: 40 rounds with the State of s$i" answered 40
		went "E2: all of them go to s$i" 40 "s$i"
		counted "E2: which is counted, s$i" steered 40 answers 40 \
			pass-no-match 40 state-hits 40
	done
}
