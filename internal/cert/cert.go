// Package cert issues, records and revokes the tokens' certificates.
//
//	             sign            revoke, token lost/retired/reset, superseded
//	(nothing) ─────────▶ issued ─────────────────────────────────────────────▶ revoked
//	                       │ installed (the card took it)             published (on the CRL)
//	                       └ expired is derived from notAfter
//
// A certificate that ended, by revocation or expiry, can still be revoked as
// keyCompromise, which bars its key. Its other certificates end with it.
//
// A revocation is first a fact in the database, with its audit entry, and is
// then carried to the vault's CRL; the reconciler repeats the second step
// until it succeeds. A certificate leaves the service only after its record
// is durable.
//
// Routes: POST /api/hwkey/{serial}/sign-csr, GET …/signing-readiness,
// GET …/certificates, /api/certificates and below.
package cert

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notice"
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

// SAN is a subject alternative name (RFC 5280, section 4.2.1.6).
type SAN struct {
	Type  string `json:"type" enum:"email,dns,ip,uri"`
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
	PublishedAt      *time.Time // when the revocation was handed to the vault
	IssuedBy         string     // username
	InstalledAt      *time.Time
	Attestation      *Attestation // nil: not attested
	OwnerID          *int64       // the token's owner when it was issued
	OwnerUsername    string       // as it is now, in a former organization not the email; for InsertCertificate as the signer saw it
	OwnerName        string       // as it is now; read only, empty: not known
	OwnerEmail       string       // as the signer saw it; for InsertCertificate alone, not kept
	OrganizationID   *int64       // the token's organization when it was issued
	Generation       int64        // the token's when the signer saw it; for InsertCertificate alone, not kept
}

// Attestation is what a token proved of a certificate's key.
type Attestation struct {
	FirmwareVersion string `json:"firmware_version"`
	FormFactor      string `json:"form_factor"` // empty: not told (firmware 4)
	PINPolicy       string `json:"pin_policy"`
	TouchPolicy     string `json:"touch_policy"`
	Root            string `json:"root"` // common name of the CA that the proof ends at
}

// Live tells whether the certificate is neither revoked nor expired.
func (c Certificate) Live(now time.Time) bool {
	return c.Status == Issued && now.Before(c.NotAfter)
}

// Unrecorded is the revocation of a certificate that no record knows.
type Unrecorded struct {
	vault.Revocation

	Published bool   // the vault was told
	Key       string // hex SHA-256 of its SubjectPublicKeyInfo; empty: not known
}

// Filter narrows a list; zero fields do not.
type Filter struct {
	Q              string // part of common name, token serial, or the start of a serial number
	Status         Status // Expired and Issued are told apart by NotAfter and Now
	Now            time.Time
	HWKeySerial    string
	OwnerID        *int64
	OrganizationID *int64
	ExpiresBefore  time.Time
	Installed      *bool // whether the token was said to hold it
	Lapsed         bool  // only what has expired on an active token, with none issued later for its slot; Status is Expired
	Sort           page.Sort
}

// Week is what ends are counted by; it begins on a Monday at 00:00 UTC.
const Week = 7 * 24 * time.Hour

// YearAhead is how many weeks there are from the present one to that of a year from now, whatever day it is.
const YearAhead = 54

// Weeks are how many certificates end in each week, the first of which begins at First.
type Weeks struct {
	First    time.Time
	Counts   []int64
	AreExact bool // else each is a lower bound
}

// The orders of a list. Within one moment or name the order is that of issue.
const (
	NewestFirst page.Sort = "" // by issue
	OldestFirst page.Sort = "issued"
	EndsFirst   page.Sort = "not_after"  // the next to end first
	EndsLast    page.Sort = "-not_after" // the last to end first
	NamesFirst  page.Sort = "common_name"
	NamesLast   page.Sort = "-common_name"
)

// Store keeps certificates.
type Store interface {
	// InsertCertificate records a certificate with its entry, if the token
	// still stands as the signer saw it: its status signs, its owner is
	// OwnerID, an active account with OwnerUsername and OwnerEmail, and its
	// generation Generation; otherwise Conflict. When a live certificate of the same token,
	// slot and CSR exists, nothing is written and that one is returned with
	// existed true. ErrKeyCompromised when the key is. What is told goes out
	// with the record.
	InsertCertificate(ctx context.Context, c Certificate, entry audit.Entry, told ...notice.Message) (
		stored Certificate, existed bool, err error)
	// KeyCompromised tells whether a certificate of that key, whosever, was
	// revoked as keyCompromise. The key is named by the SHA-256 (hex) of its
	// SubjectPublicKeyInfo.
	KeyCompromised(ctx context.Context, publicKeySHA256 string) (bool, error)
	// LiveByCSR finds the live certificate of a token, slot and CSR.
	// NotFound otherwise. ErrKeyCompromised when the CSR's key is, in any case.
	LiveByCSR(ctx context.Context, hwkeySerial, slot, csrSHA256, publicKeySHA256 string, now time.Time) (Certificate, error)
	// LiveOf returns the live certificates of tokens by their serial, newest
	// first, without DER.
	LiveOf(ctx context.Context, hwkeySerials []string, now time.Time) (map[string][]Certificate, error)
	// Certificate is NotFound outside scope. It includes DER.
	Certificate(ctx context.Context, scope access.Scope, serialNumber string) (Certificate, error)
	// ListCertificates returns those in scope, in the filter's order, without
	// DER. Invalid for a cursor of another order.
	ListCertificates(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Certificate], error)
	// CountByWeek counts, of those that the filter lets through, the ones that
	// are neither revoked nor expired, by the week in which they end: the first
	// begins at first. A search ends where the total of a list does, after those that end first.
	CountByWeek(ctx context.Context, scope access.Scope, f Filter, first time.Time, weeks int) (Weeks, error)
	// RevokeCertificate marks a certificate as revoked, not yet published.
	// Conflict when it is revoked already; but as KeyCompromise it takes the
	// place of another reason, RevokedAt stays, and it is published again.
	// KeyCompromise revokes whatever else of that key is alive, in any
	// organization, with entries made from entry.
	RevokeCertificate(ctx context.Context, serialNumber string, reason vault.Reason, at time.Time, entry audit.Entry) (Certificate, error)
	// InstallCertificate sets InstalledAt (the first time counts) and
	// revokes the other live certificates of the same token and slot that
	// were issued before it as superseded, each with an entry made from
	// superseded. Conflict when it is revoked. Repeated, it changes nothing.
	InstallCertificate(ctx context.Context, serialNumber string, at time.Time, installed, superseded audit.Entry) (Certificate, error)
	// UnpublishedRevocations returns revocations that the vault was not yet
	// told of, oldest first, with DER; the first skip of them are left out.
	UnpublishedRevocations(ctx context.Context, skip, limit int) ([]vault.Revocation, error)
	// MarkPublished notes that the vault has them, with these reasons: of
	// certificates on record, and of others.
	MarkPublished(ctx context.Context, carried []vault.Revocation, at time.Time) error
	// RevokeUnrecorded puts the revocation of a certificate on record that has no
	// record itself, not yet published; the SHA-256 (hex) of its key is empty when
	// not known. As RevokeCertificate otherwise.
	RevokeUnrecorded(ctx context.Context, r vault.Revocation, publicKeySHA256 string, entry audit.Entry) error
	// UnrecordedRevocations returns those of RevokeUnrecorded, by serial number.
	UnrecordedRevocations(ctx context.Context, serialNumbers []string) (map[string]Unrecorded, error)
	// UnpublishedUnrecorded is UnpublishedRevocations of these.
	UnpublishedUnrecorded(ctx context.Context, skip, limit int) ([]vault.Revocation, error)
	// Usernames gives those of accounts.
	Usernames(ctx context.Context, accounts []int64) (map[int64]string, error)
	// CertificatesDER returns those of these serials that are on record.
	CertificatesDER(ctx context.Context, serialNumbers []string) (map[string][]byte, error)
	// KnownAmong tells which of these serials are on record, revoked or not.
	KnownAmong(ctx context.Context, serialNumbers []string) (map[string]bool, error)
	// PublishedRevocations returns the serial numbers of at most limit revoked
	// certificates whose revocation was handed to the vault, and that end after a
	// time; in an order of their own, those after a place, and the place of the
	// last.
	PublishedRevocations(ctx context.Context, after int64, ends time.Time, limit int) (serialNumbers []string, last int64, err error)
	// PublishedUnrecorded returns those of certificates that no record knows, with
	// DER where that is known.
	PublishedUnrecorded(ctx context.Context, ends time.Time) ([]vault.Revocation, error)
	// Unpublish notes that the vault does not have these revocations, of certificates
	// on record or not.
	Unpublish(ctx context.Context, serialNumbers []string) error
	// IssuedAmong returns which of these serials, which the vault
	// says are revoked, stand as issued in the database.
	IssuedAmong(ctx context.Context, serialNumbers []string) ([]string, error)
}
