package pki_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestParentCRLs: lists in PEM and DER are published together; a file that changes is read again, and one
// that breaks goes on being published as it was.
func TestParentCRLs(t *testing.T) {
	t.Parallel()
	above, other := engine.Vault(t, t.TempDir(), nil), engine.Vault(t, t.TempDir(), nil)
	list := must.Get(above.CRL(t.Context(), vault.Active))(t)
	foreign := must.Get(other.CRL(t.Context(), vault.Active))(t)
	ca := must.Get(x509.ParseCertificate(list.CA))(t)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	inPEM := func(ders ...[]byte) (text []byte) {
		for _, der := range ders {
			text = append(text, pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: der})...)
		}
		return text
	}
	must.OK(t, os.WriteFile(file("a.pem"), inPEM(list.DER), 0o600))
	must.OK(t, os.WriteFile(file("b.crl"), foreign.DER, 0o600))
	now := time.Now()
	p := &pki.ParentCRLs{Files: []string{file("a.pem"), file("b.crl"), file("absent")}, Now: func() time.Time { return now }}
	want := func(when string, problems ...pki.ParentProblem) {
		t.Helper()
		reports := p.Report([]*x509.Certificate{ca})
		if len(reports) != len(problems) {
			t.Fatalf("%s: %+v", when, reports)
		}
		for i, r := range reports {
			if r.Problem != problems[i] {
				t.Errorf("%s: %+v, want %q", when, r, problems[i])
			}
		}
	}
	want("at first", "", pki.ParentUnknown, pki.ParentUnreadable)
	if got := p.PEM(); !bytes.Equal(got, inPEM(list.DER, foreign.DER)) {
		t.Errorf("published: %s", got)
	}
	must.OK(t, os.WriteFile(file("b.crl"), []byte("half a li"), 0o600))
	want("broken", "", pki.ParentUnreadable, pki.ParentUnknown, pki.ParentUnreadable)
	if got := p.PEM(); !bytes.Equal(got, inPEM(list.DER, foreign.DER)) {
		t.Errorf("published while broken: %s", got)
	}
	must.OK(t, os.WriteFile(file("b.crl"), inPEM(list.DER, list.DER), 0o600))
	want("mended", "", "", "", pki.ParentUnreadable)
	now = list.NextUpdate.Add(time.Second)
	want("later", pki.ParentEnded, pki.ParentEnded, pki.ParentEnded, pki.ParentUnreadable)
	if none := (*pki.ParentCRLs)(nil).Report(nil); none != nil {
		t.Error("reports of nothing")
	}
}
