package client

import (
	"time"

	"github.com/keyward/keyward/internal/piv"
)

// User is a person's account.
type User struct {
	ID                 int64   `json:"id"`
	Username           string  `json:"username"`
	Email              string  `json:"email"`
	Role               string  `json:"role"`
	IsActive           bool    `json:"is_active"`
	OrganizationID     *int64  `json:"organization_id"`
	OrganizationName   string  `json:"organization_name"`
	MustChangePassword bool    `json:"must_change_password"`
	LockedUntil        *string `json:"locked_until,omitempty"`
}

// Me is the one who is signed in.
type Me struct {
	User
	SessionID   int64    `json:"session_id"`
	Permissions []string `json:"permissions"`
}

// Session is one sign-in.
type Session struct {
	ID                  int64     `json:"id"`
	UserID              int64     `json:"user_id"`
	IPAddress           string    `json:"ip_address"`
	UserAgent           string    `json:"user_agent"`
	CreatedAt           time.Time `json:"created_at"`
	ExpiresAt           time.Time `json:"expires_at"`
	Active              bool      `json:"active"`
	AgentRegistered     bool      `json:"agent_registered"`
	AgentKeyFingerprint string    `json:"agent_key_fingerprint"`
	Hostname            string    `json:"hostname"`
}

// Owner is who holds a token.
type Owner struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
}

// SecretsState is what a list may show of a token's secrets.
type SecretsState struct {
	Version         int        `json:"version"`
	RotationPending bool       `json:"rotation_pending"`
	ChangedAt       *time.Time `json:"changed_at"`
}

// Device is a token on record.
type Device struct {
	Serial           string        `json:"serial"`
	Label            string        `json:"label"`
	Model            string        `json:"model"`
	FirmwareVersion  string        `json:"firmware_version"`
	FormFactor       string        `json:"form_factor"`
	Status           string        `json:"status"`
	Owner            *Owner        `json:"owner"`
	OrganizationID   *int64        `json:"organization_id"`
	OrganizationName string        `json:"organization_name"`
	RegisteredAt     time.Time     `json:"registered_at"`
	EnrolledAt       *time.Time    `json:"enrolled_at"`
	LastSeenAt       *time.Time    `json:"last_seen_at"`
	Secrets          SecretsState  `json:"secrets"`
	Certificates     []Certificate `json:"certificates"`
}

// SAN is a subject alternative name.
type SAN struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// Certificate is a record; a device carries a short form of it.
type Certificate struct {
	SerialNumber     string     `json:"serial_number"`
	HWKeySerial      string     `json:"hwkey_serial"`
	Slot             string     `json:"slot"`
	Subject          string     `json:"subject"`
	CommonName       string     `json:"common_name"`
	SANs             []SAN      `json:"sans"`
	Issuer           string     `json:"issuer"`
	NotBefore        time.Time  `json:"not_before"`
	NotAfter         time.Time  `json:"not_after"`
	KeyAlgorithm     string     `json:"key_algorithm"`
	PublicKeySHA256  string     `json:"public_key_sha256"`
	Status           string     `json:"status"` // issued, revoked, expired
	RevokedAt        *time.Time `json:"revoked_at"`
	RevocationReason string     `json:"revocation_reason"`
	IssuedBy         string     `json:"issued_by"`
	InstalledAt      *time.Time `json:"installed_at"`
	Attested         bool       `json:"attested"`
}

// Page is a part of a list.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor"`
}

// Kind says where a value stands in the vault.
type Kind string

// The kinds of candidates, and None for a probe that found no match.
const (
	Current    Kind = "current"
	Pending    Kind = "pending"
	Superseded Kind = "superseded"
	Factory    Kind = "factory"
	None       Kind = "none"
)

// Sealed is a secret that only the registered agent can open: standard base64
// of RSA-OAEP.
type Sealed string

// Values are sealed secrets by field.
type Values struct {
	PIN           Sealed `json:"pin"`
	PUK           Sealed `json:"puk"`
	ManagementKey Sealed `json:"management_key"`
}

// Of gives one field's value, empty when it was not released.
func (v Values) Of(f piv.Field) Sealed {
	switch f {
	case piv.PIN:
		return v.PIN
	case piv.PUK:
		return v.PUK
	default:
		return v.ManagementKey
	}
}

// Candidate is a value that the card may hold.
type Candidate struct {
	Kind  Kind   `json:"kind"`
	Value Sealed `json:"value"`
}

// OpenRotation is what an open rotation still has to settle.
type OpenRotation struct {
	RotationID int64 `json:"rotation_id"`
	Values
}

// Secrets is a release.
type Secrets struct {
	Encrypted bool `json:"encrypted"`
	Values
	Version    int                       `json:"version"`
	Pending    *OpenRotation             `json:"pending"`
	Candidates map[piv.Field][]Candidate `json:"candidates"`
	Doubted    []piv.Field               `json:"doubted"` // the last probe of these found no candidate on the card
}

// Rotation is a change that is under way.
type Rotation struct {
	ID        int64       `json:"id"`
	Fields    []piv.Field `json:"fields"`
	Current   Values      `json:"current"`
	Next      Values      `json:"next"`
	CreatedAt time.Time   `json:"created_at"`
	Version   int         `json:"version"` // of the secrets, with this rotation
}

// Observation is what a probe found.
type Observation struct {
	Field   piv.Field `json:"field"`
	Matched Kind      `json:"matched"`
	// Version is that of the secrets that the candidates came with. Where
	// another one is stored by now, the service answers secrets_changed.
	Version int `json:"version,omitempty"`
}

// Subject is what a certificate will name.
type Subject struct {
	CommonName string `json:"common_name"`
	Email      string `json:"email,omitempty"`
}

// Readiness tells whether a CSR would be signed.
type Readiness struct {
	Ready   bool     `json:"ready"`
	Reasons []string `json:"reasons"`
	Subject Subject  `json:"subject"`
}

// Signed is an issued certificate.
type Signed struct {
	Certificate  string    `json:"certificate"` // PEM
	Chain        any       `json:"chain"`
	SerialNumber string    `json:"serial_number"`
	NotBefore    time.Time `json:"not_before"`
	NotAfter     time.Time `json:"not_after"`
}
