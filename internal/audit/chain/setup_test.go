package chain_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// world is a real database and vault, and what an attacker has: the database's file.
type world struct {
	t      testing.TB
	path   string
	db     *store.DB
	vault  vault.Engine
	sealer *chain.Sealer
	now    time.Time
	raw    *sql.DB
	made   int // entries so far
}

func setup(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, path: filepath.Join(dir, "keyward.db"), now: time.Date(2026, 5, 4, 12, 0, 0, 123456789, time.UTC)}
	// SQLite whatever the other tests run on: they edit the file, as its owner may.
	w.db = must.Get(store.OpenSQLite(t.Context(), sqlitetest.Put(t, w.path), store.Options{Now: func() time.Time { return w.now }}))(t)
	t.Cleanup(func() { _ = w.db.Close() })
	w.vault = engine.Vault(t, dir, nil)
	w.raw = must.Get(sql.Open("sqlite", w.path+"?_pragma=busy_timeout(5000)&_pragma=synchronous(OFF)"))(t)
	t.Cleanup(func() { _ = w.raw.Close() })
	w.sealer = w.newSealer(w.db, w.vault)
	return w
}

// newSealer is another server's, or the same server's after a restart.
func (w *world) newSealer(s chain.Store, kv vault.KV) *chain.Sealer {
	return &chain.Sealer{Store: s, Vault: kv, Now: func() time.Time { return w.now }}
}

// append writes entries that differ in every column.
func (w *world) append(n int) {
	w.t.Helper()
	list := make([]audit.Entry, n)
	for i := range list {
		k := int64(i + 1)
		list[i] = audit.Entry{
			Action: audit.Action(fmt.Sprint("a.b", i)), Outcome: audit.Success, ActorID: &k, Actor: fmt.Sprint("Actor", i),
			TargetType: "hwkey", TargetID: fmt.Sprint("T", i), Hostname: "ws", IPAddress: "192.0.2.1", RequestID: fmt.Sprint("r", w.made+i),
			Reason: strings.Repeat("r", i%3), Details: strings.Repeat("d", i%7), FileName: "f", BackupType: "full", DurationMS: &k,
		}
		if i%2 == 0 {
			list[i].OrganizationID = &k
		} else {
			list[i].SizeBytes = &k
		}
	}
	w.made += n
	must.OK(w.t, w.db.AppendAudit(context.Background(), list...))
}

func (w *world) seal() {
	w.t.Helper()
	must.OK(w.t, w.sealer.Run(context.Background()))
}

// sealed appends entries and seals them, batch by batch.
func (w *world) sealed(batches ...int) {
	w.t.Helper()
	for _, n := range batches {
		w.append(n)
		w.seal()
	}
}

// verify checks the log against the vault, as the command does.
func (w *world) verify() (chain.Report, error) {
	w.t.Helper()
	a := must.Get(chain.VaultAnchor(context.Background(), w.vault))(w.t)
	return chain.Verify(context.Background(), w.db, a)
}

// good demands that the log is valid and returns the report.
func (w *world) good() chain.Report {
	w.t.Helper()
	r, err := w.verify()
	if err != nil {
		w.t.Fatalf("a sound log is called bad: %v", err)
	}
	return r
}

// bad demands that the log is invalid.
func (w *world) bad() *chain.Bad {
	w.t.Helper()
	_, err := w.verify()
	b, ok := errors.AsType[*chain.Bad](err)
	if !ok {
		w.t.Fatalf("want a finding, got %v", err)
	}
	return b
}

// tamper edits the database behind the server's back.
func (w *world) tamper(query string, args ...any) {
	w.t.Helper()
	if _, err := w.raw.ExecContext(context.Background(), query, args...); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
}

func (w *world) publicKeys() []ed25519.PublicKey {
	w.t.Helper()
	a := must.Get(chain.VaultAnchor(context.Background(), w.vault))(w.t)
	return a.Keys
}

// flaky is a vault whose next write fails, before or after it happened.
type flaky struct {
	vault.KV

	fail  string // the path of the write to fail; empty: none
	after bool   // it happens, but the answer is lost
}

func (f *flaky) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	if path != f.fail {
		return f.KV.Put(ctx, path, data, cas)
	}
	f.fail = ""
	if f.after {
		if _, err := f.KV.Put(ctx, path, data, cas); err != nil {
			return 0, err
		}
	}
	return 0, vault.ErrUnavailable
}

// flakyStore is a database whose n-th batch from now fails, before or after
// it was inserted.
type flakyStore struct {
	chain.Store

	fail  int // 0: none
	after bool
}

var errLost = errors.New("the database went away")

func (f *flakyStore) InsertAuditBatch(ctx context.Context, last, b chain.Batch) (bool, error) {
	f.fail--
	if f.fail != 0 {
		return f.Store.InsertAuditBatch(ctx, last, b)
	}
	if f.after {
		if _, err := f.Store.InsertAuditBatch(ctx, last, b); err != nil {
			return false, err
		}
	}
	return false, errLost
}

// append1 is append for several goroutines.
func (w *world) append1() {
	if err := w.db.AppendAudit(context.Background(), audit.Entry{Action: "a.b", Outcome: audit.Success}); err != nil {
		w.t.Error(err)
	}
}
