#!/bin/sh
# A command in a control group with a limit, as root. A limit is lines of a file and its value:
#
#   group.sh CONTROLLER LIMIT LIMIT-OF-VERSION-1 COMMAND…
set -eu
root=/sys/fs/cgroup
if [ -f "$root/cgroup.controllers" ]; then
    echo "+$1" > "$root/cgroup.subtree_control"
    limit=$2
else
    case $1 in io) root=$root/blkio ;; *) root=$root/$1 ;; esac
    limit=$3
fi
shift 3
# Targets of one run have the same process id, each in its own namespace.
group=$(mktemp -d "$root/stress-faq-XXXXXX")
trap 'rmdir "$group"' EXIT
echo "$limit" | while read -r file value; do
    echo "$value" > "$group/$file"
done
sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group" "$@" &
child=$!
trap 'kill $child' TERM INT
# The first wait ends with the signal.
wait $child || wait $child || true
