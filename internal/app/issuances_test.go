package app_test

import (
	"errors"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestVerifyIssuances: audit verify names each certificate that the vault knows as
// recorded and that is missing or altered in the database.
func TestVerifyIssuances(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	var serials []string
	for _, slot := range []string{"9a", "9c", "9d", "9e"} {
		status, out := w.sign("a-user", "10000", slot, nil)
		if status != 200 {
			t.Fatalf("signing: %d %v", status, out)
		}
		serials = append(serials, out["serial_number"].(string))
	}
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	v, err := app.VerifyAudit(t.Context(), w.cfg, nil)
	// The fixture already has one. What was settled when a server ended may be there
	// twice.
	if err != nil || v.Issuances == nil || v.Issuances.Recorded < 5 || len(v.Issuances.Unrecorded) != 0 {
		t.Fatalf("before: %+v, %v", v.Issuances, err)
	}
	engine.Execute(t, w.cfg.Data, "DELETE FROM certificates WHERE serial_number = ?", serials[1])
	const swap = "UPDATE certificates SET der = (SELECT c.der FROM certificates AS c WHERE c.serial_number = ?) WHERE serial_number = ?"
	engine.Execute(t, w.cfg.Data, swap, serials[0], serials[2])
	engine.Execute(t, w.cfg.Data, "DELETE FROM audit_entries WHERE target_id = ? AND action = 'certificate.issued'", serials[3])
	engine.Execute(t, w.cfg.Data, "UPDATE audit_entries SET actor = 'b-user', actor_key = 'b-user' WHERE target_id = ? AND action = ?",
		serials[0], "certificate.issued")
	_, err = app.VerifyAudit(t.Context(), w.cfg, nil)
	bad, isBad := errors.AsType[*intentlog.BadIssuances](err)
	if _, sealed := errors.AsType[*chain.Bad](err); !isBad || !sealed {
		t.Fatalf("after: %v", err)
	}
	said := map[string]string{}
	for _, i := range bad.First {
		said[i.SerialNumber] = i.Problem
	}
	if len(said) != 4 {
		t.Errorf("%d certificates: %v", len(said), said)
	}
	for serial, want := range map[string]string{
		serials[0]: "the audit log's entry for its issuance differs from what was written",
		serials[1]: "there is no such certificate on record",
		serials[2]: "the certificate on record is a different one",
		serials[3]: "the audit log has no entry for its issuance",
	} {
		if said[serial] != want {
			t.Errorf("%s: %q, want %q", serial, said[serial], want)
		}
	}
}

// TestUnrecordedCertificate: over HTTP, unrecorded certificates are listed for global
// administrators, and revoked by serial number or refused.
func TestUnrecordedCertificate(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	status, signed := w.sign("a-user", "10000", "9a", nil)
	if status != 200 {
		t.Fatalf("signing: %d %v", status, signed)
	}
	serial := signed["serial_number"].(string)
	if out := w.must(200, "GET", "/api/certificates/unrecorded", w.tokens["admin"], nil); out["total"] != 0.0 {
		t.Errorf("%v", out)
	}
	w.must(403, "GET", "/api/certificates/unrecorded", w.tokens["a-org_manager"], nil)
	out := w.must(422, "POST", "/api/certificates/revoke", w.tokens["admin"], map[string]any{"certificate": signed["chain"].([]any)[0]})
	if fields := out["errors"].([]any); out["code"] != "certificate_rejected" || fields[0].(map[string]any)["field"] != "certificate" {
		t.Errorf("the CA's own: %v", out)
	}
	w.must(400, "POST", "/api/certificates/revoke", w.tokens["admin"], map[string]any{"reason": "superseded"})
	body := map[string]any{"serial_number": serial, "reason": "superseded"}
	out = w.must(200, "POST", "/api/certificates/revoke", w.tokens["admin"], body)
	if out["on_record"] != true || out["revocation_reason"] != "superseded" || !w.onCRL(serial) {
		t.Errorf("%v, on the CRL: %t", out, w.onCRL(serial))
	}
	w.refused(409, "conflict", "POST", "/api/certificates/revoke", w.tokens["admin"], body)

	// For a certificate without a record or log entry, the number alone does not bar
	// the key; the certificate does, later.
	_, signed = w.sign("a-user", "10000", "9c", nil)
	serial = signed["serial_number"].(string)
	engine.Execute(t, w.cfg.Data, "DELETE FROM certificates WHERE serial_number = ?", serial)
	if vaultserver.Wanted(t) { // which rejects the number of a certificate that it does not have
		w.refused(422, "certificate_rejected", "POST", "/api/certificates/revoke", w.tokens["admin"],
			map[string]any{"serial_number": "0a0b0c0d", "reason": "keyCompromise"})
	}
	for _, c := range []struct {
		body   map[string]any
		barred bool
	}{
		{map[string]any{"serial_number": "0a0b0c0d", "reason": "keyCompromise"}, false},
		{map[string]any{"certificate": signed["certificate"], "reason": "keyCompromise"}, true},
	} {
		if vaultserver.Wanted(t) && !c.barred {
			continue
		}
		if out = w.must(200, "POST", "/api/certificates/revoke", w.tokens["admin"], c.body); out["key_barred"] != c.barred {
			t.Errorf("%v", out)
		}
		w.refused(409, "conflict", "POST", "/api/certificates/revoke", w.tokens["admin"], c.body)
	}
}
