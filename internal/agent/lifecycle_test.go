package agent

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken"
)

// Values that the token gets in its life cycle.
const (
	pin1 = "84720195"
	pin2 = "39571846"
	puk1 = "71938264"
	key1 = "8f3a52c1d4e6b7980a1b2c3d4e5f60718293a4b5c6d7e8f9"
	key2 = "00112233445566778899aabbccddeeffa0b1c2d3e4f50617"
)

// TestLifeCycle takes one token through every operation, in the order of a
// token's life, with the real ykman on a real pcscd.
func TestLifeCycle(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	a := startOn(t, h, Config{})

	out := a.get(t, "/discover")
	want := m{"tokens": []any{m{
		"serial": serial, "model": "YubiKey 5 NFC", "firmware_version": "5.4.3", "form_factor": "Keychain (USB-A)",
		"reader": "Yubico YubiKey OTP+FIDO+CCID 00 00",
	}}}
	if diff := cmp.Diff(want, out.body); diff != "" {
		t.Fatalf("discover (-want +got):\n%s", diff)
	}
	if got := a.get(t, "/piv/check-defaults?serial="+serial).body; !cmp.Equal(got,
		m{"pin_default": true, "puk_default": true, "management_key_default": true}) {
		t.Fatalf("check-defaults of a new token: %v", got)
	}
	empty := func(slot string) m {
		return m{"slot": slot, "key_algorithm": nil, "public_key_sha256": nil, "pin_policy": nil, "touch_policy": nil, "certificate": nil,
			"unreadable": false}
	}
	info := m{
		"serial": serial, "version": "5.4.3", "pin_retries": 3.0, "puk_retries": 3.0, "management_key_algorithm": "TDES",
		"pin_retries_total": 3.0, "puk_retries_total": 3.0, "management_key_under_pin": false,
		"slots": []any{empty("9a"), empty("9c"), empty("9d"), empty("9e")},
	}
	if diff := cmp.Diff(info, a.get(t, "/piv/info?serial="+serial).body); diff != "" {
		t.Fatalf("info of a new token (-want +got):\n%s", diff)
	}

	// Enrolment: management key, PUK, PIN.
	a.works(t, "/piv/rotate-management-key", m{"encrypted": true, "serial": serial, "management_key": key(t, key1)})
	a.works(t, "/piv/set-puk", m{"encrypted": true, "serial": serial, "puk": puk(t, puk1)})
	if got := a.works(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1)}); !cmp.Equal(got, m{"success": true}) {
		t.Fatalf("set-pin answers %v", got)
	}
	if got := a.get(t, "/piv/check-defaults?serial="+serial).body; !cmp.Equal(got,
		m{"pin_default": false, "puk_default": false, "management_key_default": false}) {
		t.Fatalf("check-defaults of an enrolled token: %v", got)
	}
	if got := a.get(t, "/piv/info?serial="+serial).body["management_key_algorithm"]; got != "AES192" {
		t.Fatalf("24 bytes on firmware 5.4.3 became %v, want AES192", got)
	}
	a.works(t, "/piv/rotate-management-key",
		m{"encrypted": true, "serial": serial, "management_key": key(t, key2), "current_management_key": key(t, key1)})

	probes(t, a)
	requests(t, a, h)
	counters(t, a)

	a.works(t, "/piv/reset", m{"serial": serial, "confirm": serial})
	if diff := cmp.Diff(info, a.get(t, "/piv/info?serial="+serial).body); diff != "" {
		t.Fatalf("info after a reset (-want +got):\n%s", diff)
	}
}

// probes checks that a probe finds what the enrolled token holds.
func probes(t *testing.T, a *testAgent) {
	t.Helper()
	probe := func(field string, f piv.Field, candidates ...string) m {
		sealed := []string{}
		for _, c := range candidates {
			sealed = append(sealed, seal(t, serial, f, c))
		}
		return m{"encrypted": true, "serial": serial, "field": field, "candidates": sealed}
	}
	for _, c := range []struct {
		request m
		want    m
	}{
		{probe("pin", piv.PIN, pin1), m{"match": 0.0, "tried": 1.0, "retries_left": 3.0}},
		{probe("pin", piv.PIN, pin2, pin1), m{"match": 1.0, "tried": 2.0, "retries_left": 3.0}},
		{probe("puk", piv.PUK, piv.FactoryPUK, puk1), m{"match": 1.0, "tried": 2.0, "retries_left": 3.0}},
		{probe("puk", piv.PUK, piv.FactoryPUK), m{"match": nil, "tried": 1.0, "retries_left": 2.0}},
		{probe("puk", piv.PUK, puk1), m{"match": 0.0, "tried": 1.0, "retries_left": 3.0}},
		{probe("management_key", piv.ManagementKey, piv.FactoryManagementKey, key1, key2), m{"match": 2.0, "tried": 3.0, "retries_left": nil}},
		{probe("management_key", piv.ManagementKey, "00112233445566778899aabbccddeeff", key1), m{"match": nil,
			"tried": 2.0, "retries_left": nil}},
	} {
		if diff := cmp.Diff(c.want, a.works(t, "/piv/probe", c.request)); diff != "" {
			t.Fatalf("probe (-want +got):\n%s", diff)
		}
	}
	// Three wrong candidates: the third is not tried, since it would block the
	// PIN.
	got := a.refuses(t, "/piv/probe", probe("pin", piv.PIN, "11112222", "22223333", "33334444"), 422, "retries_low")
	if got["tried"] != 2.0 || got["retries_left"] != 1.0 {
		t.Fatalf("retries_low says %v", got)
	}
	a.works(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1), "current_pin": pin(t, pin1)})
}

// requests creates keys and certificates.
func requests(t *testing.T, a *testAgent, h *vtoken.Host) {
	t.Helper()
	generate := func(more m) m {
		r := m{"encrypted": true, "serial": serial, "pin": pin(t, pin1), "management_key": key(t, key2), "subject": m{"common_name": `Ann "A" O'Neil, #1 + ü; x=y\z`}}
		for k, v := range more {
			r[k] = v
		}
		return r
	}
	out := a.works(t, "/piv/generate-csr", generate(nil))
	csr := parseCSR(t, out["csr"])
	if csr.Subject.CommonName != `Ann "A" O'Neil, #1 + ü; x=y\z` || len(csr.Subject.Names) != 1 {
		t.Fatalf("the request's subject is %v", csr.Subject)
	}
	if k, ok := csr.PublicKey.(*rsa.PublicKey); !ok || k.N.BitLen() != 2048 || k.E != 65537 {
		t.Fatalf("the request's key is %T", csr.PublicKey)
	}
	if sum := sha256.Sum256(csr.RawSubjectPublicKeyInfo); out["public_key_sha256"] != hex.EncodeToString(sum[:]) {
		t.Errorf("public_key_sha256 is %v, of the request's key %x", out["public_key_sha256"], sum)
	}
	attested(t, h, csr, out["attestation"])

	// An occupied slot is not overwritten, nor is its key when the PIN is wrong.
	a.refuses(t, "/piv/generate-csr", generate(nil), 409, "slot_occupied")
	a.refuses(t, "/piv/generate-csr", generate(m{"overwrite": true, "pin": pin(t, "99999999")}), 422, "wrong_pin")
	a.refuses(t, "/piv/generate-csr", generate(m{"overwrite": true, "management_key": key(t, key1)}), 422, "wrong_management_key")

	// Renewal: the same key, another request.
	again := parseCSR(t, a.works(t, "/piv/generate-csr",
		m{"encrypted": true, "serial": serial, "pin": pin(t, pin1), "reuse_key": true, "subject": m{"common_name": "renewed"}})["csr"])
	if !csr.PublicKey.(*rsa.PublicKey).Equal(again.PublicKey) || again.Subject.CommonName != "renewed" {
		t.Fatal("reuse_key did not reuse the key")
	}

	// The certificate is stored only next to its key.
	cert, other := issue(t, csr.PublicKey), issue(t, &testKey().PublicKey)
	put := func(text, slot, mk string) m {
		return m{"encrypted": true, "serial": serial, "slot": slot, "certificate": text, "management_key": key(t, mk)}
	}
	a.refuses(t, "/piv/import-certificate", put(other, "9a", key2), 400, "invalid_request")
	a.refuses(t, "/piv/import-certificate", put(cert, "9c", key2), 400, "invalid_request")
	a.refuses(t, "/piv/import-certificate", put(cert, "9a", key1), 422, "wrong_management_key")
	if got := a.get(t, "/piv/info?serial="+serial).body["slots"].([]any)[0].(m)["certificate"]; got != nil {
		t.Fatalf("a refused certificate is on the token: %v", got)
	}
	a.works(t, "/piv/import-certificate", put(cert, "9a", key2))
	windowsReads(t, a, h, put(cert, "9a", key2))
	want := m{
		"slot": "9a", "key_algorithm": "RSA2048", "public_key_sha256": spkiHash(t, csr.PublicKey), "pin_policy": "once",
		"touch_policy": "never", "unreadable": false,
		"certificate": m{
			"subject": "CN=test", "issuer": "CN=test", "serial_number": "0a0b", "not_before": "2026-01-02T03:04:05Z",
			"not_after":         "2036-01-02T03:04:05Z",
			"public_key_sha256": spkiHash(t, csr.PublicKey),
		},
	}
	if diff := cmp.Diff(want, a.get(t, "/piv/info?serial="+serial).body["slots"].([]any)[0]); diff != "" {
		t.Fatalf("slot 9a (-want +got):\n%s", diff)
	}

	// Another slot with policies of its own, and an overwritten one.
	a.works(t, "/piv/generate-csr", generate(m{"slot": "9c", "pin_policy": "always", "touch_policy": "cached"}))
	slot := a.get(t, "/piv/info?serial="+serial).body["slots"].([]any)[1].(m)
	if slot["pin_policy"] != "always" || slot["touch_policy"] != "cached" {
		t.Fatalf("slot 9c is %v", slot)
	}
	fresh := parseCSR(t, a.works(t, "/piv/generate-csr", generate(m{"overwrite": true}))["csr"])
	if csr.PublicKey.(*rsa.PublicKey).Equal(fresh.PublicKey) {
		t.Fatal("overwrite kept the key")
	}
	// A renewal that stops here leaves the old certificate next to the new key.
	want["public_key_sha256"] = spkiHash(t, fresh.PublicKey)
	if diff := cmp.Diff(want, a.get(t, "/piv/info?serial="+serial).body["slots"].([]any)[0]); diff != "" {
		t.Fatalf("slot 9a with another key (-want +got):\n%s", diff)
	}
}

// counters blocks and unblocks the PIN and the PUK.
func counters(t *testing.T, a *testAgent) {
	t.Helper()
	setPIN := func(current string) m {
		return m{"encrypted": true, "serial": serial, "pin": pin(t, pin2), "current_pin": pin(t, current)}
	}
	for _, left := range []float64{2, 1} {
		if got := a.refuses(t, "/piv/set-pin", setPIN("00000000"), 422, "wrong_pin")["retries_left"]; got != left {
			t.Fatalf("retries_left is %v, want %v", got, left)
		}
	}
	a.refuses(t, "/piv/set-pin", setPIN("00000000"), 423, "pin_blocked")
	a.refuses(t, "/piv/set-pin", setPIN(pin1), 423, "pin_blocked")
	a.refuses(t, "/piv/probe", m{"encrypted": true, "serial": serial, "field": "pin", "candidates": []string{pin(t, pin1)}},
		423, "pin_blocked")

	unblock := func(code string) m {
		return m{"encrypted": true, "serial": serial, "puk": puk(t, code), "pin": pin(t, pin2)}
	}
	if got := a.refuses(t, "/piv/unblock-pin", unblock("00000000"), 422, "wrong_puk")["retries_left"]; got != 2.0 {
		t.Fatalf("retries_left is %v, want 2", got)
	}
	a.works(t, "/piv/unblock-pin", unblock(puk1))
	a.works(t, "/piv/unblock-pin", unblock(puk1)) // a repeat, as after a lost response

	retries := func(mk, p string) m {
		return m{"encrypted": true, "serial": serial, "management_key": key(t, mk), "pin": pin(t, p), "pin_retries": 5, "puk_retries": 7}
	}
	a.refuses(t, "/piv/set-retries", retries(key1, pin2), 422, "wrong_management_key")
	a.refuses(t, "/piv/set-retries", retries(key2, pin1), 422, "wrong_pin")
	a.works(t, "/piv/set-retries", retries(key2, pin2))
	info := a.get(t, "/piv/info?serial="+serial).body
	if info["pin_retries"] != 5.0 || info["puk_retries"] != 7.0 {
		t.Fatalf("tries after set-retries: %v and %v", info["pin_retries"], info["puk_retries"])
	}
	if got := a.get(t, "/piv/check-defaults?serial="+serial).body; got["pin_default"] != true ||
		got["puk_default"] != true || got["management_key_default"] != false {
		t.Fatalf("check-defaults after set-retries: %v", got)
	}
}

// TestTwoTokens finds both, each in its reader, and keeps them apart.
func TestTwoTokens(t *testing.T) {
	t.Parallel()
	const second = "20260002"
	h := host(t, vtoken.Options{Serials: []uint32{serialN, 20260002}})
	a := startOn(t, h, Config{})
	tokens := a.get(t, "/discover").body["tokens"].([]any)
	if len(tokens) != 2 || tokens[0].(m)["serial"] != serial && tokens[1].(m)["serial"] != serial {
		t.Fatalf("discover: %v", tokens)
	}
	a.works(t, "/piv/set-pin", m{"encrypted": true, "serial": second, "pin": seal(t, second, piv.PIN, pin1)})
	a.refuses(t, "/piv/set-pin", m{"encrypted": true, "serial": second, "pin": pin(t, pin1)}, http.StatusBadRequest, "decrypt_failed")
	if got := a.get(t, "/piv/check-defaults?serial="+serial).body["pin_default"]; got != true {
		t.Fatalf("the first token's PIN changed with the second's: %v", got)
	}
	if got := a.get(t, "/piv/check-defaults?serial="+second).body["pin_default"]; got != false {
		t.Fatalf("the second token's PIN did not change: %v", got)
	}
	a.refuses(t, "/piv/reset", m{"serial": "20269999", "confirm": "20269999"}, 404, "token_not_found")
}
