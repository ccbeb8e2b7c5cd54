package backend

import (
	"time"
)

// Certificate is a certificate's record as the API shows it.
type Certificate struct {
	SerialNumber     string       `json:"serial_number" doc:"lower-case hex"`
	HWKeySerial      string       `json:"hwkey_serial"`
	Slot             string       `json:"slot" enum:"9a,9c,9d,9e"`
	Subject          string       `json:"subject"`
	CommonName       string       `json:"common_name"`
	SANs             []SAN        `json:"sans" nullable:"false"`
	Issuer           string       `json:"issuer"`
	NotBefore        time.Time    `json:"not_before"`
	NotAfter         time.Time    `json:"not_after"`
	KeyAlgorithm     string       `json:"key_algorithm"`
	PublicKeySHA256  string       `json:"public_key_sha256" doc:"of the SubjectPublicKeyInfo, hex"`
	Status           string       `json:"status" enum:"issued,revoked,expired" doc:"expired is derived from not_after"`
	RevokedAt        *time.Time   `json:"revoked_at" nullable:"true"`
	RevocationReason *string      `json:"revocation_reason" nullable:"true" doc:"RFC 5280 name"`
	IssuedBy         string       `json:"issued_by"`
	Profile          string       `json:"profile" doc:"name of the certificate profile"`
	InstalledAt      *time.Time   `json:"installed_at" nullable:"true" doc:"null: not confirmed to be on the token"`
	Attested         bool         `json:"attested" doc:"whether it is proven that the key was created on the token"`
	Attestation      *Attestation `json:"attestation" doc:"what the token proved of its key; null: nothing"`
	Owner            *Owner       `json:"owner" doc:"of the token, when it was issued"`
}

// Attestation is what a token proved of a certificate's key.
type Attestation struct {
	_               struct{} `nullable:"true"`
	FirmwareVersion string   `json:"firmware_version"`
	FormFactor      string   `json:"form_factor" doc:"empty: not told (firmware 4)"`
	PINPolicy       string   `json:"pin_policy" enum:"never,once,always,match_once,match_always"`
	TouchPolicy     string   `json:"touch_policy" enum:"never,always,cached"`
	Root            string   `json:"root" doc:"common name of the CA at which the proof ends"`
}

// CertificateWeeks are the weeks of the coming year, from the present one on, and how many certificates end in each.
type CertificateWeeks struct {
	Weeks []CertificateWeek `json:"weeks" nullable:"false" doc:"54 weeks, including those in which none expires. Counts certificates that are neither revoked nor expired"`

	CountsAreExact bool `json:"counts_are_exact" doc:"false: the search q ended after the first 10,000 certificates to expire, so there may be more in later weeks"`
}

// CertificateWeek is one of them.
type CertificateWeek struct {
	Start string `json:"week_start" format:"date" doc:"the Monday on which the week begins, at 00:00 UTC"`
	Count int64  `json:"count"`
}

// OneCertificate adds the certificate itself.
type OneCertificate struct {
	Certificate
	PEM string `json:"certificate" doc:"PEM"`
}

// Readiness tells whether a CSR would be signed now.
type Readiness struct {
	Ready   bool     `json:"ready"`
	Reasons []string `json:"reasons" nullable:"false" doc:"codes of what is in the way"`
	Subject struct {
		CommonName string `json:"common_name"`
		Email      string `json:"email"`
	} `json:"subject"`
	Profile     string `json:"profile" doc:"name of the certificate profile; empty: the slot gets none"`
	KeyType     string `json:"key_type" doc:"what to create the key with, as are pin_policy and touch_policy; empty: any"`
	PINPolicy   string `json:"pin_policy"`
	TouchPolicy string `json:"touch_policy"`
}

// RevokeCertificateRequest says why; a code of RFC 5280, section 5.3.1.
type RevokeCertificateRequest struct {
	Reason string `json:"reason,omitempty" enum:"unspecified,keyCompromise,cACompromise,affiliationChanged,superseded,cessationOfOperation,privilegeWithdrawn,aACompromise"`
}

// RevokeAnyRequest names a certificate by itself or by its serial number.
type RevokeAnyRequest struct {
	Certificate  string `json:"certificate,omitempty" maxLength:"65536" doc:"PEM; or serial_number"`
	SerialNumber string `json:"serial_number,omitempty" maxLength:"40" doc:"lower-case hex; or certificate"`
	Reason       string `json:"reason,omitempty" enum:"unspecified,keyCompromise,cACompromise,affiliationChanged,superseded,cessationOfOperation,privilegeWithdrawn,aACompromise"`
}

// RevokedAny is what was revoked.
type RevokedAny struct {
	SerialNumber     string    `json:"serial_number" doc:"lower-case hex"`
	RevokedAt        time.Time `json:"revoked_at"`
	RevocationReason string    `json:"revocation_reason" doc:"RFC 5280 name"`
	OnRecord         bool      `json:"on_record" doc:"whether the certificate has a record, which shows this too"`
	KeyBarred        bool      `json:"key_barred" doc:"whether its key gets no certificate any more: reported as compromised, and known. If it isn't known, send the certificate itself, even now"`
}

// UnrecordedIssuance is a certificate that the vault logged before its
// signature and that is not on record.
type UnrecordedIssuance struct {
	LoggedAt         time.Time  `json:"logged_at" doc:"before the signature"`
	HWKeySerial      string     `json:"hwkey_serial"`
	Slot             string     `json:"slot" enum:"9a,9c,9d,9e"`
	IssuedBy         *Owner     `json:"issued_by" doc:"who requested it; null: an API key"`
	APIKeyID         *int64     `json:"api_key_id" nullable:"true" doc:"null: a person asked for it"`
	CSRSHA256        string     `json:"csr_sha256" doc:"hex, of its DER"`
	PublicKeySHA256  string     `json:"public_key_sha256" doc:"of the SubjectPublicKeyInfo, hex"`
	SerialNumber     *string    `json:"serial_number" nullable:"true" doc:"lower-case hex; null: not known"`
	NotAfter         *time.Time `json:"not_after" nullable:"true" doc:"null: not known"`
	Outcome          string     `json:"outcome" enum:"open,discarded,not_signed,lost" doc:"open: not settled yet, ten minutes after it was logged at the earliest; discarded: not recorded, perhaps never signed, and revoked; not_signed: nothing was signed; lost: may still be valid, since an older database was accepted or the vault could not revoke it"`
	RevokedAt        *time.Time `json:"revoked_at" nullable:"true" doc:"when someone revoked it; null: nobody did"`
	RevocationReason *string    `json:"revocation_reason" nullable:"true" doc:"RFC 5280 name"`
}

// SAN is a subject alternative name, or the Windows SID, which has an extension of its own.
type SAN struct {
	Type  string `json:"type" enum:"email,dns,ip,uri,upn,krb5_principal,sid"`
	Value string `json:"value"`
}

// SignCSRRequest is a CSR (RFC 2986) with its key's attestation.
type SignCSRRequest struct {
	CSR         string   `json:"csr" minLength:"1" maxLength:"65536" doc:"PEM"`
	Slot        string   `json:"slot,omitempty" enum:"9a,9c,9d,9e" doc:"9a when absent"`
	Profile     string   `json:"profile,omitempty" maxLength:"40" doc:"name of a certificate profile; the slot's when absent"`
	Attestation []string `json:"attestation,omitempty" maxItems:"2" nullable:"false" doc:"two PEM blocks: the slot's attestation and the certificate of slot F9; empty if the token can't attest the key, or if they are in the CSR, as yubico-piv-tool and powershellYK put them there"`
	Reason      string   `json:"reason,omitempty" maxLength:"256" doc:"why, for someone else's token; required there without a valid attestation"`
	Renew       bool     `json:"renew,omitempty" doc:"a new certificate for the same key, though it has a valid one, which stays valid until the new one is reported as installed; repeated within the hour before that, it returns the new one"`
}

// SignedCertificate is the answer to sign-csr.
type SignedCertificate struct {
	Certificate  string    `json:"certificate" doc:"PEM"`
	Chain        []string  `json:"chain" nullable:"false" doc:"PEM, issuer first, root last"`
	SerialNumber string    `json:"serial_number"`
	NotBefore    time.Time `json:"not_before"`
	NotAfter     time.Time `json:"not_after"`
	Warnings     []string  `json:"warnings" nullable:"false" doc:"names, usages and extensions that the CSR asks for and the certificate doesn't have; that it ends with its CA; for people, in English"`
}
