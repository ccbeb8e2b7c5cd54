package preview

import (
	"context"
	"crypto/x509"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
)

// judgeAuthority says what the active CA and those above it, which the preview's own CA is not, are
// against, and has the certificate end with it.
func (s *Service) judgeAuthority(active vault.CA, req *vault.SignRequest) (said []fault.Sentence, err error) {
	var chain []*x509.Certificate
	for _, der := range active.Chain {
		ca, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		chain = append(chain, ca)
	}
	add := func(err error) {
		if f, ok := fault.As(err); ok {
			said = append(said, f.Sentence())
		}
	}
	lifetime := req.TTL
	if lifetime == 0 || lifetime > s.Profiles.MaxTTL {
		lifetime = s.Profiles.MaxTTL
	}
	switch left := chain[0].NotAfter.Sub(s.Now()); {
	case left <= 0:
		add(vault.Fault(vault.ErrEnded))
	case left < lifetime:
		req.TTL = left
		said = append(said, fault.Sayf("preview_ends_with_ca", "The certificate ends when its CA ends, on {until}.",
			fault.Params{"until": chain[0].NotAfter.UTC().Format(time.DateOnly)}))
	}
	add(pki.CheckPurposes(chain, req.Usage.Purposes))
	mail := slices.ContainsFunc(req.Usage.Purposes, profile.Purposes["emailProtection"].Equal)
	if mail && !pki.AllowsMail(chain) {
		said = append(said, fault.Say("preview_ca_mail", "Mail programs will not accept the certificate: the extended key "+
			"usages (EKU) of the CA, or of one above it, don't include emailProtection."))
	}
	limits, _ := pki.NameLimitsOf(chain) // those that can't be tried beforehand, the embedded engine refuses at its start
	if len(limits) == 0 {
		return said, nil
	}
	if names, err := pki.CheckNames(*req); err == nil { // otherwise issuing says so
		add(limits.Check(names))
	}
	return said, nil
}

// Refuse returns Invalid for a profile whose certificate for a made-up person breaks a standard: it is
// profile.Service.Lint.
func (s *Service) Refuse(ctx context.Context, p profile.Profile) error {
	active, err := vault.ActiveCA(ctx, s.PKI)
	if err != nil {
		return vault.Fault(err)
	}
	req, err := s.request(p, s.madeUp(p))
	if err != nil {
		return err
	}
	if s.Makeable != nil {
		req = s.Makeable(req)
	}
	cert, err := s.Issue(ctx, active, req)
	if f, ok := fault.As(err); ok && f.Code == fault.CSRRejected {
		// The made-up names are short: nobody's would be better.
		return fault.Invalid(refused(fieldOf(f.Reason), f.Detail))
	}
	if errors.Is(err, vault.ErrInvalid) {
		return fault.Invalid(refused("name", err.Error()))
	}
	if err != nil {
		return err
	}
	found, err := s.Judge(cert.Raw)
	if i := slices.IndexFunc(found, func(f Finding) bool { return f.Error }); i >= 0 {
		return fault.Invalid(refused(fieldOf(found[i].Lint), found[i].Text))
	}
	return err
}

func refused(field, finding string) fault.Field {
	return fault.Wrongf(field, "profile_lint", "would make a certificate that breaks a standard: {finding}", fault.Params{"finding": finding})
}

// fieldOf guesses the field from the name of a lint, or of what was wrong with a request's names.
func fieldOf(name string) string {
	for _, part := range []struct{ in, field string }{
		{"san", "sans"}, {"dns", "sans"}, {"uri", "sans"}, {"many_names", "sans"}, {"alt_name", "sans"},
		{"ext_key_usage", "extended_key_usage"}, {"eku", "extended_key_usage"}, {"key_usage", "key_usage"},
		{"country", "subject.country"}, {"organizational_unit", "subject.organizational_unit"},
		{"organization", "subject.organization"}, {"bad_subject", "subject.organization"}, {"common_name", "subject.common_name"},
		{"subject", "subject.common_name"},
	} {
		if strings.Contains(name, part.in) {
			return part.field
		}
	}
	return "name"
}
