package archive

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
)

// probeBytes is how much ciphertext is decrypted to see whether a password fits.
const probeBytes = 4 << 10

// ProbeBytes is the most that Probe reads of a file's beginning.
const ProbeBytes = MaxHead + probeBytes

// Probe reports whether a password seems to open a backup, of which it reads only
// the beginning: the decrypted bytes must be gzip and begin like a payload. It is a
// quick hint, not a proof: it knows nothing of the rest of the file, and what it
// reads is not authenticated. Open checks everything. It derives the key.
//
// backup_password_wrong if it does not fit, or the first bytes are damaged.
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
	text = text[:n] // the tag may be at its end, which is never reached
	defer clear(text)
	gcm.stream().XORKeyStream(text, text)
	if !startsPayload(text) {
		return Header{}, wrongPassword()
	}
	return head.Header, nil
}

// startsPayload reports whether a truncated text may be a packed payload.
func startsPayload(packed []byte) bool {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return false
	}
	begin := make([]byte, 64)
	n, _ := io.ReadFull(z, begin) // for a truncated text, what could be unpacked
	object, ok := bytes.CutPrefix(bytes.TrimLeft(begin[:n], jsonSpace), []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(object, jsonSpace), []byte(`"`))
}

const jsonSpace = " \t\r\n"
