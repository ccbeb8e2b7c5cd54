package issuance

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"math/bits"
	"net/netip"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// template holds what differs from certificate to certificate.
type template struct {
	names               *pki.Names
	usage               vault.Usage
	public              any
	serial              []byte
	notBefore, notAfter time.Time
	keyID               []byte // set by build
}

var (
	oidCommonName       = asn1.ObjectIdentifier{2, 5, 4, 3}
	oidCountry          = asn1.ObjectIdentifier{2, 5, 4, 6}
	oidOrganization     = asn1.ObjectIdentifier{2, 5, 4, 10}
	oidUnit             = asn1.ObjectIdentifier{2, 5, 4, 11}
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
)

// Tags of GeneralName (RFC 5280, section 4.2.1.6).
const (
	tagOther = 0
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

// addUsage adds the key usage, whose bits are numbered from the left, and the extended ones.
func addUsage(b *cryptobyte.Builder, usage vault.Usage) {
	octet := bits.Reverse8(uint8(usage.Key)) // decipherOnly alone needs a ninth bit, and none has it
	extension(b, oidKeyUsage, true, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.BIT_STRING, func(b *cryptobyte.Builder) {
			b.AddBytes([]byte{byte(bits.TrailingZeros8(octet)), octet})
		})
	})
	extension(b, oidExtKeyUsage, false, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			for _, purpose := range usage.Purposes {
				b.AddASN1ObjectIdentifier(purpose)
			}
		})
	})
}

// fixedExtensions are all but the usages, the subject key identifier and the names.
func fixedExtensions(authorityKeyID []byte, p Profile) ([][]byte, error) {
	var b cryptobyte.Builder
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
		addSubject(b, t.names)
		b.AddBytes(spki)
		b.AddASN1(contextTag(3).Constructed(), func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
				addUsage(b, t.usage)
				for _, ext := range i.fixed {
					b.AddBytes(ext)
				}
				extension(b, oidSubjectKeyID, false, func(b *cryptobyte.Builder) { b.AddASN1OctetString(t.keyID) })
				if !t.names.Empty() {
					addAltNames(b, t.names)
				}
				if t.names.SID != "" {
					addSID(b, t.names.SID)
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

// addSubject writes the widest name first, as a directory's tree has it.
func addSubject(b *cryptobyte.Builder, n *pki.Names) {
	b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
		add := func(oid asn1.ObjectIdentifier, tag cbasn1.Tag, value string) {
			if value == "" {
				return
			}
			b.AddASN1(cbasn1.SET, func(b *cryptobyte.Builder) {
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1ObjectIdentifier(oid)
					b.AddASN1(tag, func(b *cryptobyte.Builder) { b.AddBytes([]byte(value)) })
				})
			})
		}
		add(oidCountry, cbasn1.PrintableString, n.Country)
		add(oidOrganization, cbasn1.UTF8String, n.Organization)
		add(oidUnit, cbasn1.UTF8String, n.OrganizationalUnit)
		add(oidCommonName, cbasn1.UTF8String, n.CommonName)
	})
}

// addOther adds an OtherName (RFC 5280, section 4.2.1.6).
func addOther(b *cryptobyte.Builder, id asn1.ObjectIdentifier, value func(*cryptobyte.Builder)) {
	b.AddASN1(contextTag(tagOther).Constructed(), func(b *cryptobyte.Builder) {
		b.AddASN1ObjectIdentifier(id)
		b.AddASN1(contextTag(0).Constructed(), value)
	})
}

// addPrincipal adds a KRB5PrincipalName (RFC 4556, section 3.2.2) of the type NT-PRINCIPAL.
func addPrincipal(b *cryptobyte.Builder, p vault.Principal) {
	text := func(s string) func(*cryptobyte.Builder) {
		return func(b *cryptobyte.Builder) {
			b.AddASN1(cbasn1.GeneralString, func(b *cryptobyte.Builder) { b.AddBytes([]byte(s)) })
		}
	}
	addOther(b, pki.OIDKRB5PrincipalName, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			b.AddASN1(contextTag(0).Constructed(), text(p.Realm))
			b.AddASN1(contextTag(1).Constructed(), func(b *cryptobyte.Builder) {
				b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
					b.AddASN1(contextTag(0).Constructed(), func(b *cryptobyte.Builder) { b.AddASN1Int64(1) })
					b.AddASN1(contextTag(1).Constructed(), func(b *cryptobyte.Builder) { b.AddASN1(cbasn1.SEQUENCE, text(p.Name)) })
				})
			})
		})
	})
}

// addSID adds the extension of Windows (KB5014754).
func addSID(b *cryptobyte.Builder, sid string) {
	extension(b, pki.OIDSIDExtension, false, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			addOther(b, pki.OIDSID, func(b *cryptobyte.Builder) { b.AddASN1OctetString([]byte(sid)) })
		})
	})
}

func addAltNames(b *cryptobyte.Builder, n *pki.Names) {
	extension(b, oidSubjectAltName, false, func(b *cryptobyte.Builder) {
		b.AddASN1(cbasn1.SEQUENCE, func(b *cryptobyte.Builder) {
			add := func(tag uint8, value []byte) {
				b.AddASN1(contextTag(tag), func(b *cryptobyte.Builder) { b.AddBytes(value) })
			}
			if n.UPN != "" {
				addOther(b, pki.OIDUserPrincipalName, func(b *cryptobyte.Builder) {
					b.AddASN1(cbasn1.UTF8String, func(b *cryptobyte.Builder) { b.AddBytes([]byte(n.UPN)) })
				})
			}
			if n.Principal != (vault.Principal{}) {
				addPrincipal(b, n.Principal)
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
