package vaultpart

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
)

// Survey is what a backup has of the vault. Its zero value is usable. A restore
// surveys every secret before it changes anything, and then only accepts those seen:
// anything else in the second reading of the file is refused.
type Survey struct {
	Judge restore.Judge

	count        Count
	first        authority // without a chain: no CA in the backup
	later        []authority
	published    []vault.Revocation // from a CRL published after the backup
	installation vault.Data
	seal         vault.Data // keys to verify the audit log
	key, head    vault.Data // in backups of the first versions, instead
	digests      map[digest]struct{}
}

// digest is the digest of a path and its document: 16 bytes suffice, since no one
// can choose a file's second reading.
type digest [16]byte

func digestOf(path string, data vault.Data) digest {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d %s %s", len(path), path, []byte(data))
	return digest(h.Sum(nil)[:16])
}

// Look checks one secret of the file; its error says that no restore could use it.
// It is for Archive.Read.
func (s *Survey) Look(path string, data vault.Data) error {
	if err := s.look(path, data); err != nil {
		return fmt.Errorf("the backup's document %q cannot be used: %w", path, err)
	}
	if s.digests == nil {
		s.digests = map[digest]struct{}{}
	}
	s.digests[digestOf(path, data)] = struct{}{}
	s.count.add(path)
	return nil
}

func (s *Survey) look(path string, data vault.Data) (err error) {
	if err := vault.CheckPath(path); err != nil {
		return err
	}
	if err := data.Check(); err != nil {
		return err
	}
	switch path {
	case chain.KeyPath:
		s.key = data
	case chain.HeadPath:
		s.head = data
	}
	class := ClassOf(path)
	if class != Own && class != Other {
		if err := judge(s.Judge, path, data); err != nil {
			return err
		}
	}
	switch {
	case class == Secrets:
		err = custody.CheckDocument(data)
	case class == Installation:
		s.installation = data
	case class == Audit:
		s.seal, err = data, chain.CheckClosed(data)
	case path == caPath:
		was := s.first
		s.first, err = parseCA(data)
		s.first.First, s.first.last, s.first.numbered = true, was.last, was.numbered
		if err == nil && len(s.first.Chain) == 0 {
			err = errForm
		}
	case path == crlPath:
		s.first.last, err = parseCRL(data)
		s.first.numbered = true
	case strings.HasPrefix(path, casPath):
		var a authority
		if a, err = parseCA(data); err == nil && casPath+a.ID != path {
			err = errForm
		}
		s.later = append(s.later, a)
	case isRevocations(path):
		_, err = parseRevocations(data)
	}
	return err
}

// Seals reports whether the seal of an audit batch can be verified after a restore.
func (s *Survey) Seals(b chain.Batch) bool { return chain.Knows(s.seal, b) }

// SealsIn is Seals with a vault's own keys added. VaultUnavailable.
func (s *Survey) SealsIn(ctx context.Context, kv vault.KV, b chain.Batch) (bool, error) {
	return chain.Seals(ctx, kv, s.seal, b)
}

// Whole checks, after all documents were seen, that nothing is missing that a
// restore cannot recreate. Its error is BackupCorrupt.
func (s *Survey) Whole() (err error) {
	if s.seal == nil && s.key != nil {
		if s.seal, err = chain.ClosingOf(s.key, s.head); err != nil {
			return restore.Unknown(chain.KeyPath)
		}
	}
	switch {
	case s.Installation() == "":
		return restore.Unfit(fault.Sayf("judged_no_document", "It has no vault document {path}.", fault.Params{"path": installationPath}))
	case len(s.first.Chain) > 0 && !s.first.numbered:
		return restore.Unfit(fault.Sayf("judged_no_document", "It has no vault document {path}.", fault.Params{"path": crlPath}))
	}
	return nil
}

// cas are the backup's CAs: none, or the first of them first.
func (s *Survey) cas() []authority {
	if len(s.first.Chain) == 0 {
		return nil
	}
	list := append([]authority{s.first}, s.later...)
	list[0].Active = !slices.ContainsFunc(s.later, func(a authority) bool { return a.Active })
	return list
}

// Publish adds the revocations of the CRL last published by a CA of the backup's, which
// may be later than the backup. Conflict for a CRL of another CA.
func (s *Survey) Publish(list *x509.RevocationList) error {
	other := fault.New(fault.Conflict, "crl_of_another_ca", "The list of revoked certificates is not signed by the backup's CA. Nothing "+
		"was changed. Use the last list that this CA published.")
	cas := s.cas()
	i := slices.IndexFunc(cas, func(a authority) bool {
		if len(a.Chain) == 0 {
			return false
		}
		ca, err := x509.ParseCertificate(a.Chain[0])
		return err == nil && list.CheckSignatureFrom(ca) == nil
	})
	if i < 0 {
		return other
	}
	if list.Number == nil || !list.Number.IsUint64() || list.Number.Uint64() > restore.Highest {
		return restore.Unfit(fault.Sayf("judged_number", "{place} is not a number between 0 and 2^52.", fault.Params{"place": "CRL"}))
	}
	of := &s.first
	if i > 0 {
		of = &s.later[i-1]
	}
	if n := list.Number.Uint64(); n > of.last.Number {
		of.last = wireCRL{n, list.ThisUpdate}
	}
	for _, e := range list.RevokedCertificateEntries {
		r := vault.Revocation{Serial: vault.SerialOf(e.SerialNumber), CA: of.ID, At: e.RevocationTime, Reason: vault.Reason(e.ReasonCode)}
		if !r.Reason.Valid() {
			r.Reason = vault.Unspecified
		}
		s.published = append(s.published, r)
	}
	return nil
}

// above returns the number that the next CRL's of a CA must exceed.
func (s *Survey) above(a authority, now time.Time) uint64 {
	if !a.key { // its vault is another one, which counts for itself
		return a.last.Number
	}
	at := a.last.ThisUpdate
	if at.IsZero() {
		at = s.Judge.CreatedAt
	}
	return min(vault.NumberAfterRestart(a.last.Number, at, now)-1, vault.HighestCRL)
}

// Count returns what Look has seen.
func (s *Survey) Count() Count { return s.count }

// Installation returns the id of the backup's installation; empty if none.
func (s *Survey) Installation() string {
	var is struct {
		ID string `json:"id"`
	}
	if s.installation == nil || s.installation.Decode(&is) != nil {
		return ""
	}
	return is.ID
}

// Active returns the CA that signs, in the backup; false if it has none.
func (s *Survey) Active() (vault.CA, bool) {
	for _, a := range s.cas() {
		if a.Active {
			return a.CA, true
		}
	}
	return vault.CA{}, false
}

// HasKey reports whether the CAs' keys are included.
func (s *Survey) HasKey() bool { return s.first.key }

func (s *Survey) saw(path string, data vault.Data) bool {
	_, ok := s.digests[digestOf(path, data)]
	return ok
}

// SameCA reports whether a vault's first CA is the backup's, or the backup has none. A
// different one is only replaced on request (Options.ReplaceCA); later ones are added to it.
func SameCA(ctx context.Context, to vault.PKI, of *Survey) (bool, error) {
	if len(of.first.Chain) == 0 {
		return true, nil
	}
	cas, err := to.CAs(ctx)
	i := slices.IndexFunc(cas, func(ca vault.CA) bool { return ca.First })
	return i >= 0 && bytes.Equal(cas[i].Chain[0], of.first.Chain[0]), vault.Fault(err)
}
