// Package loopback tells which addresses are this machine's own, where plain
// http is good enough and nobody else gets.
package loopback

import (
	"net/netip"
	"net/url"
	"strings"
)

// Host tells whether the host of a URL, with or without the brackets of an
// IPv6 address, is this machine's loopback. Of names it is localhost alone.
func Host(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && a.Unmap().IsLoopback()
}

// Site tells whether a URL leads to this machine's loopback.
func Site(site string) bool {
	u, err := url.Parse(site)
	return err == nil && Host(u.Hostname())
}
