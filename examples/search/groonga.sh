#!/bin/sh
# One Groonga, asked directly: its address, its port, where its data are, and further options.
set -eu
host=$1 port=$2 data=$3
shift 3

[ -e "$data/db" ] || groonga -n "$data/db" quit > /dev/null
exec groonga -s --protocol http --bind-address "$host" --port "$port" \
    --log-path "$data/groonga.log" "$@" "$data/db"
