#!/bin/sh
# nginx in front of server.py:
#
#   proxy.sh DIRECTORY PORT LOG-LINE KEEP-ALIVE-LINE [WORKERS [WORK [SERVER-LINES
#       [LISTEN-OPTIONS]]]]
set -eu
python3 server.py --port 0 --port-file "$1/behind" --workers "${5:-1}" --work "${6:-hello}" &
until [ -f "$1/behind" ]; do sleep 0.05; done
connection='proxy_set_header Connection close;'
[ -z "$4" ] || connection='proxy_set_header Connection "";'
exec sh nginx.sh "$1" "$2" "${7:-}" \
    "$3 upstream behind { server 127.0.0.1:$(cat "$1/behind"); $4 }" \
    "location / { proxy_http_version 1.1; $connection proxy_pass http://behind; }" ${8:-}
