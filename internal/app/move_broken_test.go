//go:build exhaustive

package app_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

var errCut = errors.New("the power is gone")

// TestMoveBroken interrupts the move at each of its points, once, and continues each
// time; between attempts no server starts on either side.
func TestMoveBroken(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	to, credentials := s.target(t, postgrestest.Empty(t)), filepath.Join(t.TempDir(), "credentials")
	reached := map[string]bool{}
	want := app.MoveRequest{From: s.cfg, To: to, Credentials: credentials, Page: 3, At: func(point string) error {
		if reached[point] {
			return nil
		}
		reached[point] = true
		return errCut
	}}
	for {
		_, err := app.Move(t.Context(), want, io.Discard)
		if err == nil {
			break
		}
		if !errors.Is(err, errCut) {
			t.Fatalf("after %v: %v", slices.Sorted(maps.Keys(reached)), err)
		}
		err = refusedStart(t.Context(), s.cfg)
		if err == nil || !strings.Contains(err.Error(), "moved") {
			t.Fatalf("a server on the old directory: %v", err)
		}
		if len(reached) == 1 {
			continue // the target is untouched
		}
		if err := app.Migrate(t.Context(), to); err == nil || !strings.Contains(err.Error(), "in progress") {
			t.Fatalf("a server on the target: %v", err)
		}
	}
	for _, point := range []string{
		"source marked", "before vault", "after vault", "rows of users", "rows of audit_entries", "after rows", "after ids", "documents",
		"after documents", "after crl number", "revocations", "after revocations", "after checks", "source marked as moved",
		"vault's mark removed",
	} {
		if !reached[point] {
			t.Errorf("it was never broken off at %q", point)
		}
	}
	s.serves(t, to, credentials)
}

// TestMoveGivenUp: a source whose mark was removed may have changed, so the move does
// not continue; the target's servers still refuse.
func TestMoveGivenUp(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	want := app.MoveRequest{From: s.cfg, To: s.target(t, engine.Postgres(t)), At: func(point string) error {
		if point == "after rows" {
			return errCut
		}
		return nil
	}}
	if _, err := app.Move(t.Context(), want, io.Discard); !errors.Is(err, errCut) {
		t.Fatal(err)
	}
	must.OK(t, os.Remove(filepath.Join(s.cfg.Data, move.MarkFile)))
	w := startAs(t, s.cfg, app.Run)
	w.login("a-user", usual)
	must.OK(t, w.stop())
	want.At = nil
	if _, err := app.Move(t.Context(), want, io.Discard); err == nil || !strings.Contains(err.Error(), "is not marked as moved") {
		t.Errorf("gone on: %v", err)
	}
	want.To = s.target(t, postgrestest.Empty(t)) // with other mounts, too
	want.Credentials = filepath.Join(t.TempDir(), "credentials")
	var progress bytes.Buffer
	must.Get(app.Move(t.Context(), want, &progress))(t)
	if !strings.Contains(progress.String(), "audit log: as before") {
		t.Errorf("progress:\n%s", progress.String())
	}
}
