package archive

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// probeBytes of ciphertext are decrypted to see whether a password fits.
const probeBytes = 4 << 10

// ProbeBytes is the most that Probe reads: so much of a file's beginning is enough for it.
const ProbeBytes = MaxHead + probeBytes

// Probe tells whether a password seems to open a backup, of which it reads the beginning
// alone: what it decrypts must be packed by gzip and begin like a payload. It is a hint that
// comes quickly, and no proof of anything: of the file's rest it knows nothing, and nobody has
// signed what it looks at. Open checks everything. It derives the key.
//
// backup_password_wrong when it does not fit; that is also said when the first bytes are
// damaged.
func Probe(start io.Reader, password Password) (Header, error) {
	return probe(start, password.derive)
}

func probe(start io.Reader, derive deriver) (Header, error) {
	head, err := readHead(start)
	if err != nil {
		return Header{}, err
	}
	text := make([]byte, probeBytes)
	n, err := io.ReadFull(start, text)
	switch {
	case err != nil && !ended(err):
		return Header{}, err
	case n <= tagBytes:
		return Header{}, truncated(err)
	}
	key := derive(head.salt)
	defer clear(key)
	gcm, err := newGCM(key, head.nonce)
	if err != nil {
		return Header{}, err
	}
	text = text[:n] // the tag may be at its end, which nobody looks at
	defer clear(text)
	gcm.stream().XORKeyStream(text, text)
	if !startsPayload(text) {
		return Header{}, wrongPassword()
	}
	return head.Header, nil
}

// startsPayload tells whether a text, whose end is missing, may be a packed payload.
func startsPayload(packed []byte) bool {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return false
	}
	begin := make([]byte, 64)
	n, _ := io.ReadFull(z, begin) // of a text that ends in the middle there is what could be unpacked
	object, ok := bytes.CutPrefix(bytes.TrimLeft(begin[:n], jsonSpace), []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(object, jsonSpace), []byte(`"`))
}

const jsonSpace = " \t\r\n"
