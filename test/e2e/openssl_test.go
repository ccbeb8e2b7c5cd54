package e2e_test

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// openssl runs openssl; ok is true for exit code 0.
func openssl(t testing.TB, args ...string) (text string, ok bool) {
	t.Helper()
	stdout, stderr, code := tool(t, environ(t.TempDir()), nil, "openssl", args...)
	return stdout + stderr, code == 0
}

// mustOpenssl requires success.
func mustOpenssl(t testing.TB, args ...string) string {
	t.Helper()
	text, ok := openssl(t, args...)
	if !ok {
		t.Fatalf("openssl %s: %s", strings.Join(args, " "), text)
	}
	return text
}

// curl fetches with curl; file holds the body.
func curl(t testing.TB, url string, args ...string) (status string, headers map[string]string, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "body")
	heads := file + ".headers"
	args = append([]string{"--silent", "--show-error", "--max-time", "30", "--dump-header", heads,
		"--output", file, "--write-out", "%{http_code}"}, append(args, url)...)
	status, stderr, code := tool(t, environ(t.TempDir()), nil, "curl", args...)
	if code != 0 {
		t.Fatalf("curl %s: %s", url, stderr)
	}
	raw, err := os.ReadFile(heads)
	if err != nil {
		t.Fatal(err)
	}
	headers = map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			headers[strings.ToLower(name)] = strings.TrimSpace(value)
		}
	}
	return status, headers, file
}

// crl is a fetched revocation list, parsed only by openssl.
type crl struct{ der, pem string }

func fetchCRL(t testing.TB, base string) crl {
	t.Helper()
	status, _, der := curl(t, base+"/api/pki/crl")
	if status != "200" {
		t.Fatalf("GET /api/pki/crl: %s", status)
	}
	c := crl{der, der + ".pem"}
	mustOpenssl(t, "crl", "-inform", "DER", "-in", c.der, "-out", c.pem)
	return c
}

func (c crl) number(t testing.TB) *big.Int {
	t.Helper()
	_, text, _ := strings.Cut(mustOpenssl(t, "crl", "-in", c.pem, "-noout", "-crlnumber"), "=")
	n, ok := new(big.Int).SetString(strings.TrimSpace(text), 0)
	if !ok {
		t.Fatalf("no CRL number: %q", text)
	}
	return n
}

// lists reports whether a serial number in lower-case hex is revoked.
func (c crl) lists(t testing.TB, serial string) bool {
	t.Helper()
	text := mustOpenssl(t, "crl", "-in", c.pem, "-noout", "-text")
	return strings.Contains(text, "Serial Number: "+strings.ToUpper(serial)+"\n")
}
