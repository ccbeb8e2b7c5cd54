//go:build !linux

package agent

import "net/netip"

// sameUser is not implemented here: on macOS and Windows every local user can
// connect, as docs/agent.md says. Sealed secrets still open only for the one
// agent whose key the session registered.
func sameUser(netip.AddrPort, netip.AddrPort) bool { return true }
