package app_test

import (
	"fmt"
	"strings"
	"testing"
)

var leaves = fields{"is_active": false, "suspend_tokens": true, "revoke_certificates": true}

// ended are the figures of an answer: tokens suspended, certificates revoked, and of these not on the CRL.
func ended(out map[string]any) [3]any {
	return [3]any{out["tokens_suspended"], out["certificates_revoked"], out["certificates_unpublished"]}
}

// TestLeaver: one request ends the sessions, the use of the tokens and the certificates,
// for whoever may do each of it; asked once more it finds nothing left to do.
func TestLeaver(t *testing.T) {
	t.Parallel()
	w := newTown(t)
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

// TestLeaverLater: what was not asked for with the disabling can be asked for after it,
// but by no key that has no power over the account.
func TestLeaverLater(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	admin, path := w.tokens["admin"], w.userPath("a-user")
	first := w.must(200, "PATCH", path, admin, fields{"is_active": false, "revoke_certificates": false})
	if got := ended(first); got != [3]any{0.0, 0.0, 0.0} {
		t.Errorf("nothing was asked for, and ended %v", got)
	}
	key, _ := w.apiKey("admin", fields{"name": "ci", "role": "global_admin"})
	w.must(200, "PATCH", w.userPath("b-org_manager"), admin, fields{"is_active": false})
	w.refused(403, "permission_denied", "PATCH", w.userPath("b-org_manager"), key, fields{"is_active": false, "revoke_certificates": true})
	if got := ended(w.must(200, "PATCH", path, key, leaves)); got != [3]any{1.0, 1.0, 0.0} {
		t.Errorf("later ended %v", got)
	}
	for who, want := range map[string]int{"admin": 1, "a-user": 0} {
		w.ids["admin"] = w.must(200, "GET", "/api/auth/me", admin, nil)["id"]
		made := w.must(200, "GET", fmt.Sprint("/api/admin/api-keys?active=true&created_by=", w.ids[who]), admin, nil)["items"].([]any)
		if len(made) != want {
			t.Errorf("keys that %s made: %v", who, made)
		}
	}
}
