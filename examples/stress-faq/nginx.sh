#!/bin/sh
# nginx with one worker on a port, which answers `hello world`:
#
#   nginx.sh DIRECTORY PORT [LINES-OF-THE-SERVER [LINES-OF-HTTP [LOCATION [LISTEN-OPTIONS]]]]
#
# `exec` makes nginx the process that Tenbin watches.
set -eu
server=${3:-}
http=${4:-access_log off;}
location=${5:-}
[ -n "$location" ] || location="location / { return 200 'hello world'; }"
cat > "$1/nginx.conf" <<CONF
worker_processes 1;
daemon off;
pid nginx.pid;
events { worker_connections 4096; }
http {
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    $http
    server {
        listen ${ADDRESS:-127.0.0.1}:$2 ${6:-} backlog=1024;
        keepalive_requests 1000000;
        $server
        $location
    }
}
CONF
PATH="$PATH:/usr/sbin" exec nginx -e error.log -p "$1" -c nginx.conf
