#!/bin/sh
# Makes systemd forget the units of the package.
set -e
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
fi
