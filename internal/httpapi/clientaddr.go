package httpapi

import (
	"net/http"
	"net/netip"
)

// client is the client's address and whether its connection is encrypted.
// X-Real-IP and X-Forwarded-Proto count only when the peer is a trusted
// proxy; one that is malformed or there twice does not count at all, and the
// peer's own address stands. No other forwarding header is read.
func (s *Server) client(r *http.Request) (addr netip.Addr, https bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, r.TLS != nil
	}
	addr = peer.Addr().Unmap().WithZone("")
	if !s.trusts(addr) {
		return addr, r.TLS != nil
	}
	https = r.TLS != nil
	if v := r.Header["X-Forwarded-Proto"]; len(v) == 1 {
		https = v[0] == "https"
	}
	if v := r.Header["X-Real-Ip"]; len(v) == 1 {
		if real, ok := parseRealIP(v[0]); ok {
			addr = real
		}
	}
	return addr, https
}

func (s *Server) trusts(peer netip.Addr) bool {
	for _, p := range s.proxies {
		if p.Contains(peer) {
			return true
		}
	}
	return false
}

// parseRealIP reads one address without port and zone.
func parseRealIP(text string) (netip.Addr, bool) {
	if len(text) > 45 { // the longest text form of an IPv6 address
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return netip.Addr{}, false
	}
	return a.Unmap(), true
}

// limitKey is what rate limits count: an IPv4 address, or an IPv6 /64, since
// one customer line has a whole /64.
func limitKey(a netip.Addr) netip.Addr {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}
