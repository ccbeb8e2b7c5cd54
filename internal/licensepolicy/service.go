// Package licensepolicy is the backend's use of the license: it asks the license service
// in the background, so that requests do not wait for it, and decides what the
// installation may not do.
//
//	the service answers     its status, re-evaluated with the database's record of trial and clock
//	no answer, or nonsense  TRIAL, and one line in the log; nothing is restricted
//
// EXPIRED, INVALID and MISSING restrict only what makes an installation grow: new
// accounts, new tokens, and the first certificate of a token's slot.
//
// Routes: GET and DELETE /api/admin/license, POST /api/admin/license/upload, GET
// /api/admin/license/history, GET /api/admin/license/installation-id.
package licensepolicy

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/settings"
)

// Service is the domain's face to the edges.
type Service struct {
	Port  license.Port
	Store Store
	// Admitted checks the actor of a request again, before the service writes.
	Admitted func(ctx context.Context) error
	Log      *slog.Logger
	Now      func() time.Time
	Present  license.Present // corrects Now

	looking sync.Mutex
	latest  atomic.Pointer[Evaluation]
}

// Store keeps the database's record of the license.
type Store interface {
	settings.Keeper
	settings.Swapper
	// Notify is SwapSetting plus messages, in one transaction.
	Notify(ctx context.Context, name string, was, v settings.Value, messages ...notify.Message) (bool, error)
	// RecordLicense writes a record of the history, with the entry.
	RecordLicense(ctx context.Context, r Record, entry audit.Entry) error
	// LicenseHistory returns the records, newest first.
	LicenseHistory(ctx context.Context, p page.Request) (page.Page[Record], error)
}

// Evaluation is how this installation is licensed, as far as the backend knows.
type Evaluation struct {
	license.Evaluation

	Reached bool      // the license service answered the last call
	EndsAt  time.Time // when the license or the trial ends or ended; zero: unknown
}

// Record is an entry of the history: what a person did with the license.
type Record struct {
	ID        int64
	At        time.Time
	Operation Operation
	Outcome   Result
	Actor     string
	Message   string // in English, for people
	Reason    string // of a refusal: license.ReasonMalformed, …; or ReplaceNewer; empty: none
	Summary   *Summary
}

// Operation is what was done.
type Operation string

// The operations.
const (
	Upload Operation = "upload"
	Remove Operation = "remove"
)

// Result is how it ended.
type Result string

// The outcomes.
const (
	Succeeded Result = "success"
	Refused   Result = "rejected"
)

// ReplaceNewer is the reason of an upload that was permitted to replace a newer license.
const ReplaceNewer = "replace_newer"

// Summary is the license that a record is about.
type Summary struct {
	InstallationID string    `json:"installation_id"`
	CustomerName   string    `json:"customer_name"`
	CustomerEmail  string    `json:"customer_email"`
	LicenseType    string    `json:"license_type"`
	IssueDate      time.Time `json:"issue_date"`
	ExpiryDate     time.Time `json:"expiry_date"`
}

func summaryOf(l *license.License) *Summary {
	if l == nil {
		return nil
	}
	s := Summary(*l)
	return &s
}

// Latest returns the result of the last poll. Before the first one it is a trial
// without details.
func (s *Service) Latest() Evaluation {
	if latest := s.latest.Load(); latest != nil {
		return *latest
	}
	return Evaluation{Evaluation: license.Evaluation{Status: license.Trial}}
}

// History returns what people did with the license, newest first.
func (s *Service) History(ctx context.Context, p page.Request) (page.Page[Record], error) {
	return s.Store.LicenseHistory(ctx, p)
}
