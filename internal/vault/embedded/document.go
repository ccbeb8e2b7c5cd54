package embedded

import (
	"encoding/binary"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// head precedes a document's text in its record.
type head struct {
	created time.Time
	updated time.Time
	number  int // of the version; 0 when there is none
}

const headFormat = 1

func (h head) encode() []byte {
	b := appendTime(appendTime([]byte{headFormat}, h.created), h.updated)
	return binary.AppendUvarint(b, uint64(h.number))
}

// parseDocument splits a record into its head and the document.
func parseDocument(b []byte) (head, vault.Data, error) {
	d := decoder{b: b}
	format := d.byte()
	h := head{created: d.time(), updated: d.time(), number: int(d.uvarint())}
	if d.bad || format != headFormat || h.number == 0 {
		return head{}, nil, tampered("a document is malformed")
	}
	return h, d.b, nil
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixNano()))
}

// decoder reads a record from its front; bad is set at the first error.
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
