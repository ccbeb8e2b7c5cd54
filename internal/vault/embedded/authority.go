package embedded

import (
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// authority is a CA: its chain, issuing certificate first, and its key.
type authority struct {
	id    string
	chain []*x509.Certificate // empty: only requested
	key   crypto.Signer
	csr   []byte // DER; nil: it made its own certificate, or was imported

	certificates *issuance.Issuer // nil while only requested
	list         *revokedList     // likewise
}

// newAuthority imports a CA if there is one to import, and creates one otherwise.
func newAuthority(keyType piv.KeyType, commonName string, imported secret.String, now time.Time) (*authority, error) {
	if !imported.Empty() {
		a, err := importAuthority(imported)
		if err == nil && (now.After(a.chain[0].NotAfter) || now.Before(a.chain[0].NotBefore)) {
			err = invalid("the imported CA certificate has expired or is not valid yet")
		}
		return a, err
	}
	cert, key, err := issuance.NewRoot(keyType, commonName, now)
	if err != nil {
		return nil, err
	}
	return newKeyed(key, []*x509.Certificate{cert}, nil)
}

func importAuthority(imported secret.String) (*authority, error) {
	chain, key, err := issuance.ParseCA([]byte(imported.Reveal()))
	if err != nil {
		return nil, err
	}
	return newKeyed(key, chain, nil)
}

func newKeyed(key crypto.Signer, chain []*x509.Certificate, csr []byte) (*authority, error) {
	spki, err := x509.MarshalPKIXPublicKey(key.Public())
	return &authority{id: vault.CAID(spki), chain: chain, key: key, csr: csr}, err
}

// storedAuthority is a CA's record before sealing, as DER.
type storedAuthority struct {
	Chain [][]byte
	Key   []byte // PKCS #8
	CSR   []byte `asn1:"optional,omitempty,tag:0"`
}

func (a *authority) encode() ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(storedAuthority{Chain: a.ders(), Key: key, CSR: a.csr})
}

// ders are the certificates of the chain.
func (a *authority) ders() [][]byte {
	list := [][]byte{}
	for _, cert := range a.chain {
		list = append(list, slices.Clone(cert.Raw))
	}
	return list
}

func parseAuthority(b []byte) (*authority, error) {
	var s storedAuthority
	rest, err := asn1.Unmarshal(b, &s)
	if err != nil || len(rest) != 0 || len(s.Chain) == 0 && len(s.CSR) == 0 {
		return nil, tampered("a CA's record is malformed")
	}
	var chain []*x509.Certificate
	for _, der := range s.Chain {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, tampered("a CA's record is malformed")
		}
		chain = append(chain, cert)
	}
	key, err := x509.ParsePKCS8PrivateKey(s.Key)
	signer, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return nil, tampered("a CA's record is malformed")
	}
	return newKeyed(signer, chain, s.CSR)
}

// authorities are the vault's CAs, never changed: a change makes another value.
type authorities struct {
	first, active *authority
	later         []*authority // all but the first, by ID
}

// all returns the active one first.
func (s *authorities) all() []*authority {
	list := []*authority{s.active}
	for _, a := range append([]*authority{s.first}, s.later...) {
		if a != s.active {
			list = append(list, a)
		}
	}
	return list
}

// find returns nil if there is none with that ID.
func (s *authorities) find(id string) *authority {
	if id == vault.Active {
		return s.active
	}
	list := s.all()
	if i := slices.IndexFunc(list, func(a *authority) bool { return a.id == id }); i >= 0 {
		return list[i]
	}
	return nil
}

// with returns the CAs with this one added, or in the place of the one with its ID.
func (s *authorities) with(a *authority) *authorities {
	next := s.without(a.id)
	if s.first.id == a.id {
		next.first = a
	} else {
		next.later = append(next.later, a)
		slices.SortFunc(next.later, func(a, b *authority) int { return strings.Compare(a.id, b.id) })
	}
	if s.active.id == a.id {
		next.active = a
	}
	return next
}

func (s *authorities) without(id string) *authorities {
	next := *s
	next.later = slices.DeleteFunc(slices.Clone(s.later), func(a *authority) bool { return a.id == id })
	return &next
}

// Keys of the records of a CA. Those of the first have no ID: it was the only one in earlier versions.
func caKey(id string, first bool) []byte  { return keyed(keyCA, id, first) }
func crlKey(id string, first bool) []byte { return keyed(keyCRL, id, first) }

func keyed(key []byte, id string, first bool) []byte {
	if first {
		return key
	}
	return []byte(string(key) + "/" + id)
}
