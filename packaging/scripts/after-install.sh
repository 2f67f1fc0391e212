#!/bin/sh
# Makes systemd read the units of the package, and restarts those that run. Starts and enables nothing. A unit that cannot
# be restarted, for example because it is masked, must not make the installation fail.
set -e
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
    for unit in tenbin-agent.service tenbin-observe.service; do
        systemctl try-restart "$unit" || true
    done
fi
