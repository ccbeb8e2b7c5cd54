package licensepolicy_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

// told returns the administrator's notices, oldest first.
func (w *world) told() []string {
	w.t.Helper()
	var out []string
	for _, n := range must.Get(w.db.ListNotices(w.t.Context(), w.admin.ID, notify.Filter{}, page.Request{Limit: 99}))(w.t).Items {
		out = append(out, string(n.Kind)+": "+strings.SplitAfter(n.Message, ",")[0])
	}
	slices.Reverse(out)
	return out
}

// tell makes three servers look and tell at the same moment.
func (w *world) tell() {
	w.t.Helper()
	var all sync.WaitGroup
	for range 3 {
		s := w.server()
		must.OK(w.t, s.Poll(w.t.Context()))
		all.Go(func() {
			if err := s.Notify(w.t.Context()); err != nil {
				w.t.Error(err)
			}
		})
	}
	all.Wait()
}

// TestTold: administrators are notified once at each milestone, and of several missed
// ones only of the last.
func TestTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	walk := func(until time.Time, what string, want ...string) {
		t.Helper()
		before := len(w.told())
		for ; w.now.Before(until); w.now = w.now.Add(12 * time.Hour) {
			w.tell()
		}
		for i := range want {
			want[i] = "license_ending: The " + what + " of this installation " + want[i]
		}
		if got := w.told()[before:]; !slices.Equal(got, want) {
			t.Errorf("told:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	walk(start.Add(32*day), "trial",
		"expires in 14 days,", "expires in 7 days,", "expires in 3 days,", "expires in 1 day,", "has expired. From now on,")
	must.OK(t, w.upload(w.now, w.now.Add(40*day)))
	walk(w.now.Add(28*day), "license", "expires in 30 days,", "expires in 14 days,")
	w.now = w.now.Add(10 * day) // nobody looked for ten days
	walk(w.now.Add(4*day), "license", "expires in 2 days,", "expires in 1 day,", "has expired. From now on,")
	must.OK(t, w.upload(w.now, w.now.Add(20*day))) // a short license: the milestone already passed is sent, once
	walk(w.now.Add(day), "license", "expires in 20 days,")
}

// TestNothingTold: while the service does not answer, no end is announced.
func TestNothingTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.now = start
	w.tell()
	w.line.down = errDown
	w.now = start.Add(40 * day)
	w.tell()
	if got := w.told(); len(got) > 0 {
		t.Errorf("told %q", got)
	}
}
