package app_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"golang.org/x/crypto/ocsp"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// asked is an OCSP client of a server.
type asked struct {
	*fixture

	ca *x509.Certificate
}

func (a asked) request(t testing.TB, serial string, hash crypto.Hash) []byte {
	t.Helper()
	number, _ := new(big.Int).SetString(serial, 16)
	return must.Get(ocsp.CreateRequest(&x509.Certificate{SerialNumber: number}, a.ca, &ocsp.RequestOptions{Hash: hash}))(t)
}

func (a asked) send(t testing.TB, method, path string, body []byte) (*http.Response, []byte) {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(context.Background(), method, a.base+path, bytes.NewReader(body)))(t)
	res := must.Get(http.DefaultClient.Do(req))(t) // the contract can't describe a parameter with slashes
	defer func() { _ = res.Body.Close() }()
	return res, must.Get(io.ReadAll(res.Body))(t)
}

func (a asked) answer(t testing.TB, serial string, hash crypto.Hash) []byte {
	t.Helper()
	_, der := a.send(t, http.MethodPost, "/api/pki/ocsp", a.request(t, serial, hash))
	return der
}

func (a asked) status(t testing.TB, serial string) int {
	t.Helper()
	return must.Get(ocsp.ParseResponse(a.answer(t, serial, crypto.SHA1), a.ca))(t).Status
}

func newAsked(t *testing.T) asked {
	t.Helper()
	a := asked{fixture: newFixture(t)}
	res, der := a.send(t, http.MethodGet, "/api/pki/ca.cer", nil)
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	a.ca = must.Get(x509.ParseCertificate(der))(t)
	return a
}

// signed is a new certificate's serial number.
func (a asked) signed(t testing.TB, slot string) string {
	t.Helper()
	status, out := a.sign("a-user", "10000", slot, nil)
	if status != http.StatusOK {
		t.Fatal(status, out)
	}
	return out["serial_number"].(string)
}

// TestOCSPOverHTTP: base64 in a path is data, whatever it looks like; caches are told what they may
// keep; and what is no request is no error of HTTP's.
func TestOCSPOverHTTP(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	der := a.request(t, a.signed(t, "9a"), crypto.SHA1)
	// An OCTET STRING's and an INTEGER's bytes may be any; a request about no certificate of ours is
	// enough to see that its path was taken as it is.
	var awkward []byte
	for serial := 1; !strings.Contains(base64.StdEncoding.EncodeToString(awkward), "//"); serial++ {
		number := new(big.Int).Mul(big.NewInt(int64(serial)), big.NewInt(0xffffffff))
		awkward = must.Get(ocsp.CreateRequest(&x509.Certificate{SerialNumber: number}, a.ca, nil))(t)
	}
	for name, c := range map[string]struct {
		der  []byte
		text func([]byte) string
		want int
	}{
		"as it is":          {der, base64.StdEncoding.EncodeToString, ocsp.Good},
		"percent-encoded":   {der, func(b []byte) string { return url.QueryEscape(base64.StdEncoding.EncodeToString(b)) }, ocsp.Good},
		"without padding":   {der, base64.RawStdEncoding.EncodeToString, ocsp.Good},
		"two slashes":       {awkward, base64.StdEncoding.EncodeToString, ocsp.Unknown},
		"two coded slashes": {awkward, func(b []byte) string { return url.PathEscape(base64.StdEncoding.EncodeToString(b)) }, ocsp.Unknown},
	} {
		res, answer := a.send(t, http.MethodGet, "/api/pki/ocsp/"+c.text(c.der), nil)
		got, err := ocsp.ParseResponse(answer, a.ca)
		if res.StatusCode != http.StatusOK || err != nil || got.Status != c.want {
			t.Fatalf("%s: %s %v %+v", name, res.Status, err, got)
		}
		if lasting := c.want != ocsp.Unknown; (res.Header.Get("ETag") != "") != lasting ||
			strings.Contains(res.Header.Get("Cache-Control"), "no-store") == lasting {
			t.Errorf("%s: %v", name, res.Header)
		}
	}
	path := "/api/pki/ocsp/" + base64.StdEncoding.EncodeToString(der)
	head, none := a.send(t, http.MethodHead, path, nil)
	if head.StatusCode != http.StatusOK || len(none) != 0 || head.Header.Get("ETag") == "" {
		t.Errorf("HEAD: %s %v", head.Status, head.Header)
	}
	for what, c := range map[string]struct {
		method, path string
		body         []byte
		status       int
	}{
		"no base64":      {http.MethodGet, "/api/pki/ocsp/*", nil, 200},
		"nothing":        {http.MethodGet, "/api/pki/ocsp/", nil, 200},
		"an empty body":  {http.MethodPost, "/api/pki/ocsp", nil, 200},
		"a long body":    {http.MethodPost, "/api/pki/ocsp", make([]byte, 17<<10), 413},
		"another method": {http.MethodPut, "/api/pki/ocsp", nil, 405},
	} {
		res, answer := a.send(t, c.method, c.path, c.body)
		if res.StatusCode != c.status || c.status == 200 && !bytes.Equal(answer, []byte{0x30, 3, 0x0a, 1, 1}) {
			t.Errorf("%s: %s %x", what, res.Status, answer)
		}
	}
}

// TestOCSPAfterTampering: whoever writes the database can't make a revoked certificate good again, or
// change when and why it was revoked, since the published list has it.
func TestOCSPAfterTampering(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	serial := a.signed(t, "9a")
	if got := a.status(t, serial); got != ocsp.Good {
		t.Fatalf("before it is revoked: %d", got)
	}
	a.must(200, "POST", "/api/certificates/"+serial+"/revoke", a.tokens["a-user"], map[string]any{"reason": "superseded"})
	await.That(t, "it is revoked", func() bool { return a.status(t, serial) == ocsp.Revoked })
	reasonsOnList := os.Getenv("KEYWARD_TEST_VAULT") != "remote" // a remote vault's has none
	before := must.Get(ocsp.ParseResponse(a.answer(t, serial, crypto.SHA1), a.ca))(t)
	for hash, change := range map[crypto.Hash]string{ // each cached under another name
		crypto.SHA256: "status = 'issued', revoked_at = NULL, revocation_reason = '', published_at = NULL",
		crypto.SHA384: "status = 'revoked', revoked_at = -62135596800000000", // the zero time
		crypto.SHA512: "status = 'revoked', revoked_at = 4102444800000000, revocation_reason = 'keyCompromise'",
	} {
		a.execute("UPDATE certificates SET "+change+" WHERE serial_number = ?", serial)
		got := must.Get(ocsp.ParseResponse(a.answer(t, serial, hash), a.ca))(t)
		sameReason := got.RevocationReason == ocsp.Superseded || !reasonsOnList
		if got.Status != ocsp.Revoked || !sameReason || !got.RevokedAt.Equal(before.RevokedAt) {
			t.Errorf("%s: %+v", change, got)
		}
	}
}
