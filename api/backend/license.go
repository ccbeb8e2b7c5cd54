package backend

import "time"

// License is how the installation is licensed.
type License struct {
	Status         string          `json:"status" enum:"TRIAL,VALID,EXPIRING,INVALID,EXPIRED,MISSING"`
	License        *LicenseSummary `json:"license" doc:"the stored one; null without one"`
	DaysRemaining  int             `json:"days_remaining" minimum:"0" doc:"whole days that the license or the trial still runs"`
	InstallationID string          `json:"installation_id" doc:"what a license is issued for; empty while it is not known"`
	EndsAt         *time.Time      `json:"ends_at" nullable:"true" doc:"when the license or the trial expires or expired; null while unknown"`
	Restricted     bool            `json:"restricted" doc:"no accounts, tokens or certificates are added, other than renewals of valid ones"`
	Reached        bool            `json:"reached" doc:"false: the license service does not answer, and the installation counts as in its trial"`
	ClockBehind    bool            `json:"clock_behind" doc:"the clock is behind the latest time seen, from which time continues for the status"`
	NoKeys         bool            `json:"no_public_key" doc:"the program was built without the vendor's public key, and rejects every license"`
}

// LicenseSummary is a license without its signature, or null.
type LicenseSummary struct {
	_              struct{}  `nullable:"true"`
	InstallationID string    `json:"installation_id"`
	CustomerName   string    `json:"customer_name"`
	CustomerEmail  string    `json:"customer_email"`
	LicenseType    string    `json:"license_type"`
	IssueDate      time.Time `json:"issue_date"`
	ExpiryDate     time.Time `json:"expiry_date"`
}

// LicenseEvent is what somebody did with the license.
type LicenseEvent struct {
	ID             int64           `json:"id"`
	At             time.Time       `json:"at"`
	Operation      string          `json:"operation" enum:"upload,remove"`
	Outcome        string          `json:"outcome" enum:"success,rejected"`
	Actor          string          `json:"actor" doc:"username"`
	Message        string          `json:"message" doc:"for people, in English"`
	Reason         string          `json:"reason" doc:"why it was refused, as params.reason of license_rejected; or replace_newer; or empty"`
	LicenseSummary *LicenseSummary `json:"license_summary" doc:"the license that it was about; null where it was refused"`
}

// InstallationID is what a license is issued for.
type InstallationID struct {
	InstallationID string `json:"installation_id" doc:"base64"`
}
