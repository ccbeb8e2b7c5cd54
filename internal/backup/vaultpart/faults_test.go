package vaultpart_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// failing is a vault whose writes fail.
type failing struct {
	*embedded.Engine

	before func(path string) error // instead of a write
	after  func(path string) error // after a write whose answer is then lost
}

func (f failing) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	if f.before != nil {
		if err := f.before(path); err != nil {
			return 0, err
		}
	}
	n, err := f.Engine.Put(ctx, path, data, cas)
	if err == nil && f.after != nil {
		err = f.after(path)
	}
	return n, err
}

// tokens is a backup of n tokens.
func tokens(n int) backup {
	b := backup{}
	for i := range n {
		b[fmt.Sprintf("%04d/secrets", i)] = secrets(fmt.Sprint(i), 1)
	}
	return b
}

// standing demands that every token's document is there, written once.
func (b backup) standing(t *testing.T, kv vault.KV) {
	t.Helper()
	for path := range b {
		n := strings.TrimLeft(strings.TrimSuffix(path, "/secrets"), "0")
		if n == "" {
			n = "0"
		}
		has(t, kv, path, secrets(n, 2))
	}
}

// once returns an error on the first call for each path.
func once(err error) func(string) error {
	var asked sync.Map
	return func(path string) error {
		if _, again := asked.LoadOrStore(path, true); again {
			return nil
		}
		return err
	}
}

// TestLostAnswers: a write that happened anyway is not repeated, and one that did
// not, or that another writer preceded, is not given up.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]failing{
		"happened":        {after: once(vault.ErrSlow)},
		"did not happen":  {before: once(vault.ErrUnavailable)},
		"another's first": {before: once(vault.ErrCAS)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fail.Engine = openEmbedded(t, t.TempDir())
				b := tokens(60)
				b.whole(t, fail, vaultpart.Options{})
				b.standing(t, fail)
			})
		})
	}
}

// TestAnotherWriter: another writer's change between reading and writing is not lost.
func TestAnotherWriter(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	b := backup{"12345678/secrets": secrets("old", 5)}
	put(t, e, "12345678/secrets", secrets("new", 6))
	theirs := once(vault.ErrCAS)
	b.whole(t, failing{Engine: e, before: func(path string) error {
		err := theirs(path)
		if err != nil {
			put(t, e, path, secrets("newest", 7))
		}
		return err
	}}, vaultpart.Options{})
	has(t, e, "12345678/secrets", merged("newest", 8, "old"))
}

// TestVaultAway: if the vault goes away midway, the restore fails soon, reports what
// is missing, and is resumed by repeating everything.
func TestVaultAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := openEmbedded(t, t.TempDir())
		b := tokens(200)
		var writes, tries atomic.Int64
		away := failing{Engine: e, before: func(string) error {
			if writes.Add(1) > 40 {
				tries.Add(1)
				return vault.ErrUnavailable
			}
			return nil
		}}
		// With as many workers as for a vault that names no number.
		r := must.Get(b.restore(t.Context(), t, struct{ vaultpart.Target }{away}, vaultpart.Options{}))(t)
		if r.Written != 40 || len(r.Failed) != 160 || !r.Incomplete() {
			t.Errorf("%d written, %d failed", r.Written, len(r.Failed))
		}
		if n := tries.Load(); n > 160+20*4 { // the first of each worker is tried longer
			t.Errorf("tried %d times", n)
		}
		for path, err := range r.Failed {
			if _, known := b[path]; !known || !errors.Is(err, vault.ErrUnavailable) {
				t.Errorf("%s: %v", path, err)
			}
		}
		if again := b.whole(t, e, vaultpart.Options{}); again.Written != 160 || again.Kept != 40 {
			t.Errorf("resumed: %+v", again)
		}
		b.standing(t, e)
	})
}

// TestBroughtToAnEnd: a restore interrupted at any point is resumed by repeating
// everything, and reports nothing about documents that it did not reach.
func TestBroughtToAnEnd(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	b := tokens(100)
	for cut := 1; cut <= 90; cut += 20 {
		ctx, cancel := context.WithCancel(t.Context())
		var writes atomic.Int64
		_, err := b.restore(ctx, t, failing{Engine: e, before: func(string) error {
			if writes.Add(1) == int64(cut) {
				cancel()
			}
			return ctx.Err()
		}}, vaultpart.Options{})
		if writes.Load() >= int64(cut) && !errors.Is(err, context.Canceled) {
			t.Errorf("cut off after %d writes: %v", cut, err)
		}
		cancel()
	}
	b.whole(t, e, vaultpart.Options{})
	b.standing(t, e)
}

// TestPercentages: half of the documents is the limit (contract, "Backup and restore").
func TestPercentages(t *testing.T) {
	t.Parallel()
	for failed, incomplete := range map[int]bool{0: false, 1: false, 49: false, 50: true, 51: true, 100: true} {
		e := openEmbedded(t, t.TempDir())
		b := tokens(100)
		r := must.Get(b.restore(t.Context(), t, failing{Engine: e, before: func(path string) error {
			if path < fmt.Sprintf("%04d", failed) {
				return vault.ErrInvalid
			}
			return nil
		}}, vaultpart.Options{}))(t)
		if len(r.Failed) != failed || r.Written != int64(100-failed) || r.Incomplete() != incomplete {
			t.Errorf("%d of 100 failed: %d did, incomplete: %v", failed, len(r.Failed), r.Incomplete())
		}
	}
}

// TestSurveyed: what no survey has seen is not written, and what could not be
// restored is found before anything is written.
func TestSurveyed(t *testing.T) {
	t.Parallel()
	e := openEmbedded(t, t.TempDir())
	b := tokens(1)
	w := must.Get(vaultpart.NewWriter(t.Context(), e, b.survey(t), vaultpart.Options{}))(t)
	for path, data := range map[string]vault.Data{"0000/secrets": secrets("1", 1), "0001/secrets": secrets("0", 1)} {
		if err := w.Put(path, data); err == nil {
			t.Errorf("%s was taken", path)
		}
	}
	w.Stop()
	has(t, e, "0000/secrets", nil)
	for path, data := range map[string]string{
		"a//b": `{}`, "a/../secrets": `{}`, "12345678/secrets": `{"pin":{"current":"secret"}}`, "x/y": `[]`,
		"_pki/ca": `{"pem":"-----BEGIN NOTHING-----"}`, "_pki/crl": `{"number":-1}`,
		"_pki/revocations/000001": `{"revocations":[{"serial_number":"00","revoked_at":"2026-11-23T01:00:00Z","reason":1}]}`,
	} {
		s := vaultpart.Survey{Judge: restore.Judge{AnyTime: true}}
		err := s.Look(path, vault.Data(data))
		if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), `"secret"`) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestJudged: implausible values are refused, wherever they are in a document.
func TestJudged(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 23, 1, 0, 0, 0, time.UTC)
	for data, refused := range map[string]bool{
		`{"counter":4503599627370496}`:                false,
		`{"counter":4503599627370497}`:                true,
		`{"counter":9223372036854775808}`:             true,
		`{"list":[{"counter":-1}]}`:                   true,
		`{"counter":1e300}`:                           true,
		`{"counter":1.5}`:                             true,
		`{"for":-1}`:                                  false,
		`{"changed_at":"2026-11-24T00:59:59Z"}`:       false,
		`{"a":{"changed_at":"2026-11-24T01:00:00Z"}}`: true,
		`{"at":"9999-01-01T00:00:00Z"}`:               true,
		`{"last_seen":"9999-01-01T00:00:00Z"}`:        false, // of a license that begins later
		`{"expires_at":"9999-01-01T00:00:00Z"}`:       false,
		`{"not_after":"9999-01-01T00:00:00Z"}`:        false,
	} {
		s := vaultpart.Survey{Judge: restore.Judge{CreatedAt: made}}
		err := s.Look("license/record", vault.Data(data))
		if f, ok := fault.As(err); (ok && f.Code == fault.BackupCorrupt) != refused {
			t.Errorf("%s: %v", data, err)
		}
		s.Judge.AnyTime = true
		if err := s.Look("license/record", vault.Data(data)); strings.Contains(data, "9999") && err != nil {
			t.Errorf("%s, at any time: %v", data, err)
		}
	}
}
