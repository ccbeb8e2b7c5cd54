package app_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"strings"
	"testing"
	"time"
)

// another creates a CSR unlike any other, with the tests' software key.
func another(t *testing.T, cn, mark string) string {
	t.Helper()
	return request(t, cn, func(r *x509.CertificateRequest) {
		r.ExtraExtensions = []pkix.Extension{{Id: []int{1, 3, 6, 1, 4, 1, 55555, 1}, Value: []byte("\x0c" + string(rune(len(mark))) + mark)}}
	})
}

// TestStolenTokenCertifiesNoSoftwareKey: an access token stolen an hour after its
// sign-in gets no certificate for the thief's key, in its owner's name or anybody
// else's.
func TestStolenTokenCertifiesNoSoftwareKey(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, who := range []string{"a-user", "a-org_manager"} {
		w.age(w.sessions[who], time.Hour)
		out := w.must(403, "POST", "/api/hwkey/10000/sign-csr", w.tokens[who],
			map[string]any{"csr": another(t, "a-user", who), "slot": "9c", "reason": "help desk"})
		if out["code"] != "reauthentication_required" {
			t.Errorf("%s: %v", who, out)
		}
	}
	w.must(200, "POST", "/api/auth/reauthenticate", w.tokens["a-user"], map[string]any{"password": usual})
	w.must(200, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], map[string]any{"csr": another(t, "a-user", "again"), "slot": "9c"})
}

// TestAPIKeyCertifiesNoSoftwareKey: a leaked API key obtains no certificate for
// anybody.
func TestAPIKeyCertifiesNoSoftwareKey(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for name, body := range map[string]map[string]any{
		"root": {"name": "root", "role": "global_admin"}, "desk": {"name": "desk", "role": "org_manager", "organization_id": w.ids["a"]},
	} {
		key, _ := w.apiKey("admin", body)
		for _, reason := range []string{"automation", ""} {
			out := w.must(403, "POST", "/api/hwkey/10000/sign-csr", key,
				map[string]any{"csr": another(t, "a-user", name), "slot": "9c", "reason": reason})
			if out["code"] != "permission_denied" || !strings.Contains(out["detail"].(string), "API key") {
				t.Errorf("%s: %v", name, out)
			}
		}
	}
}

// TestCompromisedKeyIsNeverCertifiedAgain: not in the same slot, nor for
// another token, nor in another organization.
func TestCompromisedKeyIsNeverCertifiedAgain(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.signIn("b-user", usual)
	w.registerAgent(w.tokens["b-user"], w.sessions["b-user"])
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["a-user"], map[string]any{"reason": "keyCompromise"})
	for _, c := range [][3]string{{"a-user", "10000", "9a"}, {"a-user", "10000", "9c"}, {"b-user", "10001", "9a"}} {
		out := w.must(422, "POST", "/api/hwkey/"+c[1]+"/sign-csr", w.tokens[c[0]],
			map[string]any{"csr": another(t, c[0], c[1]+c[2]), "slot": c[2]})
		if out["code"] != "csr_rejected" || out["params"].(map[string]any)["reason"] != "key_compromised" {
			t.Errorf("%v: %v", c, out)
		}
	}
}

// TestRenewalKeepsKey: a key gets another certificate when that is asked for; asked again before it
// is on the token, as after a lost answer, it gets that one.
func TestRenewalKeepsKey(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	sign := func(renew bool) string {
		t.Helper()
		out := w.must(200, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"],
			map[string]any{"csr": another(t, "a-user", "renewed"), "slot": "9d", "renew": renew})
		return out["serial_number"].(string)
	}
	installed := func(serial string) {
		t.Helper()
		w.must(200, "POST", "/api/certificates/"+serial+"/installed", w.tokens["a-user"], nil)
	}
	first := sign(false)
	if sign(false) != first || sign(true) != first {
		t.Error("a second certificate before the first is on the token")
	}
	installed(first)
	if sign(false) != first {
		t.Error("the same CSR got another certificate")
	}
	second := sign(true)
	if second == first || sign(true) != second {
		t.Errorf("renewed: %s, then %s", first, second)
	}
	installed(second)
	if got := w.must(200, "GET", "/api/certificates/"+first, w.tokens["a-user"], nil); got["revocation_reason"] != "superseded" {
		t.Errorf("the former one: %v", got)
	}
}
