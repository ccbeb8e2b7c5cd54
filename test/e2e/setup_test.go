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
	adminPassword = "Admin: long enough, 1st"
	userPassword  = "jdoe: long enough, 2nd"
)

// installation is a server that is set up: its administrator has a password
// of their own, and there is one user.
type installation struct {
	*server
	watch  *watch
	admin  *api
	userID any
}

// install starts a server and goes through what its first administrator does
// first.
func install(t testing.TB, w *watch, settings ...string) *installation {
	t.Helper()
	s := serve(t, t.TempDir(), settings...)
	first := s.firstPassword(t)
	w.secret("the first password", first)
	status, _, out, err := send(s.base, http.MethodPost, "/api/auth/login", "", m{"username": "admin", "password": first})
	if err != nil || status != http.StatusForbidden || out["code"] != "password_expired" {
		t.Fatalf("signing in with the first password: %d %v %v, want 403 password_expired", status, out, err)
	}
	nobody := &api{t: t, base: s.base}
	nobody.must(http.StatusOK, http.MethodPost, "/api/auth/password", m{"username": "admin", "current_password": first, "new_password": adminPassword})
	i := &installation{server: s, watch: w, admin: login(t, w, s.base, "admin", adminPassword)}
	i.admin.registerTestKey()
	w.secret("password of jdoe", userPassword)
	user := i.admin.must(http.StatusCreated, http.MethodPost, "/api/admin/users", m{"username": "jdoe", "email": "jdoe@example.org", "password": userPassword})
	i.userID = user["id"]
	return i
}

// register puts a token of the user's on record and gives what the vault made
// for it.
func (i *installation) register(serial string) held {
	i.admin.t.Helper()
	got := i.admin.must(http.StatusCreated, http.MethodPost, "/api/hwkey", m{"serial": serial, "firmware_version": "5.4.3", "owner_id": i.userID})
	if got["status"] != "assigned" {
		i.admin.t.Errorf("token %s is %v, want assigned", serial, got["status"])
	}
	return i.admin.release(i.watch, serial)
}

// request makes a CSR for jdoe with a key of the test's own.
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
