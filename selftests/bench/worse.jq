# SPDX-License-Identifier: GPL-2.0
#
# A line for each new figure that is worse than the written one by more than
# $percent of what $of says, "over" or "instructions", or, if $either is true, better
# by that. A few instructions are nothing, whatever they are a share of. A round trip
# that went wrong is no cheap one.

def key: [.kernel, .way, .family, .name] | join(" ");

($written[0].figures | map(select(.over)) | INDEX(key)) as $was
| $new[0].figures[] | select(.over)
| key as $key
| if .lost > 0 or .wrong_source > ($was[$key].wrong_source // 0) then
	"\($key): \(.lost) answers were lost, \(.wrong_source) came from elsewhere"
elif $was[$key] == null then
	"\($key): there is no figure to compare it with"
else
	(.over - $was[$key].over) as $by
	| ([$was[$key][$of] * $percent / 100, 30] | max) as $may
	| select($by > $may or ($either and -$by > $may))
	| "\($key): \(.over) instructions over the bare path instead of \($was[$key].over)"
end
