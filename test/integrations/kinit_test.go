package integrations_test

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/test/tier"
)

// kinitCase is a certificate, and what a KDC must be told about it.
type kinitCase struct {
	profile  string
	settings string   // of the KDC; empty: its defaults
	command  []string // of its administrator
}

// TestKinit: a token gets its owner a Kerberos ticket, nobody else's, and none once its certificate is
// revoked. The certificate of the specification says nothing of Kerberos: the KDC is told to ask for no
// purpose, and whose it is.
func TestKinit(t *testing.T) {
	t.Parallel()
	cases := []kinitCase{
		{"logon", "", nil},
		{"default", "pkinit_eku_checking = none", []string{"setstr", "jdoe", "pkinit_cert_match", "<SUBJECT>CN=jdoe$"}},
	}
	for _, test := range tier.Of(cases[:1], cases) {
		t.Run(test.profile, func(t *testing.T) {
			t.Parallel()
			k := serve(t, "PKI_KERBEROS_REALM=EXAMPLE.ORG")
			tok := k.plugIn(t, "20260001")
			number := k.certify(t, tok, "9a", "RSA2048", test.profile)
			c := newKDC(t, k, test.settings)
			if test.command != nil {
				c.admin(t, test.command...)
			}
			if text, ok := c.kinit(t, tok, "jdoe"); !ok || !strings.Contains(text, "Default principal: jdoe@EXAMPLE.ORG") {
				t.Fatalf("kinit: %s", text)
			}
			if text, ok := c.kinit(t, tok, "admin"); ok || !strings.Contains(text, "Client name mismatch") {
				t.Errorf("as admin: %s", text)
			}
			k.revoke(t, number)
			c.renew(t, k)
			if text, ok := c.kinit(t, tok, "jdoe"); ok || !strings.Contains(text, "Revoked certificate") {
				t.Errorf("once it is revoked: %s", text)
			}
		})
	}
}
