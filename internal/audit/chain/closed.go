package chain

import (
	"context"
	"crypto/ed25519"
	"errors"

	"github.com/keyward/keyward/internal/vault"
)

// Paths in the vault that a backup treats specially.
const (
	KeyPath  = keyPath  // in no backup
	HeadPath = headPath // neither: it belongs to its key
	// ClosedPath stores the public keys of former segments. A backup has no private key,
	// so a vault restored from one seals with a new key.
	ClosedPath = "audit_seal/closed"
)

// closedKey is a key that no longer seals.
type closedKey struct {
	PublicKey []byte `json:"public_key"`
	Head      Head   `json:"head,omitzero"` // the newest that it is known to have signed
}

// closed is the document at ClosedPath.
type closed struct {
	Keys []closedKey `json:"keys"`
}

func readClosed(ctx context.Context, kv vault.KV) (closed, error) {
	v, err := kv.Get(ctx, ClosedPath)
	if errors.Is(err, vault.ErrNotFound) {
		return closed{}, nil
	}
	if err != nil {
		return closed{}, vault.Fault(err)
	}
	return parseClosed(v.Data)
}

func parseClosed(data vault.Data) (c closed, err error) {
	wrong := data.Decode(&c) != nil
	for _, k := range c.Keys {
		wrong = wrong || len(k.PublicKey) != ed25519.PublicKeySize || k.Head.Batch != 0 && !k.Head.Verify(k.PublicKey)
	}
	if wrong {
		return closed{}, errors.New("audit chain: the former keys in the vault (" + ClosedPath + ") are not of their form")
	}
	return c, nil
}

// CheckClosed checks that a document is valid for ClosedPath.
func CheckClosed(data vault.Data) error {
	_, err := parseClosed(data)
	return err
}

// newest returns the newest head of the former keys; zero if there is none.
func (c closed) newest() (h Head) {
	for _, k := range c.Keys {
		if k.Head.Batch > h.Batch {
			h = k.Head
		}
	}
	return h
}

func (c closed) public() (keys []ed25519.PublicKey) {
	for _, k := range c.Keys {
		keys = append(keys, k.PublicKey)
	}
	return keys
}

// Closing returns the document for ClosedPath in a backup, in which the current key
// is also a former one. Nil if there never was a key.
func Closing(ctx context.Context, kv vault.KV) (vault.Data, error) {
	c, err := readClosed(ctx, kv)
	if err != nil {
		return nil, err
	}
	key, err := readKey(ctx, kv)
	if errors.Is(err, errNoKey) {
		return c.data()
	}
	if err != nil {
		return nil, err
	}
	head, err := readHead(ctx, kv)
	if err != nil {
		return nil, err
	}
	c.Keys = append(c.Keys, closedKey{key.public, head.Head})
	return c.data()
}

// ClosingOf makes that document from a backup's documents at KeyPath and HeadPath
// (nil if missing): the first versions backed up the private key, which is dropped.
func ClosingOf(key, head vault.Data) (vault.Data, error) {
	k, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	last := closedKey{PublicKey: k.public}
	if head != nil {
		if last.Head, err = parseHead(head); err != nil {
			return nil, err
		}
	}
	return closed{[]closedKey{last}}.data()
}

// ImportVerificationKeys adds the missing keys of a backup's document at ClosedPath to the vault's,
// so that the logs that they sealed can be verified.
func ImportVerificationKeys(ctx context.Context, kv vault.KV, document vault.Data) error {
	from, err := parseClosed(document)
	if err != nil {
		return err
	}
	there, version, err := closedAt(ctx, kv)
	if err != nil {
		return err
	}
	known := Anchor{Keys: there.public()}
	switch key, err := readKey(ctx, kv); {
	case err == nil:
		known.Keys = append(known.Keys, key.public)
	case !errors.Is(err, errNoKey):
		return err
	}
	learned := false
	for _, k := range from.Keys {
		if known.place(KeyID(k.PublicKey)) < 0 {
			there.Keys, learned = append(there.Keys, k), true
		}
	}
	if !learned {
		return nil
	}
	data, err := there.data()
	if err == nil {
		_, err = kv.Put(ctx, ClosedPath, data, version)
	}
	return err
}

// closedAt returns the document and the version that its next one follows: the
// versions of a deleted document still count.
func closedAt(ctx context.Context, kv vault.KV) (c closed, version int, err error) {
	v, err := kv.Get(ctx, ClosedPath)
	if err == nil {
		c, err = parseClosed(v.Data)
		return c, v.Number, err
	}
	if !errors.Is(err, vault.ErrNotFound) {
		return c, 0, err
	}
	switch m, err := kv.Metadata(ctx, ClosedPath); {
	case err == nil:
		return c, m.CurrentVersion, nil
	case errors.Is(err, vault.ErrNotFound):
		return c, 0, nil
	default:
		return c, 0, err
	}
}

// Seals reports whether a batch was sealed by the vault's current key, or by a
// former one listed at ClosedPath in the vault or in a backup's document.
// VaultUnavailable.
func Seals(ctx context.Context, kv vault.KV, document vault.Data, b Batch) (bool, error) {
	there, err := readClosed(ctx, kv)
	if err != nil {
		return false, err
	}
	keys := there.public()
	switch key, err := readKey(ctx, kv); {
	case err == nil:
		keys = append(keys, key.public)
	case !errors.Is(err, errNoKey):
		return false, err
	}
	return Knows(document, b) || (Anchor{Keys: keys}).sealed(b), nil
}

func (c closed) data() (vault.Data, error) {
	if len(c.Keys) == 0 {
		return nil, nil
	}
	for i := range c.Keys {
		c.Keys[i].Head.SealedAt = c.Keys[i].Head.SealedAt.UTC()
	}
	return vault.Encode(c)
}

// Knows reports whether the document at ClosedPath, which may be nil, has the batch's key.
func Knows(data vault.Data, b Batch) bool {
	c, err := parseClosed(data)
	for _, k := range c.Keys {
		if err == nil && KeyID(k.PublicKey) == b.KeyID {
			return true
		}
	}
	return false
}

// place returns the index of the key in an anchor, of duplicates the last; -1 if it is not there.
func (a Anchor) place(id string) int {
	for i := len(a.Keys) - 1; i >= 0; i-- {
		if KeyID(a.Keys[i]) == id {
			return i
		}
	}
	return -1
}

// signed reports whether one of the keys signed a head.
func (a Anchor) signed(h *Head) bool {
	i := a.place(h.KeyID)
	return i >= 0 && h.Verify(a.Keys[i])
}
