package app_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki/attesttest"
	"github.com/keyward/keyward/test/vaultserver"
)

// attestedFixture trusts a fake token maker.
func attestedFixture(t *testing.T, change func(*config.Config)) (*fixture, *attesttest.Maker) {
	t.Helper()
	maker := attesttest.NewMaker(t)
	return newFixtureWith(t, func(c *config.Config) {
		c.AttestationRootsFile = maker.RootFile(t)
		change(c)
	}), maker
}

func asIs(*config.Config) {}

// key10000 is the tests' key, as a's token would hold it in slot 9c.
func key10000() attesttest.Key {
	return attesttest.Key{Public: subjectKey.Public(), Serial: "10000", Slot: "9c"}
}

func (w *fixture) sign(who, serial, slot string, more map[string]any) (int, map[string]any) {
	w.t.Helper()
	body := map[string]any{"csr": another(w.t, "a-user", fmt.Sprint(who, serial, slot, len(more))), "slot": slot}
	maps.Copy(body, more)
	return w.call("POST", "/api/hwkey/"+serial+"/sign-csr", w.tokens[who], body)
}

// TestAttestedKeyNeedsNoPassword: an attested key is certified an hour after the
// sign-in, and the attestation's content is recorded.
func TestAttestedKeyNeedsNoPassword(t *testing.T) {
	t.Parallel()
	w, maker := attestedFixture(t, asIs)
	w.age(w.sessions["a-user"], time.Hour)
	status, signed := w.sign("a-user", "10000", "9c", map[string]any{"attestation": maker.Attest(t, key10000())})
	if status != 200 {
		t.Fatalf("%d %v", status, signed)
	}
	got := w.must(200, "GET", fmt.Sprint("/api/certificates/", signed["serial_number"]), w.tokens["a-user"], nil)
	want := map[string]any{"firmware_version": "5.4.3", "form_factor": "Keychain (USB-A)", "pin_policy": "once", "touch_policy": "never",
		"root": attesttest.RootName}
	if diff := cmp.Diff(want, got["attestation"]); diff != "" || got["attested"] != true {
		t.Errorf("attested %v (-want +got)\n%s", got["attested"], diff)
	}
	for _, n := range w.must(200, "GET", "/api/notices", w.tokens["a-user"], nil)["items"].([]any) {
		if m := n.(map[string]any); m["kind"] == "certificate_issued" {
			t.Errorf("told of the own certificate: %v", m)
		}
	}
	w.signIn("a-user", usual) // a session without an agent
	if status, out := w.sign("a-user", "10000", "9c", map[string]any{
		"attestation": maker.Attest(t, key10000()), "reason": "x"}); status != 409 || out["code"] != "agent_not_registered" {
		t.Errorf("without an agent: %d %v", status, out)
	}
}

// TestForgedAttestations: a contradicting attestation is refused, however recent the
// session; one that merely proves nothing counts as none.
func TestForgedAttestations(t *testing.T) {
	t.Parallel()
	w, maker := attestedFixture(t, asIs)
	foreign := attesttest.NewMaker(t)
	good := maker.Attest(t, key10000())
	with := func(change func(*attesttest.Key)) []string {
		k := key10000()
		change(&k)
		return maker.Attest(t, k)
	}
	software := attesttest.NewKey(t)
	for name, c := range map[string]struct {
		chain  []string
		reason string // of attestation_failed
	}{
		"another key's":       {with(func(k *attesttest.Key) { k.Public = software.Public() }), "attestation_key"},
		"an F9 of its own":    {[]string{good[0], foreign.Attest(t, key10000())[1]}, "attestation_signature"},
		"the two in one text": {[]string{good[0] + good[1], good[1]}, "attestation_malformed"},
	} {
		status, out := w.sign("a-user", "10000", "9c", map[string]any{"attestation": c.chain})
		if status != 422 || out["code"] != "attestation_failed" || out["params"].(map[string]any)["reason"] != c.reason {
			t.Errorf("%s: %d %v, want %s", name, status, out, c.reason)
		}
	}
	// Only the contract's two certificates, no third in between.
	status, out := w.sign("a-user", "10000", "9c", map[string]any{"attestation": append(good[:1:1], good[0], good[1])})
	if status != 400 || out["code"] != "invalid_request" || !strings.Contains(fmt.Sprint(out["errors"]), "field:attestation") {
		t.Errorf("three certificates: %d %v", status, out)
	}
	// A token that does not report its serial, and an unknown issuer.
	unknown := attesttest.NewMakerOf(t, "Somebody Else")
	for slot, chain := range map[string][]string{
		"9c": with(func(k *attesttest.Key) { k.Serial = "" }), "9d": unknown.Attest(t, attesttest.Key{
			Public: subjectKey.Public(), Serial: "10000", Slot: "9d"}),
	} {
		status, signed := w.sign("a-user", "10000", slot, map[string]any{"attestation": chain})
		if status != 200 {
			t.Fatalf("%s: %d %v", slot, status, signed)
		}
		got := w.must(200, "GET", fmt.Sprint("/api/certificates/", signed["serial_number"]), w.tokens["a-user"], nil)
		if got["attested"] != false || got["attestation"] != nil {
			t.Errorf("%s: %v", slot, got)
		}
	}
	w.age(w.sessions["a-user"], time.Hour)
	if status, out := w.sign("a-user", "10000", "9e", map[string]any{"attestation": unknown.Attest(t, attesttest.Key{
		Public: subjectKey.Public(), Serial: "10000", Slot: "9e"})}); status != 403 || out["code"] != "reauthentication_required" {
		t.Errorf("an unknown issuer's an hour later: %d %v", status, out)
	}
}

// TestSigningForAnother: without an attestation it takes a reason, counts against the
// limit on releases, and notifies the owner, as for any certificate that somebody else
// obtained.
func TestSigningForAnother(t *testing.T) {
	t.Parallel()
	w, maker := attestedFixture(t, func(c *config.Config) { c.ReleaseLimit = 2 })
	if status, out := w.sign("a-org_manager", "10000", "9c", nil); status != 400 || out["code"] != "invalid_request" {
		t.Errorf("without a reason: %d %v", status, out)
	}
	if status, out := w.sign("a-org_manager", "10000", "9c", map[string]any{"reason": "replaces the old one"}); status != 200 {
		t.Errorf("with a reason: %d %v", status, out)
	}
	if status, out := w.sign("a-org_manager", "10000", "9d", map[string]any{"attestation": maker.Attest(t, attesttest.Key{
		Public: subjectKey.Public(), Serial: "10000", Slot: "9d"})}); status != 200 {
		t.Errorf("attested, without a reason: %d %v", status, out)
	}
	for i := range 2 {
		serial := fmt.Sprint(10010 + i)
		w.must(201, "POST", "/api/hwkey", w.tokens["a-org_manager"], map[string]any{"serial": serial, "owner_id": w.ids["a-user"]})
	}
	w.must(200, "GET", "/api/hwkey/10010/secrets?reason=look", w.tokens["a-org_manager"], nil) // takes the other place
	status, out := w.sign("a-org_manager", "10011", "9c", map[string]any{"reason": "one too many"})
	if status != 429 || out["code"] != "rate_limited" {
		t.Errorf("over the cap: %d %v", status, out)
	}
	texts := ""
	for _, n := range w.must(200, "GET", "/api/notices", w.tokens["a-user"], nil)["items"].([]any) {
		if m := n.(map[string]any); m["kind"] == "certificate_issued" {
			texts = m["message"].(string) + "\n" + texts
		}
	}
	first, rest, _ := strings.Cut(texts, "\n")
	if !strings.Contains(first, "a-org_manager") || !strings.Contains(first, "the signature certificate") ||
		!strings.Contains(first, "no proof") || !strings.Contains(first, "replaces the old one") ||
		!strings.Contains(rest, "the encryption certificate") || strings.Contains(rest, "no proof") ||
		strings.Count(texts, "\n") != 2 {
		t.Errorf("the owner was told:\n%s", texts)
	}
	denied := w.must(200, "GET", "/api/admin/audit?action=certificate.issued&outcome=denied", w.tokens["admin"], nil)["items"].([]any)
	if len(denied) != 1 || denied[0].(map[string]any)["reason"] != "one too many" {
		t.Errorf("denied: %v", denied)
	}
}

// TestAttestationModes: off ignores attestations, require signs nothing without one.
func TestAttestationModes(t *testing.T) {
	t.Parallel()
	off, maker := attestedFixture(t, func(c *config.Config) { c.Attestation = "off" })
	status, signed := off.sign("a-user", "10000", "9c", map[string]any{"attestation": maker.Attest(t, attesttest.Key{
		Public: attesttest.NewKey(t).Public(), Serial: "7", Slot: "9a"})}) // false in every way
	if status != 200 {
		t.Fatalf("off: %d %v", status, signed)
	}
	off.age(off.sessions["a-user"], time.Hour)
	if status, out := off.sign("a-user", "10000", "9d", map[string]any{"attestation": maker.Attest(t, attesttest.Key{
		Public: subjectKey.Public(), Serial: "10000", Slot: "9d"})}); status != 403 || out["code"] != "reauthentication_required" {
		t.Errorf("off, a good one: %d %v", status, out)
	}

	require, maker := attestedFixture(t, func(c *config.Config) { c.Attestation = "require" })
	if status, out := require.sign("a-user", "10000", "9c", map[string]any{"attestation": maker.Attest(t, key10000())}); status != 200 {
		t.Errorf("require, a good one: %d %v", status, out)
	}
	noSerial := key10000()
	noSerial.Serial = ""
	for reason, chain := range map[string][]string{
		"attestation_missing": {}, "attestation_no_serial": maker.Attest(t, noSerial),
		"attestation_untrusted": attesttest.NewMakerOf(t, "Somebody Else").Attest(t, key10000()),
	} {
		status, out := require.sign("a-user", "10000", "9c", map[string]any{"attestation": chain})
		if status != 422 || out["code"] != "attestation_failed" || out["params"].(map[string]any)["reason"] != reason {
			t.Errorf("require, %s: %d %v", reason, status, out)
		}
	}
}

// TestFirmware: ROCA's range is always refused for RSA, and the minimum applies to all:
// by the attestation if it counts, else by the token's record.
func TestFirmware(t *testing.T) {
	t.Parallel()
	plain, maker := attestedFixture(t, asIs)
	strict, strictMaker := attestedFixture(t, func(c *config.Config) { c.FirmwareMinimum = "5.2.7" })
	for _, c := range []struct {
		w        *fixture
		maker    *attesttest.Maker
		attested string // firmware; empty: no attestation
		record   string
		reason   string // empty: signed
	}{
		{plain, maker, "4.2.0", "", "weak_rsa_firmware"}, {plain, maker, "4.3.4", "5.7.0", "weak_rsa_firmware"},
		{plain, maker, "4.3.5", "4.3.4", ""}, {plain, maker, "4.1.9", "", ""}, {plain, nil, "", "4.3.4", "weak_rsa_firmware"},
		{plain, nil, "", "4.3.5", ""}, {plain, nil, "", "", ""},
		{strict, strictMaker, "5.2.6", "5.7.0", "firmware_too_old"}, {strict, strictMaker, "5.2.7", "4.4.5", ""},
		{strict, nil, "", "5.2.6", "firmware_too_old"}, {strict, nil, "", "5.2.7", ""}, {strict, nil, "", "", "firmware_unknown"},
	} {
		c.w.must(200, "PATCH", "/api/hwkey/10000", c.w.tokens["a-org_manager"], map[string]any{"firmware_version": c.record})
		// The owner's claim about the card counts nowhere.
		c.w.must(200, "POST", "/api/hwkey/10000/enrolled", c.w.tokens["a-user"], map[string]any{"firmware_version": "5.7.4"})
		body := map[string]any{"csr": another(t, "a-user", c.attested+c.record)}
		if c.attested != "" {
			k := key10000()
			k.Slot = "9a"
			var err error
			if k.Firmware, err = piv.ParseVersion(c.attested); err != nil {
				t.Fatal(err)
			}
			body["attestation"] = c.maker.Attest(t, k)
		}
		status, out := c.w.call("POST", "/api/hwkey/10000/sign-csr", c.w.tokens["a-user"], body)
		if c.reason == "" && status != 200 ||
			c.reason != "" && (status != 422 || out["code"] != "csr_rejected" || out["params"].(map[string]any)["reason"] != c.reason) {
			t.Errorf("attested %q, on record %q: %d %v, want %q", c.attested, c.record, status, out, c.reason)
		}
	}
}

// TestFirmwareWithoutSerial: a genuine attestation without the token's serial still
// proves its firmware, and a newer recorded one does not override it.
func TestFirmwareWithoutSerial(t *testing.T) {
	t.Parallel()
	strict, maker := attestedFixture(t, func(c *config.Config) { c.FirmwareMinimum = "5.2.0" })
	plain, plainMaker := attestedFixture(t, asIs)
	for _, c := range []struct {
		w                        *fixture
		maker                    *attesttest.Maker
		attested, record, reason string
	}{
		{strict, maker, "4.3.7", "5.7.0", "firmware_too_old"}, {strict, maker, "5.2.0", "5.1.9", "firmware_too_old"},
		{strict, maker, "5.2.0", "", "firmware_unknown"}, {strict, maker, "5.2.0", "5.7.0", ""},
		{plain, plainMaker, "4.3.4", "5.7.0", "weak_rsa_firmware"}, {plain, plainMaker, "4.3.5", "4.3.4", "weak_rsa_firmware"},
		{plain, plainMaker, "4.3.5", "", ""},
	} {
		c.w.must(200, "PATCH", "/api/hwkey/10000", c.w.tokens["a-org_manager"], map[string]any{"firmware_version": c.record})
		k := key10000()
		k.Serial, k.Slot = "", "9a"
		var err error
		if k.Firmware, err = piv.ParseVersion(c.attested); err != nil {
			t.Fatal(err)
		}
		status, out := c.w.call("POST", "/api/hwkey/10000/sign-csr", c.w.tokens["a-user"],
			map[string]any{"csr": another(t, "a-user", c.attested+c.record), "attestation": c.maker.Attest(t, k)})
		if c.reason == "" && status != 200 ||
			c.reason != "" && (status != 422 || out["params"].(map[string]any)["reason"] != c.reason) {
			t.Errorf("attested %q, on record %q: %d %v, want %q", c.attested, c.record, status, out, c.reason)
		}
	}
}

// TestReadinessOfACompromisedKey: a user who wants to keep the key is warned
// beforehand.
func TestReadinessOfACompromisedKey(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	c := w.must(200, "GET", "/api/certificates/"+w.serial, w.tokens["a-user"], nil)
	path := "/api/hwkey/10000/signing-readiness?slot=9a&public_key_sha256=" + c["public_key_sha256"].(string)
	if out := w.must(200, "GET", path, w.tokens["a-user"], nil); out["ready"] != true {
		t.Errorf("before: %v", out)
	}
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["a-user"], map[string]any{"reason": "keyCompromise"})
	if out := w.must(200, "GET", path, w.tokens["a-user"], nil); out["ready"] != false || fmt.Sprint(out["reasons"]) != "[key_compromised]" {
		t.Errorf("after: %v", out)
	}
	if out := w.must(200, "GET", "/api/hwkey/10000/signing-readiness", w.tokens["a-user"], nil); out["ready"] != true {
		t.Errorf("a new key: %v", out)
	}
}

// TestLifeOfACertificate: PKI_CERT_TTL, from not_before to not_after.
func TestLifeOfACertificate(t *testing.T) {
	t.Parallel()
	w := newFixtureWith(t, func(c *config.Config) { c.CertTTL = 36 * time.Hour })
	status, signed := w.sign("a-user", "10000", "9c", nil)
	if status != 200 {
		t.Fatalf("%d %v", status, signed)
	}
	var times [2]time.Time
	for i, field := range []string{"not_before", "not_after"} {
		var err error
		if times[i], err = time.Parse(time.RFC3339, signed[field].(string)); err != nil {
			t.Fatal(err)
		}
	}
	want := 36 * time.Hour
	if vaultserver.Wanted(t) { // its role decides, and counts from now
		want = 8760*time.Hour + 30*time.Second
	}
	if life := times[1].Sub(times[0]); life != want {
		t.Errorf("it lives for %v", life)
	}
}

// TestStapledAttestation: the attestation in a CSR of another tool counts as one beside it, which
// wins where there are both.
func TestStapledAttestation(t *testing.T) {
	t.Parallel()
	w, maker := attestedFixture(t, asIs)
	w.age(w.sessions["a-user"], time.Hour)
	stapled := func(slot int, chain []string) string {
		return request(t, "a-user", func(r *x509.CertificateRequest) {
			for i, id := range []int{slot, 2} {
				block, _ := pem.Decode([]byte(chain[i]))
				r.ExtraExtensions = append(r.ExtraExtensions, pkix.Extension{Id: []int{1, 3, 6, 1, 4, 1, 41482, 3, id}, Value: block.Bytes})
			}
		})
	}
	good, stranger := maker.Attest(t, key10000()), attesttest.NewMakerOf(t, "Another Maker").Attest(t, key10000())
	for name, c := range map[string]struct {
		body   map[string]any
		status int
	}{
		"as powershellYK":     {map[string]any{"csr": stapled(1, good)}, 200},
		"as yubico-piv-tool":  {map[string]any{"csr": stapled(11, good)}, 200},
		"another maker's":     {map[string]any{"csr": stapled(11, stranger)}, 403},
		"a better one beside": {map[string]any{"csr": stapled(1, stranger), "attestation": good}, 200},
	} {
		c.body["slot"] = "9c"
		status, out := w.call("POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], c.body)
		if status != c.status || status == 200 && len(out["warnings"].([]any)) > 0 {
			t.Errorf("%s: %d %v", name, status, out)
		}
	}
}
