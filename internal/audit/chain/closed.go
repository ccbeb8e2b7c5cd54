package chain

import (
	"context"
	"crypto/ed25519"
	"errors"

	"github.com/keyward/keyward/internal/vault"
)

// Paths of the vault that a backup treats by themselves.
const (
	KeyPath  = keyPath  // is in no backup
	HeadPath = headPath // nor this: it goes with its key
	// ClosedPath is where the vault keeps the public keys of segments that are over. A backup
	// has no private key, so a vault that was restored from one seals with a key of its own.
	ClosedPath = "audit_seal/closed"
)

// closedKey is a key that seals no more.
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

// CheckClosed tells whether a document has the form of that at ClosedPath.
func CheckClosed(data vault.Data) error {
	_, err := parseClosed(data)
	return err
}

// newest is the newest head of a key that seals no more; the zero one when there is none.
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

// Closing is the document at ClosedPath as a backup has it: there the present key, too, is
// one that seals no more. Nil where there was never a key.
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

// ClosingOf makes that document of a backup's documents at KeyPath and HeadPath, nil where it
// has none: the first versions took the private key along, which goes no further.
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

// Learn adds the keys of a backup's document at ClosedPath to the vault's, but for those that
// it has: the logs that they sealed can be verified then.
func Learn(ctx context.Context, kv vault.KV, document vault.Data) error {
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

// closedAt is the document with what its next version follows: of one that was deleted, its
// versions still count.
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

// Seals tells whether the vault's present key sealed a batch, or a former one that it or a
// backup's document at ClosedPath names. VaultUnavailable.
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

// Knows tells whether the document at ClosedPath has the key of a batch; it may be nil.
func Knows(data vault.Data, b Batch) bool {
	c, err := parseClosed(data)
	for _, k := range c.Keys {
		if err == nil && KeyID(k.PublicKey) == b.KeyID {
			return true
		}
	}
	return false
}

// place is that of the key among those of an anchor, -1 for none of them: of two like ones
// the last.
func (a Anchor) place(id string) int {
	for i := len(a.Keys) - 1; i >= 0; i-- {
		if KeyID(a.Keys[i]) == id {
			return i
		}
	}
	return -1
}

// signed tells whether one of the keys signed a head.
func (a Anchor) signed(h *Head) bool {
	i := a.place(h.KeyID)
	return i >= 0 && h.Verify(a.Keys[i])
}
