package embedded

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/vault"
)

// Prepare implements vault.PKI. Signing writes nothing: the certificate exists in
// its answer alone.
func (e *Engine) Prepare(ctx context.Context, req vault.SignRequest) (vault.Prepared, error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return nil, err
	}
	linted, err := v.cas.Load().active.certificates.Lint(req, e.now())
	if err != nil {
		return nil, err // not linted: a nil *Linted is no nil Prepared
	}
	return linted, nil
}

// Issued implements vault.IssuedLister: the serial numbers logged in this vault.
func (e *Engine) Issued(ctx context.Context, each func(serial string) error) error {
	return intentlog.EachIssuance(ctx, e, func(i intentlog.Entry) error {
		if i.SerialNumber == "" {
			return nil
		}
		return each(i.SerialNumber)
	})
}

// Certificate implements vault.IssuedLister: the vault keeps no certificates.
func (e *Engine) Certificate(ctx context.Context, serial string) ([]byte, error) {
	if _, err := vault.ParseSerial(serial); err != nil {
		return nil, err
	}
	if _, err := e.ready(ctx, "x"); err != nil {
		return nil, err
	}
	return nil, vault.ErrNotFound
}

// revokeBatch is how many revocations one transaction holds.
const revokeBatch = 20_000

// entry is a revocation with its parsed serial number.
type entry struct {
	serial []byte
	vault.Revocation
}

// Revoke implements vault.PKI. Up to 20,000 revocations become durable atomically; more are stored
// in several such batches. After an error the call may be repeated as it was.
func (e *Engine) Revoke(ctx context.Context, revocations ...vault.Revocation) error {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return err
	}
	entries, cas := make([]entry, 0, len(revocations)), v.cas.Load()
	failed := map[string]error{}
	for _, r := range revocations {
		checked, err := e.checkRevocation(r)
		if err != nil {
			return err
		}
		if err := cas.claim(&checked.Revocation); err != nil {
			failed[r.Serial] = err
			continue
		}
		entries = append(entries, checked)
	}
	// Sorted as in the file, a large batch touches each page once. Stable: of two revocations of
	// one certificate the first one counts, as in separate calls.
	slices.SortStableFunc(entries, func(a, b entry) int { return bytes.Compare(a.serial, b.serial) })
	for batch := range slices.Chunk(entries, revokeBatch) {
		if err := v.revoke(ctx, batch); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return &vault.Unrevoked{Failed: failed}
	}
	return nil
}

// claim finds whose list a revocation is for: empty for the first CA's. As long as there is only one, it is that
// one's, whatever the certificate says. Otherwise, the certificate's signature counts.
func (s *authorities) claim(r *vault.Revocation) error {
	if r.CA == "" && len(s.later) > 0 && len(r.Certificate) > 0 {
		cert, err := x509.ParseCertificate(r.Certificate)
		if err != nil || vault.SerialOf(cert.SerialNumber) != r.Serial {
			return invalid("the certificate to revoke can't be read, or has another serial number")
		}
		i := slices.IndexFunc(s.all(), func(a *authority) bool { return len(a.chain) > 0 && cert.CheckSignatureFrom(a.chain[0]) == nil })
		if i < 0 {
			return invalid("the certificate to revoke is of a CA that the vault does not have")
		}
		r.CA = s.all()[i].id
	}
	if id, err := hex.DecodeString(r.CA); err != nil || r.CA != "" && len(id) != caIDSize {
		return invalid("the revocation names no CA")
	}
	if r.CA == s.first.id {
		r.CA = ""
	}
	return nil
}

// RevokesBySerial implements vault.IssuedLister.
func (*Engine) RevokesBySerial() bool { return true }

func (e *Engine) checkRevocation(r vault.Revocation) (entry, error) {
	serial, err := vault.ParseSerial(r.Serial)
	if err != nil {
		return entry{}, err
	}
	if !r.Reason.Valid() {
		return entry{}, invalid("the revocation reason is not one that Keyward uses")
	}
	if r.At.IsZero() {
		r.At = e.now()
	}
	if !encodable(r.At) || !r.NotAfter.IsZero() && !encodable(r.NotAfter) {
		return entry{}, invalid("a time of the revocation is outside the years 1950 to 9999")
	}
	return entry{serial, r}, nil
}

func (v *opened) revoke(ctx context.Context, batch []entry) error {
	var changes []listChange
	return v.writer.do(ctx, 64*len(batch), func(t *txn) error {
		changes = changes[:0]
		for _, r := range batch {
			change, err := t.revoke(r)
			if err != nil {
				return err
			}
			if change != nil {
				changes = append(changes, *change)
			}
		}
		return nil
	}, func() { v.cas.Load().add(changes) })
}

// add puts durable revocations on the lists of their CAs.
func (s *authorities) add(changes []listChange) {
	of := map[string][]listChange{}
	for _, c := range changes {
		of[c.CA] = append(of[c.CA], c)
	}
	for ca, changes := range of {
		a := s.first
		if ca != "" {
			a = s.find(ca)
		}
		if a != nil && a.list != nil { // otherwise its CA is being restored
			a.list.add(changes)
		}
	}
}

// CRL implements vault.PKI.
func (e *Engine) CRL(ctx context.Context, ca string) (vault.CRL, error) {
	list, err := e.listOf(ctx, ca)
	if err != nil {
		return vault.CRL{}, err
	}
	return list.current(ctx)
}

func (e *Engine) listOf(ctx context.Context, ca string) (*revokedList, error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return nil, err
	}
	a := v.cas.Load().find(ca)
	if a == nil || a.list == nil {
		return nil, vault.ErrNotFound
	}
	return a.list, nil
}

// CRLNumber implements vault.Numbered.
func (e *Engine) CRLNumber(ctx context.Context, ca string) (number uint64, thisUpdate time.Time, err error) {
	list, err := e.listOf(ctx, ca)
	if err != nil {
		return 0, time.Time{}, err
	}
	mark, err := list.mark()
	if mark.made.Unix() > 0 { // the list is this CA's
		thisUpdate = mark.made
	}
	return mark.number, thisUpdate, err
}

// RaiseCRL implements vault.Numbered.
func (e *Engine) RaiseCRL(ctx context.Context, ca string, above uint64, each func(number uint64) error) error {
	list, err := e.listOf(ctx, ca)
	if err != nil {
		return err
	}
	for { // a list that is being built already has its number
		if err := list.raise(ctx, above); err != nil {
			return err
		}
		made, err := list.current(ctx)
		if err != nil {
			return err
		}
		if each != nil {
			if err := each(made.Number); err != nil {
				return err
			}
		}
		if made.Number > above {
			return nil
		}
	}
}

// IssueResponder implements vault.PKI.
func (e *Engine) IssueResponder(ctx context.Context, ca string, key crypto.Signer) (*x509.Certificate, error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return nil, err
	}
	a := v.cas.Load().find(ca)
	if a == nil || a.certificates == nil {
		return nil, vault.ErrNotFound
	}
	return a.certificates.Responder(key.Public(), e.now())
}

// listPage is how many revocations one transaction reads. No transaction is open while the caller
// works: it would hold up writers.
const listPage = 1000

// Revoked implements vault.RevokedLister.
func (e *Engine) Revoked(ctx context.Context, each func(vault.Revocation) error) error {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return err
	}
	var last []byte
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%w: %w", vault.ErrUnavailable, err)
		}
		page, next, err := v.revokedPage(last)
		if err != nil {
			return err
		}
		first := v.cas.Load().first.id
		for _, r := range page {
			r.CA = cmp.Or(r.CA, first)
			if err := each(r); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		last = next
	}
}

// revokedPage reads the revocations after a serial; next is nil at the end.
func (v *opened) revokedPage(after []byte) (page []vault.Revocation, next []byte, err error) {
	err = v.view(func(r reader) error {
		page, next = nil, nil
		b := r.tx.Bucket([]byte(bucketRevoked))
		if b == nil {
			return tampered("a bucket is missing")
		}
		c := b.Cursor()
		k, value := c.Seek(after)
		if after != nil && bytes.Equal(k, after) {
			k, value = c.Next()
		}
		for ; k != nil; k, value = c.Next() {
			revocation, err := r.revocation(k, value)
			if err != nil {
				return err
			}
			page = append(page, revocation)
			if len(page) == listPage {
				next = bytes.Clone(k)
				return nil
			}
		}
		return nil
	})
	return page, next, err
}

// expiryGrace is how long the CRL lists a certificate after it expired; see listed.
const expiryGrace = 7 * 24 * time.Hour
