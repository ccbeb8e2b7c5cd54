package events

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// memory is a store whose answers the test sets. The real ones: package storetest.
type memory struct {
	mu      sync.Mutex
	entries []audit.Entry
	notices []Notice // newest first
	jobs    []Job
	fails   bool
	looks   int
}

func (m *memory) AuditAfter(_ context.Context, after int64, limit int) (list []audit.Entry, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.looks++
	if m.fails {
		return nil, errors.New("the database is away")
	}
	for _, e := range m.entries {
		if e.ID > after && len(list) < limit {
			list = append(list, e)
		}
	}
	return list, nil
}

func (m *memory) AuditEnd(context.Context) (int64, error) { return m.NewestAudit(context.Background()) }

func (m *memory) NewestAudit(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.entries) == 0 {
		return 0, nil
	}
	return m.entries[len(m.entries)-1].ID, nil
}

func (m *memory) Changed(_ context.Context, targets []Target) (list []Change, err error) {
	for _, t := range targets {
		list = append(list, Change{Event: Event{Tokens, t.ID}})
	}
	return list, nil
}

func (m *memory) NewestNotices(_ context.Context, limit int) ([]Notice, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.notices[:min(limit, len(m.notices))]), nil
}

func (m *memory) NewestJobs(_ context.Context, limit int) ([]Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.jobs[:min(limit, len(m.jobs))]), nil
}

func (m *memory) change(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// log adds entries about the token t.
func (m *memory) log(n int, change ...func(*audit.Entry)) {
	for range n {
		e := audit.Entry{ID: int64(len(m.entries) + 1), Action: audit.HWKeyUpdated, Outcome: audit.Success, TargetType: "hwkey", TargetID: "t"}
		for _, c := range change {
			c(&e)
		}
		m.entries = append(m.entries, e)
	}
}

// following calls f within a bubble, with a stream that is open.
func following(t *testing.T, m *memory, f func(t *testing.T, h *Hub, s *Stream)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(m, slog.New(slog.DiscardHandler))
		s := must.Get(h.Open(t.Context(), 1))(t)
		f(t, h, s)
		s.Close()
		<-time.After(2 * every) // the hub stops
	})
}

// next returns the events of the next batch.
func next(t *testing.T, s *Stream) (list []Event, b Batch) {
	t.Helper()
	began := time.Now()
	b = <-s.C
	if took := time.Since(began); took > every {
		t.Errorf("it took %v", took)
	}
	for _, c := range b.Changes {
		list = append(list, c.Event)
	}
	return list, b
}

// TestChanges: each change comes once, within a second; what failed, or changes nothing
// that anybody sees, doesn't come.
func TestChanges(t *testing.T) {
	t.Parallel()
	m := &memory{notices: []Notice{{ID: 7, UserID: 1}}, jobs: []Job{{3, "Running"}}}
	m.log(3)
	following(t, m, func(t *testing.T, _ *Hub, s *Stream) {
		m.change(func() {
			m.log(2)
			m.log(1, func(e *audit.Entry) { e.TargetID, e.Outcome = "failed", audit.Denied })
			m.log(1, func(e *audit.Entry) { e.TargetID, e.Action = "silent", audit.Refresh })
			m.notices = []Notice{{ID: 8, UserID: 1}, {ID: 7, UserID: 1, Read: true}}
			m.jobs = []Job{{4, "Pending"}, {3, "Running"}}
		})
		got, b := next(t, s)
		want := []Event{{Tokens, "t"}, {Notices, "8"}, {Notices, "7"}, {Jobs, "4"}}
		if !slices.Equal(got, want) || b.Missed {
			t.Errorf("%v, missed %v; want %v", got, b.Missed, want)
		}
		m.change(func() { m.jobs[0].Progress = "Running" })
		if got, _ := next(t, s); !slices.Equal(got, []Event{{Jobs, "4"}}) {
			t.Errorf("then %v", got)
		}
	})
}

// TestMissed: more than a batch holds, or a log that was replaced, is said; what comes
// after is listed again.
func TestMissed(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*memory){
		"many entries": func(m *memory) { m.log(atOnce) },
		"many notices": func(m *memory) {
			m.notices = nil
			for id := int64(9999); len(m.notices) < windowOf; id-- {
				m.notices = append(m.notices, Notice{ID: id})
			}
		},
		"a shorter log": func(m *memory) { m.entries = m.entries[:1] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &memory{notices: []Notice{{ID: 7, UserID: 1}}}
			m.log(3)
			following(t, m, func(t *testing.T, _ *Hub, s *Stream) {
				m.change(func() { change(m) })
				if _, b := next(t, s); !b.Missed {
					t.Errorf("%+v", b)
				}
				m.change(func() { m.log(1) })
				if got, b := next(t, s); !slices.Equal(got, []Event{{Tokens, "t"}}) || b.Missed {
					t.Errorf("then %v, missed %v", got, b.Missed)
				}
			})
		})
	}
}

// TestAway: nothing is lost while the database is away.
func TestAway(t *testing.T) {
	t.Parallel()
	m := &memory{}
	following(t, m, func(t *testing.T, _ *Hub, s *Stream) {
		m.change(func() { m.fails = true; m.log(1) })
		<-time.After(10 * every)
		m.change(func() { m.fails = false })
		if got, b := next(t, s); !slices.Equal(got, []Event{{Tokens, "t"}}) || b.Missed {
			t.Errorf("%v, missed %v", got, b.Missed)
		}
	})
}

// TestPosition: it is that after the last batch, also for who comes later.
func TestPosition(t *testing.T) {
	t.Parallel()
	m := &memory{}
	m.log(3)
	following(t, m, func(t *testing.T, h *Hub, s *Stream) {
		m.change(func() { m.log(1) })
		_, b := next(t, s)
		later := must.Get(h.Open(t.Context(), 1))(t)
		defer later.Close()
		other := must.Get(NewHub(m, nil).begin(t.Context()))(t)
		if b.Position == s.Position || b.Position != later.Position || b.Position != other.position() {
			t.Errorf("first %q, then %q; another stream %q, another server %q", s.Position, b.Position, later.Position, other.position())
		}
	})
}

// TestSlow: who doesn't read doesn't hold up the others, and is let go.
func TestSlow(t *testing.T) {
	t.Parallel()
	m := &memory{}
	following(t, m, func(t *testing.T, h *Hub, slow *Stream) {
		s := must.Get(h.Open(t.Context(), 1))(t)
		defer s.Close()
		for range backlog + 1 {
			m.change(func() { m.log(1) })
			next(t, s)
		}
		for range backlog {
			<-slow.C
		}
		if _, open := <-slow.C; open {
			t.Error("it is still open")
		}
	})
}

// TestIdle: nobody listens, nobody asks; and each person has a limit.
func TestIdle(t *testing.T) {
	t.Parallel()
	m := &memory{}
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(m, nil)
		var streams []*Stream
		for range ofOnePerson {
			streams = append(streams, must.Get(h.Open(t.Context(), 1))(t))
		}
		if _, err := h.Open(t.Context(), 1); !fault.Is(err, fault.RateLimited) {
			t.Errorf("one more: %v", err)
		}
		streams = append(streams, must.Get(h.Open(t.Context(), 2))(t))
		for _, s := range streams {
			s.Close()
		}
		<-time.After(2 * every)
		looked := m.looks
		<-time.After(time.Hour)
		if m.looks != looked {
			t.Error("it still asks")
		}
		must.Get(h.Open(t.Context(), 1))(t).Close() // and begins again
		<-time.After(2 * every)
	})
}

// TestVisible: scope by role, and one's own account.
func TestVisible(t *testing.T) {
	t.Parallel()
	one, two := int64(1), int64(2)
	root := access.Actor{UserID: 9, Role: access.GlobalAdmin}
	manager := access.Actor{UserID: 8, Role: access.OrgManager, OrganizationID: &one}
	person := access.Actor{UserID: 7, Role: access.User, OrganizationID: &one}
	for _, c := range []struct {
		actor access.Actor
		user  int64
		org   *int64
		want  string
	}{
		{root, 7, &two, "tokens accounts certificates jobs"},
		{root, 9, &two, "tokens accounts certificates jobs notices"},
		{manager, 7, &one, "tokens accounts certificates"},
		{manager, 7, &two, ""},
		{manager, 7, nil, ""},
		{person, 7, &one, "tokens accounts certificates notices"},
		{person, 8, &one, ""},
		{access.Actor{}, 7, &one, ""},
	} {
		got := ""
		for _, kind := range []Kind{Tokens, Accounts, Certificates, Jobs, Notices} {
			change := Change{Event: Event{kind, "1"}, OrganizationID: c.org, UserID: &c.user}
			if kind == Jobs {
				change = Change{Event: Event{kind, "1"}}
			}
			if change.Visible(c.actor) {
				got += " " + string(kind)
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != c.want {
			t.Errorf("%s %d sees of %s in %v: %q, want %q", c.actor.Role, c.actor.UserID, strconv.FormatInt(c.user, 10), c.org, got, c.want)
		}
	}
}
