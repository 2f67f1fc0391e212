#!/bin/sh
# Stops and disables the units, unless the package is only upgraded: Debian passes `upgrade`, RPM the number of versions
# that stay.
set -e
case ${1:-} in
remove | deconfigure | 0)
    if [ -d /run/systemd/system ]; then
        systemctl disable --now tenbin-agent.service tenbin-observe.service
    fi
    ;;
esac
