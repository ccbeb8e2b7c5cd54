package e2e_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net/http"
	"testing"
)

const (
	adminPassword = "Admin, alone on a desk: 1st"
	userPassword  = "jdoe, alone on a desk: 2nd"
)

// installation is a server after setup: its administrator has chosen a password, and
// there is one user.
type installation struct {
	*server
	watch   *watch
	station *station
	admin   *api
	clients []*running // every command that ran
}

// install starts a server and performs the first steps of its first administrator, by
// command.
func install(t testing.TB, w *watch, settings ...string) *installation {
	t.Helper()
	i := &installation{server: serve(t, t.TempDir(), settings...), watch: w}
	i.station = &station{server: between(t, w, i.base).base, env: environ(t.TempDir())}
	first := i.firstPassword(t)
	for what, value := range map[string]string{"the first password": first, "password of admin": adminPassword,
		"password of jdoe": userPassword} {
		w.secret(what, value)
	}
	status, _, out, err := send(i.base, http.MethodPost, "/api/auth/login", "", m{"username": "admin", "password": first})
	if err != nil || status != http.StatusForbidden || out["code"] != "password_expired" {
		t.Fatalf("signing in with the first password: %d %v %v, want 403 password_expired", status, out, err)
	}
	i.do(t, []string{first, adminPassword}, "passwd", "--username", "admin")
	i.do(t, []string{adminPassword, userPassword}, "user", "create", "--as", "admin", "--username", "jdoe", "--email", "jdoe@example.org")
	i.admin = login(t, w, i.base, "admin", adminPassword)
	i.admin.registerTestKey()
	return i
}

// do runs a command to its end.
func (i *installation) do(t testing.TB, lines []string, args ...string) m {
	t.Helper()
	p := i.station.begin(t, lines, args...)
	i.clients = append(i.clients, p)
	return p.done(t)
}

// token runs a command on a card to its end.
func (i *installation) token(t testing.TB, operation, serial, user string, more ...string) m {
	t.Helper()
	p := i.station.token(t, operation, serial, user, map[string]string{"admin": adminPassword, "jdoe": userPassword}[user], more...)
	i.clients = append(i.clients, p)
	out := p.done(t)
	if out["serial"] != serial || p.Log.String() == "" {
		t.Errorf("%s: the result is about token %v; progress: %q", operation, out["serial"], p.Log.String())
	}
	return out
}

// register registers a token of the user's and returns what the vault generated for it.
func (i *installation) register(t testing.TB, serial string) held {
	t.Helper()
	got := i.do(t, []string{adminPassword}, "token", "register", "--username", "admin", "--serial",
		serial, "--firmware", "5.4.3", "--owner", "jdoe", "--json")
	if got["status"] != "assigned" {
		t.Errorf("token %s is %v, want assigned", serial, got["status"])
	}
	return i.admin.release(i.watch, serial)
}

// request creates a CSR for jdoe with the test's own key.
func request(t testing.TB) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "jdoe"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}
