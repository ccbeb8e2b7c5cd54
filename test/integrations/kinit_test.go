package integrations_test

import (
	"strings"
	"testing"
)

// TestKinit: a token gets its owner a Kerberos ticket, nobody else's, and none once its certificate is
// revoked. The certificate of the specification says nothing of Kerberos: the KDC is told to ask for no
// purpose, and whose it is.
func TestKinit(t *testing.T) {
	t.Parallel()
	k := serve(t)
	tok := k.plugIn(t, "20260001")
	number := k.certify(t, tok, "9a", "RSA2048")
	c := newKDC(t, k, "pkinit_eku_checking = none")
	c.admin(t, "setstr", "jdoe", "pkinit_cert_match", "<SUBJECT>CN=jdoe$")
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
}
