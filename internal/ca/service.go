package ca

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
)

// State is how a CA stands.
type State string

// The states; see the package comment.
const (
	Requested State = "requested" // its certificate is missing
	Ready     State = "ready"     // it has signed nothing yet
	Active    State = "active"
	Retiring  State = "retiring" // it signs its list, and no certificates
	Ended     State = "ended"    // and its last certificate has ended
)

// CA is a certificate authority.
type CA struct {
	vault.CA

	State                            State
	Certificate                      *x509.Certificate // nil while requested
	Request                          *x509.CertificateRequest
	KeyType                          piv.KeyType
	Live                             int64          // certificates that are neither revoked nor ended
	List                             *pki.SignedCRL // as published; nil while requested, or if there is none
	RequestedAt, ActivatedAt, Retire time.Time
	Ends                             time.Time // of a retiring one: no certificate of its lasts longer
}

// Subject is the distinguished name (RFC 4514).
func (c CA) Subject() string {
	if c.Certificate == nil {
		return c.Request.Subject.String()
	}
	return c.Certificate.Subject.String()
}

// Fingerprint is the certificate's SHA-256, hex; empty while requested.
func (c CA) Fingerprint() string {
	if c.Certificate == nil {
		return ""
	}
	sum := sha256.Sum256(c.Certificate.Raw)
	return hex.EncodeToString(sum[:])
}

// SelfSigned reports whether nobody is above it.
func (c CA) SelfSigned() bool {
	return c.Certificate != nil && bytes.Equal(c.Certificate.RawIssuer, c.Certificate.RawSubject)
}

// Issued is what the database has of a CA's certificates.
type Issued struct {
	Live int64
	Last time.Time // when the last of them ends
}

// Certificates counts certificates.
type Certificates interface {
	// LiveByIssuer returns the certificates that are neither revoked nor ended, by the issuer's
	// distinguished name (RFC 4514).
	LiveByIssuer(ctx context.Context, now time.Time) (map[string]Issued, error)
}

// Service is the domain's face to the edges.
type Service struct {
	PKI          vault.PKI
	Vault        vault.KV
	Log          profile.Log
	Certificates Certificates
	Profiles     *profile.Service
	// Lists, if not nil, are what is published.
	Lists interface {
		CRLOf(ctx context.Context, id string) (list *pki.SignedCRL, hit bool, err error)
	}
	// Changed, if not nil, is called once the engine has other CAs.
	Changed func(ctx context.Context)
	MaxTTL  time.Duration // of certificates
	Now     func() time.Time

	known atomic.Pointer[history] // as last read
	count counted
}

// renewBefore is how long before the last certificates that last as long as they should, a CA should be renewed.
const renewBefore = 90 * 24 * time.Hour

// RenewFrom is when a CA should have a successor.
func (s *Service) RenewFrom(c CA) time.Time {
	return c.Certificate.NotAfter.Add(-s.MaxTTL - renewBefore)
}

// Due is a CA that needs a successor.
type Due struct {
	ID      string // empty: none does
	Subject string
	Ends    time.Time
}

// Due returns the active CA if its end will soon shorten certificates. VaultUnavailable.
func (s *Service) Due(ctx context.Context) (Due, error) {
	active, err := vault.ActiveCA(ctx, s.PKI)
	if err != nil {
		return Due{}, vault.Fault(err)
	}
	cert, err := parse(active.Chain[0])
	if err != nil || s.Now().Before(s.RenewFrom(CA{Certificate: cert})) {
		return Due{}, err
	}
	return Due{active.ID, cert.Subject.String(), cert.NotAfter}, nil
}

// List returns all CAs, the active one first, then by age. VaultUnavailable.
func (s *Service) List(ctx context.Context) ([]CA, error) {
	cas, err := s.PKI.CAs(ctx)
	if err != nil {
		return nil, vault.Fault(err)
	}
	h, _, err := s.history(ctx)
	if err != nil {
		return nil, err
	}
	live, err := s.count.of(ctx, s)
	if err != nil {
		return nil, err
	}
	var list []CA
	for _, ca := range cas {
		c, err := s.describe(ctx, ca, h.CAs[ca.ID])
		if err != nil {
			return nil, err
		}
		c.Live = live[c.Subject()].Live
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b CA) int {
		if a.Active != b.Active {
			if a.Active {
				return -1
			}
			return 1
		}
		return b.began().Compare(a.began())
	})
	return list, nil
}

// counted are the certificates by issuer. Counting a million takes a second, which is not done again at once.
type counted struct {
	mu    sync.Mutex
	until time.Time
	live  map[string]Issued
}

// Counts that take longer than slowCount serve for ten times as long as they took.
const slowCount = 100 * time.Millisecond

func (c *counted) of(ctx context.Context, s *Service) (map[string]Issued, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	began := time.Now()
	if began.Before(c.until) {
		return c.live, nil
	}
	live, err := s.Certificates.LiveByIssuer(ctx, s.Now())
	if took := time.Since(began); err == nil && took > slowCount {
		c.live, c.until = live, time.Now().Add(10*took)
	}
	return live, err
}

func (c CA) began() time.Time {
	if c.Certificate == nil {
		return c.RequestedAt
	}
	return c.Certificate.NotBefore
}

func (s *Service) describe(ctx context.Context, ca vault.CA, p past) (c CA, err error) {
	c = CA{CA: ca, RequestedAt: p.RequestedAt, ActivatedAt: p.ActivatedAt, Retire: p.RetiredAt, Ends: p.Ends}
	if len(ca.Chain) == 0 {
		c.State = Requested
		if c.Request, err = x509.ParseCertificateRequest(ca.CSR); err == nil {
			c.KeyType = piv.KeyTypeOf(c.Request.PublicKey)
		}
		return c, err
	}
	if c.Certificate, err = parse(ca.Chain[0]); err != nil {
		return c, err
	}
	c.KeyType = piv.KeyTypeOf(c.Certificate.PublicKey)
	c.State = s.state(c, p)
	if s.Lists != nil {
		c.List, _, _ = s.Lists.CRLOf(ctx, ca.ID) // without one, the page says so
	}
	return c, nil
}

func (s *Service) state(c CA, p past) State {
	now := s.Now()
	switch {
	case c.Active:
		return Active
	case now.After(c.Certificate.NotAfter), !p.Ends.IsZero() && now.After(p.Ends):
		return Ended
	case p.ActivatedAt.IsZero() && p.RetiredAt.IsZero() && p != past{}:
		return Ready
	}
	return Retiring
}

func parse(der []byte) (*x509.Certificate, error) { return x509.ParseCertificate(der) }

// subject is a CA's name in the audit log.
func subject(ca vault.CA) string {
	if len(ca.Chain) == 0 {
		if request, err := x509.ParseCertificateRequest(ca.CSR); err == nil {
			return request.Subject.String()
		}
		return ca.ID
	}
	if cert, err := parse(ca.Chain[0]); err == nil {
		return cert.Subject.String()
	}
	return ca.ID
}

// message tells every global administrator of a change, whoever made it: the session may have been stolen.
func (s *Service) message(entry audit.Entry, ca vault.CA) []notify.Message {
	params := notify.Params{"action": string(entry.Action), "ca": subject(ca)}
	if entry.ActorID != nil {
		params["by"] = entry.Actor
	}
	return []notify.Message{{Kind: notify.CAChanged, At: s.Now(), Params: params}}
}
