package app_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

type m = map[string]any

// certify signs a CSR of the tests' key for a-user's token.
func (w *fixture) certify(status int, mark, slot, profile string) m {
	body := m{"csr": another(w.t, "a-user", mark), "slot": slot}
	if profile != "" {
		body["profile"] = profile
	}
	return w.must(status, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], body)
}

// shape is what a certificate is for: CN, key usage, number of extended ones.
func shape(t *testing.T, signed m) string {
	t.Helper()
	block, _ := pem.Decode([]byte(signed["certificate"].(string)))
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %b %d", cert.Subject.CommonName, cert.KeyUsage, len(cert.ExtKeyUsage)+len(cert.UnknownExtKeyUsage))
}

func wrong(t *testing.T, out m, code, reason string) {
	t.Helper()
	params, _ := out["params"].(m)
	if out["code"] != code || reason != "" && params["reason"] != reason {
		t.Errorf("%v, want %s %s", out, code, reason)
	}
}

// TestProfilesOfSlots: what each slot's certificates are for follows the organization, then the
// installation; 9e never signs in as its owner.
func TestProfilesOfSlots(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const settings = "/api/admin/settings/slot-profiles"
	if got := shape(t, w.certify(200, "a", "9c", "")); got != "a-user 101 2" {
		t.Errorf("at first: %s", got)
	}
	if got := shape(t, w.certify(200, "b", "9e", "")); got != "card 10000 1 1" {
		t.Errorf("9e: %s", got)
	}
	wrong(t, w.certify(422, "c", "9e", "default"), "profile_mismatch", "profile_slot")
	wrong(t, w.certify(422, "c", "9c", "logon"), "profile_mismatch", "profile_slot")
	wrong(t, w.certify(400, "c", "9c", "nobodys"), "invalid_request", "")

	slots := m{"9a": "default", "9c": "signature", "9d": "encryption", "9e": "none"}
	w.must(200, "PUT", settings, w.tokens["admin"], m{"slots": slots, "plan": []string{"9a", "9c", "9d"}})
	if got := shape(t, w.certify(200, "d", "9c", "")); got != "a-user 11 1" {
		t.Errorf("for signatures: %s", got)
	}
	for _, profile := range []string{"", "default", "card-authentication"} {
		wrong(t, w.certify(422, "e", "9e", profile), "profile_mismatch", "slot_unused")
	}
	organization := fmt.Sprintf("/api/admin/organizations/%v/slot-profiles", w.ids["a"])
	w.must(200, "PUT", organization, w.tokens["admin"], m{"slots": m{"9c": "default"}, "plan": nil})
	if got := w.must(200, "GET", organization, w.tokens["admin"], nil); got["plan"] != nil {
		t.Errorf("an inherited plan is %v", got["plan"])
	}
	if got := shape(t, w.certify(200, "f", "9c", "")); got != "a-user 101 2" {
		t.Errorf("the organization's own: %s", got)
	}
	if got := shape(t, w.certify(200, "g", "9d", "")); got != "a-user 100 1" {
		t.Errorf("the installation's: %s", got)
	}
	usable := w.must(200, "GET", "/api/certificate-profiles?serial=10000&slot=9c", w.tokens["a-user"], nil)
	if fmt.Sprint(usable["plan"]) != "[9a 9c 9d]" || usable["slots"].(m)["9c"] != "default" {
		t.Errorf("what the owner sees: %v", usable)
	}
	w.must(200, "PUT", organization, w.tokens["admin"], m{"slots": m{"9c": "none"}})
	usable = w.must(200, "GET", "/api/certificate-profiles?serial=10000&slot=9c", w.tokens["a-user"], nil)
	if fmt.Sprint(usable["plan"]) != "[9a 9d]" || usable["items"].([]any)[0].(m)["fits"] != false {
		t.Errorf("a plan with a slot that gets nothing: %v", usable)
	}
	for name, body := range map[string]m{
		"a slot without":      {"slots": m{"9a": "default"}, "plan": []string{"9a"}},
		"a profile elsewhere": {"slots": m{"9a": "signature", "9c": "none", "9d": "none", "9e": "none"}, "plan": []string{}},
		"a plan of nothing":   {"slots": slots, "plan": []string{"9e"}},
		"no plan":             {"slots": slots, "plan": nil},
	} {
		if status, out := w.call("PUT", settings, w.tokens["admin"], body); status != 400 {
			t.Errorf("%s: %d %v", name, status, out)
		}
	}
}

// TestOneCSRUnderProfiles: each profile's certificate is its own; asked again, it is the same.
func TestOneCSRUnderProfiles(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	first := w.certify(200, "same", "9a", "tls-client")
	if again := w.certify(200, "same", "9a", "tls-client"); again["serial_number"] != first["serial_number"] {
		t.Error("a second certificate of the profile")
	}
	if other := w.certify(200, "same", "9a", ""); other["serial_number"] == first["serial_number"] {
		t.Error("another profile's certificate")
	}
	got := w.must(200, "GET", "/api/certificates/"+first["serial_number"].(string), w.tokens["a-user"], nil)
	if got["profile"] != "tls-client" {
		t.Errorf("on record: %v", got)
	}
}

// TestOwnProfile: made, used, refused while in use, and deleted; its name stays taken while it has a
// certificate.
func TestOwnProfile(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const path = "/api/admin/profiles"
	vpn := m{
		"name": "vpn", "slots": []string{"9a"}, "key_types": []string{"rsa-2048"}, "key_usage": []string{"digitalSignature"},
		"extended_key_usage": []string{"clientAuth", "ipsecUser", "1.3.6.1.5.5.8.2.2"}, "ttl": "24h",
		"subject": m{"common_name": "{username}", "organization": "Acme"}, "roles": []string{"user"},
	}
	w.must(201, "POST", path, w.tokens["admin"], vpn)
	vaultserver.SetUpAgain(t, w.data, strings.Replace(w.base, "127.0.0.1", "localhost", 1))
	w.must(409, "POST", path, w.tokens["admin"], vpn)
	w.must(403, "PATCH", path+"/logon", w.tokens["admin"], m{"description": "mine"})
	w.must(403, "DELETE", path+"/logon", w.tokens["admin"], nil)
	w.must(404, "GET", path+"/nobodys", w.tokens["admin"], nil)
	if got := shape(t, w.certify(200, "vpn", "9a", "vpn")); got != "a-user 1 3" {
		t.Errorf("its certificate: %s", got)
	}
	wrong(t, w.must(422, "POST", "/api/hwkey/10001/sign-csr", w.tokens["admin"],
		m{"csr": another(t, "b-user", "x"), "slot": "9c", "profile": "vpn", "reason": "a test"}), "profile_mismatch", "profile_slot")
	w.must(200, "PATCH", path+"/vpn", w.tokens["admin"], m{"roles": []string{"org_manager"}, "description": "For managers"})
	wrong(t, w.certify(422, "again", "9a", "vpn"), "profile_mismatch", "profile_role")

	slots := func(of string) m {
		return m{"slots": m{"9a": of, "9c": "default", "9d": "default", "9e": "none"}, "plan": []string{"9a"}}
	}
	w.must(200, "PUT", "/api/admin/settings/slot-profiles", w.tokens["admin"], slots("vpn"))
	wrong(t, w.must(409, "DELETE", path+"/vpn", w.tokens["admin"], nil), "profile_in_use", "")
	wrong(t, w.must(409, "PATCH", path+"/vpn", w.tokens["admin"], m{"slots": []string{"9c"}}), "profile_in_use", "")
	w.must(400, "PATCH", path+"/vpn", w.tokens["admin"], m{"name": "other"})
	w.must(200, "PUT", "/api/admin/settings/slot-profiles", w.tokens["admin"], slots("default"))
	w.must(204, "DELETE", path+"/vpn", w.tokens["admin"], nil)
	w.must(404, "GET", path+"/vpn", w.tokens["admin"], nil)
	wrong(t, w.certify(400, "third", "9a", "vpn"), "invalid_request", "")
	wrong(t, w.must(409, "POST", path, w.tokens["admin"], vpn), "conflict", "profile_taken")
	var actions []string
	for _, e := range w.must(200, "GET", "/api/admin/audit?action=profile.&limit=100", w.tokens["admin"], nil)["items"].([]any) {
		actions = append(actions, e.(m)["action"].(string))
	}
	if want := []string{"profile.deleted", "profile.changed", "profile.created"}; !slices.Equal(actions, want) {
		t.Errorf("the log has %v", actions)
	}
}

// TestReadyAsSigned: what a profile would refuse, signing-readiness says before a key is made.
func TestReadyAsSigned(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	ready := func(slot, profile string) []any {
		t.Helper()
		path := "/api/hwkey/10000/signing-readiness?slot=" + slot + "&profile=" + profile
		return w.must(200, "GET", path, w.tokens["a-user"], nil)["reasons"].([]any)
	}
	user := fmt.Sprintf("/api/admin/users/%v", w.ids["a-user"])
	for _, c := range []struct {
		slot, profile, upn, reason string
	}{
		{"9a", "logon", "", "upn_missing"}, {"9a", "logon", "zoë@corp.example", ""}, {"9a", "signature", "", "profile_slot"},
		{"9e", "default", "", "profile_slot"}, {"9c", "signature", "", ""},
	} {
		w.must(200, "PATCH", user, w.tokens["admin"], m{"upn": c.upn, "revoke_certificates": false})
		want, status := []any{}, 200
		if c.reason != "" {
			want, status = []any{c.reason}, 422
		}
		if got := ready(c.slot, c.profile); !slices.Equal(got, want) {
			t.Errorf("%v: %v", c, got)
		}
		w.certify(status, c.slot+c.profile+c.upn, c.slot, c.profile)
	}
}

// TestProfileDemandsAttestation: a profile may be stricter than the installation.
func TestProfileDemandsAttestation(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.must(201, "POST", "/api/admin/profiles", w.tokens["admin"], m{
		"name": "proven", "slots": []string{"9a"}, "key_types": []string{"rsa-2048"}, "key_usage": []string{"digitalSignature"},
		"extended_key_usage": []string{"clientAuth"}, "subject": m{"common_name": "{username}"}, "attestation": "require",
	})
	vaultserver.SetUpAgain(t, w.data, strings.Replace(w.base, "127.0.0.1", "localhost", 1))
	wrong(t, w.certify(422, "x", "9a", "proven"), "attestation_failed", "attestation_missing")
}

// TestCertificateAsFile: openssl and ssh-keygen read the forms in which programs ask for a certificate.
func TestCertificateAsFile(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for format, c := range map[string]struct{ mediaType, want string }{
		"pem":   {"application/x-pem-file", "x509 -noout -subject"},
		"der":   {"application/pkix-cert", "x509 -inform der -noout -subject"},
		"pkcs7": {"application/pkcs7-mime; smime-type=certs-only", "pkcs7 -inform der -print_certs -noout"},
		"chain": {"application/x-pem-file", "storeutl -noout -certs -text /dev/stdin"},
		"ssh":   {"text/plain; charset=utf-8", ""},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.base+"/api/certificates/"+w.serial+"?format="+format, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.tokens["a-user"])
		res := must.Get(apitest.Client(t).Do(req))(t)
		content := must.Get(io.ReadAll(res.Body))(t)
		must.OK(t, res.Body.Close())
		if got := res.Header.Get("Content-Type"); got != c.mediaType {
			t.Errorf("%s: %s", format, got)
		}
		cmd := exec.CommandContext(t.Context(), "openssl", strings.Fields(c.want)...)
		if format == "ssh" {
			cmd = exec.CommandContext(t.Context(), "ssh-keygen", "-l", "-f", "/dev/stdin")
		}
		cmd.Stdin = bytes.NewReader(content)
		out, err := cmd.CombinedOutput()
		want := map[string][]string{
			"ssh": {"a-user", "10000/9a"}, "pkcs7": {"CN = a-user", "Keyward"}, "chain": {"Total found: 2", "Keyward"},
		}[format]
		for _, text := range append(want, "a-user") {
			if err != nil || !strings.Contains(string(out), text) {
				t.Errorf("%s: %v, no %s in %s", format, err, text, out)
			}
		}
	}
	w.must(400, "GET", "/api/certificates/"+w.serial+"?format=gif", w.tokens["a-user"], nil)
	w.must(404, "GET", "/api/certificates/"+w.serial+"?format=pem", w.tokens["b-org_manager"], nil)
}
