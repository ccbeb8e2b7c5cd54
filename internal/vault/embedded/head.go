package embedded

import (
	"encoding/binary"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// head is what is known of a document apart from its data.
type head struct {
	// id is drawn when the document is made and bound into every version's
	// data, so that data of a document that was destroyed cannot come back
	// under its successor of the same name.
	id       [16]byte
	created  time.Time
	updated  time.Time
	versions []vault.VersionInfo // ascending, never empty; the last is current
}

func (h *head) current() int { return h.versions[len(h.versions)-1].Number }

func (h *head) find(number int) *vault.VersionInfo {
	for i := range h.versions {
		if h.versions[i].Number == number {
			return &h.versions[i]
		}
	}
	return nil
}

const (
	headFormat    = 1
	flagDeleted   = 1
	flagDestroyed = 2
)

func (h *head) encode() []byte {
	b := append([]byte{headFormat}, h.id[:]...)
	b = appendTime(b, h.created)
	b = appendTime(b, h.updated)
	b = binary.AppendUvarint(b, uint64(len(h.versions)))
	for _, v := range h.versions {
		b = binary.AppendUvarint(b, uint64(v.Number))
		b = appendTime(b, v.CreatedAt)
		var flags byte
		if v.DeletedAt != nil {
			flags |= flagDeleted
		}
		if v.Destroyed {
			flags |= flagDestroyed
		}
		b = append(b, flags)
		if v.DeletedAt != nil {
			b = appendTime(b, *v.DeletedAt)
		}
	}
	return b
}

// parseHead reads what encode wrote and nothing else.
func parseHead(b []byte) (*head, error) {
	d := decoder{b: b}
	h := &head{}
	if d.byte() != headFormat {
		d.bad = true
	}
	copy(h.id[:], d.bytes(len(h.id)))
	h.created, h.updated = d.time(), d.time()
	n := d.uvarint()
	if n == 0 || n > 2*vault.MaxVersions {
		d.bad = true
	}
	last := 0
	for i := uint64(0); i < n && !d.bad; i++ {
		v := vault.VersionInfo{Number: int(d.uvarint()), CreatedAt: d.time()}
		flags := d.byte()
		if flags&flagDeleted != 0 {
			t := d.time()
			v.DeletedAt = &t
		}
		v.Destroyed = flags&flagDestroyed != 0
		if flags&^(flagDeleted|flagDestroyed) != 0 || v.Number <= last {
			d.bad = true
		}
		last = v.Number
		h.versions = append(h.versions, v)
	}
	if d.bad || len(d.b) != 0 {
		return nil, tampered("a document's head is malformed")
	}
	return h, nil
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixNano()))
}

// decoder reads a record from its front; bad is set at the first lack.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) bytes(n int) []byte {
	if d.bad || n > len(d.b) {
		d.bad = true
		return make([]byte, n)
	}
	out := d.b[:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) byte() byte      { return d.bytes(1)[0] }
func (d *decoder) uint64() uint64  { return binary.BigEndian.Uint64(d.bytes(8)) }
func (d *decoder) time() time.Time { return time.Unix(0, int64(d.uint64())).UTC() }

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if d.bad || n <= 0 || v > 1<<40 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}
