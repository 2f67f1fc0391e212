#!/bin/sh
# A command in a control group that may use so many percent of a core:
#
#   quota.sh PERCENT COMMAND…
set -eu
percent=$1
shift
groups=/sys/fs/cgroup
own=stress-faq-$$
if [ -f "$groups/cgroup.controllers" ]; then
    group=$groups/$own
    mkdir "$group"
    echo "$((percent * 1000)) 100000" > "$group/cpu.max"
else
    groups=$groups/cpu
    group=$groups/$own
    mkdir "$group"
    echo "$((percent * 1000))" > "$group/cpu.cfs_quota_us"
fi
sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group" "$@" &
child=$!
trap 'kill $child; wait $child || true; rmdir "$group"; exit 0' TERM INT
wait $child || true
rmdir "$group"
