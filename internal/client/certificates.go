package client

import (
	"context"
	"net/url"

	"github.com/keyward/keyward/api/backend"
)

// SigningReadiness asks whether a CSR for the slot would be signed, before a
// key is made. kept names the key that is in the slot by the SHA-256 (hex) of
// its SubjectPublicKeyInfo, if it is known: what stands against that key is
// then told, too.
func (b *Backend) SigningReadiness(ctx context.Context, serial, slot, kept string) (Readiness, error) {
	var r Readiness
	q := url.Values{"slot": {slot}}
	if kept != "" {
		q.Set("public_key_sha256", kept)
	}
	return r, b.get(ctx, hwkeyPath(serial, "signing-readiness"), q, &r)
}

// SignCSR has a certificate issued. The same CSR again gives the same
// certificate while it lives, so a lost answer does no harm.
func (b *Backend) SignCSR(ctx context.Context, serial string, c CSR) (Signed, error) {
	var s Signed
	return s, b.postAgain(ctx, hwkeyPath(serial, "sign-csr"), c, &s)
}

// DeviceCertificates lists a token's certificates, newest first, the first
// 500 of them.
func (b *Backend) DeviceCertificates(ctx context.Context, serial string) ([]Certificate, error) {
	var p Page[Certificate]
	err := b.get(ctx, hwkeyPath(serial, "certificates"), url.Values{"limit": {"500"}}, &p)
	return p.Items, err
}

// Certificates lists certificates; query takes the contract's filters.
func (b *Backend) Certificates(ctx context.Context, query url.Values) (Page[Certificate], error) {
	var p Page[Certificate]
	return p, b.get(ctx, "/api/certificates", query, &p)
}

// Certificate reads one.
func (b *Backend) Certificate(ctx context.Context, serialNumber string) (Certificate, error) {
	var c Certificate
	return c, b.get(ctx, "/api/certificates/"+url.PathEscape(serialNumber), nil, &c)
}

// Installed says that the card took the certificate. The slot's former one is
// then revoked as superseded.
func (b *Backend) Installed(ctx context.Context, serialNumber string) error {
	return b.postAgain(ctx, "/api/certificates/"+url.PathEscape(serialNumber)+"/installed", nil, nil)
}

// Revoke revokes a certificate for a reason of RFC 5280, section 5.3.1; empty
// is unspecified. A conflict says that it is revoked already, as that where it
// is keyCompromise.
func (b *Backend) Revoke(ctx context.Context, serialNumber, reason string) (Certificate, error) {
	body := backend.RevokeCertificateRequest{Reason: reason}
	var c Certificate
	return c, b.post(ctx, "/api/certificates/"+url.PathEscape(serialNumber)+"/revoke", body, &c)
}

// Unrecorded lists what the vault logged to be signed and is not on record,
// newest first, after a cursor, which is empty for the first page.
func (b *Backend) Unrecorded(ctx context.Context, cursor string) (Page[Unrecorded], error) {
	q := url.Values{}
	set(q, "cursor", cursor)
	var p Page[Unrecorded]
	return p, b.get(ctx, "/api/certificates/unrecorded", q, &p)
}

// RevokeAny revokes a certificate of the CA, also one that no record knows. A
// conflict says that it is revoked already, as that of Revoke.
func (b *Backend) RevokeAny(ctx context.Context, r RevokeAny) (RevokedAny, error) {
	var done RevokedAny
	return done, b.post(ctx, "/api/certificates/revoke", r, &done)
}
