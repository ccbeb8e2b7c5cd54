package agent

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/agent/ykman"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestHealth checks what pages look for.
func TestHealth(t *testing.T) {
	t.Parallel()
	a := start(t, Config{})
	for _, path := range []string{"/.well-known/service-agent", "/health"} {
		if out := a.get(t, path); out.status != 200 || !cmp.Equal(out.body, m{"status": "ok", "version": "1.2.3"}) {
			t.Errorf("%s: %d %s", path, out.status, out.raw)
		}
	}
	hostname := must.Get(os.Hostname())(t)
	want := m{"hostname": hostname, "os": runtime.GOOS, "arch": runtime.GOARCH, "agent_version": "1.2.3", "tool": "ykman", "tool_version": nil}
	if diff := cmp.Diff(want, a.get(t, "/system/info").body); diff != "" {
		t.Errorf("system info without the tool (-want +got):\n%s", diff)
	}
}

// TestPublicKey generates a real key: the server answers before it is ready, and
// the key opens what was sealed for it.
func TestPublicKey(t *testing.T) {
	t.Parallel()
	k := newKey()
	select {
	case <-k.done:
		t.Fatal("there is a key before one was made")
	default:
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := k.wait(gone); !errors.Is(err, context.Canceled) {
		t.Fatalf("waiting without patience: %v", err)
	}
	log := &await.Text{}
	k.start(nil, slog.New(slog.NewTextHandler(log, nil)))
	must.OK(t, k.wait(t.Context()))
	public, err := agentkey.ParsePublicKey(k.public)
	if err != nil || public.N.BitLen() != 4096 {
		t.Fatalf("the public key: %v", err)
	}
	fingerprint, err := agentkey.Fingerprint(public)
	if err != nil || !strings.Contains(log.String(), fingerprint) {
		t.Errorf("the log does not tell the key's fingerprint: %s", log.String())
	}
	if raw, err := hex.DecodeString(fingerprint); err != nil || len(raw) != 32 {
		t.Errorf("the fingerprint is no SHA-256: %s", fingerprint)
	}
	a := start(t, Config{})
	served, err := agentkey.ParsePublicKey(a.get(t, "/pubkey").body["public_key"].(string))
	if err != nil || !served.Equal(&testKey().PublicKey) {
		t.Errorf("/pubkey serves another key: %v", err)
	}
}

// TestPlaintext: plaintext needs AllowPlaintext, and must still be well-formed.
func TestPlaintext(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	a := startOn(t, h, Config{AllowPlaintext: true})
	a.refuses(t, "/piv/set-pin", m{"encrypted": false, "serial": serial, "pin": "12345"}, 400, "invalid_request")
	a.works(t, "/piv/set-pin", m{"encrypted": false, "serial": serial, "pin": pin1})
	a.works(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin2), "current_pin": pin(t, pin1)})
	a.refuses(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin1, "current_pin": pin(t, pin2)}, 400, "decrypt_failed")
}

// TestOneAgent shows that a second agent on the same port gives up.
func TestOneAgent(t *testing.T) {
	t.Parallel()
	a := start(t, Config{})
	c := Config{Listen: strings.TrimPrefix(a.base, "http://"), Dev: true, Driver: ykman.New(ykman.Options{}),
		Key: testKey(), Identity: testIdentity()}
	err := Run(t.Context(), c)
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Fatalf("the second agent ended with %v", err)
	}
}

// TestConfig lists configurations that are refused.
func TestConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"no page":        {},
		"all interfaces": {Dev: true, Listen: "0.0.0.0:56123"},
		"no host":        {Dev: true, Listen: ":56123"},
		"IPv6":           {Dev: true, Listen: "[::1]:56123"},
		"no port":        {Dev: true, Listen: "127.0.0.1"},
		"wildcard":       {Origins: []string{"https://*.example.org"}},
		"null":           {Origins: []string{"null"}},
		"no scheme":      {Origins: []string{"keyward.example.org"}},
		"path":           {Origins: []string{"https://keyward.example.org/app"}},
		"user":           {Origins: []string{"https://a@keyward.example.org"}},
		"other scheme":   {Origins: []string{"file:///tmp"}},
	} {
		c.Driver = ykman.New(ykman.Options{})
		if err := c.Validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for given, want := range map[string]string{
		"https://keyward.example.org":      "https://keyward.example.org",
		"https://Keyward.Example.org/":     "https://keyward.example.org",
		"https://keyward.example.org:443":  "https://keyward.example.org",
		"https://keyward.example.org:8443": "https://keyward.example.org:8443",
		"http://localhost:80":              "http://localhost",
		"http://[::1]:8080":                "http://[::1]:8080",
	} {
		c := Config{Origins: []string{given}, Driver: ykman.New(ykman.Options{})}
		if err := c.Validate(); err != nil || c.Origins[0] != want {
			t.Errorf("%s becomes %v (%v), want %s", given, c.Origins, err, want)
		}
	}
}

// TestOtherUser connects as another OS user and is refused. That needs root;
// without it, only the lookup is tested.
func TestOtherUser(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return // documented as not implemented there
	}
	a := start(t, Config{})
	if os.Geteuid() == 0 {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", `exec 3<>"/dev/tcp/127.0.0.1/$0"; printf 'GET /health HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$0" >&3; cat <&3`, a.base[strings.LastIndexByte(a.base, ':')+1:])
		cmd.Dir = "/"
		cmd.SysProcAttr = asUser(65534)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "HTTP/1.1 403 ") || !strings.Contains(string(out), "origin_refused") {
			t.Fatalf("another user got %q (%v)", out, err)
		}
	}
	// A connection that does not exist has no owner, and is not trusted.
	if sameUser(netip.MustParseAddrPort("127.0.0.1:1"), netip.MustParseAddrPort("127.0.0.1:2")) {
		t.Error("a connection that is not there is trusted")
	}
	// A client that dials through an IPv6 socket is found as well.
	l, err := net.Listen("tcp", "[::]:0")
	if err != nil {
		return // no IPv6 here
	}
	defer func() { _ = l.Close() }()
	port := netip.MustParseAddrPort(l.Addr().String()).Port()
	conn := must.Get(net.Dial("tcp4", netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port).String()))(t)
	defer func() { _ = conn.Close() }()
	mapped, err := l.Accept() // the other end is the socket of the IPv6 family
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mapped.Close() }()
	if !sameUser(conn.LocalAddr().(*net.TCPAddr).AddrPort(), conn.RemoteAddr().(*net.TCPAddr).AddrPort()) {
		t.Error("a mapped IPv6 socket of our own is not found")
	}
}

// TestEvents receives the events of a token's insertion and removal.
func TestEvents(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	a := startOn(t, h, Config{heartbeat: 20 * time.Millisecond})
	a.seesToken(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := must.Get(http.NewRequestWithContext(ctx, http.MethodGet, a.base+"/events", nil))(t)
	res := must.Get(http.DefaultClient.Do(req))(t)
	defer func() { _ = res.Body.Close() }()
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Fatalf("Content-Type %q", got)
	}
	lines := bufio.NewScanner(res.Body)
	next := func(prefix string) string {
		t.Helper()
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), prefix) {
				return lines.Text()
			}
		}
		t.Fatalf("the stream ended before %q: %v", prefix, lines.Err())
		return ""
	}
	next(": still here") // the heartbeat
	must.OK(t, h.Unplug(ctx, serialN))
	const reader = `"reader":"Yubico YubiKey OTP+FIDO+CCID 00 00"`
	if got, want := next("event:")+next("data:"), `event: removeddata: {`+reader+`,"serial":"20260001"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := a.get(t, "/discover").body["tokens"].([]any); len(got) != 0 {
		t.Errorf("a removed token is listed: %v", got)
	}
	must.OK(t, h.Plug(ctx, serialN))
	if got, want := next("event:")+next("data:"), `event: inserteddata: {`+reader+`,"serial":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	a.seesToken(t)
	must.OK(t, a.stop())
	for lines.Scan() { // the stream ends with the agent
	}
}
