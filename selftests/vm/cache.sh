# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Where the cache is, and how to fill it safely. Sourced by the scripts beside
# it, never run.

RADSTEER_CACHE=${RADSTEER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/radsteer}
mkdir -p "$RADSTEER_CACHE/kernels" "$RADSTEER_CACHE/lock"
RADSTEER_CACHE=$(cd "$RADSTEER_CACHE" && pwd -P)

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# shellcheck source-path=SCRIPTDIR source=../../tools/setup/apt.sh
. "${BASH_SOURCE[0]%/*}/../../tools/setup/apt.sh"

# Two callers may want the same thing at the same time: the second waits for
# the first and then finds it made. Children must not inherit the lock, or a
# daemon left behind would hold it for ever; they get 9>&- where that matters.
cache_lock() {
	exec 9>"$RADSTEER_CACHE/lock/$1"
	flock 9
}

# A directory to assemble something in, on the cache's own file system so that
# putting it in place is one rename; gone with the script. Leaves its name in
# $staging.
cache_staging() {
	staging=$(mktemp -d "$RADSTEER_CACHE/.new-XXXXXXXX")
	chmod 755 "$staging"
	trap 'rm -rf "$staging"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# Put $1 in place as $2, whatever was there before.
cache_publish() {
	mkdir -p "${2%/*}"
	if [ -e "$2" ]; then
		mv "$2" "$staging/.old"
	fi
	mv "$1" "$2"
}

# The newest package whose name matches the extended regular expression $1.
newest_package() {
	apt-cache pkgnames 2>/dev/null | grep -E "^($1)\$" | sort -V | tail -n 1
}

# Run "$@", updating the package lists once when it fails: they may be missing
# or name files that are gone from the archive.
with_fresh_lists() {
	"$@" && return
	say "updating the package lists"
	apt_get update || die "the package lists cannot be updated"
	"$@"
}

# Download the packages "$@" into the current directory. The sandbox user has
# no right to write there, so apt would warn and then do it as root anyway.
download() {
	apt_get -o APT::Sandbox::User=root download "$@"
}
