package webhook_test

import (
	"net/netip"
	"testing"

	"github.com/keyward/keyward/internal/webhook"
)

// TestRefusedAddresses includes at least the first and the last address of
// every refused network, and the forms in which IPv6 embeds them.
func TestRefusedAddresses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "100.100.100.200",
		"127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.0.0", "169.254.169.254", "169.254.255.255",
		"172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192", "192.0.0.255", "192.0.2.1", "192.88.99.1",
		"192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.255",
		"224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.254", "255.255.255.255",

		"::", "::1", "::2", "::127.0.0.1", "::10.0.0.1", "::8.8.8.8", // unspecified, loopback, IPv4-compatible
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:100.64.0.1", "::ffff:0.0.0.0", // mapped
		"::ffff:0:10.0.0.1", "::ffff:0:8.8.8.8", // translated (RFC 2765)
		"64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::192.168.1.1", // NAT64
		"64:ff9b:1::8.8.8.8", "64:ff9b:1:ffff::10.0.0.1", // NAT64, local use
		"2002:a00:1::", "2002:7f00:1::1", "2002:808:808::1", // 6to4
		"2001:0:a00:1::", "2001::", "2001:0:ffff::f5ff:fffe", // Teredo
		"2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", // benchmarking, ORCHID
		"2001:db8::1", "3fff::1", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", // documentation
		"fc00::", "fd00:ec2::254", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", // unique local
		"fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", // link-local, site-local
		"ff02::1", "ff0e::1", "100::1", "5f00::1", "1fff::1", "4000::1", // multicast, discard, SRv6, not assigned
	} {
		addr := netip.MustParseAddr(text)
		if (webhook.Networks)(nil).Check(addr) == nil {
			t.Errorf("%s is let through", text)
		}
		everything := webhook.Networks{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
		if err := everything.Check(addr); err != nil {
			t.Errorf("%s is refused although all is allowed: %v", text, err)
		}
	}
	if (webhook.Networks)(nil).Check(netip.Addr{}) == nil {
		t.Error("no address is let through")
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
		"192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.101.0", "203.0.112.255", "223.255.255.255",
		"::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:4860:4860::8888", "2606:4700::1111", "2001:200::1", "2003::1", "3ffe::1", "2a00::1",
	} {
		if err := (webhook.Networks)(nil).Check(netip.MustParseAddr(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAllowedNetworks(t *testing.T) {
	t.Parallel()
	allowed := webhook.Networks{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32"), netip.MustParsePrefix("::ffff:192.168.1.0/120"),
	}
	for text, want := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false, "192.168.1.7": true, "192.168.2.7": false,
		"64:ff9b::10.1.2.3": false, "2002:a01:203::": false, "fd00:1::1": true, "fd00:1::1%eth0": true, "fd00:2::1": false, "127.0.0.1": false,
	} {
		if got := allowed.Check(netip.MustParseAddr(text)) == nil; got != want {
			t.Errorf("%s: let through %v, want %v", text, got, want)
		}
	}
}
