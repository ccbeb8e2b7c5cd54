package ca

import (
	"context"
	"crypto/x509"
	"errors"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/vault"
)

const historyPath = "certificate_authorities/history"

// history is the document.
type history struct {
	CAs map[string]past `json:"cas"`
}

// past is what happened to a CA.
type past struct {
	RequestedAt time.Time `json:"requested_at,omitzero"`
	InstalledAt time.Time `json:"installed_at,omitzero"`
	ActivatedAt time.Time `json:"activated_at,omitzero"` // the last time
	RetiredAt   time.Time `json:"retired_at,omitzero"`   // since then; zero while it is active
	Ends        time.Time `json:"ends,omitzero"`         // of a retired one: no certificate of its lasts longer
}

// change rewrites a CA's past until no other server is in between.
func (s *Service) change(ctx context.Context, id string, do func(*past)) error {
	for {
		h, version, err := s.history(ctx)
		if err != nil {
			return err
		}
		p := h.CAs[id]
		if do(&p); p == h.CAs[id] {
			return nil
		}
		if h.CAs[id] = p; p == (past{}) {
			delete(h.CAs, id)
		}
		data, err := vault.Encode(h)
		if err != nil {
			return err
		}
		if _, err = s.Vault.Put(ctx, historyPath, data, version); !errors.Is(err, vault.ErrCAS) {
			return vault.Fault(err)
		}
	}
}

func (s *Service) history(ctx context.Context) (h history, version int, err error) {
	found, err := s.Vault.Get(ctx, historyPath)
	switch {
	case errors.Is(err, vault.ErrNotFound):
	case err != nil:
		return h, 0, vault.Fault(err)
	default:
		if err := found.Data.Decode(&h); err != nil {
			return h, 0, err
		}
	}
	if h.CAs == nil {
		h.CAs = map[string]past{}
	}
	return h, found.Number, nil
}

// Look compares the history with the engine, which an operator may have told to sign with another CA.
func (s *Service) Look(ctx context.Context) error {
	return s.settle(access.OnRecord(ctx), access.Actor{}, "")
}

// settle records which CA is active, and the end of those that no longer are. Of the one that the actor has
// activated, by ID, the audit log knows.
func (s *Service) settle(ctx context.Context, a access.Actor, activated string) error {
	cas, err := s.PKI.CAs(ctx)
	if err != nil {
		return vault.Fault(err)
	}
	h, _, err := s.history(ctx)
	if err != nil {
		return err
	}
	several := len(h.CAs) > 0 || len(cas) > 1 // as long as there is only one, there is nothing to record
	for _, ca := range cas {
		p := h.CAs[ca.ID]
		switch {
		case len(ca.Chain) == 0 || !several:
		case ca.Active && (p.ActivatedAt.IsZero() || !p.RetiredAt.IsZero()):
			known := activated == ca.ID || ca.First && p == past{} // it was the only one until now
			if !known {
				entry := audit.By(access.Actor{}, audit.CAActivated, "ca", ca.ID, "found to be the vault's active CA: "+subject(ca)).In(nil)
				if err := s.Log.AppendAudit(ctx, entry.Notifying(s.message(entry, ca)...)); err != nil {
					return err
				}
			}
			err = s.change(ctx, ca.ID, func(p *past) { p.ActivatedAt, p.RetiredAt, p.Ends = s.Now().UTC(), time.Time{}, time.Time{} })
		case !ca.Active && p == past{} && !ca.First:
			err = s.found(ctx, a, ca)
		case !ca.Active && p.RetiredAt.IsZero() && (!p.ActivatedAt.IsZero() || p == past{}):
			err = s.retire(ctx, a, ca)
		}
		if err != nil {
			return err
		}
	}
	return s.Refresh(ctx)
}

// found notes a CA that nobody has requested here, or whose request was not recorded: it may have signed
// certificates, or none yet.
func (s *Service) found(ctx context.Context, a access.Actor, ca vault.CA) error {
	live, err := s.Certificates.LiveByIssuer(ctx, s.Now())
	if err != nil {
		return err
	}
	if !live[subject(ca)].Last.IsZero() {
		return s.retire(ctx, a, ca)
	}
	now := s.Now().UTC()
	return s.change(ctx, ca.ID, func(p *past) { p.InstalledAt = now })
}

// signing is how long a certificate may take from its preparation to its signature.
const signing = time.Hour

// retire notes that a CA no longer signs certificates, and when the last of them ends: as recorded, or as
// those may that are just being signed. A changed record can't make that earlier.
func (s *Service) retire(ctx context.Context, a access.Actor, ca vault.CA) error {
	cert, err := parse(ca.Chain[0])
	if err != nil {
		return err
	}
	live, err := s.Certificates.LiveByIssuer(ctx, s.Now())
	if err != nil {
		return err
	}
	now := s.Now().UTC()
	ends := slices.MaxFunc([]time.Time{now.Add(s.MaxTTL + signing), live[cert.Subject.String()].Last}, time.Time.Compare)
	if ends.After(cert.NotAfter) {
		ends = cert.NotAfter
	}
	entry := audit.By(a, audit.CARetired, "ca", ca.ID,
		subject(ca)+" signs only its list; its last certificate ends on "+ends.UTC().Format(time.DateOnly)).In(nil)
	if err := s.Log.AppendAudit(ctx, entry.Notifying(s.message(entry, ca)...)); err != nil {
		return err
	}
	return s.change(ctx, ca.ID, func(p *past) { p.RetiredAt, p.Ends = now, ends.UTC() })
}

// Refresh learns what other servers have recorded.
func (s *Service) Refresh(ctx context.Context) error {
	h, _, err := s.history(ctx)
	if err != nil {
		return err
	}
	s.known.Store(&h)
	return nil
}

// Ended reports whether the last certificate of a CA has ended, as last known.
func (s *Service) Ended(id string) bool {
	known := s.known.Load()
	if known == nil {
		return false
	}
	end := known.CAs[id].Ends
	return !end.IsZero() && s.Now().After(end)
}

// Unused reports whether a CA that is not active has signed no certificate, as last known.
func (s *Service) Unused(id string) bool {
	known := s.known.Load()
	if known == nil {
		return false
	}
	p, there := known.CAs[id]
	return there && p.ActivatedAt.IsZero() && p.RetiredAt.IsZero()
}

// StateOf returns the state of a CA with a certificate, as last known.
func (s *Service) StateOf(ca vault.CA, cert *x509.Certificate) State {
	var p past
	if known := s.known.Load(); known != nil {
		p = known.CAs[ca.ID]
	}
	return s.state(CA{CA: ca, Certificate: cert}, p)
}
