# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# apt for scripts: what it says goes to a log, which is shown if it fails, and how
# far it is comes out as a line for each tenth. Sourced, after say() is defined,
# which tells the user one line; never run.

# apt_get ARGUMENT...: the lock of a cache, if the caller has one, stays with it.
apt_get() {
	local log status=0

	log=$(mktemp) || return
	LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -y \
		-o APT::Status-Fd=3 -o Acquire::Retries=3 \
		-o DPkg::Lock::Timeout=300 "$@" \
		3>&1 >"$log" 2>&1 </dev/null 9>&- | apt_progress ||
		status=${PIPESTATUS[0]}
	if [ "$status" != 0 ]; then
		say "apt-get has failed; the end of what it said:"
		tail -n 20 "$log" | sed 's/^/| /' >&2
	fi
	rm -f "$log"
	return "$status"
}

# apt_progress: of the lines that APT::Status-Fd asks for, those worth a word.
apt_progress() {
	local kind percent word tenth told=

	while IFS=: read -r kind _ percent _; do
		case $kind in
		dlstatus) word=fetched ;;
		pmstatus) word=installed ;;
		*) continue ;;
		esac
		[[ $percent =~ ^([0-9]+)(\.[0-9]+)?$ ]] || continue
		tenth=$((BASH_REMATCH[1] / 10))
		[ "$word$tenth" != "$told" ] || continue
		told=$word$tenth
		[ "$tenth" = 0 ] || say "  $((10 * tenth)) % $word"
	done
}

# apt_needs PACKAGE...: what it takes to install these, by apt's own reckoning.
apt_needs() {
	local said

	# It is told not to go on, and fails with that.
	said=$(LC_ALL=C apt-get --assume-no --no-install-recommends install \
		"$@" 2>/dev/null 9>&-) || :
	sed -nE 's,^Need to get ([^/]*)(/.*)? of archives\.$,\1 to fetch,p
		s,^After this operation\, (.*) of additional disk .*$,\1 on disk,p' \
		<<<"$said" | paste -sd , | sed 's/,/, /'
}
