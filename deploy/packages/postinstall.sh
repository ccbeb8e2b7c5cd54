#!/bin/sh
# After an installation or an upgrade: the user, and the modes of what is in /etc/keyward. The
# server is not started before someone has chosen its settings; one that runs gets restarted.
set -e
systemd-sysusers keyward.conf
systemd-tmpfiles --create keyward.conf
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart keyward.service
fi
