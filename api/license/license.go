// Package license is the bodies that the license service takes and gives, as they are on
// the wire (license.yaml).
package license

import "time"

// License is what the vendor signed.
type License struct {
	InstallationID string    `json:"installation_id" doc:"The installation that it is for: base64 of a SHA-256"`
	CustomerName   string    `json:"customer_name"`
	CustomerEmail  string    `json:"customer_email"`
	LicenseType    string    `json:"license_type" doc:"The vendor's own word"`
	IssueDate      time.Time `json:"issue_date"`
	ExpiryDate     time.Time `json:"expiry_date" doc:"From this moment on it is over"`
}

// Standing is how the installation is licensed.
type Standing struct {
	Status         string     `json:"status" enum:"TRIAL,VALID,EXPIRING,INVALID,EXPIRED,MISSING" doc:"EXPIRING: 7 days or fewer are left; INVALID: its signature or its installation ID does not fit; MISSING: it was removed"`
	License        *License   `json:"license" doc:"The stored one; null without one"`
	DaysRemaining  int        `json:"days_remaining" minimum:"0" doc:"Whole days that the license or the trial still runs"`
	InstallationID string     `json:"installation_id"`
	TrialStartedAt *time.Time `json:"trial_started_at" doc:"Null: no trial has begun"`
	NewestIssue    *time.Time `json:"newest_issue" doc:"Issue date of the latest license ever stored here; null: none"`
	EvaluatedAt    time.Time  `json:"evaluated_at" doc:"Now, or the latest time ever seen if the clock is behind it"`
	ClockBehind    bool       `json:"clock_behind" doc:"The clock is more than five minutes behind that time"`
	NoKeys         bool       `json:"no_public_key" doc:"The service was built without the vendor's public key, and rejects every license"`
}

// Installation is the answer that names it.
type Installation struct {
	InstallationID string `json:"installation_id" doc:"What the vendor needs to issue a license"`
}

// Event is one line of the history.
type Event struct {
	At        time.Time `json:"at"`
	Operation string    `json:"operation" enum:"trial,upload,remove"`
	Outcome   string    `json:"outcome" enum:"success,rejected"`
	Message   string    `json:"message" doc:"For people"`
	Summary   *License  `json:"license_summary" doc:"The license that it was about; null when it could not be read"`
}

// History is the answer with the latest operations, newest first.
type History struct {
	Events []Event `json:"events" nullable:"false"`
}

// Health is the answer to who asks whether the service is there.
type Health struct {
	Status  string `json:"status" enum:"ok"`
	Version string `json:"version"`
}
