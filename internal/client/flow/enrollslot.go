package flow

import (
	"context"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// enrollSlot gives the slot a key and a certificate.
//
//	slot holds                                   then
//	our certificate, but of another key          keep the key, as if without a certificate: a renewal died after generating it
//	our live certificate, confirmed              nothing is left to do
//	our live certificate, not confirmed          keep the key: an attempt died after the import
//	a key that was compromised                   new key; in 9d after asking
//	an attested key of the wanted type, no certificate   keep the key: an attempt died after generating it
//	our certificate, revoked or expired          new key; in 9d after asking
//	another certificate, another or an imported key   new key after asking
//	nothing                                      new key
func (r *run) enrollSlot(ctx context.Context) (Result, error) {
	s, err := r.readSlot(ctx)
	if err != nil {
		return Result{}, err
	}
	if live(s.present) && s.present.InstalledAt != nil && !s.otherKey() {
		result := r.result(*s.present)
		result.Unchanged = true
		return result, nil
	}
	subject, err := r.ready(ctx, s)
	if err != nil {
		return Result{}, err
	}
	m, err := r.enrollMode(ctx, s)
	if err != nil {
		return Result{}, err
	}
	c, err := r.csr(ctx, m, subject)
	if m == newKey && fault.Is(err, fault.SlotOccupied) { // by something other than a key or certificate
		m = overwrite
		if err = r.mayOverwrite(ctx, "Slot "+r.Slot+" holds something Keyward can't read. Replace it?"); err == nil {
			c, err = r.csr(ctx, m, subject)
		}
	}
	if err != nil {
		return Result{}, err
	}
	if m == reuseKey && (s.Certificate == nil || s.otherKey()) && len(c.Attestation) == 0 {
		m = overwrite
		if c, err = r.replaceImported(ctx, subject); err != nil {
			return Result{}, err
		}
	}
	if live(s.present) && c.PublicKeySHA256 == s.present.PublicKeySHA256 {
		result, err := r.confirm(ctx, *s.present)
		result.Resumed = true
		return result, err
	}
	result, err := r.issue(ctx, c)
	result.Resumed = m == reuseKey
	return result, err
}

func (r *run) enrollMode(ctx context.Context, s slot) (mode, error) {
	stale := s.otherKey() // the certificate then says nothing about the key
	switch {
	case s.foreign():
		return overwrite, r.mayOverwrite(ctx, "Slot "+r.Slot+" holds a certificate that is not from Keyward. Replace it and its key?")
	case live(s.present) && !stale:
		return reuseKey, nil
	case s.present != nil && !stale && r.Slot == string(piv.KeyManagement):
		return overwrite, r.mayOverwrite(ctx,
			"Slot 9d holds a decryption key whose certificate is no longer valid. If you replace it, you can no longer read what "+
				"was encrypted for it. Replace it?")
	case s.present != nil && !stale:
		return overwrite, nil
	case r.compromised && r.Slot != string(piv.KeyManagement):
		return overwrite, nil
	case r.compromised:
		return overwrite, r.mayOverwrite(ctx,
			"Slot 9d holds a decryption key that was compromised, so it can never get another certificate. If you replace it, "+
				"you can no longer read what was encrypted for it. Replace it?")
	case told(s.KeyAlgorithm) == r.wanted.Type.ToolName() && r.wanted.fits(s.PINPolicy, s.TouchPolicy):
		return reuseKey, nil
	case s.KeyAlgorithm != nil:
		return overwrite, r.mayOverwrite(ctx, "Slot "+r.Slot+" holds a different kind of key. Replace it?")
	}
	return newKey, nil
}

// replaceImported asks to replace a key that was not generated on the card: no earlier
// attempt made it, and somebody may hold a copy.
func (r *run) replaceImported(ctx context.Context, subject client.Subject) (client.GeneratedCSR, error) {
	if err := r.mayOverwrite(ctx,
		"Slot "+r.Slot+" holds a key that can't be proven to have been created on this token. Replace it?"); err != nil {
		return client.GeneratedCSR{}, err
	}
	return r.csr(ctx, overwrite, subject)
}
