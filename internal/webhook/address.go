package webhook

import (
	"errors"
	"net/netip"
)

// ErrAddress means that webhooks must not be sent to a receiver's address.
var ErrAddress = errors.New("webhook: the address is not a public one and not allowed by WEBHOOK_ALLOWED_NETWORKS")

// Networks are allowed in addition to the public internet. The zero value allows nothing more.
type Networks []netip.Prefix

// refused4 lists the IPv4 networks that are not public (IANA's special-purpose
// registry, RFC 6890), and one address internal to a cloud.
var refused4 = prefixes(
	"0.0.0.0/8",        // this network, unspecified (RFC 1122)
	"10.0.0.0/8",       // private (RFC 1918)
	"100.64.0.0/10",    // shared by carrier-grade NAT (RFC 6598)
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's platform, reachable only from its machines
	"169.254.0.0/16",   // link-local, cloud metadata (RFC 3927)
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // IETF protocol assignments (RFC 6890)
	"192.0.2.0/24",     // documentation (RFC 5737)
	"192.88.99.0/24",   // 6to4 relays, deprecated (RFC 7526)
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarking (RFC 2544)
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast (RFC 5771)
	"240.0.0.0/4",      // reserved, and the broadcast address
)

// In IPv6 only global unicast is public, except these.
var (
	global6  = netip.MustParsePrefix("2000::/3")
	refused6 = prefixes(
		"2001::/23",     // IETF protocol assignments: Teredo, ORCHID, benchmarking (RFC 2928)
		"2001:db8::/32", // documentation (RFC 3849)
		"2002::/16",     // 6to4: may contain any IPv4 address (RFC 3056)
		"3fff::/20",     // documentation (RFC 9637)
	)
	// nat64 has an IPv4 address in its last four bytes (RFC 6052); IPv6-only
	// networks reach public receivers through it.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// Check returns ErrAddress for an address that is neither public nor allowed.
// An IPv4-mapped IPv6 address counts as the IPv4 address.
func (n Networks) Check(addr netip.Addr) error {
	if !addr.IsValid() {
		return ErrAddress
	}
	addr = addr.WithZone("").Unmap()
	if public(addr) || within(n, addr) {
		return nil
	}
	return ErrAddress
}

func public(addr netip.Addr) bool {
	if addr.Is4() {
		return !within(refused4, addr)
	}
	if nat64.Contains(addr) {
		b := addr.As16()
		return public(netip.AddrFrom4([4]byte(b[12:])))
	}
	return global6.Contains(addr) && !within(refused6, addr)
}

// within treats an allowed network of IPv4-mapped addresses as the IPv4 one.
func within(list []netip.Prefix, addr netip.Addr) bool {
	for _, p := range list {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
