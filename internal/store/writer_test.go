package store

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

func setup(t *testing.T) *DB {
	t.Helper()
	db, err := OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "keyward.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// appends is a write function that leaves one entry.
func appends(target string) func(context.Context, *tx) error {
	return func(ctx context.Context, t *tx) error {
		if err := notes(target)(ctx, t); err != nil {
			return err
		}
		return t.log(ctx)
	}
}

// notes is appends that leaves the writing to the end.
func notes(target string) func(context.Context, *tx) error {
	return func(ctx context.Context, t *tx) error {
		return t.audit(ctx, audit.Entry{Action: "t.t", Outcome: audit.Success, TargetID: target, Details: strings.Repeat("x", 2000)})
	}
}

// targets are the targets of the entries, newest first.
func targets(t *testing.T, db *DB) string {
	t.Helper()
	p, err := db.ListAudit(t.Context(), access.All(), audit.Filter{}, page.Request{Limit: page.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range p.Items {
		names = append(names, e.TargetID)
	}
	return strings.Join(names, " ")
}

// together runs the functions in one transaction and returns their errors: a function before them
// holds the writer until all are queued.
func together(t *testing.T, db *DB, fns ...func(context.Context, *tx) error) []error {
	t.Helper()
	running, release, held := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		held <- db.write(t.Context(), "hold", func(context.Context, *tx) error {
			close(running)
			<-release
			return nil
		})
	}()
	<-running
	answers := make([]chan error, len(fns))
	for i, fn := range fns {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- db.write(t.Context(), "together", fn) }()
		waitQueued(t, db, i+1)
	}
	close(release)
	errs := []error{<-held}
	for _, a := range answers {
		errs = append(errs, <-a)
	}
	return errs
}

func waitQueued(t *testing.T, db *DB, n int) {
	t.Helper()
	w := db.writer.(*writer)
	for ; t.Context().Err() == nil; runtime.Gosched() {
		w.mu.Lock()
		have := len(w.queue)
		w.mu.Unlock()
		if have == n {
			return
		}
	}
	t.Fatal("the functions did not queue up")
}

func TestOneFaultInABatch(t *testing.T) {
	t.Parallel()
	db := setup(t)
	conflict := fault.New(fault.Conflict, "", "no")
	errs := together(t, db, appends("a"), func(ctx context.Context, x *tx) error {
		if err := appends("undone")(ctx, x); err != nil {
			return err
		}
		return conflict
	}, appends("b"))
	if errs[0] != nil || errs[1] != nil || !errors.Is(errs[2], conflict) || errs[3] != nil {
		t.Errorf("errors: %v", errs)
	}
	if got := targets(t, db); got != "b a" {
		t.Errorf("got %q, want what did not fail", got)
	}
}

// TestCommitFails makes the commit itself fail, with a foreign key that is
// checked only then.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	db := setup(t)
	errs := together(t, db, appends("a"), func(ctx context.Context, x *tx) error {
		if _, err := x.sql.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		_, err := x.q.ClaimLogin(ctx, sqlcgen.ClaimLoginParams{LoginKey: "nobody", UserID: 99})
		return err
	}, appends("b"))
	for i, err := range errs {
		if !fault.Is(err, fault.DatabaseUnavailable) || !errors.Is(err, errBatchLost) {
			t.Errorf("function %d: got %v, want DatabaseUnavailable", i, err)
		}
	}
	if got := targets(t, db); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
	goesOn(t, db)
}

// TestBatchLost undoes the transaction under the writer, as SQLite may when
// a disk is full.
func TestBatchLost(t *testing.T) {
	t.Parallel()
	db := setup(t)
	cause := errors.New("the cause")
	errs := together(t, db, appends("a"), func(ctx context.Context, x *tx) error {
		if _, err := x.sql.ExecContext(ctx, "ROLLBACK"); err != nil {
			return err
		}
		return cause
	}, appends("b"))
	if !errors.Is(errs[2], cause) {
		t.Errorf("its own error: got %v", errs[2])
	}
	for _, i := range []int{0, 1, 3} {
		if !fault.Is(errs[i], fault.DatabaseUnavailable) {
			t.Errorf("function %d: got %v, want DatabaseUnavailable", i, errs[i])
		}
	}
	if got := targets(t, db); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
	goesOn(t, db)
}

func goesOn(t *testing.T, db *DB) {
	t.Helper()
	if err := db.write(t.Context(), "go on", appends("later")); err != nil {
		t.Fatal(err)
	}
	if got := targets(t, db); !strings.HasPrefix(got, "later") {
		t.Errorf("got %q, want the later entry", got)
	}
}

func TestPanicIsTheCallers(t *testing.T) {
	t.Parallel()
	db := setup(t)
	func() {
		defer func() {
			if p := recover(); p != "boom" {
				t.Errorf("recovered %v, want boom", p)
			}
		}()
		_ = db.write(t.Context(), "panic", func(ctx context.Context, x *tx) error {
			if err := appends("undone")(ctx, x); err != nil {
				return err
			}
			panic("boom")
		})
	}()
	goesOn(t, db)
	if got := targets(t, db); got != "later" {
		t.Errorf("got %q, want what the panic did undone", got)
	}
}

// TestContextEnds: a function that still waits is never run, one that runs reports its true
// outcome.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	db := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	running, release, first, second := make(chan struct{}), make(chan struct{}), make(chan error, 1), make(chan error, 1)
	go func() {
		first <- db.write(ctx, "runs", func(ctx context.Context, x *tx) error {
			close(running)
			<-release
			return appends("ran")(ctx, x)
		})
	}()
	<-running
	go func() { second <- db.write(ctx, "waits", appends("waited")) }()
	waitQueued(t, db, 1)
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: got %v, want the context's error", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Errorf("running: got %v, want what became of it", err)
	}
	goesOn(t, db)
	if got := targets(t, db); got != "later ran" {
		t.Errorf("got %q", got)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	db, err := OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "keyward.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.write(t.Context(), "late", appends("late")); !fault.Is(err, fault.DatabaseUnavailable) {
		t.Errorf("write: got %v, want DatabaseUnavailable", err)
	}
	if err := db.Ping(t.Context()); !fault.Is(err, fault.DatabaseUnavailable) {
		t.Errorf("ping: got %v, want DatabaseUnavailable", err)
	}
	if _, _, err := db.Authenticate(t.Context(), 1); !fault.Is(err, fault.DatabaseUnavailable) {
		t.Errorf("read: got %v, want DatabaseUnavailable", err)
	}
}

// TestDiskFull bounds the file, fills it, and frees it again.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	db := setup(t)
	pages := func(limit int) {
		t.Helper()
		if _, err := db.writer.(*writer).conn.ExecContext(t.Context(), "PRAGMA max_page_count = "+strconv.Itoa(limit)); err != nil {
			t.Fatal(err)
		}
	}
	var count int
	if err := db.writer.(*writer).conn.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&count); err != nil {
		t.Fatal(err)
	}
	pages(count + 10)
	var want []string
	var err error
	for i := 0; err == nil && i < 100; i++ {
		name := strconv.Itoa(i)
		if err = db.write(t.Context(), "fill", appends(name)); err == nil {
			want = append([]string{name}, want...)
		}
	}
	if f, ok := fault.As(err); !ok || f.Code != fault.DatabaseUnavailable || f.Reason != "full" || f.Cause == nil {
		t.Fatalf("got %v, want that the disk is full, with a cause", err)
	}
	if len(want) == 0 {
		t.Fatal("nothing fitted before the disk was full")
	}
	if got := targets(t, db); got != strings.Join(want, " ") {
		t.Errorf("full: got %q, want %q", got, want)
	}
	pages(1 << 20)
	goesOn(t, db)
}

// TestSearchesDoNotHoldUpRequests: with every reading connection busy, a
// request can still be checked, and a reader's context still counts.
func TestSearchesDoNotHoldUpRequests(t *testing.T) {
	t.Parallel()
	db := setup(t)
	for range readers {
		conn, err := db.reads.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	if _, _, err := db.Authenticate(t.Context(), 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want NotFound", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error, 1)
	go func() {
		_, err := db.CountUsers(ctx)
		answer <- err
	}()
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// TestNoGapsInTheLog: what is undone, alone or with its batch, uses up no id, so that a gap means a
// removed entry ("keyward audit verify").
func TestNoGapsInTheLog(t *testing.T) {
	t.Parallel()
	db := setup(t)
	undone := func(ctx context.Context, x *tx) error {
		return errors.Join(appends("undone")(ctx, x), appends("undone")(ctx, x), errors.New("no"))
	}
	together(t, db, appends("a"), undone, appends("b"), undone)
	together(t, db, appends("lost"), func(ctx context.Context, x *tx) error {
		if _, err := x.sql.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		_, err := x.q.ClaimLogin(ctx, sqlcgen.ClaimLoginParams{LoginKey: "nobody", UserID: 99})
		return err
	})
	together(t, db, undone, appends("c"))
	list, err := db.AuditAfter(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, strconv.FormatInt(e.ID, 10)+e.TargetID)
	}
	if text := strings.Join(got, " "); text != "1a 2b 3c" {
		t.Errorf("got %s", text)
	}
}
