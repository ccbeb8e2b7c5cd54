package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken"
)

// TestOldFirmware has no metadata: what the token does not report is null, a
// probe tries only once, and keys are found by attestation.
func TestOldFirmware(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{Firmware: piv.Version{5, 2, 7}})
	a := startOn(t, h, Config{})
	info := a.get(t, "/piv/info?serial="+serial).body
	if info["version"] != "5.2.7" || info["pin_retries"] != 3.0 || info["puk_retries"] != nil || info["pin_retries_total"] != nil ||
		info["management_key_algorithm"] != "TDES" {
		t.Fatalf("info: %v", info)
	}
	if got := a.get(t, "/piv/check-defaults?serial="+serial).body; !cmp.Equal(got,
		m{"pin_default": nil, "puk_default": nil, "management_key_default": nil}) {
		t.Fatalf("check-defaults: %v", got)
	}
	probe := func(field string, candidates ...string) m {
		return m{"encrypted": true, "serial": serial, "field": field, "candidates": candidates}
	}
	for _, c := range []struct{ request, want m }{
		{probe("pin", pin(t, pin1), pin(t, "123456")), m{"match": nil, "tried": 1.0, "retries_left": 2.0}},
		{probe("pin", pin(t, "123456")), m{"match": 0.0, "tried": 1.0, "retries_left": nil}},
		{probe("puk", puk(t, puk1), puk(t, "12345678")), m{"match": nil, "tried": 1.0, "retries_left": 2.0}},
		{probe("management_key", key(t, key1), key(t, factoryKey)), m{"match": 1.0, "tried": 2.0, "retries_left": nil}},
	} {
		if diff := cmp.Diff(c.want, a.works(t, "/piv/probe", c.request)); diff != "" {
			t.Fatalf("probe (-want +got):\n%s", diff)
		}
	}
	a.refuses(t, "/piv/rotate-management-key",
		m{"encrypted": true, "serial": serial, "management_key": key(t, key1), "algorithm": "AES192"}, 400, "invalid_request")
	a.works(t, "/piv/rotate-management-key", m{"encrypted": true, "serial": serial, "management_key": key(t, key1)})
	generate := m{"encrypted": true, "serial": serial, "slot": "9d", "pin": pin(t, "123456"),
		"management_key": key(t, key1), "subject": m{"common_name": "ann"}}
	csr := parseCSR(t, a.works(t, "/piv/generate-csr", generate)["csr"])
	put := m{"encrypted": true, "serial": serial, "slot": "9d", "management_key": key(t, key1), "certificate": issue(t, &testKey().PublicKey)}
	a.refuses(t, "/piv/import-certificate", put, 400, "invalid_request")
	put["slot"] = "9c" // no key there, and the token does not report that: it would have to sign
	if got := a.refuses(t, "/piv/import-certificate", put, 400, "invalid_request"); got["errors"].([]any)[0].(m)["field"] != "pin" {
		t.Fatalf("import beside no key: %v", got)
	}
	put["slot"], put["certificate"] = "9d", issue(t, csr.PublicKey)
	a.works(t, "/piv/import-certificate", put)
	told := func(query string) any {
		return a.get(t, "/piv/info?serial="+serial+query).body["slots"].([]any)[2].(m)["public_key_sha256"]
	}
	if got := told(""); got != nil {
		t.Fatalf("firmware without metadata tells the key %v", got)
	}
	if got := told("&attest=9d"); got != spkiHash(t, csr.PublicKey) {
		t.Fatalf("attestation tells the key %v", got)
	}
	if got := told("&attest=9a"); got != nil {
		t.Fatalf("the attestation of 9a tells of 9d: %v", got)
	}
	generate["overwrite"] = true
	fresh := parseCSR(t, a.works(t, "/piv/generate-csr", generate)["csr"])
	if got := told("&attest=9d"); got != spkiHash(t, fresh.PublicKey) {
		t.Fatalf("after a new key attestation tells %v", got)
	}
	generate["overwrite"] = false
	a.refuses(t, "/piv/generate-csr", generate, 409, "slot_occupied")
}

// TestPINRules: a token refuses simple PINs and stays unchanged.
func TestPINRules(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{Firmware: piv.Version{5, 7, 1}, PINComplexity: true})
	a := startOn(t, h, Config{})
	a.refuses(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, "111111")}, 422, "pin_refused")
	a.refuses(t, "/piv/set-puk", m{"encrypted": true, "serial": serial, "puk": puk(t, "11111111")}, 422, "pin_refused")
	if got := a.get(t, "/piv/check-defaults?serial="+serial).body; !cmp.Equal(got,
		m{"pin_default": true, "puk_default": true, "management_key_default": true}) {
		t.Fatalf("check-defaults: %v", got)
	}
	// Such a token refuses its own factory PIN as a new one; a probe finds it.
	if got := a.works(t, "/piv/probe",
		m{"encrypted": true, "serial": serial, "field": "pin", "candidates": []string{pin(t, "123456")}}); got["match"] != 0.0 {
		t.Fatalf("probe of the factory PIN: %v", got)
	}
	a.works(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1)})
	// This firmware's factory management key is AES-192, and the algorithm stays.
	a.works(t, "/piv/rotate-management-key", m{"encrypted": true, "serial": serial, "management_key": key(t, key1)})
	if got := a.get(t, "/piv/info?serial="+serial).body["management_key_algorithm"]; got != "AES192" {
		t.Fatalf("the management key became %v", got)
	}
}
