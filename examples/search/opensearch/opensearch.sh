#!/bin/sh
# Starts nodes of OpenSearch with the libraries of `cargo xtask setup`:
#
#   opensearch.sh [--temporary] PORT DIRECTORY CLUSTER [OWN]
#
# PORT, DIRECTORY, CLUSTER and OWN are what OpenSearch.java says. Every node of this
# process has 384 MB of heap.
set -eu
servers=${TENBIN_SERVERS:-${XDG_CACHE_HOME:-$HOME/.cache}/tenbin/servers/bin}
libraries=${servers%/}/../opensearch/lib
if [ ! -d "$libraries" ]; then
    echo "OpenSearch is missing; run \`cargo xtask setup\`" >&2
    exit 1
fi
[ "${1-}" = --temporary ] && offset=1 || offset=0
own=$(shift $((offset + 2)); echo "${2-${1-}}")
nodes=$(echo "$own" | tr , '\n' | wc -l)
heap=$((nodes * 384))
exec java "-Xms${heap}m" "-Xmx${heap}m" -XX:+ExitOnOutOfMemoryError -Dlog4j2.disable.jmx=true \
    -cp "$libraries/*" "$(dirname "$0")/OpenSearch.java" "$@"
