#!/bin/sh
# Starts a MariaDB of its own, with the table of users, and then a web server:
#
#   with-database.sh DIRECTORY COMMAND ARGUMENT…
#
# The database is in DIRECTORY, and listens on a Unix socket only, whose path is in
# DATABASE_SOCKET. Both stop with this script.
set -eu

directory=$1
shift
# The path of a Unix socket has at most 107 bytes, and DIRECTORY can be longer.
sockets=$(mktemp -d)
export DATABASE_SOCKET="$sockets/database"
export RUNTIME="$directory"

database=''
server=''
stop() {
    trap '' TERM INT
    for process in $server $database; do
        kill "$process" 2> /dev/null || true
    done
    wait
    rm -rf "$sockets"
}
trap 'stop; exit 0' TERM INT
trap stop EXIT

mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$directory/database" \
    --auth-root-authentication-method=normal --skip-test-db > "$directory/install.log" 2>&1

cat > "$directory/users.sql" << 'SQL'
CREATE DATABASE tenbin;
CREATE USER tenbin@localhost;
GRANT ALL ON tenbin.* TO tenbin@localhost;
USE tenbin;
CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(100) NOT NULL, email VARCHAR(100) NOT NULL);
INSERT INTO users SELECT seq, CONCAT('user', seq), CONCAT('user', seq, '@example.com') FROM seq_1_to_1000;
SQL

mariadbd --no-defaults --user="$(id -un)" --datadir="$directory/database" \
    --socket="$DATABASE_SOCKET" --skip-networking --innodb-buffer-pool-size=32M \
    --pid-file="$directory/database.pid" --init-file="$directory/users.sql" \
    > "$directory/database.log" 2>&1 &
database=$!

tries=0
until mariadb --no-defaults --socket="$DATABASE_SOCKET" --user=tenbin tenbin \
    --execute='SELECT COUNT(*) FROM users' > "$directory/wait.log" 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" = 300 ]; then
        cat "$directory/database.log" "$directory/wait.log" >&2
        exit 1
    fi
    sleep 0.1
done

"$@" &
server=$!
wait "$server"
