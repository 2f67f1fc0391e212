#!/bin/sh
# A command that may use so many percent of a core in each period (100 ms as of containers), as root:
#
#   quota.sh PERCENT[/MILLISECONDS] COMMAND…
set -eu
percent=${1%/*} period=100
case $1 in */*) period=${1#*/} ;; esac
shift
period=$((period * 1000))
quota=$((percent * period / 100))
exec sh "$(dirname "$0")/group.sh" cpu "cpu.max $quota $period" "cpu.cfs_period_us $period
cpu.cfs_quota_us $quota" "$@"
