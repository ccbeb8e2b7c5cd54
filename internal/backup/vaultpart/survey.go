package vaultpart

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/vault"
)

// Survey is what a backup has of the vault. Its zero value is ready. A restore looks
// at every secret before it changes anything, and then takes those alone that it has
// seen: what a second reading of the file gives otherwise is refused.
type Survey struct {
	count        Count
	ca           authority
	number       uint64 // of its last CRL
	installation vault.Data
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
	switch class := ClassOf(path); {
	case class == Secrets:
		err = hwkey.CheckDocument(data)
	case class == Installation:
		s.installation = data
	case path == caPath:
		s.ca, err = parseCA(data)
	case path == crlPath:
		s.number, err = parseCRL(data)
	case isRevocations(path):
		_, err = parseRevocations(data)
	}
	return err
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
