package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store"
)

// children are the roles of the test binary as another process.
var children = map[string]func(path string) error{"write": childWrites, "lock": childLocks}

const (
	childRole = "KEYWARD_STORE_TEST_CHILD"
	childPath = "KEYWARD_STORE_TEST_PATH"
)

func TestMain(m *testing.M) {
	run, ok := children[os.Getenv(childRole)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := run(os.Getenv(childPath)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child starts the role and returns its lines and its standard input.
func child(t *testing.T, role, path string) (*exec.Cmd, *bufio.Scanner, io.WriteCloser) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(stdout), stdin
}

// childWrites appends entries without end and prints each one's name once the entry is durable.
func childWrites(path string) error {
	ctx := context.Background()
	db, err := store.OpenSQLite(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("%d/%d/%d", os.Getpid(), w, i)
				err := db.AppendAudit(ctx, audit.Entry{Action: "crash.test", Outcome: audit.Success, TargetID: name},
					audit.Entry{Action: "crash.twin", Outcome: audit.Success, TargetID: name})
				if err != nil {
					return
				}
				if _, err := fmt.Fprintln(os.Stdout, name); err != nil {
					return
				}
			}
		})
	}
	group.Wait()
	return nil
}

// TestKilled kills a writing process at any moment: everything acknowledged as durable is there,
// and every transaction is whole.
func TestKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyward.db")
	told := map[string]bool{}
	for round := range 3 {
		cmd, lines, _ := child(t, "write", path)
		for n := 0; lines.Scan(); n++ {
			told[lines.Text()] = true
			if n == 200+50*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
	}
	if len(told) < 600 {
		t.Fatalf("the children were told of %d entries only", len(told))
	}
	db := open(t, path, store.Options{})
	entries, twins := namesOf(t, db, "crash.test"), namesOf(t, db, "crash.twin")
	for name := range told {
		if !entries[name] {
			t.Errorf("entry %s was acknowledged and is lost", name)
		}
	}
	if len(entries) != len(twins) {
		t.Errorf("%d entries and %d twins: a transaction is torn", len(entries), len(twins))
	}
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	var verdict string
	if err := raw.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity check: %q, %v", verdict, err)
	}
}

// namesOf returns the targets of the entries with an action. No target occurs twice.
func namesOf(t *testing.T, db *store.DB, action audit.Action) map[string]bool {
	t.Helper()
	names, request := map[string]bool{}, page.Request{Limit: page.MaxLimit}
	for {
		p, err := db.ListAudit(t.Context(), access.All(), audit.Filter{Action: string(action)}, request)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Items {
			if names[e.TargetID] {
				t.Errorf("%s %s was written twice", action, e.TargetID)
			}
			names[e.TargetID] = true
			request.Before = e.ID
		}
		if p.NextCursor == nil {
			return names
		}
	}
}

// childLocks holds the write lock until its standard input ends.
func childLocks(path string) error {
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer raw.Close()
	conn, err := raw.Conn(context.Background())
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, "locked"); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// TestLocked: while another process holds the lock, writes are refused and
// reads go on; afterwards everything works.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keyward.db")
	db := open(t, path, store.Options{BusyTimeout: 20 * time.Millisecond})
	write := func(name string) error {
		return db.AppendAudit(t.Context(), audit.Entry{Action: "lock.test", Outcome: audit.Success, TargetID: name})
	}
	if err := write("before"); err != nil {
		t.Fatal(err)
	}
	cmd, lines, stdin := child(t, "lock", path)
	if !lines.Scan() {
		t.Fatal("the other process did not get the lock")
	}
	err := write("during")
	if f, ok := fault.As(err); !ok || f.Code != fault.DatabaseUnavailable || f.RetryAfter == 0 || f.Cause == nil {
		t.Errorf("got %v, want DatabaseUnavailable with cause and a time to retry after", err)
	}
	if got := namesOf(t, db, "lock.test"); len(got) != 1 || !got["before"] {
		t.Errorf("read while locked: got %v", got)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("ping while locked: %v", err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := write("after"); err != nil {
		t.Fatal(err)
	}
	if got := namesOf(t, db, "lock.test"); len(got) != 2 || got["during"] || !strings.HasPrefix(db.Engine(), "sqlite") {
		t.Errorf("afterwards: got %v", got)
	}
}
