package app

import (
	"context"
	"crypto/x509"
	"time"

	"github.com/keyward/keyward/internal/certlint"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile/preview"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
	"github.com/keyward/keyward/internal/vault/remote"
)

// newPreview makes previews of profiles, and has those refused whose certificates break a standard.
func newPreview(cfg config.Config, e *engines, s *services, now func() time.Time) *preview.Service {
	p := &preview.Service{
		Profiles: s.profiles, Tokens: s.certificates, Accounts: e.store, PKI: e.vault, Issue: throwaway(cfg, now), Judge: judge,
		Admitted: e.store.Admitted, Now: now,
	}
	if cfg.VaultAddr != "" {
		p.Makeable = remote.Makeable
	}
	s.profiles.Lint = p.Refuse
	return p
}

// previewCA is the common name of a CA that nobody trusts.
const previewCA = "Keyward preview, not valid"

// throwaway signs as the embedded engine does, by a CA that is forgotten at once. It has the active
// CA's kind of key, except RSA, which takes long to make; nothing but the signature shows that.
func throwaway(cfg config.Config, now func() time.Time) func(context.Context, vault.CA, vault.SignRequest) (*x509.Certificate, error) {
	base := cfg.PKIBase()
	return func(ctx context.Context, active vault.CA, req vault.SignRequest) (*x509.Certificate, error) {
		keyType := piv.ECP256
		if ca, err := x509.ParseCertificate(active.Chain[0]); err == nil && piv.KeyTypeOf(ca.PublicKey) == piv.ECP384 {
			keyType = piv.ECP384
		}
		root, key, err := issuance.NewRoot(keyType, previewCA, now())
		if err != nil {
			return nil, err
		}
		list, caIssuers := vault.Addresses(active.ID, active.First)
		p := issuance.Profile{
			KeyTypes: role(cfg).KeyTypes, MaxTTL: certificateLifetime(cfg), CA: active.ID, CRL: base + list, CAIssuers: base + caIssuers,
		}
		if cfg.OCSP == "on" {
			p.OCSP = []string{base + vault.OCSPPath}
		}
		issuer, err := issuance.NewIssuer([]*x509.Certificate{root}, key, p)
		if err != nil {
			return nil, err
		}
		linted, err := issuer.Lint(req, now())
		if err != nil {
			return nil, err
		}
		issued, err := linted.Sign(ctx)
		return issued.Certificate, err
	}
}

// judge is what zlint says: errors and warnings.
func judge(der []byte) (list []preview.Finding, err error) {
	found, err := certlint.Certificate(der)
	for _, f := range found {
		if !f.Notice {
			list = append(list, preview.Finding{Text: f.String(), Lint: f.Lint, Error: f.Error})
		}
	}
	return list, err
}
