package embedded

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"sync"

	"github.com/keyward/keyward/internal/vault"
)

const (
	saltSize = 16
	tagSize  = 16
	overhead = saltSize + tagSize
)

// keyring holds the keys derived from the vault's data-encryption key.
//
// A sealed value is salt ‖ AES-256-GCM ciphertext with tag. Its key is
// HMAC-SHA256(record key, salt), used for this one message, so the nonce can
// be constant and the number of writes has no practical limit (a random
// 96-bit nonce under one key would end at 2^32). The associated data is the
// record's place: a value moved to another bucket or path does not open.
type keyring struct {
	record []byte
	macs   sync.Pool // of hash.Hash: HMAC under the set key
}

func newKeyring(dek []byte) (*keyring, error) {
	record, err := hkdf.Expand(sha256.New, dek, "keyward vault 1 record", keySize)
	if err != nil {
		return nil, err
	}
	set, err := hkdf.Expand(sha256.New, dek, "keyward vault 1 set", keySize)
	if err != nil {
		return nil, err
	}
	k := &keyring{record: record}
	k.macs.New = func() any { return hmac.New(sha256.New, set) }
	return k, nil
}

// place is the associated data of a record. The lengths make it injective.
func place(bucket string, key, extra []byte) []byte {
	b := make([]byte, 0, 8+len(bucket)+len(key)+len(extra))
	b = append(b, byte(len(bucket)))
	b = append(b, bucket...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(key)))
	b = append(b, key...)
	return append(b, extra...)
}

// seal encrypts the parts as one text. They are copied once; that copy becomes the ciphertext.
func (k *keyring) seal(bucket string, key, extra []byte, plain ...[]byte) []byte {
	size := overhead
	for _, part := range plain {
		size += len(part)
	}
	b := make([]byte, saltSize, size)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	for _, part := range plain {
		b = append(b, part...)
	}
	salt, text := b[:saltSize], b[saltSize:]
	return aead(k.derive(salt)).Seal(salt, zeroNonce[:], text, place(bucket, key, extra))
}

// open returns vault.ErrTampered for anything that seal did not write there.
func (k *keyring) open(bucket string, key, extra, sealed []byte) ([]byte, error) {
	if len(sealed) < overhead {
		return nil, tampered("a record is too short")
	}
	gcm := aead(k.derive(sealed[:saltSize]))
	plain, err := gcm.Open(nil, zeroNonce[:], sealed[saltSize:], place(bucket, key, extra))
	if err != nil {
		return nil, tampered("a record fails authentication")
	}
	return plain, nil
}

func (k *keyring) derive(salt []byte) []byte {
	h := hmac.New(sha256.New, k.record)
	h.Write(salt)
	return h.Sum(nil)
}

// mac authenticates a record's bytes together with their place. The first
// half may be stored as a tag; the second half stays secret and is the
// record's share in the set sum.
func (k *keyring) mac(bucket string, key, content []byte) (m [sha256.Size]byte) {
	h := k.macs.Get().(hash.Hash)
	h.Reset()
	var head [64]byte
	b := append(head[:0], byte(len(bucket)))
	b = append(b, bucket...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(key)))
	h.Write(b)
	h.Write(key)
	h.Write(content)
	h.Sum(m[:0])
	k.macs.Put(h)
	return m
}

var zeroNonce [12]byte

// aead panics only for a key of the wrong size, which derive never returns.
func aead(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return gcm
}

// errWrongKey: the key is valid, but not this vault's.
var errWrongKey = errors.New("the seal key is not the one that this vault was created with")

func tampered(what string) error { return fmt.Errorf("%w: %s", vault.ErrTampered, what) }
func invalid(what string) error  { return fmt.Errorf("%w: %s", vault.ErrInvalid, what) }
