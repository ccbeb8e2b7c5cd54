package app_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// start runs a server on the moved installation, which logs in by the AppRole.
func (s small) start(t *testing.T, to config.Config, credentials string) *fixture {
	t.Helper()
	to.VaultToken = secret.String{}
	to.VaultRoleID = must.Get(config.ReadSecret(filepath.Join(credentials, "role_id")))(t)
	to.VaultSecretID = must.Get(config.ReadSecret(filepath.Join(credentials, "secret_id")))(t)
	return &fixture{startAs(t, to, app.Run), s.people}
}

// serves compares a server on the moved installation with what was known before, and
// has it do a server's work.
func (s small) serves(t *testing.T, to config.Config, credentials string) {
	t.Helper()
	w := s.start(t, to, credentials)
	w.must(200, "GET", "/api/auth/me", s.tokens["a-user"], nil) // still signed in
	if held, version := w.holds(s.tokens["a-user"]); !cmp.Equal(held, s.held) || version != s.version {
		t.Errorf("version %v, was %v; the values that the token may hold (-before +now):\n%s", version, s.version, cmp.Diff(s.held, held))
	}
	w.must(409, "POST", "/api/hwkey/10000/rotations", s.tokens["a-user"], map[string]any{"fields": []string{"pin"}}) // one is open
	w.must(200, "POST", "/api/hwkey/10000/rotations/2/commit", s.tokens["a-user"], nil)
	fresh := w.must(200, "POST", "/api/auth/refresh", "", map[string]any{"refresh_token": s.refresh})["access_token"].(string)
	w.must(200, "GET", "/api/hwkey/10001", fresh, nil)
	w.must(200, "GET", "/api/hwkey", s.key, nil)
	w.tokens["admin"], _ = w.login("admin", adminPassword)
	s.certifies(t, w)

	entries := w.items("admin", "/api/admin/audit?limit=2")
	if id := entries[0]["id"].(float64); id <= s.newest {
		t.Errorf("a new audit entry has the id %v, and there was %v", id, s.newest)
	}
	before := len(s.ear.of(""))
	w.must(201, "POST", "/api/admin/users", w.tokens["admin"], map[string]any{
		"username": "new", "email": "new@example.org", "password": usual, "role": "user", "organization_id": s.ids["a"],
	})
	await.That(t, "the webhook is told", func() bool { return len(s.ear.of("")) > before })
	if told := s.ear.of("")[before]; told.body["type"] != "user.created" || !signedBy(t, told, s.secret) {
		t.Errorf("the webhook is told of %v, signed with the old secret: %v", told.body["type"], signedBy(t, told, s.secret))
	}
	must.OK(t, w.stop())
	report, err := app.VerifyAudit(t.Context(), to, nil)
	if err != nil || report.Unsealed != 0 || float64(report.Head.LastID) <= s.newest {
		t.Errorf("the audit log: %+v, %v", report, err)
	}
	// Two rotations, and the values that the token may hold, before and after.
	if r := report.Releases; r == nil || r.Releases < 4 || r.Unknown != 0 {
		t.Errorf("the releases: %+v", r)
	}
}

// certifies: the CRL continues with a higher number and the old entries, and the same
// CA renews a certificate, whose predecessor joins the list.
func (s small) certifies(t *testing.T, w *fixture) {
	t.Helper()
	if got := w.must(200, "GET", "/api/certificates/"+w.serial, s.tokens["a-user"], nil)["status"]; got != "issued" {
		t.Errorf("the certificate is %v", got)
	}
	list := w.revocationList()
	if n := list.Number.Uint64(); n <= s.number || len(list.RevokedCertificateEntries) != 1 {
		t.Errorf("the CRL has the number %d, before %d, and %d entries", n, s.number, len(list.RevokedCertificateEntries))
	}
	if reason, _ := w.crlEntry(s.revoked); reason < 0 {
		t.Error("what was revoked is not on the CRL")
	}
	w.tokens["a-user"], w.sessions["a-user"] = w.login("a-user", usual)
	w.registerAgent(w.tokens["a-user"], w.sessions["a-user"])
	status, renewed := w.sign("a-user", "10000", "9a", map[string]any{"reason": "renewal"})
	if status != http.StatusOK {
		t.Fatalf("renewing: %d %v", status, renewed)
	}
	serial := renewed["serial_number"].(string)
	if chain := renewed["chain"].([]any); !strings.Contains(w.file("/api/pki/ca"), strings.TrimSpace(chain[0].(string))) {
		t.Error("the renewed certificate is not of the CA")
	}
	w.must(200, "POST", "/api/certificates/"+serial+"/installed", w.tokens["a-user"], nil)
	if reason, _ := w.crlEntry(w.serial); reason < 0 {
		t.Error("the certificate that was renewed is not on the CRL")
	}
}
