package httpapi

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
)

// client returns the client's address and whether its connection is encrypted.
// X-Real-IP, X-Forwarded-Proto and X-Forwarded-Port count only from a trusted proxy; a
// malformed or repeated one is ignored, which leaves the peer's own address. If the
// proxy does not send the scheme, port 443 means https. No other forwarding header is
// read.
func (s *Server) client(r *http.Request) (addr netip.Addr, https bool) {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, r.TLS != nil
	}
	addr = peer.Addr().Unmap().WithZone("")
	if !s.trusts(addr) {
		if len(r.Header["X-Real-Ip"]) > 0 {
			s.untrusted.name(s.opts.Log, addr)
		}
		return addr, r.TLS != nil
	}
	https = r.TLS != nil
	if v := r.Header["X-Forwarded-Proto"]; len(v) == 1 {
		https = v[0] == "https"
	} else if v := r.Header["X-Forwarded-Port"]; len(v) == 1 {
		https = https || v[0] == "443"
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

// maxNamed bounds how many proxies are logged: any client can send the header.
const maxNamed = 100

// strangers are the untrusted peers that sent X-Real-IP and have been logged: to rate
// limits and the audit log, all clients behind a proxy missing in TRUSTED_PROXIES are
// one.
type strangers struct {
	mu    sync.Mutex
	named map[netip.Addr]bool
}

func (n *strangers) name(log *slog.Logger, peer netip.Addr) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.named[peer] || len(n.named) >= maxNamed {
		return
	}
	n.named[peer] = true
	log.Warn("ignoring X-Real-IP from an address that is not in TRUSTED_PROXIES; add the address if it is your proxy",
		"address", peer.String())
}

// parseRealIP parses one address without port and zone.
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

// limitKey returns what rate limits count by: an IPv4 address, or an IPv6 /64, since
// one customer line has a whole /64.
func limitKey(a netip.Addr) netip.Addr {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}
