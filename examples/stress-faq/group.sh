#!/bin/sh
# A command in a control group with a limit, as root:
#
#   group.sh CONTROLLER FILE VALUE FILE-OF-VERSION-1 VALUE-OF-VERSION-1 COMMAND…
set -eu
root=/sys/fs/cgroup
if [ -f "$root/cgroup.controllers" ]; then
    echo "+$1" > "$root/cgroup.subtree_control"
    file=$2 value=$3
else
    case $1 in io) root=$root/blkio ;; *) root=$root/$1 ;; esac
    file=$4 value=$5
fi
shift 5
group=$root/stress-faq-$$
mkdir "$group"
trap 'rmdir "$group"' EXIT
echo "$value" > "$group/$file"
sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group" "$@" &
child=$!
trap 'kill $child' TERM INT
# The first wait ends with the signal.
wait $child || wait $child || true
