package client

import (
	"context"
	"net/url"

	"github.com/keyward/keyward/api/backend"
)

// SigningReadiness reports whether a CSR for the slot would be signed, before a key is
// generated. kept is the SHA-256 (hex) of the SubjectPublicKeyInfo of the slot's key,
// if known: the reasons against that key are then included.
func (b *Backend) SigningReadiness(ctx context.Context, serial, slot, kept string) (Readiness, error) {
	var r Readiness
	q := url.Values{"slot": {slot}}
	if kept != "" {
		q.Set("public_key_sha256", kept)
	}
	return r, b.get(ctx, hwkeyPath(serial, "signing-readiness"), q, &r)
}

// Profiles returns the profiles that a token may have, and what its slots get.
func (b *Backend) Profiles(ctx context.Context, serial string) (UsableProfiles, error) {
	var p UsableProfiles
	return p, b.get(ctx, "/api/certificate-profiles", url.Values{"serial": {serial}}, &p)
}

// SignCSR has a certificate issued. The same CSR returns the same certificate while it
// is valid, and a renewal the same one until that is installed, so a lost response does
// no harm.
func (b *Backend) SignCSR(ctx context.Context, serial string, c CSR) (Signed, error) {
	var s Signed
	return s, b.postAgain(ctx, hwkeyPath(serial, "sign-csr"), c, &s)
}

// DeviceCertificates lists a token's newest certificates, newest first, at most 500.
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

// Certificate reads a certificate.
func (b *Backend) Certificate(ctx context.Context, serialNumber string) (Certificate, error) {
	var c Certificate
	return c, b.get(ctx, "/api/certificates/"+url.PathEscape(serialNumber), nil, &c)
}

// CertificatePEM reads a certificate itself.
func (b *Backend) CertificatePEM(ctx context.Context, serialNumber string) (string, error) {
	var c backend.OneCertificate
	err := b.get(ctx, "/api/certificates/"+url.PathEscape(serialNumber), nil, &c)
	return c.PEM, err
}

// Installed reports that the card holds the certificate. The service then revokes the
// slot's previous one as superseded.
func (b *Backend) Installed(ctx context.Context, serialNumber string) error {
	return b.postAgain(ctx, "/api/certificates/"+url.PathEscape(serialNumber)+"/installed", nil, nil)
}

// Revoke revokes a certificate for a reason of RFC 5280, section 5.3.1; empty means
// unspecified. A conflict means that it is already revoked, and for keyCompromise if
// that is the given reason.
func (b *Backend) Revoke(ctx context.Context, serialNumber, reason string) (Certificate, error) {
	body := backend.RevokeCertificateRequest{Reason: reason}
	var c Certificate
	return c, b.post(ctx, "/api/certificates/"+url.PathEscape(serialNumber)+"/revoke", body, &c)
}

// Unrecorded lists the certificates that the vault logged before signing but that are
// not recorded, newest first, after a cursor (empty for the first page).
func (b *Backend) Unrecorded(ctx context.Context, cursor string) (Page[Unrecorded], error) {
	q := url.Values{}
	set(q, "cursor", cursor)
	var p Page[Unrecorded]
	return p, b.get(ctx, "/api/certificates/unrecorded", q, &p)
}

// RevokeAny revokes any certificate of the CA, even an unrecorded one. A conflict means
// what it means for Revoke.
func (b *Backend) RevokeAny(ctx context.Context, r RevokeAny) (RevokedAny, error) {
	var done RevokedAny
	return done, b.post(ctx, "/api/certificates/revoke", r, &done)
}
