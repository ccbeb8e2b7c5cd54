package preview

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
)

// request is what the CA would be asked for. Of the profile default, the names are the CSR's, which
// are those that signing-readiness says.
func (s *Service) request(p profile.Profile, h profile.Holder) (vault.SignRequest, error) {
	t, _, _ := s.Profiles.Key(p, p.Slots[0])
	if t == "" { // the answer says that the profile isn't for such a key
		t = s.Profiles.KeyTypes[0]
	}
	csr, err := s.requests.of(t)
	if err != nil {
		return vault.SignRequest{}, err
	}
	req, err := p.Request(csr.Request().PublicKey, h)
	if p.Name == profile.Default {
		usage, ttl := req.Usage, req.TTL
		req = p.Names(h)
		req.Usage, req.TTL = usage, ttl
	}
	req.CSR = csr
	return req, err
}

// requests are CSRs of keys that were thrown away, one of each key type: an RSA key takes long to make.
type requests struct {
	mu   sync.Mutex
	made map[piv.KeyType]vault.CSR
}

func (r *requests) of(t piv.KeyType) (vault.CSR, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if csr, ok := r.made[t]; ok {
		return csr, nil
	}
	key, err := newKey(t)
	if err != nil {
		return vault.CSR{}, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		return vault.CSR{}, err
	}
	csr, err := vault.ParseCSR(der)
	if err == nil {
		if r.made == nil {
			r.made = map[piv.KeyType]vault.CSR{}
		}
		r.made[t] = csr
	}
	return csr, err
}

func newKey(t piv.KeyType) (crypto.Signer, error) {
	switch t {
	case piv.ECP256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case piv.ECP384:
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case piv.Ed25519:
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	}
	bits, err := strconv.Atoi(strings.TrimPrefix(string(t), "rsa-"))
	if err != nil {
		return nil, errors.New("preview: no key of this type can be made")
	}
	return rsa.GenerateKey(rand.Reader, bits)
}
