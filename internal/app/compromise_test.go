package app_test

import (
	"fmt"
	"testing"
)

func (w *fixture) revoke(status int, who, serialNumber, reason string) map[string]any {
	w.t.Helper()
	return w.must(status, "POST", "/api/certificates/"+serialNumber+"/revoke", w.tokens[who], map[string]any{"reason": reason})
}

// crlEntry returns a certificate's reason on the CRL, and when it was revoked; reason
// -1 if it is not listed.
func (w *fixture) crlEntry(serialNumber string) (reason int, at string) {
	w.t.Helper()
	for _, e := range w.revocationList().RevokedCertificateEntries {
		number := e.SerialNumber.Text(16)
		if len(number)%2 == 1 {
			number = "0" + number
		}
		if number == serialNumber {
			return e.ReasonCode, e.RevocationTime.String()
		}
	}
	return -1, ""
}

func compromisedKey(status int, out map[string]any) bool {
	params, _ := out["params"].(map[string]any)
	return status == 422 && out["code"] == "csr_rejected" && params["reason"] == "key_compromised"
}

// TestCompromiseFoundLater: the thief of a session first revokes the stolen key's
// certificate for a harmless reason, or it was superseded anyway: the key is refused all
// the same once its compromise is known.
func TestCompromiseFoundLater(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	before := w.revoke(200, "a-user", w.serial, "superseded")
	_, first := w.crlEntry(w.serial)
	after := w.revoke(200, "a-org_manager", w.serial, "keyCompromise")
	if after["revocation_reason"] != "keyCompromise" || after["revoked_at"] != before["revoked_at"] {
		t.Errorf("on record: %v, revoked at %v, before %v", after["revocation_reason"], after["revoked_at"], before["revoked_at"])
	}
	if reason, at := w.crlEntry(w.serial); reason != listedReason(t, 1) || at != first {
		t.Errorf("on the CRL: reason %d at %s, before at %s", reason, at, first)
	}
	if status, out := w.sign("a-user", "10000", "9a", nil); !compromisedKey(status, out) {
		t.Errorf("certified again: %d %v", status, out)
	}
	w.revoke(409, "a-org_manager", w.serial, "keyCompromise")
	w.revoke(409, "a-org_manager", w.serial, "unspecified")
	list := w.must(200, "GET", "/api/admin/audit?action=certificate.revoked&target="+w.serial, w.tokens["admin"], nil)["items"].([]any)
	var who []string
	for _, e := range list {
		who = append(who, fmt.Sprint(e.(map[string]any)["actor"], " ", e.(map[string]any)["reason"]))
	}
	if fmt.Sprint(who) != "[a-org_manager keyCompromise a-user superseded]" {
		t.Errorf("audited: %v", who)
	}
}

// TestLossBarsKeysRevokedBefore: the same for a token reported lost.
func TestLossBarsKeysRevokedBefore(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.revoke(200, "a-user", w.serial, "unspecified")
	w.must(200, "PATCH", "/api/hwkey/10000", w.tokens["a-user"], map[string]any{"status": "lost"})
	if status, reason := w.certificateStatus(); status != "revoked" || reason != "keyCompromise" {
		t.Errorf("%v (%v)", status, reason)
	}
	if reason, _ := w.crlEntry(w.serial); reason != listedReason(t, 1) {
		t.Errorf("on the CRL with reason %d", reason)
	}
}

// TestEveryCertificateOfACompromisedKeyEnds: also those in other slots, of other tokens
// and in other organizations, and none is issued again.
func TestEveryCertificateOfACompromisedKeyEnds(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.signIn("b-user", usual)
	w.registerAgent(w.tokens["b-user"], w.sessions["b-user"])
	ours := map[string]any{"csr": another(t, "a-user", "other slot"), "slot": "9c"}
	theirs := map[string]any{"csr": another(t, "b-user", "elsewhere")}
	own := w.must(200, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], ours)["serial_number"].(string)
	foreign := w.must(200, "POST", "/api/hwkey/10001/sign-csr", w.tokens["b-user"], theirs)["serial_number"].(string)
	w.revoke(404, "a-user", foreign, "keyCompromise")
	w.revoke(200, "a-user", w.serial, "keyCompromise")
	for _, serial := range []string{w.serial, own, foreign} {
		c := w.must(200, "GET", "/api/certificates/"+serial, w.tokens["admin"], nil)
		reason, _ := w.crlEntry(serial)
		if c["status"] != "revoked" || c["revocation_reason"] != "keyCompromise" || reason != listedReason(t, 1) {
			t.Errorf("%s is %v (%v), on the CRL %d", serial, c["status"], c["revocation_reason"], reason)
		}
	}
	for who, body := range map[string]map[string]any{"a-user": ours, "b-user": theirs} {
		token := map[string]string{"a-user": "10000", "b-user": "10001"}[who]
		if status, out := w.call("POST", "/api/hwkey/"+token+"/sign-csr", w.tokens[who], body); !compromisedKey(status, out) {
			t.Errorf("the same CSR again, %s: %d %v", who, status, out)
		}
	}
	w.must(409, "POST", "/api/certificates/"+foreign+"/installed", w.tokens["b-user"], nil)
	for target, want := range map[string]int{foreign: 1, own: 0, w.serial: 0} {
		list := w.must(200, "GET", "/api/admin/audit?action=certificate.revoked&target="+target, w.tokens["b-org_manager"], nil)
		if n := len(list["items"].([]any)); n != want {
			t.Errorf("b's manager reads %d entries of %s, want %d", n, target, want)
		}
	}
}
