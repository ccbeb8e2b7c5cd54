package e2e_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/socketdir"
)

// manager is the socket of a service manager (sd_notify), and the notifications that it
// got.
func manager(t *testing.T) (path string, told *await.Text) {
	t.Helper()
	dir := must.Get(os.MkdirTemp(socketdir.Parent(), "notify"))(t)
	path = filepath.Join(dir, "s")
	conn := must.Get(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"}))(t)
	told = new(await.Text)
	go func() {
		message := make([]byte, 4096)
		for {
			n, err := conn.Read(message)
			if err != nil {
				return
			}
			_, _ = told.Write(append(message[:n:n], '\n'))
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); must.OK(t, os.RemoveAll(dir)) })
	return path, told
}

// servers are the commands that serve, with what each needs.
var servers = map[string][]string{
	"serve": nil, "backend": nil, "frontend": nil, "license": {"LICENSE_SERVICE_TOKEN=" + strings.Repeat("t", 40)},
}

// TestHangup: every server notifies its manager that it is ready and that it stops, and
// survives any number of hangups of its terminal.
func TestHangup(t *testing.T) {
	t.Parallel()
	for command, settings := range servers {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			path, told := manager(t)
			s := serves(t, command, append(settings, "NOTIFY_SOCKET="+path)...)
			base := "http://" + s.Announces(t, `"listen":"`, `"`)
			s.Tells(t, told, "READY", "\n")
			for _, times := range []int{1, 2} {
				s.Signal(syscall.SIGHUP)
				s.Log.Find(t, "it reloads", s.Ended, func(text string) bool { return strings.Count(text, `"SIGHUP: `) == times })
			}
			res := must.Get(http.Get(base + "/livez"))(t)
			must.OK(t, res.Body.Close())
			s.Signal(syscall.SIGTERM)
			if code := s.Wait(t); code != 0 {
				t.Errorf("exit code %d\n%s", code, s.Log.String())
			}
			// What it wrote is in the socket; the reader may get it later than the exit.
			told.Find(t, "it tells both", nil, func(text string) bool { return text == "READY=1\nSTOPPING=1\n" })
		})
	}
}

// serves starts a command of servers.
func serves(t *testing.T, command string, settings ...string) *running {
	t.Helper()
	args := []string{command, "--listen", "127.0.0.1:0"}
	if command != "frontend" {
		args = append(args, "--data", t.TempDir())
	}
	return launch(t, serverEnv(t.TempDir(), settings...), "", "keyward", args...)
}

// TestWatchdog: every server tells a manager with a watchdog that it is alive. (When it
// doesn't: cmd/keyward.)
func TestWatchdog(t *testing.T) {
	t.Parallel()
	for command, settings := range servers {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			path, told := manager(t)
			s := serves(t, command, append(settings, "NOTIFY_SOCKET="+path, "WATCHDOG_USEC=900000")...)
			told.Find(t, "it tells that it is alive, again and again", s.Ended, func(text string) bool {
				return strings.Count(text, "\nWATCHDOG=1\n") >= 1 && strings.Count(text, "WATCHDOG=1\n") >= 2
			})
		})
	}
}

// TestHangupReads: what can be reread is reread at once; an unusable file is named in
// the log, and the old one stays in use.
func TestHangupReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	renew := func() {
		t.Helper()
		_, errs, code := tool(t, environ(dir), nil, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
			"-nodes", "-subj", "/CN=localhost", "-days", "9", "-keyout", key, "-out", cert)
		if code != 0 {
			t.Fatal(errs)
		}
	}
	renew()
	s := launch(t, serverEnv(dir, "TLS_CERT_FILE="+cert, "TLS_KEY_FILE="+key, "SITE_URL=https://keyward.test"), "",
		"keyward", "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	s.Announces(t, `"listen":"`, `"`)
	renew()
	s.Signal(syscall.SIGHUP)
	s.Announces(t, "using a new TLS certificate from now on", "\n")
	must.OK(t, os.WriteFile(key, []byte("nonsense"), 0o600))
	s.Signal(syscall.SIGHUP)
	s.Announces(t, "cannot use the new TLS certificate", "\n")
}
