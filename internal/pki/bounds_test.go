package pki

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// shelf is the servers' shared store, in memory; if it hangs, it answers only when the caller gives
// up.
type shelf struct {
	mu     sync.Mutex
	hangs  bool
	copies []CRLCopy
	writes int
}

func (s *shelf) answer(ctx context.Context) error {
	s.mu.Lock()
	hangs := s.hangs
	s.mu.Unlock()
	if hangs {
		<-ctx.Done()
	}
	return ctx.Err()
}

func (s *shelf) CRLMark(ctx context.Context) (int64, error) { return 1, s.answer(ctx) }

func (s *shelf) KeepCRL(ctx context.Context, c CRLCopy) error {
	s.mu.Lock()
	s.writes++
	s.copies = append(s.copies, c)
	s.mu.Unlock()
	return s.answer(ctx)
}

func (s *shelf) CRLCopies(ctx context.Context) ([]CRLCopy, error) {
	copies := slices.Clone(s.copies)
	slices.Reverse(copies)
	return copies, s.answer(ctx)
}

func (s *shelf) NewerCRL(ctx context.Context, _ []byte, _ uint64) (CRLCopy, bool, error) {
	return CRLCopy{}, false, s.answer(ctx)
}

func (s *shelf) NewestCertificate(ctx context.Context, _ string) ([]byte, error) {
	return nil, s.answer(ctx)
}

// slowVault returns its list unless the caller has no time left; if it hangs, it never answers.
type slowVault struct {
	vault.PKI
	list  vault.CRL
	hangs bool
}

func (v *slowVault) CRL(ctx context.Context, _ string) (vault.CRL, error) {
	return v.list, v.answer(ctx)
}

func (v *slowVault) answer(ctx context.Context) error {
	if v.hangs {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return vault.ErrSlow
	}
	return nil
}

func (v *slowVault) CAs(ctx context.Context) ([]vault.CA, error) {
	return []vault.CA{{ID: "a", Chain: [][]byte{v.list.CA}, Active: true, First: true}}, v.answer(ctx)
}

// TestDatabaseHangs: a database that does not answer keeps nobody from the vault's list.
func TestDatabaseHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &slowVault{list: vault.CRL{DER: []byte{1}, Number: 1, NextUpdate: time.Now().Add(48 * time.Hour)}}
		c := &CRLCache{PKI: v, Now: time.Now, Shared: &shelf{hangs: true}}
		if _, hit, err := c.CRL(t.Context()); hit || err != nil {
			t.Errorf("hit %v, %v", hit, err)
		}
	})
}

// TestVaultHangs: a vault that does not answer leaves time for the copy in the database, and
// callers that wait for nothing wait only once, together.
func TestVaultHangs(t *testing.T) {
	t.Parallel()
	list, ca := signedList(t)
	synctest.Test(t, func(t *testing.T) {
		kept := CRLCopy{Chain: [][]byte{ca}, DER: list.DER, Number: list.Number, FetchedAt: time.Now()}
		c := &CRLCache{PKI: &slowVault{hangs: true}, Now: time.Now, Shared: &shelf{copies: []CRLCopy{kept}}}
		if got, hit, err := c.CRL(t.Context()); err != nil || !hit || got.Number != list.Number {
			t.Errorf("hit %v, %v", hit, err)
		}
		none := &CRLCache{PKI: &slowVault{hangs: true}, Now: time.Now, Shared: &shelf{hangs: true}}
		begun := time.Now()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if _, _, err := none.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took, longest := time.Since(begun), markTimeout+fetchTimeout+copyTimeout; took > longest {
			t.Errorf("ten waited for %s", took)
		}
	})
}

// signedList is a real list, and the certificate of its CA.
func signedList(t *testing.T) (vault.CRL, []byte) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	from, until := time.Unix(0, 0), time.Now().AddDate(100, 0, 0) // the bubble begins in 2000
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Root"}, NotBefore: from, NotAfter: until, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, SubjectKeyId: []byte{1},
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	ca := must.Get(x509.ParseCertificate(der))(t)
	empty := &x509.RevocationList{Number: big.NewInt(7), ThisUpdate: from, NextUpdate: until}
	list := must.Get(x509.CreateRevocationList(rand.Reader, empty, ca, key))(t)
	return vault.CRL{DER: list, CA: der, Number: 7, ThisUpdate: from, NextUpdate: until}, der
}

// TestKeep: no request waits for the database to store a list. A long list is rewritten only after
// a while, but its time at once, and all at the end.
func TestKeep(t *testing.T) {
	t.Parallel()
	now := time.Now()
	v := &slowVault{list: vault.CRL{DER: make([]byte, 10*slowBytes), Number: 1, NextUpdate: now.Add(48 * time.Hour)}}
	s := &shelf{}
	c := &CRLCache{PKI: v, Now: func() time.Time { return now }, Shared: s}
	keep := func(what string, atOnce bool, writes int, number uint64) {
		t.Helper()
		must.OK(t, c.Keep(t.Context(), atOnce))
		if s.writes != writes || writes > 0 && s.copies[writes-1].Number != number {
			t.Errorf("%s: %d writes", what, s.writes)
		}
	}
	keep("nothing yet", true, 0, 0)
	must.Both(c.CRL(t.Context()))(t)
	if s.writes != 0 {
		t.Error("the request wrote it")
	}
	keep("the first", false, 1, 1)
	keep("nothing new", true, 1, 1)
	must.OK(t, c.Refresh(t.Context()))
	keep("fetched again", false, 2, 1)
	v.list.Number = 2
	must.OK(t, c.Refresh(t.Context()))
	keep("too soon", false, 2, 1)
	now = now.Add(10 * time.Second)
	keep("after a while", false, 3, 2)
	v.list.Number = 3
	must.OK(t, c.Refresh(t.Context()))
	keep("at the end", true, 4, 3)
	must.OK(t, c.Refresh(t.Context()))
	s.hangs = true
	ended, end := context.WithCancel(t.Context())
	end()
	if c.Keep(ended, true) == nil {
		t.Error("it was not kept")
	}
	s.hangs = false
	keep("tried again", true, 6, 3)
}
