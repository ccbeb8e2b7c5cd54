package backend

import "time"

// CA is a certificate authority of the installation.
type CA struct {
	ID               string          `json:"id" doc:"16 hex digits; it stays"`
	State            string          `json:"state" enum:"requested,ready,active,retiring,ended" doc:"one is active and signs certificates; a retiring one signs only its CRL and OCSP signer, until its last certificate has ended"`
	Subject          string          `json:"subject" doc:"distinguished name (RFC 4514)"`
	KeyType          string          `json:"key_type" enum:"rsa-2048,rsa-3072,rsa-4096,ec-p256,ec-p384"`
	NotBefore        *time.Time      `json:"not_before" nullable:"true" doc:"null while requested"`
	NotAfter         *time.Time      `json:"not_after" nullable:"true"`
	Parent           *string         `json:"parent" nullable:"true" doc:"who signed its certificate; null: it signed itself, or is requested"`
	Fingerprint      *string         `json:"fingerprint" nullable:"true" doc:"SHA-256 of its certificate, hex"`
	Chain            []CACertificate `json:"chain" nullable:"false" doc:"its certificate first, the root last"`
	CSR              *string         `json:"csr" nullable:"true" doc:"PEM, while requested"`
	CertificatesLive int64           `json:"certificates_live" doc:"neither revoked nor ended"`
	CRL              *CACRL          `json:"crl,omitempty" doc:"absent while requested, or if the vault does not answer"`
	CRLPath          *string         `json:"crl_path" nullable:"true" doc:"where its list is, below the site's address"`
	CAPath           *string         `json:"ca_path" nullable:"true" doc:"where its certificate is, DER"`
	RequestedAt      *time.Time      `json:"requested_at" nullable:"true" doc:"null for a CA from before there were several"`
	ActivatedAt      *time.Time      `json:"activated_at" nullable:"true"`
	RetiredAt        *time.Time      `json:"retired_at" nullable:"true"`
	LastEndsAt       *time.Time      `json:"last_ends_at" nullable:"true" doc:"of a retiring CA: none of its certificates lasts longer"`
	RenewFrom        *time.Time      `json:"renew_from" nullable:"true" doc:"of the active CA: when it should have a successor, 90 days before its end begins to shorten certificates"`
}

// CACertificate is a certificate of a CA's chain.
type CACertificate struct {
	Subject     string    `json:"subject"`
	NotAfter    time.Time `json:"not_after"`
	Fingerprint string    `json:"fingerprint" doc:"SHA-256, hex"`
	PEM         string    `json:"pem"`
}

// CACRL is the last list of a CA.
type CACRL struct {
	Number     uint64    `json:"number"`
	NextUpdate time.Time `json:"next_update"`
}

// ParentCRL is a list of a CA above ours (PKI_PARENT_CRL_FILES).
type ParentCRL struct {
	File       string     `json:"file" doc:"its name, without the folder"`
	Issuer     *string    `json:"issuer" nullable:"true"`
	NextUpdate *time.Time `json:"next_update" nullable:"true"`
	Problem    *string    `json:"problem" nullable:"true" enum:"unreadable,ended,unknown_issuer" doc:"unreadable: it is not published; unknown_issuer: no CA here has such a parent"`
}

// CAs are all CAs, the active one first.
type CAs struct {
	Items      []CA        `json:"items" nullable:"false"`
	ParentCRLs []ParentCRL `json:"parent_crls" nullable:"false"`
}

// NewCA asks for another CA.
type NewCA struct {
	Parent  string `json:"parent" enum:"self,external" doc:"self: it signs itself; external: the answer has a CSR"`
	Subject string `json:"subject,omitempty" maxLength:"200" doc:"its common name, never used before; when absent, the active CA's with the next number"`
	KeyType string `json:"key_type,omitempty" enum:"rsa-2048,rsa-3072,rsa-4096,ec-p256,ec-p384" doc:"when absent, the active CA's"`
}

// CACertificateBody is a requested CA's certificate.
type CACertificateBody struct {
	Certificate string `json:"certificate" minLength:"1" maxLength:"65536" doc:"PEM; those above it may follow"`
	Chain       string `json:"chain,omitempty" maxLength:"65536" doc:"PEM: the certificates above it, up to the root, in any order"`
}
