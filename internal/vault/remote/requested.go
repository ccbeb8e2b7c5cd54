package remote

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

// requestedPath is where the CSRs of requested CAs are, by ID: Vault keeps the keys alone.
const requestedPath = vault.RequestsFolder

// request is such a document.
type request struct {
	CSR   string `json:"csr"`    // PEM
	KeyID string `json:"key_id"` // of the vault
}

// describe reads the CSR.
func (r request) describe() (vault.CA, error) {
	block, _ := textinput.PEM([]byte(r.CSR))
	if block == nil {
		return vault.CA{}, fmt.Errorf("%w: a CSR in the vault is not PEM", vault.ErrUnavailable)
	}
	csr, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return vault.CA{}, fmt.Errorf("%w: a CSR in the vault can't be read", vault.ErrUnavailable)
	}
	return vault.CA{ID: vault.CAID(csr.RawSubjectPublicKeyInfo), CSR: block.Bytes}, nil
}

// requested returns the CAs that were requested.
func (e *Engine) requested(ctx context.Context) (list []vault.CA, err error) {
	ids, err := e.List(ctx, requestedPath)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		ca, err := e.request(ctx, id)
		if errors.Is(err, vault.ErrNotFound) { // it was withdrawn meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, ca)
	}
	return list, nil
}

// request returns a requested CA; ErrNotFound.
func (e *Engine) request(ctx context.Context, id string) (vault.CA, error) {
	if _, err := hex.DecodeString(id); err != nil || id == "" {
		return vault.CA{}, vault.ErrNotFound
	}
	found, err := e.Get(ctx, requestedPath+"/"+id)
	if err != nil {
		return vault.CA{}, err
	}
	var r request
	if err := found.Data.Decode(&r); err != nil {
		return vault.CA{}, err
	}
	return r.describe()
}

// remember writes the document of a requested CA.
func (e *Engine) remember(ctx context.Context, id string, r request) error {
	data, err := vault.Encode(r)
	if err != nil {
		return err
	}
	was, err := e.Get(ctx, requestedPath+"/"+id)
	if err != nil && !errors.Is(err, vault.ErrNotFound) {
		return err
	}
	_, err = e.Put(ctx, requestedPath+"/"+id, data, was.Number)
	return err
}

// forget removes it.
func (e *Engine) forget(ctx context.Context, id string) error {
	err := e.DestroyPath(ctx, requestedPath+"/"+id)
	if forbidden(err) {
		return unprepared("the policy does not let Keyward remove the request of a CA")
	}
	return err
}
