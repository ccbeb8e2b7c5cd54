package remote

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// CAs implements vault.PKI: the issuers of the mount that have a key, and those only requested.
func (e *Engine) CAs(ctx context.Context) ([]vault.CA, error) {
	set, err := e.latest(ctx)
	if err != nil {
		return nil, err
	}
	if set.active == nil {
		return nil, e.keyless()
	}
	var list []vault.CA
	for _, a := range set.all {
		if a.lists || a == set.active { // others are no CAs of ours: nobody can learn of their revocations
			list = append(list, a.describe(set))
		}
	}
	requested, err := e.requested(ctx)
	for _, ca := range requested {
		if set.find(ca.ID) == nil { // it has a certificate by now
			list = append(list, ca)
		}
	}
	return list, err
}

func (a *authority) describe(set *authorities) vault.CA {
	ca := vault.CA{ID: a.id, Active: a == set.active, First: a.first}
	for _, der := range a.ders {
		ca.Chain = append(ca.Chain, bytes.Clone(der))
	}
	return ca
}

// NewCA implements vault.PKI.
func (e *Engine) NewCA(ctx context.Context, want vault.NewCA) (vault.CA, error) {
	if err := pki.CheckCommonName(want.CommonName); err != nil {
		return vault.CA{}, err
	}
	if !slices.Contains([]piv.KeyType{piv.RSA2048, piv.RSA3072, piv.RSA4096, piv.ECP256, piv.ECP384}, want.KeyType) {
		return vault.CA{}, invalid("the CA key type is not one of rsa-2048, rsa-3072, rsa-4096, ec-p256, ec-p384")
	}
	set, err := e.anew(ctx) // the first one has its addresses before there is another
	if err != nil {
		return vault.CA{}, err
	}
	if err := e.pin(ctx, set); err != nil {
		return vault.CA{}, err
	}
	kind, bits := keyType(want.KeyType)
	body := map[string]any{"common_name": want.CommonName, "key_type": kind, "key_bits": bits, "exclude_cn_from_sans": true}
	if want.SelfSigned {
		return e.newRoot(ctx, body)
	}
	a, err := e.manage(ctx, call{method: http.MethodPost, path: "issuers/generate/intermediate/internal", body: body, long: true})
	if err != nil {
		return vault.CA{}, err
	}
	var made request
	if err := a.decode(&made); err != nil {
		return vault.CA{}, err
	}
	ca, err := made.describe()
	if err != nil {
		return vault.CA{}, err
	}
	return ca, e.remember(ctx, ca.ID, made)
}

func (e *Engine) newRoot(ctx context.Context, body map[string]any) (vault.CA, error) {
	body["ttl"], body["max_path_length"] = seconds(longest), 0
	answered, err := e.manage(ctx, call{method: http.MethodPost, path: "issuers/generate/root/internal", body: body, long: true})
	if err != nil {
		return vault.CA{}, err
	}
	cert, err := answered.certificate()
	if err != nil {
		return vault.CA{}, err
	}
	a, set, err := e.arrived(ctx, cert)
	if err != nil {
		return vault.CA{}, err
	}
	return a.describe(set), nil
}

// InstallCA implements vault.PKI.
func (e *Engine) InstallCA(ctx context.Context, ca string, chain [][]byte) error {
	set, err := e.anew(ctx)
	if err != nil {
		return err
	}
	if a := set.find(ca); a != nil && ca != vault.Active {
		if len(chain) == 0 || !bytes.Equal(a.ders[0], chain[0]) {
			return vault.ErrCAS
		}
		return e.forget(ctx, ca)
	}
	if _, err := e.request(ctx, ca); err != nil {
		return err
	}
	var text strings.Builder
	for _, der := range chain {
		if _, err := x509.ParseCertificate(der); err != nil {
			return invalid("a certificate of the chain can't be read")
		}
		if err := pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: der}); err != nil {
			return err
		}
	}
	if len(chain) == 0 {
		return invalid("the chain is empty")
	}
	cert, err := x509.ParseCertificate(chain[0])
	if err != nil || vault.CAID(cert.RawSubjectPublicKeyInfo) != ca {
		return invalid("the certificate is not of this CA's key")
	}
	if err := e.pin(ctx, set); err != nil {
		return err
	}
	body := map[string]string{"pem_bundle": text.String()}
	if _, err := e.manage(ctx, call{method: http.MethodPost, path: "issuers/import/cert", body: body, long: true}); err != nil {
		return err
	}
	if _, _, err := e.arrived(ctx, cert); err != nil {
		return err
	}
	return e.forget(ctx, ca)
}

// ActivateCA implements vault.PKI.
func (e *Engine) ActivateCA(ctx context.Context, ca string) error {
	set, err := e.anew(ctx)
	if err != nil {
		return err
	}
	a := set.find(ca)
	switch {
	case a == nil:
		return vault.ErrNotFound
	case !a.addressed():
		return e.unaddressed(a)
	}
	defer e.outdate()
	return e.main(ctx, a.ref)
}

// WithdrawCA implements vault.PKI. The key stays in the vault, where nothing signs with a key that has no
// issuer, and none comes without the request: a policy that lets Keyward remove keys would let it lose one.
func (e *Engine) WithdrawCA(ctx context.Context, ca string) error {
	set, err := e.anew(ctx)
	if err != nil {
		return err
	}
	if set.find(ca) != nil && ca != vault.Active {
		return vault.ErrCAS
	}
	if _, err := e.request(ctx, ca); err != nil {
		return err
	}
	return e.forget(ctx, ca)
}
