package loopback

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"syscall"
)

// ErrLinkLocal refuses a link-local address (RFC 3927; RFC 4291, section 2.5.6). No
// administrator's server has one, but the metadata services of clouds do, which return
// credentials, too.
var ErrLinkLocal = errors.New("it is a link-local address")

// LinkLocal reports whether the host of a setting is such an address.
func LinkLocal(host string) bool {
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && linkLocal(a)
}

func linkLocal(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLinkLocalUnicast() || a.IsLinkLocalMulticast() || a.IsInterfaceLocalMulticast()
}

// RefuseLinkLocal is a ControlContext for net.Dialer: it refuses such an address after the
// name is resolved, and before anything is sent to it.
func RefuseLinkLocal(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if linkLocal(to.Addr()) {
		return ErrLinkLocal
	}
	return nil
}
