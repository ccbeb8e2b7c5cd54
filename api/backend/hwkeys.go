package backend

import (
	"time"
)

// HWKey is a token as the API shows it.
type HWKey struct {
	Serial           string             `json:"serial"`
	Label            string             `json:"label"`
	Model            string             `json:"model"`
	FirmwareVersion  string             `json:"firmware_version"`
	FormFactor       string             `json:"form_factor"`
	Status           string             `json:"status" enum:"in_stock,assigned,active,suspended,lost,retired"`
	NextStatuses     []string           `json:"next_statuses" nullable:"false" enum:"in_stock,assigned,active,suspended,lost,retired" doc:"the statuses that you can set now"`
	Owner            *Owner             `json:"owner"`
	OrganizationID   *int64             `json:"organization_id" nullable:"true"`
	OrganizationName string             `json:"organization_name"`
	RegisteredAt     time.Time          `json:"registered_at"`
	EnrolledAt       *time.Time         `json:"enrolled_at" nullable:"true"`
	LastSeenAt       *time.Time         `json:"last_seen_at" nullable:"true"`
	Secrets          Secrets            `json:"secrets"`
	Certificates     []ShortCertificate `json:"certificates" nullable:"false" doc:"issued and neither revoked nor expired"`
}

// NewHWKey puts a token on record.
type NewHWKey struct {
	Serial          string `json:"serial" minLength:"4" maxLength:"64"`
	Label           string `json:"label,omitempty" maxLength:"128"`
	Model           string `json:"model,omitempty" maxLength:"64"`
	FirmwareVersion string `json:"firmware_version,omitempty" maxLength:"16"`
	FormFactor      string `json:"form_factor,omitempty" maxLength:"64"`
	OwnerID         *int64 `json:"owner_id,omitempty" nullable:"true" minimum:"1"`
	OrganizationID  *int64 `json:"organization_id,omitempty" nullable:"true" minimum:"1"`
}

// Owner is a token's owner, or null.
type Owner struct {
	_        struct{} `nullable:"true"`
	ID       int64    `json:"id"`
	Username string   `json:"username" doc:"the common name of a certificate whose owner left its organization, if the username is an email"`
	Name     string   `json:"name,omitempty" doc:"of the owner of a token or certificate: the person's own name; absent: not known"`
}

// Secrets tells of a token's secrets without any of them.
type Secrets struct {
	Version         int        `json:"version"`
	RotationPending bool       `json:"rotation_pending"`
	ChangedAt       *time.Time `json:"changed_at" nullable:"true"`
}

// ShortCertificate is the short form of a certificate.
type ShortCertificate struct {
	SerialNumber string     `json:"serial_number"`
	Slot         string     `json:"slot"`
	CommonName   string     `json:"common_name"`
	NotBefore    time.Time  `json:"not_before"`
	NotAfter     time.Time  `json:"not_after"`
	InstalledAt  *time.Time `json:"installed_at" nullable:"true"`
}
