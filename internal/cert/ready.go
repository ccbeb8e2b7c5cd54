package cert

import (
	"context"
	"crypto/x509"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
)

// obstacle is why a token cannot get a certificate.
type obstacle struct {
	code string
	err  *fault.Error
}

func (s *Service) obstacles(d hwkey.Device) []obstacle {
	var list []obstacle
	add := func(code string, f *fault.Error) { list = append(list, obstacle{code, f}) }
	if d.Status == hwkey.Suspended || d.Status == hwkey.Lost || d.Status == hwkey.Retired {
		add("hwkey_"+string(d.Status), fault.Newf(fault.PermissionDenied, "hwkey_out_of_use",
			"This token is {status}. Ask an administrator what to do.", fault.Params{"status": d.Status}))
	}
	if d.OwnerID == nil {
		add("owner_missing", fault.New(fault.Conflict, "owner_missing", "This token has no owner. Assign it first."))
	} else if !d.OwnerActive {
		add("owner_disabled", fault.New(fault.Conflict, "owner_disabled", "The account of this token's owner is disabled. Enable it first."))
	}
	if len(list) == 0 && !d.Status.Signs() {
		add("hwkey_"+string(d.Status), fault.Newf(fault.Conflict, "hwkey_not_signable",
			"This token is {status}: it can't get certificates.", fault.Params{"status": d.Status}))
	}
	return list
}

// Holder is whom a token's certificates are for, and why it gets none, whatever the profile.
func (s *Service) Holder(ctx context.Context, scope access.Scope, serial string) (profile.Holder, []*fault.Error, error) {
	d, err := s.Devices.Device(ctx, scope, serial)
	if err != nil {
		return profile.Holder{}, nil, err
	}
	var reasons []*fault.Error
	for _, o := range s.obstacles(d) {
		reasons = append(reasons, o.err)
	}
	return s.holder(d), reasons, nil
}

// Readiness is the answer to signing-readiness.
type Readiness struct {
	Ready      bool
	Reasons    []string
	CommonName string
	Email      string
	Profile    string // whose certificate it would be; empty: the slot gets none
	// What to create the key with; empty: what the token has by default.
	KeyType                piv.KeyType
	PINPolicy, TouchPolicy string
}

// profileReady adds what the profile demands.
func (s *Service) profileReady(
	ctx context.Context, out *Readiness, d hwkey.Device, slot piv.Slot, named string,
) (names vault.SignRequest, err error) {
	p, err := s.Profiles.Of(ctx, named, slot, "", d.OrganizationID)
	if f, ok := fault.As(err); ok && (f.Code == fault.ProfileMismatch || f.Code == fault.ProfileUnsupported) {
		out.Reasons = append(out.Reasons, f.Reason)
		return names, nil
	}
	if err != nil {
		return names, err
	}
	h := s.holder(d)
	for _, o := range p.Obstacles(slot, h) {
		out.Reasons = append(out.Reasons, o.Reason)
	}
	out.Profile = p.Name
	out.KeyType, out.PINPolicy, out.TouchPolicy = s.Profiles.Key(p, slot)
	if out.KeyType == "" {
		out.Reasons = append(out.Reasons, "profile_key_type")
	}
	if p.Name != profile.Default {
		out.CommonName, out.Email = p.Subjects(h)
		names = p.Names(h)
		names.Usage = p.Usage(piv.RSA2048)
		return names, nil
	}
	names.Usage = p.Usage(piv.RSA2048)
	if s.Policy == OwnerPolicy {
		names.CommonName = d.OwnerUsername
		if d.OwnerEmail != "" {
			names.Emails = []string{d.OwnerEmail}
		}
	}
	if s.Policy == OwnerPolicy && len(d.OwnerUsername) > account.MaxUsername { // older than that limit
		out.Reasons = append(out.Reasons, "bad_common_name")
	}
	return names, nil
}

// authorityReady is why the CA would not sign these names for these purposes; empty: it would. Without a common
// name, which the CSR would give, only the purposes are judged.
func (s *Service) authorityReady(ctx context.Context, req vault.SignRequest) string {
	ca, err := vault.ActiveCA(ctx, s.PKI)
	if err != nil {
		return string(fault.VaultUnavailable)
	}
	var chain []*x509.Certificate
	for _, der := range ca.Chain {
		ca, err := x509.ParseCertificate(der)
		if err != nil {
			return string(fault.CAEnded)
		}
		chain = append(chain, ca)
	}
	if s.Now().After(chain[0].NotAfter) {
		return string(fault.CAEnded)
	}
	err = pki.CheckPurposes(chain, req.Usage.Purposes)
	if err == nil && req.CommonName != "" {
		err = namesReady(chain, req)
	}
	if f, ok := fault.As(err); ok {
		return f.Reason
	}
	return ""
}

func namesReady(chain []*x509.Certificate, req vault.SignRequest) error {
	limits, err := pki.NameLimitsOf(chain)
	if err != nil || len(limits) == 0 {
		return err
	}
	names, err := pki.CheckNames(req)
	if err != nil {
		return err
	}
	return limits.Check(names)
}

// Misfits are the codes of why a token's owner can't have a profile in a slot; none: it fits.
func (s *Service) Misfits(p profile.Profile, slot piv.Slot, d hwkey.Device) []string {
	codes := []string{}
	for _, o := range p.Obstacles(slot, s.holder(d)) {
		codes = append(codes, o.Reason)
	}
	return codes
}

// Ready reports whether a CSR for that token and slot would be signed now, before a
// key is generated or overwritten. publicKeySHA256 (hex), if not empty, is the key to keep.
func (s *Service) Ready(ctx context.Context, scope access.Scope, serial, slot, named, publicKeySHA256 string) (Readiness, error) {
	slot, err := checkSlot(slot)
	if err != nil {
		return Readiness{}, err
	}
	d, err := s.Devices.Device(ctx, scope, serial)
	if err != nil {
		return Readiness{}, err
	}
	out := Readiness{Reasons: []string{}, CommonName: d.OwnerUsername, Email: d.OwnerEmail}
	for _, o := range s.obstacles(d) {
		out.Reasons = append(out.Reasons, o.code)
	}
	if s.Keys.Attestation == AttestationOff { // otherwise the attestation may name another firmware
		if f := s.Keys.firmware(d.FirmwareVersion); f != nil {
			out.Reasons = append(out.Reasons, f.Reason)
		}
	}
	names, err := s.profileReady(ctx, &out, d, piv.Slot(slot), named)
	if err != nil {
		return Readiness{}, err
	}
	if publicKeySHA256 != "" {
		switch compromised, err := s.Store.KeyCompromised(ctx, publicKeySHA256); {
		case err != nil:
			return Readiness{}, err
		case compromised:
			out.Reasons = append(out.Reasons, ErrKeyCompromised.Reason)
		}
	}
	if reason := s.authorityReady(ctx, names); reason != "" {
		out.Reasons = append(out.Reasons, reason)
	}
	if s.SigningBlocked != nil && fault.Is(s.SigningBlocked(ctx), fault.RecoveryRequired) {
		out.Reasons = append(out.Reasons, string(fault.RecoveryRequired))
	}
	switch err := s.mayGrow(ctx, d.Serial, slot); {
	case fault.Is(err, fault.LicenseRestricted):
		out.Reasons = append(out.Reasons, string(fault.LicenseRestricted))
	case err != nil:
		return Readiness{}, err
	}
	out.Ready = len(out.Reasons) == 0
	return out, nil
}
