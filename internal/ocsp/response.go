package ocsp

import (
	"crypto/rand"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/vault"
)

// failure is an OCSPResponseStatus other than successful (RFC 6960, section 4.2.1).
type failure uint8

const (
	malformedRequest failure = 1
	internalError    failure = 2
	tryLater         failure = 3
	unauthorized     failure = 6
)

// word names it in metrics.
func (f failure) word() string {
	switch f {
	case malformedRequest:
		return "malformed_request"
	case internalError:
		return "internal_error"
	case tryLater:
		return "try_later"
	}
	return "unauthorized"
}

// der is a response without content; it is not signed.
func (f failure) der() []byte { return []byte{0x30, 3, 0x0a, 1, byte(f)} }

// Status is what the records say about a certificate.
type Status struct {
	Known   bool              // it was issued here; otherwise the rest means nothing
	Revoked *vault.Revocation // nil: it is not
	// Pending: nobody has recorded it, or not yet; the next question may get another answer.
	Pending bool
}

// word is its CertStatus (RFC 6960, section 4.2.1).
func (s Status) word() string {
	switch {
	case !s.Known:
		return "unknown"
	case s.Revoked == nil:
		return "good"
	}
	return "revoked"
}

// single is a SingleResponse (RFC 6960, section 4.2.1).
type single struct {
	id     certID
	status Status
}

// frame is what the answers to one request have in common.
type frame struct {
	at, next time.Time // thisUpdate and producedAt; nextUpdate
	nonce    []byte
}

var (
	oidBasic        = []int{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}
	tagGood         = cbasn1.Tag(0).ContextSpecific()
	tagUnknown      = cbasn1.Tag(2).ContextSpecific()
	successful      = []byte{0x0a, 1, 0}
	tagResponderKey = explicit(2)
)

// sign makes a whole OCSPResponse. The signer's certificate is always in it: GnuTLS, SSSD and Apache
// look for it nowhere else.
func (s *signer) sign(f frame, list []single) ([]byte, error) {
	b := cryptobyte.NewBuilder(make([]byte, 0, 256+128*len(list)))
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { // ResponseData
		b.AddASN1(tagResponderKey, func(b *cryptobyte.Builder) { b.AddASN1OctetString(s.keyHash) })
		b.AddASN1GeneralizedTime(f.at)
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			for _, one := range list {
				one.add(b, f)
			}
		})
		if f.nonce != nil {
			b.AddASN1(explicit(1), func(b *cryptobyte.Builder) {
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
						b.AddASN1ObjectIdentifier(oidNonce)
						b.AddASN1(cbasn1.OCTET_STRING, func(b *cryptobyte.Builder) { b.AddASN1OctetString(f.nonce) })
					})
				})
			})
		}
	})
	data, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	digest := s.hash.New()
	digest.Write(data)
	signature, err := s.key.Sign(rand.Reader, digest.Sum(nil), s.hash)
	if err != nil {
		return nil, err
	}
	out := cryptobyte.NewBuilder(make([]byte, 0, len(data)+len(signature)+len(s.der)+128))
	out.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(successful)
		b.AddASN1(explicit(0), func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1ObjectIdentifier(oidBasic)
				b.AddASN1(cbasn1.OCTET_STRING, func(b *cryptobyte.Builder) {
					b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { // BasicOCSPResponse
						b.AddBytes(data)
						b.AddBytes(s.algorithm)
						b.AddASN1BitString(signature)
						b.AddASN1(explicit(0), func(b *cryptobyte.Builder) {
							b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { b.AddBytes(s.der) })
						})
					})
				})
			})
		})
	})
	return out.Bytes()
}

func (one single) add(b *cryptobyte.Builder, f frame) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(one.id.raw)
		switch one.status.word() {
		case "unknown":
			b.AddASN1(tagUnknown, func(*cryptobyte.Builder) {})
		case "good":
			b.AddASN1(tagGood, func(*cryptobyte.Builder) {})
		default:
			b.AddASN1(explicit(1), func(b *cryptobyte.Builder) {
				b.AddASN1GeneralizedTime(one.status.Revoked.At.UTC().Truncate(time.Second))
				if reason := one.status.Revoked.Reason; reason != vault.Unspecified { // RFC 5280, section 5.3.1: better left out
					b.AddASN1(explicit(0), func(b *cryptobyte.Builder) { b.AddASN1Enum(int64(reason)) })
				}
			})
		}
		b.AddASN1GeneralizedTime(f.at)
		if one.status.Known && !one.status.Pending { // otherwise nobody may keep it
			b.AddASN1(explicit(0), func(b *cryptobyte.Builder) { b.AddASN1GeneralizedTime(f.next) })
		}
	})
}
