#!/bin/sh
# nginx that compresses a file of 170 kB at the highest level for every request of /numbers.txt:
#
#   gzip.sh DIRECTORY PORT
set -eu
seq 1 30000 > "$1/numbers.txt"
exec sh nginx.sh "$1" "$2" "" "access_log off; gzip on; gzip_comp_level 9; gzip_types text/plain;" \
    "location / { root $1; }"
