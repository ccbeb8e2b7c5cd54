package issuance

import (
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"net/netip"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/pki"
)

// template holds what differs from certificate to certificate.
type template struct {
	names               *pki.Names
	public              any
	serial              []byte
	notBefore, notAfter time.Time
	keyID               []byte // set by build
}

var (
	oidCommonName       = asn1.ObjectIdentifier{2, 5, 4, 3}
	oidSubjectKeyID     = asn1.ObjectIdentifier{2, 5, 29, 14}
	oidKeyUsage         = asn1.ObjectIdentifier{2, 5, 29, 15}
	oidSubjectAltName   = asn1.ObjectIdentifier{2, 5, 29, 17}
	oidBasicConstraints = asn1.ObjectIdentifier{2, 5, 29, 19}
	oidCRLPoints        = asn1.ObjectIdentifier{2, 5, 29, 31}
	oidAuthorityKeyID   = asn1.ObjectIdentifier{2, 5, 29, 35}
	oidExtKeyUsage      = asn1.ObjectIdentifier{2, 5, 29, 37}
	oidAuthorityInfo    = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 1}
	oidOCSP             = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1}
	oidCAIssuers        = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 2}
	oidClientAuth       = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 2}
	oidEmailProtection  = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 4}
)

// Tags of GeneralName (RFC 5280, section 4.2.1.6).
const (
	tagEmail = 1
	tagDNS   = 2
	tagURI   = 6
	tagIP    = 7
)

func contextTag(n uint8) cbasn1.Tag { return cbasn1.Tag(n).ContextSpecific() }

// extension adds an Extension; value builds the content of its OCTET STRING.
func extension(b *cryptobyte.Builder, oid asn1.ObjectIdentifier, critical bool, value func(*cryptobyte.Builder)) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(oid)
		if critical {
			b.AddASN1Boolean(true)
		}
		b.AddASN1(cbasn1.OCTET_STRING, value)
	})
}

// keyUsage is digitalSignature (bit 0) and, for a key that can encipher, keyEncipherment
// (bit 2): EC and Ed25519 keys can't (RFC 5480, section 3; RFC 8410, section 5).
func keyUsage(public any) x509.KeyUsage {
	if _, ok := public.(*rsa.PublicKey); ok {
		return x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment
	}
	return x509.KeyUsageDigitalSignature
}

func addKeyUsage(b *cryptobyte.Builder, usage x509.KeyUsage) {
	bits := []byte{7, 0x80} // the unused ones, and digitalSignature
	if usage&x509.KeyUsageKeyEncipherment != 0 {
		bits = []byte{5, 0xa0}
	}
	extension(b, oidKeyUsage, true, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.BIT_STRING, func(b *cryptobyte.Builder) { b.AddBytes(bits) })
	})
}

// fixedExtensions are all but the key usage, the subject key identifier and the names.
func fixedExtensions(authorityKeyID []byte, p Profile) ([][]byte, error) {
	var b cryptobyte.Builder
	extension(&b, oidExtKeyUsage, false, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1ObjectIdentifier(oidClientAuth)
			b.AddASN1ObjectIdentifier(oidEmailProtection)
		})
	})
	extension(&b, oidBasicConstraints, true, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(*cryptobyte.Builder) {}) // cA is false by default, and DER omits defaults
	})
	extension(&b, oidAuthorityKeyID, false, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1(contextTag(0), func(b *cryptobyte.Builder) { b.AddBytes(authorityKeyID) })
		})
	})
	extension(&b, oidCRLPoints, false, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) { // DistributionPoint
				b.AddASN1(contextTag(0).Constructed(), func(b *cryptobyte.Builder) { // distributionPoint
					b.AddASN1(contextTag(0).Constructed(), func(b *cryptobyte.Builder) { // fullName
						b.AddASN1(contextTag(tagURI), func(b *cryptobyte.Builder) { b.AddBytes([]byte(p.CRL)) })
					})
				})
			})
		})
	})
	extension(&b, oidAuthorityInfo, false, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			access := func(method asn1.ObjectIdentifier, url string) {
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1ObjectIdentifier(method)
					b.AddASN1(contextTag(tagURI), func(b *cryptobyte.Builder) { b.AddBytes([]byte(url)) })
				})
			}
			for _, url := range p.OCSP {
				access(oidOCSP, url)
			}
			access(oidCAIssuers, p.CAIssuers)
		})
	})
	all, err := b.Bytes()
	return [][]byte{all}, err
}

// build makes the TBSCertificate (RFC 5280, section 4.1).
func (i *Issuer) build(t *template) ([]byte, error) {
	spki, err := x509.MarshalPKIXPublicKey(t.public)
	if err != nil {
		return nil, invalid("the CSR's key cannot be encoded")
	}
	if t.keyID, err = keyID(spki); err != nil {
		return nil, err
	}
	b := cryptobyte.NewBuilder(make([]byte, 0, 1024+len(spki)))
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(contextTag(0).Constructed(), func(b *cryptobyte.Builder) { b.AddASN1Int64(2) }) // v3
		b.AddASN1(cbasn1.INTEGER, func(b *cryptobyte.Builder) { b.AddBytes(t.serial) })
		b.AddBytes(i.alg.der)
		b.AddBytes(i.cert.RawSubject)
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			addTime(b, t.notBefore)
			addTime(b, t.notAfter)
		})
		addSubject(b, t.names.CommonName)
		b.AddBytes(spki)
		b.AddASN1(contextTag(3).Constructed(), func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				addKeyUsage(b, keyUsage(t.public))
				for _, ext := range i.fixed {
					b.AddBytes(ext)
				}
				extension(b, oidSubjectKeyID, false, func(b *cryptobyte.Builder) { b.AddASN1OctetString(t.keyID) })
				if !t.names.Empty() {
					addAltNames(b, t.names)
				}
			})
		})
	})
	return b.Bytes()
}

// keyID is RFC 7093, section 2, method 1: the leftmost 160 bits of the
// SHA-256 of the public key's bits.
func keyID(spki []byte) ([]byte, error) {
	in := cryptobyte.String(spki)
	var seq cryptobyte.String
	var bits asn1.BitString
	if !in.ReadASN1(&seq, cbasn1.SEQUENCE) || !seq.SkipASN1(cbasn1.SEQUENCE) || !seq.ReadASN1BitString(&bits) {
		return nil, invalid("the CSR's key cannot be encoded")
	}
	sum := sha256.Sum256(bits.Bytes)
	return sum[:20], nil
}

// addTime encodes as RFC 5280, section 4.1.2.5, requires: UTCTime through 2049.
func addTime(b *cryptobyte.Builder, t time.Time) {
	if t.Year() < 2050 {
		b.AddASN1UTCTime(t)
		return
	}
	b.AddASN1GeneralizedTime(t)
}

func addSubject(b *cryptobyte.Builder, cn string) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SET, func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				b.AddASN1ObjectIdentifier(oidCommonName)
				b.AddASN1(cbasn1.UTF8String, func(b *cryptobyte.Builder) { b.AddBytes([]byte(cn)) })
			})
		})
	})
}

func addAltNames(b *cryptobyte.Builder, n *pki.Names) {
	extension(b, oidSubjectAltName, false, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			add := func(tag uint8, value []byte) {
				b.AddASN1(contextTag(tag), func(b *cryptobyte.Builder) { b.AddBytes(value) })
			}
			for _, v := range n.Emails {
				add(tagEmail, []byte(v))
			}
			for _, v := range n.DNS {
				add(tagDNS, []byte(v))
			}
			for _, v := range n.IPs {
				add(tagIP, netip.Addr.AsSlice(v))
			}
			for _, v := range n.URIs {
				add(tagURI, []byte(v))
			}
		})
	})
}

// assemble joins the parts of a Certificate.
func assemble(tbs, algorithm, signature []byte) []byte {
	b := cryptobyte.NewBuilder(make([]byte, 0, len(tbs)+len(signature)+64))
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		b.AddBytes(tbs)
		b.AddBytes(algorithm)
		b.AddASN1BitString(signature)
	})
	return b.BytesOrPanic() // only lengths beyond 4 GiB fail
}
