//go:build exhaustive

package integrations_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// holder is who has a certificate, in files.
type holder struct{ cert, ca string }

// asking is a program that asks the responder which a certificate names.
type asking struct {
	name          string
	good, revoked []string // all that it writes then
	ask           func(t *testing.T, h holder) (text string)
	takes         []lie // what it does not notice
}

// verdict is what a program makes of an answer: good, revoked or refused.
func (a *asking) verdict(t *testing.T, h holder) (verdict, text string) {
	t.Helper()
	text = a.ask(t, h)
	lacks := func(mark string) bool { return !strings.Contains(text, mark) }
	switch {
	case !slices.ContainsFunc(a.good, lacks):
		return "good", text
	case !slices.ContainsFunc(a.revoked, lacks):
		return "revoked", text
	default:
		return "refused", text
	}
}

// askings are clients of four libraries. ocsptool itself judges an answer's signature alone, and shows
// the rest: GnuTLS has dates and serial numbers compared in a handshake.
func askings(t *testing.T) []asking {
	t.Helper()
	classes := t.TempDir()
	run(t, environ(classes), "", "javac", "-d", classes, must.Get(filepath.Abs("testdata/OCSPCheck.java"))(t))
	verified, succeeds := "Response verify OK", "Verifying OCSP Response: Success."
	return []asking{
		{"openssl", []string{verified, "pem: good"}, []string{verified, "pem: revoked"}, func(t *testing.T, h holder) string {
			t.Helper()
			url := strings.TrimSpace(openssl(t, "x509", "-in", h.cert, "-noout", "-ocsp_uri"))
			text, _ := try(t, environ(t.TempDir()), "", "openssl", "ocsp", "-issuer", h.ca, "-CAfile", h.ca, "-cert", h.cert, "-url", url)
			return text
		}, nil},
		{"ocsptool", []string{succeeds, "Status: good"}, []string{succeeds, "Status: revoked"}, func(t *testing.T, h holder) string {
			t.Helper()
			text, _ := try(t, environ(t.TempDir()), "", "ocsptool", "--ask", "--load-cert", h.cert, "--load-issuer", h.ca, "--load-trust", h.ca)
			return text
		}, []lie{"expired", "foreign"}},
		{"NSS", []string{"succeeded"}, []string{"Peer's Certificate has been revoked"}, func(t *testing.T, h holder) string {
			t.Helper()
			dir := t.TempDir()
			run(t, environ(dir), "", "certutil", "-N", "-d", dir, "--empty-password")
			run(t, environ(dir), "", "certutil", "-A", "-d", dir, "-n", "ca", "-t", "CT,C,C", "-i", h.ca)
			run(t, environ(dir), "", "certutil", "-A", "-d", dir, "-n", "jdoe", "-t", ",,", "-i", h.cert)
			text, _ := try(t, environ(dir), "", "ocspclnt", "-S", "jdoe", "-d", dir)
			return text
		}, nil},
		{"Java", []string{"good"}, []string{"REVOKED"}, func(t *testing.T, h holder) string {
			t.Helper()
			text, _ := try(t, environ(classes), "", "java", "-cp", classes, "OCSPCheck", h.cert, h.ca)
			return text
		}, nil},
	}
}

// TestOCSPClients: other people's programs take Keyward's answers, and would take no wrong ones.
func TestOCSPClients(t *testing.T) {
	t.Parallel()
	k, l := serve(t), newLiar(t)
	k.register(t, "20260009")
	for _, a := range askings(t) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, number := k.person(t, dir)
			h := holder{filepath.Join(dir, "person.pem"), k.ca}
			if got, text := a.verdict(t, h); got != "good" {
				t.Errorf("before it is revoked: %s", text)
			}
			k.revoke(t, number)
			await.That(t, "Keyward answers that it is revoked", func() bool { got, _ := a.verdict(t, h); return got == "revoked" })
			for _, how := range lies {
				got, text := a.verdict(t, l.answers(t, how))
				want := "refused"
				if how == "good" || slices.Contains(a.takes, how) {
					want = "good"
				}
				if got != want {
					t.Errorf("an answer that is %s: %s, want %s: %s", how, got, want, text)
				}
			}
		})
	}
}
