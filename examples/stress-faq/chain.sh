#!/bin/sh
# nginx that speaks TLS and presents a chain of certificates:
#
#   chain.sh DIRECTORY PORT
set -eu
here=$(cd "$(dirname "$0")" && pwd)/certificates
exec sh nginx.sh "$1" "$2" "ssl_certificate $here/chain.pem; ssl_certificate_key $here/server.key;" \
    "access_log off;" "" ssl
