//go:build exhaustive

package year_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/internal/license/server"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// licenseToken is a worker's token for the license service.
const licenseToken = "of the license service"

// term is the license as the model knows it.
type term struct {
	vendor    licensetest.Vendor
	service   *license.Service
	what      string // trial or license
	ends      time.Time
	toldOf    time.Time // the end of the latest reminder
	milestone int       // the latest reminded of
}

// trialLasts is the specification's.
const trialLasts = 30 * day

// serveLicense runs the license service, and starts the trial.
func (w *world) serveLicense(pki *embedded.Engine) (url string) {
	w.t.Helper()
	t := &w.term
	t.vendor = licensetest.New(1)
	log := slog.New(slog.DiscardHandler)
	t.service = &license.Service{Vault: pki, Keys: t.vendor.Keys(w.t), Log: log, Now: w.now}
	s := httptest.NewServer(server.New(server.Options{License: t.service, Token: secret.Fixed(licenseToken), Log: log}))
	w.t.Cleanup(s.Close)
	backend := &licensepolicy.Service{Port: t.service, Store: w.db, Log: log, Now: w.now}
	must.OK(w.t, backend.Poll(w.t.Context()))
	t.what, t.ends = "trial", w.now().Add(trialLasts)
	return s.URL
}

// renew has somebody store another license, occasionally when the end is near or past.
func (w *world) renew(r *rand.Rand) {
	t := &w.term
	if t.ends.Sub(w.now()) > 8*day || r.IntN(8) > 0 {
		return
	}
	t.what, t.ends = "license", w.now().Add(time.Duration(20+r.IntN(80))*day)
	id := must.Get(t.service.InstallationID(w.t.Context()))(w.t)
	must.Get(t.service.Upload(w.t.Context(), t.vendor.Issue(w.t, id, w.now(), t.ends), false))(w.t)
}

// license models the reminders to the admin about the license: at the latest milestone
// reached, once each; for a trial not at 30 days.
func (w *world) license() {
	t := &w.term
	left := t.ends.Sub(w.now())
	for _, days := range milestones {
		switch {
		case left > time.Duration(days)*day:
			continue
		case days == 30 && t.what == "trial", t.toldOf.Equal(t.ends) && t.milestone <= days:
			return
		}
		t.toldOf, t.milestone = t.ends, days
		w.expect(w.admin, notify.LicenseEnding, fmt.Sprint(t.what, " ", int(max(0, (left+day-1)/day))))
		return
	}
}

// plan is the installation's backup plan.
func plan(since time.Time) backup.Plan {
	return backup.Plan{Schedule: "0 2 * * *", Drills: "0 4 * * 0", Since: since, DrillsSince: since}
}

// scheduled is a schedule as the model knows it, with its jobs' results.
type scheduled struct {
	kind      backup.Kind
	failure   notify.Kind
	hour      int
	sundays   bool
	grace     time.Duration // after which a missing one is overdue
	succeeded time.Time     // the latest; zero: none
	failed    time.Time     // the latest, if none succeeded since
	told      time.Time     // the last moment reported
}

func schedules() []*scheduled {
	return []*scheduled{
		{kind: backup.Backup, failure: notify.BackupFailed, hour: 2, grace: 3 * time.Hour},
		{kind: backup.Drill, failure: notify.DrillFailed, hour: 4, sundays: true, grace: day},
	}
}

// latest returns the last scheduled moment up to a time.
func (s *scheduled) latest(t time.Time) time.Time {
	m := t.Truncate(day).Add(time.Duration(s.hour) * time.Hour)
	for m.After(t) || s.sundays && m.Weekday() != time.Sunday {
		m = m.Add(-day)
	}
	return m
}

func newRunner(db *store.DB, now func() time.Time) *backup.Runner {
	return &backup.Runner{Store: db, Server: "desk", Log: slog.New(slog.DiscardHandler), Now: now}
}

// work creates the jobs that are due: some fail, and some are not made.
func (w *world) work(r *rand.Rand) {
	w.t.Helper()
	for _, s := range w.schedules {
		due := s.latest(w.now())
		if !due.After(w.worked) {
			continue
		}
		chance := r.IntN(10)
		if chance == 0 {
			continue
		}
		failed := chance == 1
		_, err := w.runner.Run(w.t.Context(), backup.Request{Kind: s.kind, Type: archive.Full, Scheduled: true, DueAt: due},
			func(context.Context, *backup.Progress) (backup.Result, error) {
				if failed {
					return backup.Result{}, errors.New("the store is full")
				}
				return backup.Result{}, nil
			})
		if failed != (err != nil) {
			w.t.Fatalf("%s: %v", s.kind, err)
		}
		if failed {
			s.failed = w.now()
			w.expect(w.admin, s.failure, string(s.kind))
		} else {
			s.succeeded, s.failed = w.now(), time.Time{}
		}
	}
	w.worked = w.now()
}

// overdue returns the moment whose job is missing; zero: none.
func (s *scheduled) overdue(since, now time.Time) time.Time {
	due := s.latest(now.Add(-s.grace))
	if !due.After(since) || !s.succeeded.Before(due) {
		return time.Time{}
	}
	return due
}

// miss models the notices to the admin about missing jobs: once for each moment, unless
// the job failed, which was reported.
func (w *world) miss() {
	for _, s := range w.schedules {
		due := s.overdue(w.began, w.now())
		if due.IsZero() || !s.failed.Before(due) || s.told.Equal(due) {
			continue
		}
		s.told = due
		w.expect(w.admin, notify.BackupOverdue, string(s.kind)+" "+due.Format(time.RFC3339))
	}
}

// trouble returns what is wrong with backups, in one word.
func (w *world) trouble() string {
	for i, words := range [][2]string{{"failed", "overdue"}, {"disproven", "unproven"}} {
		s := w.schedules[i]
		switch {
		case !s.failed.IsZero():
			return words[0]
		case !s.overdue(w.began, w.now()).IsZero():
			return words[1]
		}
	}
	return ""
}
