package issuance

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"strconv"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/textinput"
)

// maxChain is the longest chain that an import takes.
const maxChain = 5

// ParseCA reads an existing CA: PEM blocks with the issuing certificate
// first, then the certificates above it in order up to a self-signed root if
// there are any, and the issuing certificate's private key (PKCS #8, PKCS #1
// or SEC 1, not encrypted) anywhere. vault.ErrInvalid says what does not fit.
func ParseCA(text []byte) ([]*x509.Certificate, crypto.Signer, error) {
	var chain []*x509.Certificate
	var key crypto.Signer
	for {
		var block *pem.Block
		if block, text = textinput.PEM(text); block == nil {
			break
		}
		if block.Type == "CERTIFICATE" {
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil || len(chain) == maxChain {
				return nil, nil, invalid("a certificate of the imported CA can't be read, or there are more than 5")
			}
			chain = append(chain, cert)
			continue
		}
		if block.Type == "EC PARAMETERS" { // openssl ecparam writes it before the key, which repeats it
			continue
		}
		parsed, err := ParseKey(block)
		if err != nil {
			return nil, nil, err
		}
		if key != nil {
			return nil, nil, invalid("the imported CA has more than one private key")
		}
		key = parsed
	}
	if len(text) > 0 {
		return nil, nil, invalid("the imported CA has text that is not PEM after its last block")
	}
	return chain, key, CheckCA(chain, key)
}

// ParseKey reads a private key's PEM block.
func ParseKey(block *pem.Block) (crypto.Signer, error) {
	var key any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "ENCRYPTED PRIVATE KEY":
		return nil, invalid("the private key of the imported CA is encrypted: decrypt it, for example with openssl pkey")
	default:
		return nil, invalid("the imported CA has a PEM block " + strconv.QuoteToASCII(block.Type[:min(len(block.Type), 40)]) +
			", which is neither a certificate nor a private key: remove it")
	}
	signer, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return nil, invalid("the private key of the imported CA can't be read")
	}
	return signer, nil
}

// SameCA reports whether a text in ParseCA's format holds that certificate.
func SameCA(text []byte, ca *x509.Certificate) bool {
	for {
		var block *pem.Block
		if block, text = textinput.PEM(text); block == nil {
			return false
		}
		if block.Type == "CERTIFICATE" && bytes.Equal(block.Bytes, ca.Raw) {
			return true
		}
	}
}

// CheckCA returns vault.ErrInvalid unless chain and key can issue certificates and CRLs.
func CheckCA(chain []*x509.Certificate, key crypto.Signer) error {
	switch {
	case len(chain) == 0 || key == nil:
		return invalid("the imported CA needs a certificate and its private key")
	case !piv.SameKey(chain[0].PublicKey, key.Public()):
		return invalid("the private key does not belong to the first certificate of the imported CA")
	}
	return pki.CheckAuthority(chain)
}
