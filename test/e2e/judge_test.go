package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// onCard returns the certificate in slot 9a, as ykman reads it, and the chain that the
// service publishes.
func (j *job) onCard(t *testing.T) (certificate, ca string) {
	t.Helper()
	env := environ(j.tokens.home, j.tokens.socket, "LC_ALL=C.UTF-8", "XDG_DATA_HOME="+j.tokens.home)
	pem, stderr, code := tool(t, env, nil, "ykman", "--device", j.serial, "piv", "certificates", "export", "9a", "-")
	if code != 0 {
		t.Fatalf("ykman exports no certificate: %s", stderr)
	}
	certificate = filepath.Join(t.TempDir(), "certificate.pem")
	if err := os.WriteFile(certificate, []byte(pem), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/pki/ca", "/api/pki/ca_chain"} {
		status, headers, file := curl(t, j.base+path)
		if status != "200" || headers["content-type"] != "application/x-pem-file" || headers["cache-control"] != "public, max-age=86400" {
			t.Errorf("%s: %s %v", path, status, headers)
		}
		ca = file
	}
	return certificate, ca
}

// attested requires that the record shows what the token proved about the key: its
// firmware, and a YubiKey's default policies for slot 9a.
func (j *job) attested(t *testing.T, serial string) {
	t.Helper()
	got := j.admin.must(http.StatusOK, http.MethodGet, "/api/certificates/"+serial, nil)
	proof, _ := got["attestation"].(m)
	if got["attested"] != true || proof["firmware_version"] != "5.4.3" || proof["pin_policy"] != "once" || proof["touch_policy"] != "never" {
		t.Errorf("attested: %v, by %v", got["attested"], proof)
	}
}

// judge has openssl check the certificate on the card: its chain, its extensions
// (specification, "Public PKI endpoints"), and its validity.
func (j *job) judge(t *testing.T, serial string) {
	t.Helper()
	j.attested(t, serial)
	certificate, ca := j.onCard(t)
	if got := mustOpenssl(t, "x509", "-in", certificate, "-noout", "-serial"); !strings.EqualFold(strings.TrimSpace(got), "serial="+serial) {
		t.Errorf("the card holds another certificate: %s, want %s", got, serial)
	}
	if got := mustOpenssl(t, "x509", "-in", certificate, "-noout", "-subject"); strings.ReplaceAll(strings.TrimSpace(got),
		" ", "") != "subject=CN=jdoe" {
		t.Error(got)
	}
	for extension, want := range map[string][]string{
		"keyUsage":              {"Digital Signature, Key Encipherment\n"},
		"extendedKeyUsage":      {"TLS Web Client Authentication, E-mail Protection\n"},
		"crlDistributionPoints": {"URI:" + siteURL + "/api/pki/crl\n"},
		"authorityInfoAccess":   {"CA Issuers - URI:" + siteURL + "/api/pki/ca.cer\n"},
	} {
		text := mustOpenssl(t, "x509", "-in", certificate, "-noout", "-ext", extension)
		for _, w := range want {
			if !strings.Contains(text, w) || strings.Count(strings.TrimSpace(text), "\n") > 3 {
				t.Errorf("%s is %q, want %q", extension, text, w)
			}
		}
	}
	text := mustOpenssl(t, "x509", "-in", certificate, "-noout", "-text")
	for _, want := range []string{"Public-Key: (2048 bit)", "Exponent: 65537"} {
		if !strings.Contains(text, want) {
			t.Errorf("the certificate has no %q:\n%s", want, text)
		}
	}
	for _, args := range [][]string{{"-checkend", "31449600"}} { // 364 days of 8760 hours
		mustOpenssl(t, append([]string{"x509", "-in", certificate, "-noout"}, args...)...)
	}
	if _, within := openssl(t, "x509", "-in", certificate, "-noout", "-checkend", "31536060"); within {
		t.Error("the certificate lives for more than 8760 hours")
	}
	mustOpenssl(t, "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", ca, certificate)
	list := fetchCRL(t, j.base)
	if list.lists(t, serial) {
		t.Error("the new certificate is on the CRL")
	}
	mustOpenssl(t, "verify", "-x509_strict", "-crl_check", "-CAfile", ca, "-CRLfile", list.pem, certificate)
}

// revoke revokes as the administrator; afterwards the certificate is on the CRL and
// openssl refuses it.
func (j *job) revoke(t *testing.T, serial string) {
	t.Helper()
	certificate, ca := j.onCard(t)
	before := fetchCRL(t, j.base)
	j.do(t, []string{adminPassword}, "token", "revoke-certificate", serial, "--username", "admin", "--reason", "keyCompromise")
	after := fetchCRL(t, j.base)
	if !after.lists(t, serial) || after.number(t).Cmp(before.number(t)) <= 0 {
		t.Errorf("listed: %v; CRL number %v after %v", after.lists(t, serial), after.number(t), before.number(t))
	}
	text := mustOpenssl(t, "crl", "-in", after.pem, "-noout", "-text", "-CAfile", ca)
	if !strings.Contains(text, "verify OK") || !strings.Contains(text, "Key Compromise") || !strings.Contains(text, "Superseded") {
		t.Errorf("the CRL does not verify, or has not the reasons:\n%s", text)
	}
	out, ok := openssl(t, "verify", "-crl_check", "-CAfile", ca, "-CRLfile", after.pem, certificate)
	if ok || !strings.Contains(out, "certificate revoked") {
		t.Errorf("openssl takes the revoked certificate: %s", out)
	}
	mustOpenssl(t, "verify", "-CAfile", ca, certificate) // only the CRL refuses it
	j.headers(t)
}

// headers checks those of the CRL with curl (specification, "Public PKI endpoints";
// contract §6 for the conditional request and HEAD).
func (j *job) headers(t *testing.T) {
	t.Helper()
	url := j.base + "/api/pki/crl"
	status, got, _ := curl(t, url)
	for name, want := range map[string]string{
		"content-type": "application/pkix-crl", "cache-control": "public, max-age=3600", "x-crl-cache": "HIT",
	} {
		if status != "200" || got[name] != want {
			t.Errorf("GET: %s, %s is %q, want %q", status, name, got[name], want)
		}
	}
	if !strings.HasSuffix(got["x-crl-age"], "s") || got["etag"] == "" || got["last-modified"] == "" {
		t.Errorf("GET: %v", got)
	}
	if status, head, _ := curl(t, url, "--head"); status != "200" || head["etag"] != got["etag"] ||
		head["content-length"] != got["content-length"] {
		t.Errorf("HEAD: %s %v", status, head)
	}
	if status, _, _ := curl(t, url, "--header", "If-None-Match: "+got["etag"]); status != "304" {
		t.Errorf("If-None-Match: %s, want 304", status)
	}
	if status, _, _ := curl(t, url, "--header", `If-None-Match: "another"`); status != "200" {
		t.Errorf("another ETag: %s, want 200", status)
	}
	if status, _, _ := curl(t, url, "--header", "If-Modified-Since: "+got["last-modified"]); status != "304" {
		t.Errorf("If-Modified-Since: %s, want 304", status)
	}
	out := j.admin.must(http.StatusOK, http.MethodGet, "/api/pki/crl/status", nil)
	if out["cached"] != true || out["is_stale"] != false || out["cache_ttl"] != "1h0m0s" || out["stale_ttl"] != "24h0m0s" ||
		number(out["size_bytes"]) != got["content-length"] {
		t.Errorf("status: %v", out)
	}
}
