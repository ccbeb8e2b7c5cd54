package embedded

import (
	bolt "go.etcd.io/bbolt"
)

// Buckets. All but meta hold records that the set sum covers.
const (
	bucketMeta      = "meta"      // header (clear), state (the sealed set sum)
	bucketDocuments = "documents" // path → sealed head and JSON
	bucketPKI       = "pki"       // ca, crl, of later CAs ca/{id}, crl/{id}; active, the ID of that CA → sealed
	bucketRevoked   = "revoked"   // serial → revocation in the clear with a tag
)

var recordBuckets = []string{bucketDocuments, bucketPKI, bucketRevoked}

var (
	keyHeader = []byte("header")
	keyState  = []byte("state")
	keyCA     = []byte("ca")
	keyCRL    = []byte("crl")
	keyActive = []byte("active")
)

// reader reads records within one transaction.
type reader struct {
	tx   *bolt.Tx
	ring *keyring
}

// get returns the stored bytes, valid within the transaction; nil when absent.
func (r reader) get(bucket string, key []byte) ([]byte, error) {
	b := r.tx.Bucket([]byte(bucket))
	if b == nil {
		return nil, tampered("a bucket is missing")
	}
	return b.Get(key), nil
}

// open returns a record, decrypted; nil when absent.
func (r reader) open(bucket string, key []byte) ([]byte, error) {
	sealed, err := r.get(bucket, key)
	if err != nil || sealed == nil {
		return nil, err
	}
	return r.ring.open(bucket, key, nil, sealed)
}

func (r reader) sum() (setSum, error) {
	b, err := r.open(bucketMeta, keyState)
	if err != nil {
		return setSum{}, err
	}
	if b == nil {
		return setSum{}, tampered("the set sum is missing")
	}
	return parseSetSum(b)
}

// txn is a reader that also writes. Every write updates the set sum; finish stores it in the same
// transaction.
type txn struct {
	reader
	total setSum
	dirty bool // something was written since the last reset
}

func (t *txn) put(bucket string, key, value []byte) error {
	b := t.tx.Bucket([]byte(bucket))
	if b == nil {
		return tampered("a bucket is missing")
	}
	t.dirty = true
	if old := b.Get(key); old != nil {
		t.total.remove(t.ring.mac(bucket, key, old))
	}
	if bucket == bucketRevoked {
		b.FillPercent = 0.9 // bulk loads come sorted; pages may be filled
	}
	t.total.add(t.ring.mac(bucket, key, value))
	return b.Put(key, value)
}

func (t *txn) seal(bucket string, key []byte, plain ...[]byte) error {
	return t.put(bucket, key, t.ring.seal(bucket, key, nil, plain...))
}

func (t *txn) delete(bucket string, key []byte) error {
	b := t.tx.Bucket([]byte(bucket))
	if b == nil {
		return tampered("a bucket is missing")
	}
	old := b.Get(key)
	if old == nil {
		return nil
	}
	t.dirty = true
	t.total.remove(t.ring.mac(bucket, key, old))
	return b.Delete(key)
}

// finish stores the set sum; it is the last write of a transaction.
func (t *txn) finish() error {
	sealed := t.ring.seal(bucketMeta, keyState, nil, t.total.encode())
	return t.tx.Bucket([]byte(bucketMeta)).Put(keyState, sealed)
}
