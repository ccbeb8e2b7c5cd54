package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"strings"
	"testing"
)

var subjectKey = func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}()

// request creates a CSR with the standard library.
func request(t *testing.T, cn string, change func(*x509.CertificateRequest)) string {
	t.Helper()
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: cn}}
	if change != nil {
		change(template)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, subjectKey)
	if err != nil {
		t.Fatal(err)
	}
	return csrPEM(der)
}

func csrPEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// state returns everything that a refused request must not change.
func (w *fixture) state() any {
	out := map[string]any{}
	for _, path := range []string{"/api/hwkey", "/api/certificates", "/api/admin/users", "/api/admin/organizations"} {
		out[path] = w.must(200, "GET", path, w.tokens["admin"], nil)
	}
	return out
}

type refusal struct {
	who, method, path string
	body              any
	status            int
	code, field       string
}

func (w *fixture) refusals(t *testing.T) []refusal {
	bad := func(field string) (int, string, string) { return 400, "invalid_request", field }
	row := func(who, method, path string, body any, status int, code, field string) refusal {
		return refusal{who, method, path, body, status, code, field}
	}
	m := func(kv ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(kv); i += 2 {
			out[kv[i].(string)] = kv[i+1]
		}
		return out
	}
	invalid := func(who, method, path string, body any, field string) refusal {
		s, c, f := bad(field)
		return row(who, method, path, body, s, c, f)
	}
	reject := func(csr string) refusal {
		return row("a-user", "POST", "/api/hwkey/10000/sign-csr", m("csr", csr), 422, "csr_rejected", "")
	}
	weak, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: "a-user"}}, ecKey(t))
	if err != nil {
		t.Fatal(err)
	}
	good := request(t, "a-user", nil)
	return []refusal{
		// Registration.
		invalid("admin", "POST", "/api/hwkey", m("serial", "x"), "serial"),
		invalid("admin", "POST", "/api/hwkey", m("serial", "-1234"), "serial"),
		invalid("admin", "POST", "/api/hwkey", m("serial", "License"), "serial"),
		invalid("admin", "POST", "/api/hwkey", m("serial", "12/34"), "serial"),
		invalid("admin", "POST", "/api/hwkey", m("serial", "20001", "firmware_version", "five"), "firmware_version"),
		invalid("admin", "POST", "/api/hwkey", m("serial", "20001", "label", "a\x00b"), "label"),
		invalid("admin", "POST", "/api/hwkey", m("serial", "20001", "pin", "123456"), "pin"),
		invalid("admin", "POST", "/api/hwkey", m("serial", "20001", "owner_id", 9999), "owner_id"),
		invalid("a-org_manager", "POST", "/api/hwkey", m("serial", "20001", "owner_id", w.ids["b-user"]), "owner_id"),
		invalid("a-org_manager", "POST", "/api/hwkey", m("serial", "20001", "organization_id", w.ids["b"]), "organization_id"),
		row("admin", "POST", "/api/hwkey", m("serial", "10000"), 409, "conflict", ""),
		row("b-org_manager", "POST", "/api/hwkey", m("serial", "10000"), 409, "conflict", ""),
		// Lists.
		invalid("admin", "GET", "/api/certificates?sort=colour", nil, "sort"),
		invalid("admin", "GET", "/api/certificates?installed=perhaps", nil, "installed"),
		invalid("admin", "GET", "/api/certificates?sort=not_after&cursor=AQAAAAAAAAPn", nil, "cursor"),
		invalid("b-user", "GET", "/api/certificates?sort=-not_after&cursor=AQAAAAAAAAAB", nil, "cursor"),
		invalid("admin", "GET", "/api/admin/users?locked=perhaps", nil, "locked"),
		invalid("admin", "GET", "/api/admin/users?tokens=2", nil, "tokens"),
		invalid("admin", "GET", "/api/admin/users?state=gone", nil, "state"),
		invalid("admin", "GET", "/api/admin/users?expiring_within_days=0", nil, "expiring_within_days"),
		invalid("a-user", "GET", "/api/hwkey?firmware_below=new", nil, "firmware_below"),
		invalid("admin", "GET", "/api/hwkey?owner=me", nil, "owner"),
		invalid("admin", "GET", "/api/hwkey?enrolled=perhaps", nil, "enrolled"),
		invalid("admin", "GET", "/api/hwkey?last_seen_before=yesterday", nil, "last_seen_before"),
		invalid("admin", "GET", "/api/certificates?attested=perhaps", nil, "attested"),
		row("a-user", "GET", "/api/admin/users?locked=true", nil, 403, "permission_denied", ""),
		// Change of a token.
		row("a-user", "PATCH", "/api/hwkey/10000", m("label", "mine"), 403, "permission_denied", ""),
		row("a-user", "PATCH", "/api/hwkey/10000", m("status", "lost", "owner_id", nil), 403, "permission_denied", ""),
		row("a-org_manager", "PATCH", "/api/hwkey/10000", m("organization_id", w.ids["b"]), 403, "permission_denied", ""),
		row("a-org_manager", "PATCH", "/api/hwkey/10000", m("status", "in_stock"), 409, "conflict", ""),
		row("a-org_manager", "PATCH", "/api/hwkey/10000", m("status", "active"), 409, "conflict", ""),
		row("a-org_manager", "PATCH", "/api/hwkey/10009", m("status", "suspended"), 409, "conflict", ""),
		invalid("a-org_manager", "PATCH", "/api/hwkey/10000", m("status", "broken"), "status"),
		row("a-org_manager", "PATCH", "/api/hwkey/10000", m("owner_id", w.ids["a-org_manager"], "status", "active"), 409, "conflict", ""),
		row("a-org_manager", "PATCH", "/api/hwkey/10000", m("owner_id", nil, "status", "in_stock"), 409, "conflict", ""),
		invalid("a-org_manager", "PATCH", "/api/hwkey/10000", m("serial", "20002"), "serial"),
		// Custody.
		invalid("a-org_manager", "GET", "/api/hwkey/10000/secrets", nil, "reason"),
		invalid("a-user", "GET", "/api/hwkey/10000/secrets?fields=pin,color", nil, "fields"),
		invalid("a-user", "GET", "/api/hwkey/10000/secrets?reason=%00", nil, "reason"),
		row("admin", "GET", "/api/hwkey/10000/secrets?reason=help", nil, 409, "agent_not_registered", ""),
		invalid("a-user", "POST", "/api/hwkey/10000/rotations", m("fields", []string{}), "fields"),
		invalid("a-user", "POST", "/api/hwkey/10000/rotations", m("fields", []string{"color"}), "fields[0]"),
		invalid("a-user", "POST", "/api/hwkey/10000/rotations", m("fields", []string{"pin"}, "pin", "123456"), "pin"),
		invalid("a-user", "POST", "/api/hwkey/10000/rotations", m("fields", []string{"pin"}, "pin", "12a456"), "pin"),
		invalid("a-user", "POST", "/api/hwkey/10000/rotations", m("fields", []string{"puk"}, "pin", "135790"), "pin"),
		invalid("a-user", "POST", "/api/hwkey/10000/reset", m("reason", "a\nforged line"), "reason"),
		row("a-user", "GET", "/api/hwkey/10000/rotations/1", nil, 404, "not_found", ""),
		row("a-user", "POST", "/api/hwkey/10000/rotations/1/commit", nil, 404, "not_found", ""),
		invalid("a-user", "POST", "/api/hwkey/10000/secrets/observations", m("field", "pin", "matched", "pending"), "matched"),
		invalid("a-user", "POST", "/api/hwkey/10000/secrets/observations", m("field", "pin", "matched", "superseded"), "matched"),
		invalid("a-user", "POST", "/api/hwkey/10000/secrets/observations", m("field", "colour", "matched", "none"), "field"),
		// Signing.
		invalid("a-user", "POST", "/api/hwkey/10000/sign-csr", m("csr", "no PEM"), "csr"),
		invalid("a-user", "POST", "/api/hwkey/10000/sign-csr", m("csr", strings.Replace(good, "M", "A", 1)), "csr"),
		invalid("a-user", "POST", "/api/hwkey/10000/sign-csr", m("csr", good+good), "csr"),
		invalid("a-user", "POST", "/api/hwkey/10000/sign-csr", m("csr", good, "slot", "82"), "slot"),
		reject(request(t, "admin", nil)),
		reject(request(t, "", nil)),
		reject(request(t, "a-user", func(r *x509.CertificateRequest) { r.Subject.Organization = []string{"x"} })),
		reject(request(t, "a-user", func(r *x509.CertificateRequest) { r.EmailAddresses = []string{"ceo@example.org"} })),
		reject(request(t, "a-user", func(r *x509.CertificateRequest) { r.DNSNames = []string{"example.org"} })),
		reject(csrPEM(weak)),
		row("a-org_manager", "POST", "/api/hwkey/10009/sign-csr", m("csr", good), 409, "conflict", ""),
		// Certificates.
		invalid("a-user", "POST", "/api/certificates/"+w.serial+"/revoke", m("reason", "certificateHold"), "reason"),
		row("a-user", "GET", "/api/certificates/00ff", nil, 404, "not_found", ""),
		// Accounts and organizations.
		row("a-org_manager", "POST", "/api/admin/users", m("username", "n", "email", "n@example.org", "password", usual, "is_admin", true),
			403, "permission_denied", ""),
		invalid("admin", "POST", "/api/admin/users",
			m("username", "n", "email", "n@example.org", "password", usual, "is_admin", true, "role", "user"), "is_admin"),
		invalid("admin", "POST", "/api/admin/users", m("username", "n n", "email", "n@example.org", "password", usual), "username"),
		invalid("admin", "POST", "/api/admin/users", m("username", "n", "email", "Name <n@example.org>", "password", usual), "email"),
		invalid("admin", "POST", "/api/admin/users", m("username", "n", "email", "n@example.org", "password", usual, "role", "org_manager"),
			"organization_id"),
		invalid("a-org_manager", "POST", "/api/admin/users",
			m("username", "n", "email", "n@example.org", "password", usual, "organization_id", w.ids["b"]), "organization_id"),
		row("admin", "POST", "/api/admin/users", m("username", "n", "email", "n@example.org", "password", "short"),
			422, "password_policy", "password"),
		row("admin", "POST", "/api/admin/users", m("username", "A-USER", "email", "n@example.org", "password", usual), 409, "conflict", ""),
		row("admin", "POST", "/api/admin/users", m("username", "n", "email", "A-User@example.org", "password", usual), 409, "conflict", ""),
		row("a-user", "GET", "/api/admin/users", nil, 403, "permission_denied", ""),
		row("a-org_manager", "POST", "/api/admin/organizations", m("name", "c"), 403, "permission_denied", ""),
		row("admin", "POST", "/api/admin/organizations", m("name", "ORG A"), 409, "conflict", ""),
		invalid("admin", "POST", "/api/admin/organizations", m("name", "c", "email_domains", []string{"not a domain"}), "email_domains"),
		// Sessions.
		row("a-user", "POST", fmt.Sprint("/api/session/", w.sessions["b-user"], "/register-agent"), m("public_key", "x"), 404, "not_found", ""),
		invalid("a-user", "POST", fmt.Sprint("/api/session/", w.sessions["a-user"], "/register-agent"), m("public_key", "x"), "public_key"),
		// Lists.
		invalid("admin", "GET", "/api/hwkey?limit=501", nil, "limit"),
		invalid("admin", "GET", "/api/hwkey?limit=0", nil, "limit"),
		invalid("admin", "GET", "/api/hwkey?cursor=AAAA", nil, "cursor"),
		invalid("admin", "GET", "/api/certificates?status=broken", nil, "status"),
		invalid("admin", "GET", "/api/admin/audit?from=yesterday", nil, "from"),
	}
}

func ecKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestRefusals sends what each operation must refuse, and checks that nothing changes.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.refuses(w.refusals(t))
}

func names(problem map[string]any, field string) bool {
	list, _ := problem["errors"].([]any)
	for _, e := range list {
		if e.(map[string]any)["field"] == field {
			return true
		}
	}
	return false
}

// TestRefusedChangeLeavesTheVault: a change that the database refuses must not reach
// the vault first.
func TestRefusedChangeLeavesTheVault(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	before := w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)["version"]
	w.must(409, "PATCH", "/api/hwkey/10000", w.tokens["a-org_manager"], map[string]any{"owner_id": w.ids["a-org_manager"], "status": "active"})
	if after := w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)["version"]; after != before {
		t.Errorf("the secrets are of version %v, and were of %v", after, before)
	}
}

// TestGoodPasswordLeavesATrace: anyone who finds out that a password is right is
// recorded, even if nothing came of it.
func TestGoodPasswordLeavesATrace(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.must(422, "POST", "/api/auth/password", "", map[string]any{"username": "b-user", "current_password": usual, "new_password": "short"})
	w.must(401, "POST", "/api/auth/password", "",
		map[string]any{"username": "b-user", "current_password": "wrong one", "new_password": "a better one"})
	got := map[any]any{}
	for _, e := range w.must(200, "GET", "/api/admin/audit?action=auth.password_changed", w.tokens["admin"], nil)["items"].([]any) {
		entry := e.(map[string]any)
		got[entry["details"]] = entry["outcome"]
	}
	if got["the new password breaks the policy"] != "failure" || got["wrong password"] != "failure" {
		t.Errorf("audited: %v", got)
	}
	w.signIn("b-user", usual)
}
