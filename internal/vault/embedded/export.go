package embedded

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"

	"github.com/keyward/keyward/internal/secret"
)

// ExportCA gives the CA as PEM: its certificate, those above it, and the
// private key (PKCS #8). It is for moving it to another vault.
func (e *Engine) ExportCA(ctx context.Context) (secret.String, error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return secret.String{}, err
	}
	var text bytes.Buffer
	for _, cert := range v.ca.chain {
		if err := pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}); err != nil {
			return secret.String{}, err
		}
	}
	key, err := x509.MarshalPKCS8PrivateKey(v.ca.key)
	if err != nil {
		return secret.String{}, err
	}
	if err := pem.Encode(&text, &pem.Block{Type: "PRIVATE KEY", Bytes: key}); err != nil {
		return secret.String{}, err
	}
	return secret.New(text.String()), nil
}

// CRLNumber implements vault.Numbered.
func (e *Engine) CRLNumber(ctx context.Context) (number uint64, err error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return 0, err
	}
	err = v.view(func(r reader) error {
		mark, err := r.crlMark()
		number = mark.number
		return err
	})
	return number, err
}
