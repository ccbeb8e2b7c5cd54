package crl

import (
	"crypto"
	"crypto/x509"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
	"github.com/keyward/keyward/test/must"
)

type signer struct {
	cert *x509.Certificate
	key  crypto.Signer
}

var signers sync.Map // piv.KeyType → func() (signer, error)

// authority is a CA of a key type; it is made once.
func authority(t *testing.T, keyType piv.KeyType) signer {
	t.Helper()
	once, _ := signers.LoadOrStore(keyType, sync.OnceValues(func() (signer, error) {
		cert, key, err := issuance.NewRoot(keyType, "Test CA", time.Now())
		return signer{cert, key}, err
	}))
	return must.Get(once.(func() (signer, error))())(t)
}
