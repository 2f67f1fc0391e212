#!/bin/sh
# A command that may use so many percent of a core, as root:
#
#   quota.sh PERCENT COMMAND…
set -eu
quota=$(($1 * 1000))
shift
exec sh group.sh cpu cpu.max "$quota 100000" cpu.cfs_quota_us "$quota" "$@"
