#!/bin/sh
# Makes the certificates of generator.toml anew: a chain as public authorities issue it, a
# P-256 certificate for 127.0.0.1 signed with P-384 by one that is signed with P-384. The key
# is worth nothing: it vouches for this machine alone, before those who are told to trust it.
#
#   sh certificates/make.sh
set -eu
cd "$(dirname "$0")"
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT
key() { openssl ecparam -name "$1" -genkey -noout -out "$made/$2.key"; }
request() { openssl req -new -key "$made/$1.key" -subj "/CN=$2" -out "$made/$1.csr"; }
sign() {
    openssl x509 -req -in "$made/$1.csr" -CA "$made/$2.pem" -CAkey "$made/$2.key" \
        -CAcreateserial -sha384 -days 36500 -extfile "$made/$1.ext" -out "$made/$1.pem"
}
key secp384r1 root
key secp384r1 intermediate
key prime256v1 server
openssl req -x509 -new -key "$made/root.key" -days 36500 -sha384 -subj "/CN=FAQ root" \
    -addext keyUsage=keyCertSign -out "$made/root.pem"
printf 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n' > "$made/intermediate.ext"
printf 'subjectAltName=IP:127.0.0.1\n' > "$made/server.ext"
request intermediate "FAQ intermediate"
request server "FAQ server"
sign intermediate root
sign server intermediate
cp "$made/root.pem" root.pem
cp "$made/server.key" server.key
cat "$made/server.pem" "$made/intermediate.pem" > chain.pem
