package chain

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/keyward/keyward/internal/vault"
)

// Paths in the vault. The underscore distinguishes them from every token's serial.
const (
	keyPath  = "audit_seal/key"
	headPath = "audit_seal/head"
)

// signingKey signs batches and heads.
type signingKey struct {
	id      string // the first 8 bytes of the public key's SHA-256, hex
	public  ed25519.PublicKey
	private ed25519.PrivateKey
}

// KeyID returns a public key's ID.
func KeyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

func (k *signingKey) sign(message []byte) string {
	return hex.EncodeToString(ed25519.Sign(k.private, message))
}

// head returns the signed head after a batch.
func (k *signingKey) head(b Batch) Head {
	h := Head{Segment: b.Segment, Batch: b.ID, LastID: b.LastID, SealedAt: b.SealedAt, Hash: b.Hash, KeyID: k.id}
	h.Signature = k.sign(h.message())
	return h
}

// storedKey is the document in the vault.
type storedKey struct {
	PrivateKey []byte `json:"private_key"` // the seed, in base64
}

// errNoKey means that the vault never had a key.
var errNoKey = errors.New("audit chain: the vault has no key for sealing")

// readKey returns errNoKey if there is none.
func readKey(ctx context.Context, kv vault.KV) (*signingKey, error) {
	v, err := kv.Get(ctx, keyPath)
	if errors.Is(err, vault.ErrNotFound) {
		return nil, errNoKey
	}
	if err != nil {
		return nil, vault.Fault(err)
	}
	return parseKey(v.Data)
}

func parseKey(data vault.Data) (*signingKey, error) {
	var document storedKey
	if data.Decode(&document) != nil || len(document.PrivateKey) != ed25519.SeedSize {
		return nil, errors.New("audit chain: the key for sealing in the vault is not of its form")
	}
	private := ed25519.NewKeyFromSeed(document.PrivateKey)
	public := private.Public().(ed25519.PublicKey)
	return &signingKey{KeyID(public), public, private}, nil
}

// makeKey creates the key. If two servers start at once, one wins the check-and-set
// and both use the stored key.
func makeKey(ctx context.Context, kv vault.KV) (*signingKey, error) {
	document := storedKey{make([]byte, ed25519.SeedSize)}
	if _, err := rand.Read(document.PrivateKey); err != nil {
		return nil, fmt.Errorf("audit chain: new key: %w", err)
	}
	data, err := vault.Encode(document)
	if err != nil {
		return nil, err
	}
	if _, err := kv.Put(ctx, keyPath, data, 0); err != nil && !errors.Is(err, vault.ErrCAS) {
		return nil, vault.Fault(err)
	}
	key, err := readKey(ctx, kv)
	if errors.Is(err, errNoKey) {
		return nil, errors.New("audit chain: the sealing key was deleted from the vault: undelete it")
	}
	return key, err
}

// storedHead is the vault's head and its version; zero if there is none.
type storedHead struct {
	Head

	version int
}

func readHead(ctx context.Context, kv vault.KV) (storedHead, error) {
	v, err := kv.Get(ctx, headPath)
	if errors.Is(err, vault.ErrNotFound) {
		return storedHead{}, nil
	}
	if err != nil {
		return storedHead{}, vault.Fault(err)
	}
	h, err := parseHead(v.Data)
	return storedHead{h, v.Number}, err
}

func parseHead(data vault.Data) (h Head, err error) {
	if data.Decode(&h) != nil || h.Batch < 1 {
		return Head{}, errors.New("audit chain: the head in the vault is not of its form")
	}
	return h, nil
}

// writeHead replaces the vault's head, unless that is at least as new.
func writeHead(ctx context.Context, kv vault.KV, h Head) error {
	for {
		stored, err := readHead(ctx, kv)
		if err != nil || stored.Batch >= h.Batch {
			return err
		}
		h.SealedAt = h.SealedAt.UTC()
		data, err := vault.Encode(h)
		if err != nil {
			return err
		}
		_, err = kv.Put(ctx, headPath, data, stored.version)
		if !errors.Is(err, vault.ErrCAS) {
			return vault.Fault(err)
		}
		// Another server has written one: check again whether ours is newer.
	}
}
