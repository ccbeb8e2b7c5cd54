package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func email(address string, revoke ...bool) map[string]any {
	body := map[string]any{"email": address}
	if len(revoke) > 0 {
		body["revoke_certificates"] = revoke[0]
	}
	return body
}

// TestNameInALiveCertificate: a change of an email that a live certificate carries must
// say what happens to the certificate; until then nothing changes.
func TestNameInALiveCertificate(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	manager, path := w.tokens["a-org_manager"], w.userPath("a-user")
	out := w.must(409, "PATCH", path, manager, email("new@example.org"))
	if params, _ := out["params"].(map[string]any); out["code"] != "certificates_live" || params["count"] != 1.0 {
		t.Errorf("the question: %v", out)
	}
	if u := w.must(200, "GET", path, manager, nil); u["email"] != "a-user@example.org" {
		t.Errorf("before the answer the email is %v", u["email"])
	}
	w.must(400, "PATCH", path, manager, map[string]any{"revoke_certificates": true})
	w.must(400, "PATCH", path, manager, map[string]any{"email": "new@example.org", "revoke_certificates": nil})
	w.must(200, "PATCH", path, manager, email("A-User@Example.org")) // only the case differs

	w.must(200, "PATCH", path, manager, email("new@example.org", true))
	if status, reason := w.certificateStatus(); status != "revoked" || reason != "affiliationChanged" {
		t.Errorf("the certificate is %v (%v)", status, reason)
	}
	if !w.onCRL(w.serial) {
		t.Error("the certificate is not on the CRL")
	}
	w.must(200, "PATCH", path, manager, email("newer@example.org")) // no live certificate carries it
}

// TestFormerNameOfACertificate: until a certificate with the name expires, nobody else
// gets the name, however requested and even if it is revoked: readers would confuse the
// two.
func TestFormerNameOfACertificate(t *testing.T) {
	t.Parallel()
	for _, revoke := range []bool{true, false} {
		t.Run(fmt.Sprint("revoked ", revoke), func(t *testing.T) {
			t.Parallel()
			w := newFixture(t)
			admin, path := w.tokens["admin"], w.userPath("a-user")
			w.must(200, "PATCH", path, admin, email("new@example.org", revoke))
			if status, _ := w.certificateStatus(); (status == "revoked") != revoke {
				t.Errorf("the certificate is %v", status)
			}
			told := fmt.Sprint(w.must(200, "GET", "/api/notices?limit=9", w.tokens["a-user"], nil)["items"])
			if strings.Contains(told, "kind:certificate_revoked") != revoke {
				t.Errorf("told: %s", told)
			}
			for _, a := range []struct {
				method, path string
				body         map[string]any
			}{
				{"POST", "/api/admin/users", map[string]any{"username": "mallory", "email": "A-USER@example.org", "password": usual}},
				{"POST", "/api/admin/users",
					map[string]any{"username": "a-user@example.org", "email": "a-user@example.org", "password": usual}},
				{"PATCH", w.userPath("b-user"), email("a-user@example.org", false)},
			} {
				if out := w.must(409, a.method, a.path, admin, a.body); out["code"] != "conflict" {
					t.Errorf("%s %s: %v", a.method, a.path, out)
				} else if _, err := time.Parse(time.DateOnly, fmt.Sprint(out["params"].(map[string]any)["until"])); err != nil {
					t.Errorf("%s %s: until when? %v", a.method, a.path, out)
				}
			}
			w.must(401, "POST", "/api/auth/login", "", map[string]any{"username": "a-user@example.org", "password": usual})
			w.must(200, "PATCH", path, admin, email("a-user@example.org")) // its holder may get it back
			w.login("a-user@example.org", usual)
		})
	}
}

// TestManagerNamesNobodyElse: a manager chooses the emails of the organization's
// people, which their certificates carry, but cannot have a certificate issued for
// somebody of another domain, nor open the organization to others.
func TestManagerNamesNobodyElse(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.must(200, "PATCH", w.organizationPath("a"), w.tokens["admin"], map[string]any{"email_domains": []string{"example.org"}})
	manager := w.tokens["a-org_manager"]
	for _, address := range []string{"chief@victim.example", "chief@sub.example.org", "chief@example.org.victim.example",
		"chief@EXAMPLE.0rg"} {
		w.refused(400, "invalid_request", "PATCH", w.userPath("a-user"), manager, email(address, true))
		w.refused(400, "invalid_request", "POST", "/api/admin/users", manager,
			map[string]any{"username": "new", "email": address, "password": usual})
	}
	w.refused(403, "permission_denied", "PATCH", w.organizationPath("a"), manager, map[string]any{"email_domains": []string{}})
	w.must(200, "PATCH", w.userPath("a-user"), manager, email("chief@Example.ORG", false))
}

// onCRL reports whether the served list holds a serial number.
func (w *fixture) onCRL(serialNumber string) bool {
	w.t.Helper()
	for _, entry := range w.revocationList().RevokedCertificateEntries {
		if fmt.Sprintf("%x", entry.SerialNumber.Bytes()) == serialNumber {
			return true
		}
	}
	return false
}
