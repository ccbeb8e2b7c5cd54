// Package preview makes the certificate that would come out of a profile, on the way that real ones
// come, by a key and a CA that are thrown away; and says what there is to say about it.
//
//	profile ──▶ profile.Profile.Request ──▶ Issue (issuance.Lint, Sign) ──▶ certificate ──▶ zlint
//	   └── person: a token's owner, an account, or a made-up one
//
// Nothing is recorded, and no real CA signs. A profile whose certificate breaks a standard is not
// saved (profile.Service.Lint).
//
// Route: /api/admin/profiles/preview.
package preview

import (
	"context"
	"crypto/x509"
	"errors"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
)

// Tokens tells whom a token's certificates are for, and why it gets none whatever the profile.
type Tokens interface {
	Holder(ctx context.Context, scope access.Scope, serial string) (profile.Holder, []*fault.Error, error)
}

// Accounts returns an account and its organization.
type Accounts interface {
	User(ctx context.Context, scope access.Scope, id int64) (account.User, error)
	Organization(ctx context.Context, scope access.Scope, id int64) (account.Organization, error)
}

// Authorities returns the CAs, of which the active one would sign.
type Authorities interface {
	CAs(ctx context.Context) ([]vault.CA, error)
}

// Finding is what a lint says of a certificate.
type Finding struct {
	Text  string
	Lint  string // its name
	Error bool   // otherwise a warning
}

// Service makes previews.
type Service struct {
	Profiles *profile.Service
	Tokens   Tokens
	Accounts Accounts
	PKI      Authorities
	// Issue signs as the active CA would, by a CA that is forgotten.
	Issue func(ctx context.Context, active vault.CA, req vault.SignRequest) (*x509.Certificate, error)
	// Judge has a certificate judged, DER.
	Judge func(der []byte) ([]Finding, error)
	// Makeable, if not nil, leaves out of a request what the vault can't make.
	Makeable func(vault.SignRequest) vault.SignRequest
	// Admitted checks again that whoever asks may still do it: the answer may have somebody's SID.
	Admitted func(ctx context.Context) error
	Now      func() time.Time

	requests requests
}

// Want is what to preview: of a profile that there is, or of one that is not saved, for a token's
// owner, an account, or neither.
type Want struct {
	Name    string
	Profile *profile.Profile // nil: the one of that name
	Serial  string
	UserID  int64
}

// Preview is a certificate that would come out, and what there is to say about it.
type Preview struct {
	Certificate *x509.Certificate // nil: none would come out, as the warnings say
	Warnings    []fault.Sentence
}

// Make previews a profile. Invalid for one that could not be saved; NotFound; VaultUnavailable.
func (s *Service) Make(ctx context.Context, scope access.Scope, want Want) (Preview, error) {
	if err := s.Admitted(ctx); err != nil {
		return Preview{}, err
	}
	p, err := s.profile(ctx, want)
	if err != nil {
		return Preview{}, err
	}
	h, reasons, err := s.holder(ctx, scope, p, want)
	if err != nil {
		return Preview{}, err
	}
	if want.Profile == nil && s.Profiles.SetUp != nil {
		key, _, _ := s.Profiles.Key(p, p.Slots[0])
		if err := s.Profiles.SetUp(ctx, p, key); err != nil {
			f, ok := fault.As(err)
			if !ok || f.Code != fault.ProfileUnsupported {
				return Preview{}, err
			}
			reasons = append(reasons, f)
		}
	}
	if h.Username != "" { // without an owner, none of the names would be there
		reasons = append(reasons, p.Obstacles(p.Slots[0], h)...)
	}
	var out Preview
	for _, reason := range reasons {
		out.add(reason.Sentence())
	}
	return out, s.complete(ctx, &out, p, h)
}

func (p *Preview) add(s fault.Sentence) {
	if !slices.ContainsFunc(p.Warnings, func(o fault.Sentence) bool { return o.Text == s.Text }) {
		p.Warnings = append(p.Warnings, s)
	}
}

// complete adds the certificate, and what CA and lint say.
func (s *Service) complete(ctx context.Context, out *Preview, p profile.Profile, h profile.Holder) error {
	active, err := vault.ActiveCA(ctx, s.PKI)
	if err != nil {
		return vault.Fault(err)
	}
	req, err := s.request(p, h)
	if err == nil {
		var said []fault.Sentence
		if said, err = s.judgeAuthority(active, &req); err != nil {
			return err
		}
		for _, sentence := range said {
			out.add(sentence)
		}
		if s.Makeable != nil {
			if req.Principal != (vault.Principal{}) {
				out.add(fault.Say("preview_no_principal", "A vault of your own makes no Kerberos principals: the KDC must go by the UPN."))
			}
			req = s.Makeable(req)
		}
		out.Certificate, err = s.Issue(ctx, active, req)
	}
	if f, ok := fault.As(err); ok && f.Code != fault.VaultUnavailable {
		if len(out.Warnings) == 0 { // otherwise they say why in better words
			out.add(f.Sentence())
		}
		return nil
	}
	if errors.Is(err, vault.ErrEnded) { // said already
		return nil
	}
	if err != nil {
		return err
	}
	found, err := s.Judge(out.Certificate.Raw)
	for _, f := range found {
		out.add(fault.Sentence{Text: f.Text})
	}
	return err
}

// profile returns the profile to preview; Invalid for one that could not be saved.
func (s *Service) profile(ctx context.Context, want Want) (profile.Profile, error) {
	if want.Profile == nil {
		p, err := s.Profiles.Get(ctx, want.Name)
		if fault.Is(err, fault.NotFound) {
			err = fault.Invalid(fault.Wrong("profile", "no_profile", "names no certificate profile"))
		}
		return p, err
	}
	if _, taken := profile.Builtin(want.Profile.Name); taken {
		return profile.Profile{}, fault.Invalid(fault.Wrong("name", "profile_taken", "belongs to another profile"))
	}
	return *want.Profile, s.Profiles.Check(*want.Profile)
}
