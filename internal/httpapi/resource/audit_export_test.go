package resource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/await"
)

// log is a store of count entries that can fail on demand. Package app tests the real
// ones.
type log struct {
	audit.Store

	count   int64
	failAt  int64 // the page that begins below this id fails; zero: none
	refuses bool  // entries cannot be written
	written atomic.Int64
	pages   atomic.Int64
	hold    chan struct{} // when not nil, each page waits for it
}

func (l *log) AppendAudit(context.Context, ...audit.Entry) error {
	if l.refuses {
		return fault.New(fault.DatabaseUnavailable, "", "Not now.")
	}
	l.written.Add(1)
	return nil
}

func (l *log) NewestAudit(context.Context) (int64, error) { return l.count, nil }

func (l *log) ListAudit(ctx context.Context, _ access.Scope, f audit.Filter, p page.Request) (page.Page[audit.Entry], error) {
	l.pages.Add(1)
	if l.hold != nil {
		select {
		case <-l.hold:
		case <-ctx.Done():
			return page.Page[audit.Entry]{}, ctx.Err()
		}
	}
	last := p.Before - 1
	if p.Before == 0 {
		last = min(f.UpTo, l.count)
	}
	if last < l.failAt {
		return page.Page[audit.Entry]{}, errors.New("the disk is gone")
	}
	var rows []audit.Entry
	for id := last; id > 0 && len(rows) <= p.Limit; id-- {
		rows = append(rows, audit.Entry{ID: id, Action: "a.b", Outcome: audit.Success, Details: strings.Repeat("d", 100)})
	}
	count := func() (page.Count, error) { return page.Count{}, nil }
	return page.Make(rows, p, func(e audit.Entry) int64 { return e.ID }, count)
}

func withLog(l *log) Services { return Services{Audit: l, exports: newExports()} }

func TestExportFailsClosed(t *testing.T) {
	t.Parallel()
	l := &log{count: 10, refuses: true}
	_, base := setup(t, withLog(l))
	res := do(t, "GET", base+"/api/admin/audit/export?format=csv", "", as(access.GlobalAdmin)...)
	if res.StatusCode != http.StatusServiceUnavailable || res.Document(t).Code != "database_unavailable" ||
		l.pages.Load() != 0 || res.Header.Get("Content-Disposition") != "" {
		t.Errorf("%d %s, %d pages read", res.StatusCode, res.Text, l.pages.Load())
	}
	l.refuses, l.failAt = false, 100
	res = do(t, "GET", base+"/api/admin/audit/export?format=csv", "", as(access.GlobalAdmin)...)
	if res.StatusCode != http.StatusInternalServerError || res.Document(t).Code != "internal" || res.Header.Get("Content-Disposition") != "" {
		t.Errorf("a store that fails at once: %d %s", res.StatusCode, res.Text)
	}
}

func TestExportInput(t *testing.T) {
	t.Parallel()
	_, base := setup(t, withLog(&log{count: 3}))
	for query, field := range map[string]string{
		"format=xml": "format", "format=CSV": "format", "format=csv&outcome=x": "outcome", "format=csv&from=now": "from",
	} {
		res := do(t, "GET", base+"/api/admin/audit/export?"+query, "", as(access.GlobalAdmin)...)
		doc := res.Document(t)
		if res.StatusCode != http.StatusBadRequest || len(doc.Errors) != 1 || doc.Errors[0].Field != field {
			t.Errorf("%q: %d %s", query, res.StatusCode, res.Text)
		}
	}
	res := do(t, "GET", base+"/api/admin/audit/export", "", as(access.GlobalAdmin)...)
	if res.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("without a format: %d %v", res.StatusCode, res.Header)
	}
	res = do(t, "HEAD", base+"/api/admin/audit/export?format=csv", "", as(access.GlobalAdmin)...)
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/csv; charset=utf-8; header=present" {
		t.Errorf("HEAD: %d %v", res.StatusCode, res.Header)
	}
	res = do(t, "GET", base+"/api/admin/audit/export?format=ndjson&to=2000-01-01T00:00:00Z", "", as(access.GlobalAdmin)...)
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/x-ndjson" ||
		!strings.HasPrefix(res.Header.Get("Content-Disposition"), `attachment; filename="keyward-audit-2`) || strings.Count(res.Text, "\n") != 3 {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, res.Text)
	}
}

// TestExportIsCut: an error in the middle must not look like the end.
func TestExportIsCut(t *testing.T) {
	t.Parallel()
	_, base := setup(t, withLog(&log{count: 50_000, failAt: 10_000}))
	for _, format := range []string{"csv", "ndjson"} {
		res := get(t.Context(), t, base+"/api/admin/audit/export?format="+format)
		n, err := io.Copy(io.Discard, res.Body)
		if err == nil || n == 0 {
			t.Errorf("%s: %d bytes and no error", format, n)
		}
	}
}

func get(ctx context.Context, t *testing.T, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+string(access.GlobalAdmin))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// taker is a client that reads each chunk after a while, on its bubble's clock.
type taker struct {
	http.ResponseWriter

	each     time.Duration
	deadline time.Time
}

func (w *taker) SetWriteDeadline(t time.Time) error { w.deadline = t; return nil }

func (w *taker) Write(chunk []byte) (int, error) {
	if left := time.Until(w.deadline); left < w.each {
		<-time.After(left)
		return 0, os.ErrDeadlineExceeded
	}
	<-time.After(w.each)
	return len(chunk), nil
}

// TestExportOfASlowClient: a client that reads nothing is cut off in time, and so is
// one that reads a little now and then.
func TestExportOfASlowClient(t *testing.T) {
	t.Parallel()
	for each, want := range map[time.Duration]time.Duration{2 * exportPatience: exportPatience, exportPatience / 2: exportLimit} {
		synctest.Test(t, func(t *testing.T) {
			began, in := time.Now(), &AuditExportInput{Format: "ndjson"}
			h := auditExport{store: &log{count: 1 << 40}, exports: newExports()}
			err := h.write(t.Context(), &taker{each: each}, in)
			if took := time.Since(began); err == nil || took != want {
				t.Errorf("a chunk every %s: %v after %s, want an error after %s", each, err, took, want)
			}
		})
	}
}

// TestExportsAtOnce: each actor has one place, so that nobody takes them all.
func TestExportsAtOnce(t *testing.T) {
	t.Parallel()
	l := &log{count: 5, hold: make(chan struct{})}
	svc := withLog(l)
	_, base := setup(t, svc)
	url := base + "/api/admin/audit/export?format=csv"
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, exportsAtOnce)
	export := func(n int) {
		go func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
			if err == nil {
				req.Header.Set("Authorization", fmt.Sprint("Bearer ", -n))
				var res *http.Response
				if res, err = http.DefaultClient.Do(req); err == nil {
					_ = res.Body.Close()
				}
			}
			ended <- err
		}()
		await.That(t, "an export to run", func() bool { return svc.exports.count() == n })
	}
	refused := func(who, status int) {
		t.Helper()
		res := do(t, "GET", url, "", "Authorization", fmt.Sprint("Bearer ", who))
		if res.StatusCode != status || res.Header.Get("Retry-After") == "" {
			t.Errorf("%d: %d %v", who, res.StatusCode, res.Header)
		}
	}
	export(1)
	refused(-1, http.StatusTooManyRequests)
	for n := 2; n <= exportsAtOnce; n++ {
		export(n)
	}
	refused(-99, http.StatusServiceUnavailable)
	refused(-2, http.StatusTooManyRequests)
	if l.written.Load() != exportsAtOnce {
		t.Errorf("%d audited", l.written.Load())
	}
	cancel()
	for range exportsAtOnce {
		<-ended
	}
	close(l.hold)
	await.That(t, "the exports to end", func() bool { return svc.exports.count() == 0 })
	if res := do(t, "GET", url, "", "Authorization", "Bearer -1"); res.StatusCode != http.StatusOK {
		t.Errorf("after them: %d", res.StatusCode)
	}
}

// TestExportPlaces: an organization's API keys, however many, use only its places, and
// all organizations together leave some to global administrators.
func TestExportPlaces(t *testing.T) {
	t.Parallel()
	e, key := newExports(), int64(0)
	try := func(of group, want bool) {
		t.Helper()
		key++
		if err := e.begin(exporter{apiKey: key}, of); (err == nil) != want {
			t.Errorf("%+v: %v", of, err)
		}
	}
	for organization := range int64(3) {
		for _, want := range []bool{true, true, false} {
			try(group{organization: organization}, want)
		}
	}
	try(group{organization: 4}, false)
	for _, want := range []bool{true, true, false} {
		try(group{global: true}, want)
	}
}

func TestExportDescription(t *testing.T) {
	t.Parallel()
	in := AuditExportInput{Format: "csv", AuditFilters: AuditFilters{
		Actor: "a\nforged", Target: `"x"`, OrganizationID: 3, From: time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600)),
	}}
	const want = `format=csv actor="a\nforged" target="\"x\"" organization_id=3 from=2026-01-02T02:04:05Z`
	if got := in.describe(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// count returns the number of running exports.
func (e *exports) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.running)
}
