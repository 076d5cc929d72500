# SPDX-License-Identifier: GPL-2.0
#
# The figures of the guest, each with what it is over the bare path of its kernel,
# way and kind of request.

def base:
	if . == "state" then "bare-state"
	elif . == "accounting" or startswith("sessions-") then "bare-accounting"
	elif . == "login" then "bare-login"
	elif . == "retransmitted" then "bare-retransmitted"
	elif . == "other" then "bare-other"
	elif . == "freeradius" or . == "radsecproxy" then "bare-proxied"
	elif startswith("servers-") then "bare-" + .
	else "bare" end;

def key: [.kernel, .way, .family, .name] | join(" ");

(map(select(.instructions)) | INDEX(key)) as $by
| {
	figures: map(
		# What is rounded to -0 is 0.
		if .instructions and (.name | startswith("bare") | not) then
			. + {over: (.instructions
				- $by[. + {name: (.name | base)} | key].instructions
				| round + 0)}
		else . end),
	contention: $contention
}
