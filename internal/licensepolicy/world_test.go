package licensepolicy_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

const day = 24 * time.Hour

var start = time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)

// world is a backend with an in-process license service, and one clock.
type world struct {
	*licensepolicy.Service

	t      *testing.T
	now    time.Time
	up     time.Duration // what passed by the monotonic clock
	db     *store.DB
	line   *line
	log    await.Text
	vendor licensetest.Vendor
	admin  account.User
}

// line is the connection to the license service, which tests may cut.
type line struct {
	*license.Service

	down    error
	strange license.Status // what it reports instead of the truth
	hangs   chan struct{}  // not nil: calls get no answer, and each is reported here
}

func (l *line) Status(ctx context.Context) (license.Evaluation, error) {
	if l.hangs != nil {
		l.hangs <- struct{}{}
		<-ctx.Done()
		return license.Evaluation{}, ctx.Err()
	}
	if l.down != nil {
		return license.Evaluation{}, l.down
	}
	st, err := l.Service.Status(ctx)
	if l.strange != "" {
		st.Status = l.strange
	}
	return st, err
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, now: start, vendor: licensetest.New(1)}
	clock := func() time.Time { return w.now }
	w.db = engine.Store(t, t.TempDir(), store.Options{Now: clock})
	w.line = &line{Service: &license.Service{
		Vault: engine.Vault(t, t.TempDir(), clock), Keys: w.vendor.Keys(t), Log: slog.New(slog.DiscardHandler), Now: clock,
		Present: license.Present{Uptime: w.uptime},
	}}
	w.Service = w.server()
	w.admin = must.Get(w.db.InsertUser(t.Context(), account.User{
		Username: "admin", Email: "admin@example.org", Role: access.GlobalAdmin, IsActive: true, AuthSource: account.Local,
		CreatedAt: start, UpdatedAt: start, PasswordChangedAt: start,
	}, audit.By(access.Actor{}, audit.UserCreated, "user", "", "")))(t)
	return w
}

// server returns another backend of the same database and license service.
func (w *world) server() *licensepolicy.Service {
	return &licensepolicy.Service{
		Port: w.line, Store: w.db, Admitted: w.db.Admitted, Log: slog.New(slog.NewTextHandler(&w.log, nil)),
		Now: func() time.Time { return w.now }, Present: license.Present{Uptime: w.uptime},
	}
}

func (w *world) uptime() time.Duration { return w.up }

// is looks, and compares.
func (w *world) is(want license.Status, days int) licensepolicy.Evaluation {
	w.t.Helper()
	must.OK(w.t, w.Poll(w.t.Context()))
	st := w.Latest()
	if st.Status != want || st.DaysRemaining != days {
		w.t.Errorf("%s with %d days, want %s with %d", st.Status, st.DaysRemaining, want, days)
	}
	return st
}

func (w *world) actor() access.Actor { return access.Actor{UserID: w.admin.ID, Username: "admin"} }

func (w *world) upload(from, to time.Time) error {
	w.t.Helper()
	id := must.Get(w.InstallationID(w.t.Context()))(w.t)
	_, err := w.Upload(w.t.Context(), w.actor(), w.vendor.Issue(w.t, id, from, to), false)
	return err
}

// away is a license service that does not answer.
type away struct{ license.Port }

func (away) InstallationID(context.Context) (string, error) { return "", errDown }
func (away) Remove(context.Context) (license.Evaluation, error) {
	return license.Evaluation{}, errDown
}

func (away) Upload(context.Context, []byte, bool) (license.Evaluation, error) {
	return license.Evaluation{}, errDown
}

var errDown = errors.New("connection refused")
