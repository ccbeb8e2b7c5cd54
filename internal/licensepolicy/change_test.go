package licensepolicy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

// TestOnRecord: every outcome of an upload or a removal is in the history and the audit log.
func TestOnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := must.Get(w.InstallationID(t.Context()))(t)
	file := w.vendor.Issue(t, id, start, start.Add(100*day))
	refuse := func(reason string, file []byte) {
		t.Helper()
		_, err := w.Upload(t.Context(), w.actor(), file, false)
		if f, _ := fault.As(err); f == nil || f.Code != fault.LicenseRejected || f.Reason != reason {
			t.Errorf("%v, want %s", err, reason)
		}
	}
	refuse(license.ReasonMalformed, []byte(`{"no":"license"}`))
	refuse(license.ReasonBadSignature, licensetest.New(2).Issue(t, id, start, start.Add(day)))
	must.Get(w.Upload(t.Context(), w.actor(), file, false))(t)
	older := w.vendor.Issue(t, id, start.Add(-day), start.Add(50*day))
	refuse(license.ReasonOlder, older)
	must.Get(w.Upload(t.Context(), w.actor(), older, true))(t)
	must.Get(w.Remove(t.Context(), w.actor()))(t)

	var history []string
	for _, r := range must.Get(w.History(t.Context(), page.Request{Limit: 9}))(t).Items {
		issued := "none"
		if r.Summary != nil {
			issued = r.Summary.IssueDate.Format(time.DateOnly)
		}
		history = append(history, fmt.Sprint(r.Operation, " ", r.Outcome, " ", r.Actor, " ", issued, " ", r.Reason))
	}
	slices.Reverse(history)
	want := []string{
		"upload rejected admin none malformed", "upload rejected admin none bad_signature", "upload success admin 2026-11-23 ",
		"upload rejected admin none older", "upload success admin 2026-11-22 replace_newer", "remove success admin 2026-11-22 ",
	}
	if !slices.Equal(history, want) {
		t.Errorf("history:\n%s", strings.Join(history, "\n"))
	}
	var entries []string
	for _, e := range must.Get(w.db.AuditAfter(t.Context(), 0, 99))(t) {
		if strings.HasPrefix(string(e.Action), "license.") {
			entries = append(entries, string(e.Action)+" "+string(e.Outcome))
		}
		if e.Action == audit.LicenseUploaded && !strings.Contains(e.Details, "enterprise, for Example Ltd, issued") {
			t.Errorf("the entry says %q", e.Details)
		}
	}
	want = []string{
		"license.rejected failure", "license.rejected failure", "license.uploaded success", "license.rejected failure",
		"license.uploaded success", "license.removed success",
	}
	if !slices.Equal(entries, want) {
		t.Errorf("entries:\n%s", strings.Join(entries, "\n"))
	}
}

// TestChangesNeedTheService: while the service is down, an upload fails and nothing is
// recorded.
func TestChangesNeedTheService(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.is(license.Trial, 30)
	broken := w.server()
	broken.Port = away{w.line}
	for name, do := range map[string]func() error{
		"upload": func() error { _, err := broken.Upload(t.Context(), w.actor(), []byte("{}"), false); return err },
		"remove": func() error { _, err := broken.Remove(t.Context(), w.actor()); return err },
		"id":     func() error { _, err := broken.InstallationID(t.Context()); return err },
	} {
		if err := do(); !fault.Is(err, fault.LicenseUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := must.Get(w.History(t.Context(), page.Request{Limit: 9}))(t); len(n.Items) != 0 {
		t.Errorf("%+v", n)
	}
	if id := must.Get(w.InstallationID(t.Context()))(t); id != w.Latest().InstallationID {
		t.Errorf("%q", id)
	}
}

// TestDismissed: a request that arrived before its actor lost access changes no license.
func TestDismissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.vendor.Issue(t, must.Get(w.InstallationID(t.Context()))(t), start, start.Add(100*day))
	gone := errors.New("dismissed")
	w.Admitted = func(context.Context) error { return gone }
	_, uploaded := w.Upload(t.Context(), w.actor(), file, false)
	_, removed := w.Remove(t.Context(), w.actor())
	if !errors.Is(uploaded, gone) || !errors.Is(removed, gone) {
		t.Errorf("%v, %v", uploaded, removed)
	}
	w.is(license.Trial, 30)
}
