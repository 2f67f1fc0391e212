#!/bin/sh
# nginx that speaks TLS, with a certificate made for the occasion:
#
#   tls.sh DIRECTORY PORT [KEY]
#
# KEY is a kind of key that openssl makes, such as rsa:4096; without it, the curve P-256.
set -eu
key="${3:-ec -pkeyopt ec_paramgen_curve:prime256v1}"
# shellcheck disable=SC2086 # several words
openssl req -x509 -newkey $key -nodes -days 1 \
    -subj /CN=127.0.0.1 -keyout "$1/key.pem" -out "$1/certificate.pem" 2> "$1/openssl.log"
exec sh nginx.sh "$1" "$2" "ssl_certificate $1/certificate.pem; ssl_certificate_key $1/key.pem;" \
    "access_log off;" "" ssl
