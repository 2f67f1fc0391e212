# Runs three commands on machines with the addresses of the README: a hub, two load machines and a
# server. Run as root of a separate network and mount namespace. $1: the hub's command; $2: an
# agent's; $3: the coordinator's. Exit code: that of the coordinator.
set -eu
mount -t tmpfs none /run
mkdir /run/netns
ip link set lo up
ip link add cables type bridge
ip address add 10.0.0.1/24 dev cables
ip link set cables up

machine() { # NAME ADDRESS
  ip netns add "$1"
  ip link add "$1" type veth peer name cable netns "$1"
  ip link set "$1" master cables up
  ip -n "$1" link set lo up
  ip -n "$1" address add "$2/24" dev cable
  ip -n "$1" link set cable up
}

on() { # NAME COMMAND
  ip netns exec "$1" unshare --uts bash -c "hostname $1; exec $2" < /dev/null > "$1.output" 2>&1 &
  started="$started $!"
}

until_says() { # FILE TEXT
  for _ in $(seq 600); do
    grep -qs "$2" "$1" && return
    sleep 0.05
  done
  echo "$1 does not say: $2"
  cat "$1"
  exit 98
}

started=
trap 'kill $started || :; wait' EXIT
machine load1 10.0.0.2
machine load2 10.0.0.3
machine server 10.0.0.8
on server "tenbin serve truth --listen 10.0.0.8:8080"
until_says server.output "10.0.0.8:8080"

bash -c "exec $1" < /dev/null > hub.output 2>&1 &
started="$started $!"
until_says hub.output "hub at "

for name in load1 load2; do
  mkdir "$name"
  cp tenbin-hub/agent.creds "$name"
  cd "$name"
  on "$name" "$2"
  cd ..
  until_says "$name/$name.output" "waits for a coordinator"
done

bash -c "exec $3" < /dev/null > coordinator.output 2>&1 && code=0 || code=$?
exit "$code"
