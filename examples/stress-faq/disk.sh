#!/bin/sh
# A command that may do so many writes a second on the disk of a directory, as root:
#
#   disk.sh DIRECTORY WRITES COMMAND…
set -eu
number=$(stat -c %d "$1")
disk=/sys/dev/block/$((number >> 8)):$((number & 255))
[ ! -f "$disk/partition" ] || disk=$disk/..
disk=$(cat "$disk/dev")
writes=$2
shift 2
exec sh "$(dirname "$0")/group.sh" io "io.max $disk wiops=$writes" "blkio.throttle.write_iops_device $disk $writes" "$@"
