package vaultpart

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup/union"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/vault"
)

// Survey is what a backup has of the vault. Its zero value is ready. A restore looks
// at every secret before it changes anything, and then takes those alone that it has
// seen: what a second reading of the file gives otherwise is refused.
type Survey struct {
	Judge union.Judge

	count        Count
	ca           authority
	last         wireCRL
	numbered     bool               // that is there
	published    []vault.Revocation // of a list that was published after the backup
	installation vault.Data
	seal         vault.Data // by what the audit log is verified
	key, head    vault.Data // of the first versions, instead
	digests      map[digest]struct{}
}

// digest is of a path and its document: 16 bytes are enough, since nobody chooses a
// file's second reading.
type digest [16]byte

func digestOf(path string, data vault.Data) digest {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d %s %s", len(path), path, []byte(data))
	return digest(h.Sum(nil)[:16])
}

// Look takes one secret of the file; its error says that no restore could use it. It
// is for archive.Read.
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
		err = hwkey.CheckDocument(data)
	case class == Installation:
		s.installation = data
	case class == Audit:
		s.seal, err = data, chain.CheckClosed(data)
	case path == caPath:
		s.ca, err = parseCA(data)
	case path == crlPath:
		s.last, err = parseCRL(data)
		s.numbered = true
	case isRevocations(path):
		_, err = parseRevocations(data)
	}
	return err
}

// Seals tells whether what seals a batch of the audit log can be verified after a restore.
func (s *Survey) Seals(b chain.Batch) bool { return chain.Knows(s.seal, b) }

// SealsIn is Seals with what a vault itself has. VaultUnavailable.
func (s *Survey) SealsIn(ctx context.Context, kv vault.KV, b chain.Batch) (bool, error) {
	return chain.Seals(ctx, kv, s.seal, b)
}

// Whole tells, after all was seen, whether it has what a restore can't make anew. Its error
// is BackupCorrupt.
func (s *Survey) Whole() (err error) {
	if s.seal == nil && s.key != nil {
		if s.seal, err = chain.ClosingOf(s.key, s.head); err != nil {
			return union.Unknown(chain.KeyPath)
		}
	}
	switch {
	case s.Installation() == "":
		return union.Unfit(fault.Sayf("judged_no_document", "It has no vault document {path}.", fault.Params{"path": installationPath}))
	case len(s.ca.chain) > 0 && !s.numbered:
		return union.Unfit(fault.Sayf("judged_no_document", "It has no vault document {path}.", fault.Params{"path": crlPath}))
	}
	return nil
}

// Publish adds what the last published list of the backup's CA has: what was revoked after
// the backup. Conflict for a list of another CA.
func (s *Survey) Publish(list *x509.RevocationList) error {
	other := fault.New(fault.Conflict, "crl_of_another_ca", "The list of revoked certificates is not signed by the backup's CA. Nothing "+
		"was changed. Use the last list that this CA published.")
	if len(s.ca.chain) == 0 {
		return other
	}
	ca, err := x509.ParseCertificate(s.ca.chain[0])
	if err != nil || list.CheckSignatureFrom(ca) != nil {
		return other
	}
	if list.Number == nil || !list.Number.IsUint64() || list.Number.Uint64() > union.Highest {
		return union.Unfit(fault.Sayf("judged_number", "{place} is not a number between 0 and 2^52.", fault.Params{"place": "CRL"}))
	}
	if n := list.Number.Uint64(); n > s.last.Number {
		s.last = wireCRL{n, list.ThisUpdate}
	}
	for _, e := range list.RevokedCertificateEntries {
		r := vault.Revocation{Serial: vault.SerialOf(e.SerialNumber), At: e.RevocationTime, Reason: vault.Reason(e.ReasonCode)}
		if !r.Reason.Valid() {
			r.Reason = vault.Unspecified
		}
		s.published = append(s.published, r)
	}
	return nil
}

// above is what the number of the next list has to be above.
func (s *Survey) above(now time.Time) uint64 {
	if !s.ca.key { // its vault is another one, which counts for itself
		return s.last.Number
	}
	at := s.last.ThisUpdate
	if at.IsZero() {
		at = s.Judge.CreatedAt
	}
	return min(vault.Ahead(s.last.Number, at, now)-1, vault.HighestCRL)
}

// Count is what Look has seen.
func (s *Survey) Count() Count { return s.count }

// Installation is the number of the backup's installation; empty when it has none.
func (s *Survey) Installation() string {
	var is struct {
		ID string `json:"id"`
	}
	if s.installation == nil || s.installation.Decode(&is) != nil {
		return ""
	}
	return is.ID
}

// Chain is the backup's CA with those above it (DER), the CA first; none when it has
// no CA.
func (s *Survey) Chain() [][]byte { return s.ca.chain }

// HasKey tells whether the CA is there with its key.
func (s *Survey) HasKey() bool { return s.ca.key }

func (s *Survey) saw(path string, data vault.Data) bool {
	_, ok := s.digests[digestOf(path, data)]
	return ok
}

// SameCA tells whether a vault's CA is the backup's, or the backup has none. Another
// one is replaced only when somebody says so (Options.ReplaceCA).
func SameCA(ctx context.Context, to vault.PKI, of *Survey) (bool, error) {
	if len(of.ca.chain) == 0 {
		return true, nil
	}
	ca, err := to.CA(ctx)
	return bytes.Equal(ca, of.ca.chain[0]), vault.Fault(err)
}
