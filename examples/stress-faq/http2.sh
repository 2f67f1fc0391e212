#!/bin/sh
# nginx that allows two streams on a connection, in front of 32 workers of 10 ms:
#
#   http2.sh DIRECTORY PORT
set -eu
exec sh proxy.sh "$1" "$2" "access_log off;" "keepalive 64;" 32 sleep:10ms \
    "http2_max_concurrent_streams 2;" http2
