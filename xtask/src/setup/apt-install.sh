# Installs the packages named as arguments. Run as root.
set -eu

# invoke-rc.d asks this file before it starts the service of a new package.
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

# The package lists of a fresh machine are empty or old: fetch them only then.
install "$@" || { apt-get -o Acquire::Retries=5 update --quiet && install "$@"; }
