package preview

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// authority is the active CA, as a template changes it.
type authority struct{ der []byte }

func newAuthority(t *testing.T, change func(*x509.Certificate)) authority {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "CA"}, NotBefore: noon.Add(-time.Hour), NotAfter: noon.AddDate(5, 0, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	change(ca)
	return authority{must.Get(x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key))(t)}
}

func (a authority) CAs(context.Context) ([]vault.CA, error) {
	return []vault.CA{{Chain: [][]byte{a.der}}}, nil
}

// TestCAIsAgainst: the preview's own CA has no limits, and the active one's are said.
func TestCAIsAgainst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		profile string
		change  func(*x509.Certificate)
		want    string
	}{
		"nothing": {"logon", func(*x509.Certificate) {}, ""},
		"another purpose": {"card-authentication", func(ca *x509.Certificate) { ca.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} },
			"for 2.16.840.1.101.3.6.8"},
		"mail": {"default", func(ca *x509.Certificate) { ca.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} },
			"don't include emailProtection"},
		"other names": {"logon", func(ca *x509.Certificate) {
			ca.PermittedEmailAddresses, ca.PermittedDNSDomainsCritical = []string{"corp.example"}, true
		}, "may not sign for this name"},
		"an early end": {"logon", func(ca *x509.Certificate) { ca.NotAfter = noon.AddDate(0, 0, 9) }, "ends when its CA ends, on 2026-06-10"},
		"its end":      {"logon", func(ca *x509.Certificate) { ca.NotAfter = noon }, "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked vault.SignRequest
			s := Service{
				Profiles: &profile.Service{KeyTypes: []piv.KeyType{piv.ECP256}, MaxTTL: 8760 * time.Hour}, PKI: newAuthority(t, c.change),
				Issue: func(_ context.Context, _ vault.CA, req vault.SignRequest) (*x509.Certificate, error) {
					asked = req
					return &x509.Certificate{}, nil
				},
				Judge:    func([]byte) ([]Finding, error) { return nil, nil },
				Admitted: func(context.Context) error { return nil }, Now: func() time.Time { return noon },
			}
			got := must.Get(s.Make(t.Context(), access.Scope{}, Want{Name: c.profile}))(t)
			said := strings.Join(fault.Texts(got.Warnings), "\n")
			if c.want == "" && said != "" || !strings.Contains(said, c.want) {
				t.Errorf("%q", said)
			}
			if early := asked.TTL == 9*24*time.Hour; early != (name == "an early end") {
				t.Errorf("asked for %v", asked.TTL)
			}
		})
	}
}

// TestRefuse: by errors of lint alone, at the field that they are about.
func TestRefuse(t *testing.T) {
	t.Parallel()
	p, _ := profile.Builtin("logon")
	for name, c := range map[string]struct {
		issue error
		found []Finding
		want  string
	}{
		"nothing":   {},
		"a warning": {found: []Finding{{Text: "w_x", Lint: "w_x"}}},
		"an error":  {found: []Finding{{Lint: "w_x"}, {Lint: "e_ext_key_usage_x", Error: true}}, want: "extended_key_usage"},
		"its own":   {issue: vault.ErrInvalid, want: "name"},
		"a name":    {issue: fault.New(fault.CSRRejected, "bad_uri", "A URI.").With(vault.ErrInvalid), want: "sans"},
	} {
		s := Service{
			Profiles: &profile.Service{KeyTypes: []piv.KeyType{piv.ECP256}, MaxTTL: time.Hour}, PKI: newAuthority(t, func(*x509.Certificate) {}),
			Issue: func(context.Context, vault.CA, vault.SignRequest) (*x509.Certificate, error) {
				return &x509.Certificate{}, c.issue
			},
			Judge: func([]byte) ([]Finding, error) { return c.found, nil }, Now: func() time.Time { return noon },
		}
		err := s.Refuse(t.Context(), p)
		f, _ := errors.AsType[*fault.Error](err)
		if c.want == "" && err != nil || c.want != "" && (f == nil || len(f.Fields) != 1 || f.Fields[0].Field != c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
