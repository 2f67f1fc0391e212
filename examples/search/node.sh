#!/bin/sh
# One node of the cluster: a Groonga, and before it an HTTP server on the node's own address,
# as every Droonga node has one. Groonga itself listens where nobody else asks for it, on the
# same port of 127.1.0.X for node 127.0.0.X.
set -eu
host=$1 port=$2 data=$3
behind=127.1.0.${host##*.}
PATH=$PATH:/usr/sbin

cat > "$data/nginx.conf" <<CONF
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
    access_log off;
    client_max_body_size 64m;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {
        listen $host:$port;
        location / {
            proxy_pass http://$behind:$port;
            proxy_read_timeout 600s;
        }
    }
}
CONF

[ -e "$data/db" ] || groonga -n "$data/db" quit > /dev/null
groonga -s --protocol http --bind-address "$behind" --port "$port" \
    --log-path "$data/groonga.log" "$data/db" &
exec nginx -e stderr -p "$data" -c nginx.conf
