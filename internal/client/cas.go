package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/keyward/keyward/api/backend"
)

// The types of CAs.
type (
	CA                = backend.CA
	CAs               = backend.CAs
	NewCA             = backend.NewCA
	CACertificateBody = backend.CACertificateBody
	ParentCRL         = backend.ParentCRL
)

const casPath = "/api/admin/cas"

func caPath(id string) string { return casPath + "/" + url.PathEscape(id) }

// CAs lists the CAs, the active one first, and the CRLs of those above them.
func (b *Backend) CAs(ctx context.Context) (CAs, error) {
	var all CAs
	return all, b.get(ctx, casPath, nil, &all)
}

// RequestCA makes a CA that signs itself, or the request for one.
func (b *Backend) RequestCA(ctx context.Context, n NewCA) (CA, error) {
	var ca CA
	return ca, b.post(ctx, casPath, n, &ca)
}

// InstallCA gives a requested CA its certificate.
func (b *Backend) InstallCA(ctx context.Context, id string, body CACertificateBody) (CA, error) {
	var ca CA
	return ca, b.postAgain(ctx, caPath(id)+"/certificate", body, &ca)
}

// ActivateCA has a CA sign all certificates from now on.
func (b *Backend) ActivateCA(ctx context.Context, id string) (CA, error) {
	var ca CA
	return ca, b.postAgain(ctx, caPath(id)+"/activate", nil, &ca)
}

// WithdrawCA withdraws the request of a CA.
func (b *Backend) WithdrawCA(ctx context.Context, id string) error {
	return b.call(ctx, request{method: http.MethodDelete, path: caPath(id)}, nil)
}
