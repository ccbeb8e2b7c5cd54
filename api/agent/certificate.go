package agent

import (
	"github.com/keyward/keyward/internal/secret"
)

// Subject is what a certificate request names.
type Subject struct {
	CommonName         string `json:"common_name" minLength:"1" maxLength:"64"`
	Email              string `json:"email,omitempty" maxLength:"255" doc:"Accepted, but not put into the request: the token tool's subjects have no such attribute. The certificate's email is the server's to set."`
	Organization       string `json:"organization,omitempty" maxLength:"64"`
	OrganizationalUnit string `json:"organizational_unit,omitempty" maxLength:"64"`
	Locality           string `json:"locality,omitempty" maxLength:"128"`
	Province           string `json:"province,omitempty" maxLength:"128"`
	Country            string `json:"country,omitempty" pattern:"^[A-Z]{2}$"`
}

// GenerateCSRRequest makes a key, or takes the one that is there, and a request for it.
type GenerateCSRRequest struct {
	Target
	Slot          string         `json:"slot,omitempty" enum:"9a,9c,9d,9e" default:"9a"`
	PIN           secret.String  `json:"pin"`
	ManagementKey *secret.String `json:"management_key,omitempty" doc:"Needed unless reuse_key is true."`
	Subject       Subject        `json:"subject"`
	KeyType       string         `json:"key_type,omitempty" enum:"rsa-2048,rsa-3072,rsa-4096,ec-p256,ec-p384,ed25519" doc:"Of a new key; rsa-2048 when absent. Which ones a token can make depends on its firmware."`
	PINPolicy     string         `json:"pin_policy,omitempty" enum:"default,never,once,always"`
	TouchPolicy   string         `json:"touch_policy,omitempty" enum:"default,never,always,cached"`
	Overwrite     bool           `json:"overwrite,omitempty" doc:"Make a new key even if the slot holds one, which is then lost."`
	ReuseKey      bool           `json:"reuse_key,omitempty" doc:"Request for the key that the slot holds (renewal)."`
}

// GenerateCSRResult is the request.
type GenerateCSRResult struct {
	CSR             string   `json:"csr" doc:"PEM PKCS #10 request, its signature and key verified."`
	Attestation     []string `json:"attestation" nullable:"false" doc:"PEM certificates: the slot's attestation, then the token's intermediate of slot f9. Empty when the token cannot attest the key."`
	PublicKeySHA256 string   `json:"public_key_sha256" doc:"Of the key that the request is for: hex SHA-256 of its SubjectPublicKeyInfo."`
}

// ImportCertificateRequest stores a certificate beside its key.
type ImportCertificateRequest struct {
	Target
	Slot          string         `json:"slot,omitempty" enum:"9a,9c,9d,9e" default:"9a"`
	Certificate   string         `json:"certificate" maxLength:"16384" doc:"One PEM certificate, for the key that the slot holds."`
	ManagementKey secret.String  `json:"management_key"`
	PIN           *secret.String `json:"pin,omitempty" doc:"Needed only where the token does not tell its public key (before firmware 5.3, for an imported key)."`
}
