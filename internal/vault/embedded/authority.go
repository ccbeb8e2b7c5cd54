package embedded

import (
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// authority is the CA: its chain, issuing certificate first, and its key.
type authority struct {
	chain []*x509.Certificate
	key   crypto.Signer
}

// newAuthority imports a CA if there is one to import, and creates one otherwise.
func newAuthority(keyType piv.KeyType, commonName string, imported secret.String, now time.Time) (*authority, error) {
	if !imported.Empty() {
		chain, key, err := issuance.ParseCA([]byte(imported.Reveal()), now)
		return &authority{chain, key}, err
	}
	cert, key, err := issuance.NewRoot(keyType, commonName, now)
	return &authority{[]*x509.Certificate{cert}, key}, err
}

// storedAuthority is the CA's record before sealing, as DER.
type storedAuthority struct {
	Chain [][]byte
	Key   []byte // PKCS #8
}

func (a *authority) encode() ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return nil, err
	}
	s := storedAuthority{Key: key}
	for _, cert := range a.chain {
		s.Chain = append(s.Chain, cert.Raw)
	}
	return asn1.Marshal(s)
}

func parseAuthority(b []byte) (*authority, error) {
	var s storedAuthority
	rest, err := asn1.Unmarshal(b, &s)
	if err != nil || len(rest) != 0 || len(s.Chain) == 0 {
		return nil, tampered("the CA's record is malformed")
	}
	a := &authority{}
	for _, der := range s.Chain {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, tampered("the CA's record is malformed")
		}
		a.chain = append(a.chain, cert)
	}
	key, err := x509.ParsePKCS8PrivateKey(s.Key)
	signer, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return nil, tampered("the CA's record is malformed")
	}
	a.key = signer
	return a, nil
}
