#!/bin/sh
# The data, the user that owns it, and /etc/keyward/credentials stay even after a purge:
# the keys of a certificate authority are not deleted by the way (docs/packages.md).
set -e
[ ! -d /run/systemd/system ] || systemctl daemon-reload
