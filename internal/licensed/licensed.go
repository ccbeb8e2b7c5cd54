// Package licensed is what the backend makes of the license: it asks the license
// service in the background, so that requests do not wait for it, and says what the
// installation may not do.
//
//	the service answers      its status, by what the database remembers of trial and clock, too
//	it does not, or nonsense TRIAL, and one line in the log; nothing is restricted
//
// EXPIRED, INVALID and MISSING restrict what makes an installation grow: new accounts, new
// tokens, and the first certificate of a token's slot. Nothing else ever asks.
//
// Routes: GET and DELETE /api/admin/license, POST /api/admin/license/upload, GET
// /api/admin/license/history, GET /api/admin/license/installation-id.
package licensed

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/settings"
)

// Service is the domain's face to the edges.
type Service struct {
	Port  license.Port
	Store Store
	// Admitted checks the actor of a request once more, before the service writes.
	Admitted func(ctx context.Context) error
	Log      *slog.Logger
	Now      func() time.Time
	Present  license.Present // by which Now is judged

	looking sync.Mutex
	latest  atomic.Pointer[Standing]
}

// Store keeps what the database knows of the license.
type Store interface {
	settings.Keeper
	settings.Swapper
	// Tell is SwapSetting with messages to people, in one transaction.
	Tell(ctx context.Context, name string, was, v settings.Value, messages ...notice.Message) (bool, error)
	// RecordLicense writes a line of the history together with the entry.
	RecordLicense(ctx context.Context, r Record, entry audit.Entry) error
	// LicenseHistory returns the lines, newest first.
	LicenseHistory(ctx context.Context, p page.Request) (page.Page[Record], error)
}

// Standing is how this installation is licensed, as far as the backend knows.
type Standing struct {
	license.Standing

	Reached bool      // the license service answered when it was asked last
	EndsAt  time.Time // when the license, or the trial, ends or ended; zero: not known
}

// Record is a line of the history: what a person did with the license.
type Record struct {
	ID        int64
	At        time.Time
	Operation Operation
	Outcome   Outcome
	Actor     string
	Message   string // in English, for people
	Reason    string // of a refusal: license.ReasonMalformed, …; ReplaceNewer; empty: none
	Summary   *Summary
}

// Operation is what was done.
type Operation string

// The operations.
const (
	Upload Operation = "upload"
	Remove Operation = "remove"
)

// Outcome is how it ended.
type Outcome string

// The outcomes.
const (
	Succeeded Outcome = "success"
	Refused   Outcome = "rejected"
)

// ReplaceNewer is the reason of an upload that was allowed to take a newer license's place.
const ReplaceNewer = "replace_newer"

// Summary is the license that a line of the history is about.
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

// Standing is how it stood when somebody looked last. Before the first look it is a
// trial of which nothing is known.
func (s *Service) Standing() Standing {
	if latest := s.latest.Load(); latest != nil {
		return *latest
	}
	return Standing{Standing: license.Standing{Status: license.Trial}}
}

// History is what people did with the license, newest first.
func (s *Service) History(ctx context.Context, p page.Request) (page.Page[Record], error) {
	return s.Store.LicenseHistory(ctx, p)
}
