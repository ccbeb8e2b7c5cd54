package app_test

import (
	"strings"
	"testing"
)

var leaves = fields{"is_active": false, "suspend_tokens": true, "revoke_certificates": true}

// ended returns a response's counts: tokens suspended, certificates revoked, and of
// these not on the CRL.
func ended(out map[string]any) [3]any {
	return [3]any{out["tokens_suspended"], out["certificates_revoked"], out["certificates_unpublished"]}
}

// TestLeaver: one request ends the sessions, the tokens' use and the certificates, for
// a caller who may do each of these; repeated, it finds nothing left to do.
func TestLeaver(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	manager, path := w.tokens["a-org_manager"], w.userPath("a-user")
	w.refused(404, "not_found", "PATCH", path, w.tokens["b-org_manager"], leaves)
	w.refused(403, "permission_denied", "PATCH", path, w.tokens["b-user"], leaves)
	w.refused(403, "permission_denied", "PATCH", w.userPath("a-org_manager"), manager, leaves)
	w.refused(400, "invalid_request", "PATCH", path, manager, fields{"is_active": true, "revoke_certificates": true})
	if status, _ := w.certificateStatus(); status != "issued" || w.user("a-user")["is_active"] != true {
		t.Fatalf("after refusals the certificate is %v", status)
	}

	for _, want := range [][3]any{{1.0, 1.0, 0.0}, {0.0, 0.0, 0.0}} {
		out := w.must(200, "PATCH", path, manager, leaves)
		if got := ended(out); got != want || out["tokens"] != 0.0 || out["is_active"] != false {
			t.Errorf("ended %v, want %v: %v", got, want, out)
		}
	}
	w.refused(401, "session_not_found", "GET", "/api/auth/me", w.tokens["a-user"], nil)
	if status, reason := w.certificateStatus(); status != "revoked" || reason != "affiliationChanged" {
		t.Errorf("the certificate is %v (%v)", status, reason)
	}
	if !w.onCRL(w.serial) {
		t.Error("the certificate is not on the CRL")
	}
	if key := w.must(200, "GET", "/api/hwkey/10000", manager, nil); key["status"] != "suspended" {
		t.Errorf("the token is %v", key["status"])
	}
	for action, want := range map[string]int{"user.disabled": 1, "session.ended": 1, "hwkey.status_changed": 1, "certificate.revoked": 1} {
		if got := w.audited("a-org_manager", action); len(got) != want || !strings.HasPrefix(got[0], "a-org_manager: ") {
			t.Errorf("%s: %q, want %d entries", action, got, want)
		}
	}

	w.must(200, "PATCH", path, manager, fields{"is_active": true})
	if status, _ := w.certificateStatus(); status != "revoked" {
		t.Errorf("the account is enabled again, and its certificate %v", status)
	}
}
