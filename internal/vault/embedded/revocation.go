package embedded

import (
	"crypto/hmac"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// A revocation is stored in the clear, since the CRL shows it, under its serial number, with a tag:
// at (8, seconds), reason (1), notAfter (8, seconds; 0 for unknown), the ID of its CA (8; nothing for the
// first), tag (16).
const (
	revocationSize = 17
	caIDSize       = 8
)

// encodeRevocation takes one of the first CA without the ID.
func encodeRevocation(r vault.Revocation) []byte {
	b := make([]byte, 0, revocationSize+caIDSize+tagSize)
	b = binary.BigEndian.AppendUint64(b, uint64(r.At.Unix()))
	b = append(b, byte(r.Reason))
	end := int64(0)
	if !r.NotAfter.IsZero() {
		end = r.NotAfter.Unix()
	}
	ca, _ := hex.DecodeString(r.CA) // which checkRevocation has seen
	return append(binary.BigEndian.AppendUint64(b, uint64(end)), ca...)
}

// parseRevocation reads what encodeRevocation wrote, without its tag.
func parseRevocation(serial, b []byte) (vault.Revocation, error) {
	if len(b) != revocationSize && len(b) != revocationSize+caIDSize || len(serial) == 0 || len(serial) > vault.MaxSerial || serial[0] == 0 {
		return vault.Revocation{}, tampered("a revocation is malformed")
	}
	r := vault.Revocation{
		Serial: hex.EncodeToString(serial),
		At:     time.Unix(int64(binary.BigEndian.Uint64(b)), 0).UTC(),
		Reason: vault.Reason(b[8]),
		CA:     hex.EncodeToString(b[revocationSize:]),
	}
	if end := int64(binary.BigEndian.Uint64(b[9:])); end != 0 {
		r.NotAfter = time.Unix(end, 0).UTC()
	}
	if !r.Reason.Valid() || !encodable(r.At) {
		return vault.Revocation{}, tampered("a revocation is malformed")
	}
	return r, nil
}

// encodable reports whether a time fits an X.509 structure.
func encodable(t time.Time) bool { y := t.UTC().Year(); return 1950 <= y && y <= 9999 }

// revocation parses a stored revocation and checks its tag.
func (r reader) revocation(serial, stored []byte) (vault.Revocation, error) {
	if len(stored) < revocationSize+tagSize {
		return vault.Revocation{}, tampered("a revocation is malformed")
	}
	content, tag := stored[:len(stored)-tagSize], stored[len(stored)-tagSize:]
	want := r.ring.mac(bucketRevoked+" tag", serial, content)
	if !hmac.Equal(want[:tagSize], tag) {
		return vault.Revocation{}, tampered("a revocation fails authentication")
	}
	return parseRevocation(serial, content)
}

// revoke stores a revocation unless the serial already has one; KeyCompromise replaces another
// reason, but not its time. change is nil if nothing was stored.
func (t *txn) revoke(r entry) (change *listChange, err error) {
	stored, err := t.get(bucketRevoked, r.serial)
	if err != nil {
		return nil, err
	}
	change = &listChange{entry: r}
	if stored != nil {
		old, err := t.revocation(r.serial, stored)
		if err != nil || r.Reason != vault.KeyCompromise || old.Reason == vault.KeyCompromise {
			return nil, err
		}
		change.was = &entry{r.serial, old}
		change.At, change.NotAfter, change.CA = old.At, old.NotAfter, old.CA
	}
	return change, t.putRevocation(change.entry)
}

func (t *txn) putRevocation(r entry) error {
	content := encodeRevocation(r.Revocation)
	tag := t.ring.mac(bucketRevoked+" tag", r.serial, content)
	return t.put(bucketRevoked, r.serial, append(content, tag[:tagSize]...))
}
