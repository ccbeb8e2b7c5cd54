package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	s := New(Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}})
	for _, tc := range []struct {
		name, peer string
		headers    []string
		addr       string
		https      bool
	}{
		{"direct", "192.0.2.9:1234", nil, "192.0.2.9", false},
		{"proxy", "10.1.1.1:80", []string{"X-Real-Ip", "203.0.113.5", "X-Forwarded-Proto", "https"}, "203.0.113.5", true},
		{"proxy over IPv6", "[::1]:80", []string{"X-Real-Ip", "2001:db8::5"}, "2001:db8::5", false},
		{"mapped peer", "[::ffff:10.1.1.1]:80", []string{"X-Real-Ip", "203.0.113.5"}, "203.0.113.5", false},
		{"mapped client", "10.1.1.1:80", []string{"X-Real-Ip", "::ffff:203.0.113.5"}, "203.0.113.5", false},
		{"proxy without headers", "10.1.1.1:80", nil, "10.1.1.1", false},
		{"plain http behind the proxy", "10.1.1.1:80", []string{"X-Forwarded-Proto", "http"}, "10.1.1.1", false},
		{"spoofed by a stranger", "192.0.2.9:1", []string{"X-Real-Ip", "203.0.113.5", "X-Forwarded-Proto", "https",
			"X-Forwarded-Port", "443"}, "192.0.2.9", false},
		{"the port alone", "10.1.1.1:80", []string{"X-Forwarded-Port", "443"}, "10.1.1.1", true},
		{"another port alone", "10.1.1.1:80", []string{"X-Forwarded-Port", "8443"}, "10.1.1.1", false},
		{"two ports", "10.1.1.1:80", []string{"X-Forwarded-Port", "443", "X-Forwarded-Port", "443"}, "10.1.1.1", false},
		{"the scheme counts more", "10.1.1.1:80", []string{"X-Forwarded-Proto", "http", "X-Forwarded-Port", "443"}, "10.1.1.1", false},
		{"twice", "10.1.1.1:80", []string{"X-Real-Ip", "203.0.113.5", "X-Real-Ip", "203.0.113.6"}, "10.1.1.1", false},
		{"a list", "10.1.1.1:80", []string{"X-Real-Ip", "203.0.113.5, 203.0.113.6"}, "10.1.1.1", false},
		{"with a port", "10.1.1.1:80", []string{"X-Real-Ip", "203.0.113.5:80"}, "10.1.1.1", false},
		{"with a zone", "10.1.1.1:80", []string{"X-Real-Ip", "fe80::1%eth0"}, "10.1.1.1", false},
		{"a name", "10.1.1.1:80", []string{"X-Real-Ip", "localhost"}, "10.1.1.1", false},
		{"octal", "10.1.1.1:80", []string{"X-Real-Ip", "0127.0.0.1"}, "10.1.1.1", false},
		{"too long", "10.1.1.1:80", []string{"X-Real-Ip", strings.Repeat("1", 5000)}, "10.1.1.1", false},
		{"other headers", "10.1.1.1:80", []string{"X-Forwarded-For", "203.0.113.5", "Forwarded",
			"for=203.0.113.5", "X-Client-Ip", "203.0.113.5", "True-Client-Ip", "203.0.113.5"}, "10.1.1.1", false},
	} {
		r := &http.Request{RemoteAddr: tc.peer, Header: http.Header{}}
		for i := 0; i < len(tc.headers); i += 2 {
			r.Header.Add(tc.headers[i], tc.headers[i+1])
		}
		if addr, https := s.client(r); addr.String() != tc.addr || https != tc.https {
			t.Errorf("%s: %s, https %v", tc.name, addr, https)
		}
	}
	if addr, _ := s.client(&http.Request{RemoteAddr: "@", Header: http.Header{"X-Real-Ip": {"203.0.113.5"}}}); addr.IsValid() {
		t.Errorf("a peer without an address became %s", addr)
	}
}

// TestUntrustedProxyIsNamedOnce: a proxy missing in TRUSTED_PROXIES is logged once, and
// nobody can fill the log by sending the header.
func TestUntrustedProxyIsNamedOnce(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	s := New(Options{Log: slog.New(slog.NewTextHandler(&logged, nil)), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	send := func(peer string, header ...string) {
		s.client(&http.Request{RemoteAddr: peer, Header: http.Header{"X-Real-Ip": header}})
	}
	send("10.1.1.1:80", "203.0.113.5")
	send("192.0.2.9:80")
	if logged.Len() > 0 {
		t.Errorf("a trusted proxy, or none, is named: %s", &logged)
	}
	for range 3 {
		send("192.0.2.9:80", "203.0.113.5")
		send("192.0.2.9:81", "203.0.113.6")
		send("[2001:db8::1]:80", "203.0.113.6")
	}
	if text := logged.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "address=192.0.2.9") ||
		!strings.Contains(text, "address=2001:db8::1") || strings.Contains(text, "203.0.113") {
		t.Errorf("logged:\n%s", text)
	}
	for i := range 10_000 {
		send(netip.AddrFrom4([4]byte{192, 1, byte(i >> 8), byte(i)}).String()+":80", "203.0.113.5")
	}
	if n := strings.Count(logged.String(), "\n"); n > 100 {
		t.Errorf("%d lines", n)
	}
}

func TestLimitKey(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"192.0.2.9": "192.0.2.9", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "2001:db8:1:2:ffff::": "2001:db8:1:2::",
		"2001:db8:1:3::1": "2001:db8:1:3::",
	} {
		if got := limitKey(netip.MustParseAddr(addr)); got.String() != want {
			t.Errorf("%s: %s", addr, got)
		}
	}
	if got := limitKey(netip.Addr{}); got.IsValid() {
		t.Errorf("no address: %s", got)
	}
}

func FuzzParseRealIP(f *testing.F) {
	for _, seed := range []string{"203.0.113.5", "::1", "fe80::1%eth0", "1.2.3.4:5", "::ffff:1.2.3.4", "", "1.2.3.04", "[::1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, ok := parseRealIP(text)
		if !ok {
			return
		}
		if !a.IsValid() || a.Zone() != "" || a.Is4In6() || strings.ContainsAny(a.String(), " ,%\n\"") {
			t.Errorf("%q became %s", text, a)
		}
	})
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	for _, tc := range []struct {
		ids   []string
		taken bool
	}{
		{[]string{"12345678"}, true},
		{[]string{"A.b_c-9" + strings.Repeat("x", 57)}, true},
		{nil, false},
		{[]string{""}, false},
		{[]string{"1234567"}, false},
		{[]string{strings.Repeat("x", 65)}, false},
		{[]string{"request 0001"}, false},
		{[]string{"request<0001>"}, false},
		{[]string{"request\t0001"}, false},
		{[]string{"réquest-0001"}, false},
		{[]string{"12345678", "12345678"}, false},
	} {
		var headers []string
		for _, id := range tc.ids {
			headers = append(headers, "X-Request-Id", id)
		}
		res := do(t, "GET", url+"/api/nothing", "", headers...)
		got := res.Header.Values("X-Request-Id")
		if len(got) != 1 || len(tc.ids) > 0 && (got[0] == tc.ids[0]) != tc.taken || len(got[0]) < 8 {
			t.Errorf("%q: %q", tc.ids, got)
		}
		if res.Document(t).RequestID != got[0] {
			t.Errorf("%q: another one in the document", tc.ids)
		}
	}
}

// TestProxyTellsTheScheme: only the trusted one is believed, end to end.
func TestProxyTellsTheScheme(t *testing.T) {
	t.Parallel()
	for trusted, want := range map[string]string{"127.0.0.0/8": `"ip":"203.0.113.5"`, "10.0.0.0/8": `"ip":"127.0.0.1"`} {
		_, url := setup(t, func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(trusted)} })
		res := do(t, "GET", url+"/api/test/who/x", "", as(access.User, "X-Real-IP", "203.0.113.5", "X-Forwarded-Proto", "https")...)
		if !strings.Contains(res.Text, want) || strings.Contains(res.Text, `"https":true`) != (trusted == "127.0.0.0/8") {
			t.Errorf("%s: %s", trusted, res.Text)
		}
	}
}
