// Package cert issues, records and revokes the tokens' certificates.
//
//	          sign          revoke; superseded; token lost, retired or reset
//	(nothing) ────▶ issued ─────────────────────▶ revoked
//	                  │ installed (on the card)      └ published (on the CRL)
//	                  └ expired is derived from notAfter
//
// A revoked or expired certificate can still be revoked as keyCompromise, which bars
// its key and revokes the key's other certificates.
//
// A revocation is first recorded in the database, with its audit entry, and then
// sent to the vault's CRL; the reconciler repeats the second step until it succeeds.
// A certificate leaves the service only after its record is durable.
//
// Routes: POST /api/hwkey/{serial}/sign-csr, GET …/signing-readiness,
// GET …/certificates, /api/certificates and below.
package cert

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
)

// Status is the stored state; expired is derived.
type Status string

// The statuses. Expired is accepted as a filter and shown, never stored.
const (
	Issued  Status = "issued"
	Revoked Status = "revoked"
	Expired Status = "expired"
)

// SAN is a subject alternative name (RFC 5280, section 4.2.1.6), or the Windows SID, which has an
// extension of its own.
type SAN struct {
	Type  string `json:"type" enum:"email,dns,ip,uri,upn,krb5_principal,sid"`
	Value string `json:"value"`
}

// Certificate is a record.
type Certificate struct {
	ID               int64  // the row's number, for paging; not part of the API
	SerialNumber     string // lower-case hex of even length
	HWKeySerial      string
	Slot             string
	Subject          string // RFC 2253 text
	CommonName       string
	SANs             []SAN
	Issuer           string
	NotBefore        time.Time
	NotAfter         time.Time
	KeyAlgorithm     string // piv.KeyType
	PublicKeySHA256  string // hex, of the SubjectPublicKeyInfo
	CSRSHA256        string // hex, of the CSR's DER
	DER              []byte // empty in lists
	Status           Status
	RevokedAt        *time.Time
	RevocationReason string
	PublishedAt      *time.Time // when the revocation was sent to the vault
	IssuedBy         string     // username
	Profile          string     // name of the certificate profile
	InstalledAt      *time.Time
	Attestation      *Attestation // nil: not attested
	OwnerID          *int64       // the token's owner when it was issued
	OwnerUsername    string       // current, without the email in a former organization; for InsertCertificate, as the signer saw it
	OwnerName        string       // current; read-only, empty: unknown
	OwnerEmail       string       // as the signer saw it; only for InsertCertificate, not stored
	OwnerUPN         string       // likewise
	OwnerSID         string       // likewise
	OrganizationID   *int64       // the token's organization when it was issued
	Renews           string       // serial number of the live certificate of the same CSR whose place it takes; only for InsertCertificate
	Generation       int64        // the token's, as the signer saw it; only for InsertCertificate, not stored
}

// Attestation is what a token proved about a certificate's key.
type Attestation struct {
	FirmwareVersion string `json:"firmware_version"`
	FormFactor      string `json:"form_factor"` // empty: unknown (firmware 4)
	PINPolicy       string `json:"pin_policy"`
	TouchPolicy     string `json:"touch_policy"`
	Root            string `json:"root"` // common name of the root CA of the proof
}

// CSR is a request of which there is one live certificate.
type CSR struct{ HWKeySerial, Slot, SHA256, Profile string }

// CSR returns the request that the certificate is for.
func (c Certificate) CSR() CSR { return CSR{c.HWKeySerial, c.Slot, c.CSRSHA256, c.Profile} }

// Live reports whether the certificate is neither revoked nor expired.
func (c Certificate) Live(now time.Time) bool {
	return c.Status == Issued && now.Before(c.NotAfter)
}

// Unrecorded is the revocation of a certificate without a record.
type Unrecorded struct {
	vault.Revocation

	Published bool   // sent to the vault
	Key       string // hex SHA-256 of its SubjectPublicKeyInfo; empty: unknown
}

// Filter narrows a list; zero fields do not filter.
type Filter struct {
	Q              string // part of common name, token serial, or the start of a serial number
	Status         Status // NotAfter and Now distinguish Expired from Issued
	Now            time.Time
	HWKeySerial    string
	OwnerID        *int64
	OrganizationID *int64
	ExpiresFrom    time.Time
	ExpiresBefore  time.Time
	Attested       *bool // whether its key is known to be one of the token
	Installed      *bool // whether it is known to be on the token
	Lapsed         bool  // only those expired on an active token, with none issued later for the slot; Status is Expired
	Sort           page.Sort
}

// Week is the unit of Weeks; weeks begin on Monday, 00:00 UTC.
const Week = 7 * 24 * time.Hour

// YearAhead is the number of weeks from the current one through that of a year from
// now, on any day.
const YearAhead = 54

// Weeks counts the certificates that end in each week; the first week begins at First.
type Weeks struct {
	First    time.Time
	Counts   []int64
	AreExact bool // else each is a lower bound
}

// The orders of a list. Ties are in order of issue.
const (
	NewestFirst page.Sort = "" // by issue
	OldestFirst page.Sort = "issued"
	EndsFirst   page.Sort = "not_after"  // next to end first
	EndsLast    page.Sort = "-not_after" // last to end first
	NamesFirst  page.Sort = "common_name"
	NamesLast   page.Sort = "-common_name"
)

// Store keeps certificates.
type Store interface {
	// InsertCertificate records a certificate with its entry if the token is still as
	// the signer saw it: its status allows signing, its owner is OwnerID, an active
	// account with OwnerUsername, OwnerName, OwnerEmail, OwnerUPN and OwnerSID, its
	// organization OrganizationID, and its generation is Generation;
	// otherwise Conflict. If a live certificate for the same token, slot, CSR and profile exists,
	// other than Renews, which then counts no longer,
	// it writes nothing and returns that one with existed true. ErrKeyCompromised for a
	// compromised key. The messages in told are queued with the record.
	InsertCertificate(ctx context.Context, c Certificate, entry audit.Entry, told ...notify.Message) (
		stored Certificate, existed bool, err error)
	// KeyCompromised reports whether any certificate of the key was revoked as
	// keyCompromise. publicKeySHA256 is the hex SHA-256 of its SubjectPublicKeyInfo.
	KeyCompromised(ctx context.Context, publicKeySHA256 string) (bool, error)
	// LiveByCSR returns the live certificate of a token, slot, CSR and profile, or NotFound.
	// ErrKeyCompromised comes first.
	LiveByCSR(ctx context.Context, of CSR, publicKeySHA256 string, now time.Time) (Certificate, error)
	// LiveOf returns tokens' live certificates by token serial, newest first, without DER.
	LiveOf(ctx context.Context, hwkeySerials []string, now time.Time) (map[string][]Certificate, error)
	// Certificate is NotFound outside scope. It includes DER.
	Certificate(ctx context.Context, scope access.Scope, serialNumber string) (Certificate, error)
	// ListCertificates returns those in scope, in the filter's order, without
	// DER. Invalid for a cursor of another order.
	ListCertificates(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Certificate], error)
	// CountByWeek counts the live certificates that match the filter by the week in
	// which they end; the first week begins at first. A search stops at the limit of
	// list totals, counting those that end first.
	CountByWeek(ctx context.Context, scope access.Scope, f Filter, first time.Time, weeks int) (Weeks, error)
	// RevokeCertificate marks a certificate as revoked, not yet published. Conflict if
	// it is already revoked; but KeyCompromise replaces another reason, keeps RevokedAt,
	// and is published again. KeyCompromise also revokes all other live certificates of
	// the key, in any organization, with entries made from entry.
	RevokeCertificate(ctx context.Context, serialNumber string, reason vault.Reason, at time.Time, entry audit.Entry) (Certificate, error)
	// InstallCertificate sets InstalledAt (only the first time) and revokes the older
	// live certificates of the same token and slot as superseded, each with an entry
	// made from superseded. Conflict if it is revoked. It is idempotent.
	InstallCertificate(ctx context.Context, serialNumber string, at time.Time, installed, superseded audit.Entry) (Certificate, error)
	// RevocationOf reports whether a certificate of an issuer, by its distinguished name (RFC 4514), is
	// known, with a record or as a revocation without one, and its revocation; nil if it is not revoked.
	RevocationOf(ctx context.Context, issuer, serialNumber string) (known bool, revoked *vault.Revocation, err error)
	// RevocationMark changes whenever a revocation was recorded or published.
	RevocationMark(ctx context.Context) (string, error)
	// UnpublishedRevocations returns revocations not yet sent to the vault, oldest
	// first, with DER, without the first skip.
	UnpublishedRevocations(ctx context.Context, skip, limit int) ([]vault.Revocation, error)
	// MarkPublished records that the vault has these revocations, with these reasons, of
	// certificates with or without a record.
	MarkPublished(ctx context.Context, carried []vault.Revocation, at time.Time) error
	// RevokeUnrecorded records the revocation of a certificate without a record, not yet
	// published; publicKeySHA256 (hex) is empty if unknown. Otherwise as
	// RevokeCertificate.
	RevokeUnrecorded(ctx context.Context, r vault.Revocation, publicKeySHA256 string, entry audit.Entry) error
	// UnrecordedRevocations returns the revocations of RevokeUnrecorded, by serial number.
	UnrecordedRevocations(ctx context.Context, serialNumbers []string) (map[string]Unrecorded, error)
	// UnpublishedUnrecorded is UnpublishedRevocations for those.
	UnpublishedUnrecorded(ctx context.Context, skip, limit int) ([]vault.Revocation, error)
	// Usernames returns the usernames of accounts, by id.
	Usernames(ctx context.Context, accounts []int64) (map[int64]string, error)
	// CertificatesDER returns the DER of those serials that are recorded.
	CertificatesDER(ctx context.Context, serialNumbers []string) (map[string][]byte, error)
	// KnownAmong reports which serials are recorded, revoked or not.
	KnownAmong(ctx context.Context, serialNumbers []string) (map[string]bool, error)
	// PublishedRevocations returns the serial numbers of at most limit revoked
	// certificates that were sent to the vault and end after ends, starting after the
	// position after in an unspecified order, and the position of the last.
	PublishedRevocations(ctx context.Context, after int64, ends time.Time, limit int) (serialNumbers []string, last int64, err error)
	// PublishedUnrecorded returns those of certificates without a record, with DER where known.
	PublishedUnrecorded(ctx context.Context, ends time.Time) ([]vault.Revocation, error)
	// Unpublish records that the vault lacks these revocations, of certificates with or
	// without a record.
	Unpublish(ctx context.Context, serialNumbers []string) error
	// IssuedAmong returns those serials, revoked according to the vault, that the
	// database has as issued.
	IssuedAmong(ctx context.Context, serialNumbers []string) ([]string, error)
}
