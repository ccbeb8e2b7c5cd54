package crl

import (
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// DER tags.
const (
	tagInteger     = 0x02
	tagBitString   = 0x03
	tagOctetString = 0x04
	tagEnumerated  = 0x0a
	tagUTCTime     = 0x17
	tagGeneralized = 0x18
	tagSequence    = 0x30
)

// reasonCode is id-ce-cRLReasons (RFC 5280, section 5.3.1), as DER.
var reasonCode = []byte{0x06, 0x03, 0x55, 0x1d, 0x15}

// Entry is one revoked certificate.
type Entry struct {
	Serial []byte // big-endian, without leading zeros
	At     time.Time
	Reason vault.Reason // Unspecified is left out, as section 5.3.1 asks
}

// MaxEntry is the size of an entry with a serial number of 20 bytes and a reason, until 2049.
const MaxEntry = 2 + (2 + 20) + (2 + 13) + 14

// AppendEntry appends the DER of one member of revokedCertificates. Nothing
// in it is longer than 127 bytes, so every length is one byte.
func AppendEntry(dst []byte, e Entry) []byte {
	start := len(dst)
	dst = append(dst, tagSequence, 0)
	pad := 0
	if e.Serial[0]&0x80 != 0 {
		pad = 1 // an INTEGER is signed
	}
	dst = append(dst, tagInteger, byte(len(e.Serial)+pad))
	if pad == 1 {
		dst = append(dst, 0)
	}
	dst = append(dst, e.Serial...)
	dst = appendTime(dst, e.At)
	if e.Reason != vault.Unspecified {
		dst = append(dst, tagSequence, 12, tagSequence, 10)
		dst = append(dst, reasonCode...)
		dst = append(dst, tagOctetString, 3, tagEnumerated, 1, byte(e.Reason))
	}
	dst[start+1] = byte(len(dst) - start - 2)
	return dst
}

// Without returns the parts of entries between those in gone; both hold encoded entries. Nothing is
// copied.
func Without(entries []byte, gone map[string]bool) [][]byte {
	if len(gone) == 0 {
		return [][]byte{entries}
	}
	var parts [][]byte
	begin := 0
	for at := 0; at < len(entries); {
		next := at + 2 + int(entries[at+1])
		if gone[string(entries[at:next])] {
			parts = append(parts, entries[begin:at])
			begin = next
		}
		at = next
	}
	return append(parts, entries[begin:])
}

// appendTime: UTCTime through 2049, GeneralizedTime after (section 5.1.2.4).
func appendTime(dst []byte, t time.Time) []byte {
	t = t.UTC()
	if t.Year() < 2050 {
		return t.AppendFormat(append(dst, tagUTCTime, 13), "060102150405Z")
	}
	return t.AppendFormat(append(dst, tagGeneralized, 15), "20060102150405Z")
}

// header returns a DER tag and length.
func header(tag byte, length int) []byte {
	if length < 0x80 {
		return []byte{tag, byte(length)}
	}
	var size []byte
	for n := length; n > 0; n >>= 8 {
		size = append([]byte{byte(n)}, size...)
	}
	return append([]byte{tag, 0x80 | byte(len(size))}, size...)
}

// wrap returns a DER element.
func wrap(tag byte, content []byte) []byte {
	return append(header(tag, len(content)), content...)
}
