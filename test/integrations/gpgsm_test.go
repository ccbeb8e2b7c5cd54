//go:build exhaustive

package integrations_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/socketdir"
)

// TestGPGSM: gpgsm finds the one certificate to encrypt to by jdoe's address, and the token opens it. It encrypts to no revoked
// certificate, once it has a new list. To an EC key it encrypts only where the certificate allows
// keyEncipherment, which is not for EC.
func TestGPGSM(t *testing.T) {
	t.Parallel()
	k := serve(t)
	c := &cms{t, k.plugIn(t, "20260001")}
	number := k.certify(t, c.tok, "9d", "RSA2048", "encryption")
	k.certify(t, c.tok, "9c", "RSA2048", "signature")
	home := socketdir.New(t)
	env := environ(home, "GNUPGHOME="+home)
	t.Cleanup(func() {
		kill := exec.CommandContext(await.Context(t), "gpgconf", "--kill", "all")
		kill.Env = env
		if out, err := kill.CombinedOutput(); err != nil {
			t.Errorf("the daemons of gpgsm: %v %s", err, out)
		}
	})
	_, fingerprint, _ := strings.Cut(openssl(t, "x509", "-in", k.ca, "-noout", "-fingerprint", "-sha1"), "=")
	must.OK(t, os.WriteFile(filepath.Join(home, "trustlist.txt"), []byte(strings.TrimSpace(fingerprint)+" S\n"), 0o600))
	run(t, env, "", "gpgsm", "--batch", "--import", k.ca, c.tok.cert("9c"), c.tok.cert("9d"))

	clear, encrypted := filepath.Join(home, "clear"), filepath.Join(home, "encrypted")
	encrypt := func() (text string, ok bool) {
		t.Helper()
		return try(t, env, mail, "gpgsm", "--batch", "--yes", "--encrypt", "--recipient", "jdoe@example.org", "--output", encrypted)
	}
	if text, ok := encrypt(); !ok {
		t.Fatal(text)
	}
	c.byToken("03", "-decrypt", "-inform", "DER", "-in", encrypted, "-out", clear)
	if got := string(must.Get(os.ReadFile(clear))(t)); got != mail {
		t.Errorf("the token opens %q", got)
	}
	k.revoke(t, number)
	run(t, env, "", "dirmngr-client", "--load-crl", "--url", k.base+"/api/pki/crl")
	if text, ok := encrypt(); ok || !strings.Contains(text, "Certificate revoked") {
		t.Errorf("once it is revoked: %s", text)
	}
}
