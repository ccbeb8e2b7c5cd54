package crl

import (
	"crypto"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// List is a signed CRL that knows where its entries are.
type List struct {
	vault.CRL
	first, end int // the entries within DER
}

// Entries are the encoded entries, for the next list. Do not change them.
func (l *List) Entries() []byte { return l.DER[l.first:l.end:l.end] }

// Frame is what a new list has besides its entries.
type Frame struct {
	Number                 uint64
	ThisUpdate, NextUpdate time.Time
}

// Build signs a CRL over these encoded entries. It allocates the new list
// once and nothing else of that size.
func Build(ca *x509.Certificate, key crypto.Signer, f Frame, entries ...[]byte) (*List, error) {
	hash, algorithm, err := issuance.Algorithm(key.Public())
	if err != nil {
		return nil, err
	}
	f.ThisUpdate = f.ThisUpdate.UTC().Truncate(time.Second)
	f.NextUpdate = f.NextUpdate.UTC().Truncate(time.Second)

	head := []byte{tagInteger, 1, 1} // v2
	head = append(head, algorithm...)
	head = append(head, ca.RawSubject...)
	head = appendTime(head, f.ThisUpdate)
	head = appendTime(head, f.NextUpdate)
	size := 0
	for _, e := range entries {
		size += len(e)
	}
	if size > 0 { // an empty list MUST be absent (section 5.1.2.6)
		head = append(head, header(tagSequence, size)...)
	}
	tail := extensions(ca.SubjectKeyId, f.Number)
	head = append(header(tagSequence, len(head)+size+len(tail)), head...)

	// The outer header is written into this room last, when the signature's length is known.
	const room = 8
	signatureRoom := 1100 // RSA-4096 needs 512
	der := make([]byte, room, room+len(head)+size+len(tail)+signatureRoom)
	der = append(der, head...)
	first := len(der)
	for _, e := range entries {
		der = append(der, e...)
	}
	end := len(der)
	der = append(der, tail...)

	h := hash.New()
	h.Write(der[room:])
	signature, err := issuance.SignDigest(key, h.Sum(nil), hash)
	if err != nil {
		return nil, fmt.Errorf("%w: signing the CRL failed: %w", vault.ErrUnavailable, err)
	}
	der = append(der, algorithm...)
	der = append(der, header(tagBitString, len(signature)+1)...)
	der = append(append(der, 0), signature...)
	outer := header(tagSequence, len(der)-room)
	start := room - len(outer)
	copy(der[start:], outer)
	return &List{
		CRL: vault.CRL{
			DER: der[start:len(der):len(der)], CA: ca.Raw, Number: f.Number, ThisUpdate: f.ThisUpdate, NextUpdate: f.NextUpdate,
		},
		first: first - start, end: end - start,
	}, nil
}

// extensions are crlExtensions: the authority key identifier and the CRL
// number (sections 5.2.1 and 5.2.3).
func extensions(keyID []byte, number uint64) []byte {
	aki := wrap(tagOctetString, wrap(tagSequence, wrap(0x80, keyID)))
	aki = wrap(tagSequence, append([]byte{0x06, 0x03, 0x55, 0x1d, 0x23}, aki...))

	n := binary.BigEndian.AppendUint64([]byte{0}, number)
	for len(n) > 1 && n[0] == 0 && n[1]&0x80 == 0 {
		n = n[1:]
	}
	num := wrap(tagOctetString, wrap(tagInteger, n))
	num = wrap(tagSequence, append([]byte{0x06, 0x03, 0x55, 0x1d, 0x14}, num...))
	return wrap(0xa0, wrap(tagSequence, append(aki, num...)))
}
