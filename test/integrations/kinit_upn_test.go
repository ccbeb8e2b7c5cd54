//go:build exhaustive

package integrations_test

import (
	"os"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestKinitUPN: a UPN alone gets its owner a ticket, too, at a KDC that is told to look at it: by the
// embedded vault's certificates where no realm is set, and by a remote vault's.
func TestKinitUPN(t *testing.T) {
	t.Parallel()
	remote := []string{"PKI_OCSP=off", "PKI_BASE_URL=" + vaultserver.PublicBase, "PKI_KERBEROS_REALM=EXAMPLE.ORG"}
	for name, value := range vaultserver.Settings(t, vaultserver.Shared(t).Prepared(t)) {
		remote = append(remote, name+"="+value)
	}
	for name, settings := range map[string][]string{"embedded": nil, "remote": remote} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := serve(t, settings...)
			k.name(t, "jdoe@EXAMPLE.ORG")
			tok := k.plugIn(t, "20260001")
			number := k.certify(t, tok, "9a", "RSA2048", "logon")
			c := newKDC(t, k, "pkinit_allow_upn = true")
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

// TestKinitThree: a client that is told how to choose finds the one of a token's three certificates.
func TestKinitThree(t *testing.T) {
	t.Parallel()
	k := serve(t, "PKI_KERBEROS_REALM=EXAMPLE.ORG")
	tok := k.plugIn(t, "20260001")
	k.fill(t, tok)
	c := newKDC(t, k, "")
	if text, ok := c.kinit(t, tok, "jdoe"); ok || !strings.Contains(text, "Invalid argument") {
		t.Errorf("without a choice: %s", text)
	}
	c.tell(t, "pkinit_cert_match = <EKU>pkinit")
	if text, ok := c.kinit(t, tok, "jdoe"); !ok || !strings.Contains(text, "Default principal: jdoe@EXAMPLE.ORG") {
		t.Errorf("kinit: %s", text)
	}
}

// tell adds a setting to the clients'.
func (c *kdc) tell(t *testing.T, setting string) {
	t.Helper()
	text := string(must.Get(os.ReadFile(c.file("krb5.conf")))(t))
	must.OK(t, os.WriteFile(c.file("krb5.conf"), []byte(strings.TrimSuffix(text, "}\n")+"    "+setting+"\n    }\n"), 0o600))
}
