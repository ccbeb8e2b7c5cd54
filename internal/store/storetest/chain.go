package storetest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var chainCases = map[string]func(*testing.T, *fixture){
	"batches come back":                   chainBatches,
	"a batch needs the one before it":     chainCondition,
	"rows for verification":               chainRows,
	"what is not sealed":                  chainUnsealed,
	"the newest entry":                    auditNewest,
	"a clock that goes back":              auditClockStep,
	"a cursor whose entry is not there":   auditForeignCursor,
	"a reading with an end":               auditUpTo,
	"many entries within one microsecond": auditSameTime,
}

func batch(id int64, previous string) chain.Batch {
	return chain.Batch{
		ID: id, Segment: 1, FirstID: 10*id - 9, LastID: 10 * id, Count: 10, Previous: previous, Hash: fmt.Sprint("hash", id),
		Link: "{}", Leaves: "AAAA", SealedAt: Now.Add(time.Duration(id) * time.Minute), KeyID: "k", Signature: "s",
	}
}

func chainBatches(t *testing.T, f *fixture) {
	refused(t, "the last of no batches", errOf(f.LastAuditBatch(t.Context())), fault.NotFound)
	var last chain.Batch
	var all []chain.Batch
	for id := range int64(5) {
		b := batch(id+1, last.Hash)
		equal(t, "inserted", must.Get(f.InsertAuditBatch(t.Context(), last, b))(t), true)
		last, all = b, append(all, b)
	}
	got := must.Get(f.LastAuditBatch(t.Context()))(t)
	equal(t, "last batch", got, last)
	for _, c := range []struct {
		after int64
		limit int
		want  []chain.Batch
	}{{0, 10, all}, {math.MinInt64, 2, all[:2]}, {2, 2, all[2:4]}, {4, 10, all[4:]}, {5, 10, nil}} {
		equal(t, fmt.Sprint("batches after ", c.after), must.Get(f.AuditBatches(t.Context(), c.after, c.limit))(t), c.want)
	}
}

func chainCondition(t *testing.T, f *fixture) {
	first := batch(1, "")
	for _, c := range []struct {
		name    string
		last, b chain.Batch
		want    bool
	}{
		{"after one that is not there", batch(7, ""), batch(8, "hash7"), false},
		{"the first", chain.Batch{}, first, true},
		{"the first again", chain.Batch{}, first, false},
		{"another first", chain.Batch{}, batch(2, ""), false},
		{"after another with the same number", chain.Batch{ID: 1, Hash: "other"}, batch(2, "other"), false},
		{"the second, with a number further on", first, batch(5, first.Hash), true},
		{"after the first again", first, batch(6, first.Hash), false},
		{"the number of one that is there", batch(5, first.Hash), batch(1, "hash5"), false},
	} {
		equal(t, c.name, must.Get(f.InsertAuditBatch(t.Context(), c.last, c.b))(t), c.want)
	}
}

func chainRows(t *testing.T, f *fixture) {
	full := audit.Entry{
		At: Now, Action: "x.y", Outcome: audit.Failure, ActorID: ptr(int64(9)), Actor: "Zoë", OrganizationID: ptr(int64(8)),
		TargetType: "t", TargetID: "AbC", Hostname: "h", IPAddress: "i", RequestID: "r", Reason: "w",
		Details: "d", FileName: "f", BackupType: "b",
		DurationMS: ptr(int64(-7)), SizeBytes: ptr(int64(6)),
	}
	f.append(t, full, audit.Entry{At: Now}, audit.Entry{At: Now})
	rows := must.Get(f.AuditRows(t.Context(), f.seen+1, 2))(t)
	full.ID = f.seen + 1
	equal(t, "rows", rows, []chain.Row{{Entry: full}, {Entry: audit.Entry{ID: f.seen + 2, At: Now}}})
	rows = must.Get(f.AuditRows(t.Context(), f.seen+3, 2))(t)
	equal(t, "rows from the last", len(rows), 1)
	rows = must.Get(f.AuditRows(t.Context(), math.MinInt64, 1))(t)
	equal(t, "the lowest id", rows[0].ID, int64(1))
}

func chainUnsealed(t *testing.T, f *fixture) {
	n, oldest := must.Both(f.UnsealedAudit(t.Context(), f.seen))(t)
	if n != 0 || !oldest.IsZero() {
		t.Errorf("%d unsealed, the oldest of %v", n, oldest)
	}
	f.append(t, audit.Entry{At: Now.Add(time.Hour)}, audit.Entry{At: Now}, audit.Entry{At: Now.Add(-time.Hour)})
	n, oldest = must.Both(f.UnsealedAudit(t.Context(), f.seen+1))(t)
	if n != 2 || !oldest.Equal(Now) {
		t.Errorf("%d unsealed, the oldest of %v", n, oldest)
	}
}

func auditNewest(t *testing.T, f *fixture) {
	f.append(t, audit.Entry{At: Now.Add(-time.Hour)})
	equal(t, "newest", must.Get(f.NewestAudit(t.Context()))(t), f.seen+1)
}

// minutes walks a list and returns the minutes of its entries after Now.
func (f *fixture) minutes(t *testing.T, scope access.Scope, filter audit.Filter, limit int) string {
	t.Helper()
	filter.From = later(filter.From, Now.Add(time.Minute))
	return fmt.Sprint(names(walk(t, limit, func(p page.Request) (page.Page[audit.Entry], error) {
		return f.ListAudit(t.Context(), scope, filter, p)
	}), func(e audit.Entry) string { return fmt.Sprint(int(e.At.Sub(Now).Minutes())) }))
}

// auditClockStep: ids grow and times do not; lists and ranges are exact.
func auditClockStep(t *testing.T, f *fixture) {
	for _, minute := range []int{10, 20, 30, 5, 15, 25, 90, 35} {
		f.append(t, audit.Entry{At: Now.Add(time.Duration(minute) * time.Minute), Action: audit.Action(fmt.Sprint("a.", minute%2)), Actor: "x"})
	}
	at := func(minute int) time.Time { return Now.Add(time.Duration(minute) * time.Minute) }
	for limit := 1; limit <= 9; limit++ {
		for _, c := range []struct {
			filter audit.Filter
			want   string
		}{
			{audit.Filter{}, "[90 35 30 25 20 15 10 5]"},
			{audit.Filter{From: at(15), To: at(30)}, "[25 20 15]"},
			{audit.Filter{From: at(20), To: at(90)}, "[35 30 25 20]"},
			{audit.Filter{From: at(15), To: at(40), Action: "a.1"}, "[35 25 15]"},
			{audit.Filter{To: at(26), Action: "a."}, "[25 20 15 10 5]"},
			{audit.Filter{To: at(26), Actor: "X"}, "[25 20 15 10 5]"},
			{audit.Filter{From: at(91)}, "[]"},
			{audit.Filter{From: at(30), To: at(20)}, "[]"},
		} {
			equal(t, fmt.Sprint(limit, " ", c.filter), f.minutes(t, access.All(), c.filter, limit), c.want)
		}
	}
}

func auditForeignCursor(t *testing.T, f *fixture) {
	f.append(t, audit.Entry{At: Now.Add(time.Minute)}, audit.Entry{At: Now.Add(2 * time.Minute)})
	for before, want := range map[int64]int{f.seen + 100: 2, f.seen + 3: 2, f.seen + 2: 1} {
		p, err := f.ListAudit(t.Context(), access.All(), audit.Filter{From: Now.Add(time.Minute)}, page.Request{Limit: 10, Before: before})
		must.OK(t, err)
		equal(t, fmt.Sprint("entries before ", before-f.seen), len(p.Items), want)
	}
	p := must.Get(f.ListAudit(t.Context(), access.All(), audit.Filter{}, page.Request{Limit: 10, Before: -5}))(t)
	equal(t, "entries below all ids", len(p.Items), 0)
}

func auditUpTo(t *testing.T, f *fixture) {
	for minute := range 5 {
		f.append(t, audit.Entry{At: Now.Add(time.Duration(minute+1) * time.Minute), Action: "a.b"})
	}
	equal(t, "up to the third", f.minutes(t, access.All(), audit.Filter{UpTo: f.seen + 3}, 2), "[3 2 1]")
	equal(t, "up to the third, by action", f.minutes(t, access.All(), audit.Filter{UpTo: f.seen + 3, Action: "a"}, 2), "[3 2 1]")
}

func auditSameTime(t *testing.T, f *fixture) {
	var want []string
	for i := range 30 {
		f.append(t, audit.Entry{At: Now.Add(time.Minute), Action: "a.b"})
		want = append([]string{audit.ID(f.seen + int64(i) + 1)}, want...)
	}
	for _, filter := range []audit.Filter{{}, {Action: "a"}, {From: Now, To: Now.Add(time.Hour)}} {
		filter.From = later(filter.From, Now.Add(time.Minute))
		rows := walk(t, 7, func(p page.Request) (page.Page[audit.Entry], error) {
			return f.ListAudit(t.Context(), access.All(), filter, p)
		})
		equal(t, "ids", names(rows, func(e audit.Entry) string { return audit.ID(e.ID) }), want)
	}
}
