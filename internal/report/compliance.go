package report

import "time"

// ComplianceReport is the report. Its JSON is that of the API.
type ComplianceReport struct {
	GeneratedAt   time.Time            `json:"generated_at"`
	Parameters    ReportParameters     `json:"parameters"`
	Organizations []OrganizationReport `json:"organizations" nullable:"false" doc:"by id; for a global administrator the last one, without id and name, counts what belongs to none"`
}

// ReportParameters are the report's parameters, with defaults filled in.
type ReportParameters struct {
	OrganizationID *int64    `json:"organization_id" nullable:"true"`
	OlderThanDays  int       `json:"secrets_older_than_days"`
	ExpiringDays   int       `json:"expiring_within_days"`
	From           time.Time `json:"from" doc:"of the releases, inclusive"`
	To             time.Time `json:"to" doc:"exclusive"`
}

// OrganizationReport are the numbers of one organization.
type OrganizationReport struct {
	ID        *int64          `json:"organization_id" nullable:"true"`
	Name      string          `json:"organization_name"`
	Tokens    int64           `json:"tokens_total"`
	ByStatus  ByStatus        `json:"tokens_by_status"`
	Firmware  []FirmwareCount `json:"tokens_by_firmware" nullable:"false" doc:"the 100 versions with the most tokens"`
	Old       OldSecrets      `json:"secrets_older_than_limit" doc:"of tokens that are not retired"`
	Expiring  Expiring        `json:"certificates_expiring" doc:"neither revoked nor expired yet"`
	Expired   Expired         `json:"certificates_expired" doc:"neither revoked nor replaced: on active tokens, with none issued later for the same slot"`
	Weeks     []WeekCount     `json:"certificates_expiring_by_week" nullable:"false" doc:"the 26 weeks from the one of generated_at on, also those in which none ends; whatever expiring_within_days is. What counts is what certificates_expiring counts: certificates that at generated_at are neither revoked nor expired, by the week in which their not_after lies. One that was replaced on its token is revoked and does not count; one that is not confirmed to be on its token does."`
	Proofs    Proofs          `json:"certificates_by_attestation" doc:"of certificates neither revoked nor expired"`
	Tokenless Tokenless       `json:"users_without_token" doc:"active accounts that own no token, not counting lost and retired ones"`
	Releases  Releases        `json:"releases" doc:"of secrets, in the period"`
}

// ByStatus counts tokens by status.
type ByStatus struct {
	InStock   int64 `json:"in_stock"`
	Assigned  int64 `json:"assigned"`
	Active    int64 `json:"active"`
	Suspended int64 `json:"suspended"`
	Lost      int64 `json:"lost"`
	Retired   int64 `json:"retired"`
}

// FirmwareCount counts the tokens of a version.
type FirmwareCount struct {
	Version string `json:"firmware_version" doc:"empty: not known"`
	Count   int64  `json:"count"`
}

// OldSecrets are the tokens whose secrets have not changed for too long.
type OldSecrets struct {
	Count  int64      `json:"count"`
	Tokens []OldToken `json:"tokens" nullable:"false" doc:"the first 100, the oldest first"`
}

// OldToken is one of them.
type OldToken struct {
	Serial    string    `json:"serial"`
	ChangedAt time.Time `json:"changed_at"`
	Owner     *string   `json:"owner" nullable:"true" doc:"username"`
	OwnerName string    `json:"owner_name" doc:"the owner's own name; empty: not known"`
}

// Expiring are the certificates that end soon.
type Expiring struct {
	Count        int64                 `json:"count"`
	Certificates []ExpiringCertificate `json:"certificates" nullable:"false" doc:"the first 100, those that expire next first"`
}

// Expired are the certificates that expired without renewal.
type Expired struct {
	Count        int64                 `json:"count"`
	Certificates []ExpiringCertificate `json:"certificates" nullable:"false" doc:"the first 100, those that expired first first"`
}

// ExpiringCertificate is one of them.
type ExpiringCertificate struct {
	SerialNumber string    `json:"serial_number"`
	HWKeySerial  string    `json:"hwkey_serial"`
	CommonName   string    `json:"common_name"`
	NotAfter     time.Time `json:"not_after"`
}

// WeekCount counts the certificates that end in a week.
type WeekCount struct {
	Start string `json:"week_start" format:"date" doc:"the Monday on which the week begins, at 00:00 UTC"`
	Count int64  `json:"count"`
}

// Proofs count certificates by the attestations of their keys.
type Proofs struct {
	Attested    int64        `json:"attested"`
	NotAttested int64        `json:"not_attested"`
	Keys        []ProofCount `json:"keys" nullable:"false" doc:"the attested ones: the 100 most frequent combinations"`
}

// ProofCount counts the certificates whose keys have the same attested properties.
type ProofCount struct {
	Firmware    string `json:"firmware_version"`
	PINPolicy   string `json:"pin_policy" enum:"never,once,always,match_once,match_always"`
	TouchPolicy string `json:"touch_policy" enum:"never,always,cached"`
	Count       int64  `json:"count"`
}

// Tokenless are the people without a token.
type Tokenless struct {
	Count int64           `json:"count"`
	Users []TokenlessUser `json:"users" nullable:"false" doc:"the first 100, by id"`
}

// TokenlessUser is one of them.
type TokenlessUser struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
	Name     string `json:"name" doc:"the person's own name; empty: not known"`
	Email    string `json:"email"`
}

// Releases count the releases of secrets in the period.
type Releases struct {
	Total    int64         `json:"total"`
	ByReason []ReasonCount `json:"by_reason" nullable:"false" doc:"the 100 most frequent"`
}

// ReasonCount counts the releases of a reason.
type ReasonCount struct {
	Reason string `json:"reason" doc:"as given; empty if owners gave none for their own token"`
	Count  int64  `json:"count"`
}
