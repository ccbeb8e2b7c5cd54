package integrations_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/tier"
)

// TestCMS: openssl signs a mail with 9c and decrypts one with 9d, by the token's keys.
func TestCMS(t *testing.T) {
	t.Parallel()
	for _, algorithm := range tier.Of([]string{"RSA2048"}, []string{"RSA2048", "ECCP256"}) {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			k := serve(t, "PKI_KEY_TYPES=rsa-2048,ec-p256")
			c := &cms{t, k.plugIn(t, "20260001")}
			c.signs(k, algorithm)
			c.decrypts(k, algorithm)
		})
	}
}

const mail = "Content-Type: text/plain\r\n\r\nTo be read by jdoe alone.\r\n"

// cms is openssl with a token.
type cms struct {
	*testing.T
	tok *token
}

func (c *cms) file(name, content string) string {
	c.Helper()
	path := filepath.Join(c.tok.dir, name)
	must.OK(c, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// byToken runs openssl with the key of a slot: 02 is 9c's, 03 is 9d's.
func (c *cms) byToken(id string, args ...string) string {
	c.Helper()
	key := []string{"-engine", "pkcs11", "-keyform", "engine", "-inkey", "pkcs11:id=%" + id + ";type=private"}
	// 9c asks for its PIN at each signature.
	return run(c, append(c.tok.env, "OPENSSL_CONF="+c.tok.engine(c)), pin+"\n", "openssl", slices.Concat([]string{"cms"}, args, key)...)
}

// signs: the mail is proof of who signed it, until it is changed, or the certificate revoked.
func (c *cms) signs(k *keyward, algorithm string) {
	c.Helper()
	number := k.certify(c, c.tok, "9c", algorithm, "signature")
	signed := filepath.Join(c.tok.dir, "signed")
	c.byToken("02", "-sign", "-in", c.file("mail", mail), "-signer", c.tok.cert("9c"), "-out", signed)
	text := string(must.Get(os.ReadFile(signed))(c))
	verify := func() (text string, ok bool) {
		c.Helper()
		store := c.file("store.pem", string(must.Get(os.ReadFile(k.ca))(c))+string(must.Get(os.ReadFile(k.crl(c)))(c)))
		return try(c, environ(c.tok.dir), "", "openssl", "cms", "-verify", "-in", signed, "-CAfile", store, "-crl_check")
	}
	if said, ok := verify(); !ok {
		c.Errorf("as it was signed: %s", said)
	}
	c.file("signed", strings.Replace(text, "jdoe alone", "everybody", 1))
	if said, ok := verify(); ok || !strings.Contains(said, "CMS_SignerInfo_verify_content") {
		c.Errorf("a changed mail: %s", said)
	}
	c.file("signed", text)
	k.revoke(c, number)
	if said, ok := verify(); ok || !strings.Contains(said, "certificate revoked") {
		c.Errorf("once the certificate is revoked: %s", said)
	}
}

// decrypts: the token opens what was encrypted to its certificate, also after a renewal.
func (c *cms) decrypts(k *keyward, algorithm string) {
	c.Helper()
	k.certify(c, c.tok, "9d", algorithm, "encryption")
	encrypt := func(name string, options ...string) (file string) {
		c.Helper()
		file = filepath.Join(c.tok.dir, name)
		openssl(c, slices.Concat([]string{"cms", "-encrypt", "-aes256", "-in", c.file("mail", mail), "-out", file,
			"-recip", c.tok.cert("9d")}, options)...)
		return file
	}
	files := []string{encrypt("usual")}
	if algorithm == "RSA2048" {
		files = append(files, encrypt("oaep", "-keyopt", "rsa_padding_mode:oaep"))
	}
	k.install(c, c.tok, "9d", m{"renew": true, "profile": "encryption"})
	for _, file := range append(files, encrypt("renewed")) {
		clear := filepath.Join(c.tok.dir, "clear")
		c.byToken("03", "-decrypt", "-in", file, "-out", clear)
		if got := string(must.Get(os.ReadFile(clear))(c)); got != mail {
			c.Errorf("%s: %q", filepath.Base(file), got)
		}
	}
}
