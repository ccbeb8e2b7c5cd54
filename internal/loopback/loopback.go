// Package loopback recognizes this machine's own addresses, where plain http is
// safe because nobody else can connect.
package loopback

import (
	"net/netip"
	"net/url"
	"strings"
)

// Host reports whether the host of a URL, with or without the brackets of an
// IPv6 address, is this machine's loopback. The only such name is localhost.
func Host(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLoopback()
}

// Site reports whether a URL's host is this machine's loopback.
func Site(site string) bool {
	u, err := url.Parse(site)
	return err == nil && Host(u.Hostname())
}
