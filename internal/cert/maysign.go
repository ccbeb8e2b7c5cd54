package cert

import (
	"context"
	"crypto/x509"
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
)

// ErrKeyCompromised answers a CSR whose key was compromised.
var ErrKeyCompromised = fault.New(fault.CSRRejected, "key_compromised",
	"A certificate for this key was revoked because the key was compromised, so it can never get another. Create a new key.")

// maySign reports why this person or API key may not get this certificate. A
// certificate is worth as much as the token's PIN, so without proof that its key was
// generated on the token, it is issued as strictly as the PIN is released (contract,
// "Certificates and PKI").
//
//	                     person                                        API key
//	attested             session and its agent                         yes
//	not attested, own    recent authentication and an agent            never
//	not attested, other  and a reason, and a place under the hourly cap  never
func (s *Service) maySign(ctx context.Context, c candidate) error {
	a, attested, own := c.actor, c.statement != nil, c.device.OwnedBy(c.actor)
	if a.APIKeyID != 0 {
		if attested {
			return nil
		}
		return fault.New(fault.PermissionDenied, "api_key_unattested",
			"An API key can only get certificates for keys that were created on a token. Send the key's attestation, or sign in as a person.")
	}
	if !attested && !own && c.reason == "" {
		return hwkey.ReasonNeeded()
	}
	if _, err := s.Agents.AgentKey(ctx, a.SessionID); err != nil {
		return err
	}
	if attested {
		return nil
	}
	if err := access.CheckEffects(ctx, s.Now(), "csr"); err != nil {
		return err
	}
	if own {
		return nil
	}
	return s.Releases.ReserveSigning(ctx, a, c.device, c.reason)
}

// mayGrow returns LicenseRestricted for a slot's first certificate while the
// installation may not grow. A slot with a live certificate may renew.
func (s *Service) mayGrow(ctx context.Context, serial, slot string) error {
	if s.Grows == nil {
		return nil
	}
	restricted := s.Grows(ctx)
	if restricted == nil {
		return nil
	}
	live, err := s.LiveOf(ctx, []string{serial})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(live[serial], func(c Certificate) bool { return c.Slot == slot }) {
		return nil
	}
	return restricted
}

// keyHash returns the hash of the key's canonical encoding, which the certificate
// will have too; empty for key types that the CA refuses.
func (c candidate) keyHash() string {
	der, err := x509.MarshalPKIXPublicKey(c.request.CSR.Request().PublicKey)
	if err != nil {
		return ""
	}
	return hexSHA256(der)
}
