# Installs the packages named as arguments. Run as root.
set -eu

# invoke-rc.d runs this file before it starts the service of a new package; exit
# code 101 forbids the start.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi

export DEBIAN_FRONTEND=noninteractive
install() {
    apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 \
        install --yes --quiet --no-install-recommends "$@"
}

# Package lists can be missing or outdated on a new machine: update them only if
# the installation fails.
install "$@" || { apt-get -o Acquire::Retries=5 update --quiet && install "$@"; }
