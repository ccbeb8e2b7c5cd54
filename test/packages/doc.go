// Package packages tests what people install: the units, the settings file and the packages
// that hold them. `make test-all` also builds the packages, boots a small Debian with its own
// systemd in a container, and installs, upgrades and removes them there.
package packages
