#!/bin/sh
# Stops and disables the units, unless the package is only upgraded: Debian passes `upgrade`, RPM the number of versions
# that stay. A unit that cannot be stopped, for example because it is masked, must not make the removal fail.
set -e
case ${1:-} in
remove | deconfigure | 0)
    if [ -d /run/systemd/system ]; then
        for unit in tenbin-agent.service tenbin-observe.service; do
            systemctl disable --now "$unit" || true
        done
    fi
    ;;
esac
