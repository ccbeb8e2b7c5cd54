package app_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// refusedStart returns the error of a server that does not start.
func refusedStart(ctx context.Context, cfg config.Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := false
	err := app.Run(ctx, "test", cfg, slog.New(slog.DiscardHandler), io.Discard, func(app.Addrs) { served = true; cancel() })
	if served {
		return nil
	}
	return err
}

// TestMoveMeanwhile: during a move no server starts on either side, and no second move
// does.
func TestMoveMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	to, credentials := s.target(t, engine.Postgres(t)), filepath.Join(t.TempDir(), "credentials")
	twin := s.copied(t, files(t, s.cfg.Data))
	expect := func(who string, err error, says string) {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", who, err, says)
		}
	}
	want := app.MoveRequest{From: s.cfg, To: to, Credentials: credentials}
	reached := map[string]bool{}
	want.At = func(point string) error {
		again := reached[point]
		reached[point] = true
		if again || point != "source marked" && point != "rows of users" && point != "after revocations" {
			return nil
		}
		expect("a server on the old directory", refusedStart(t.Context(), s.cfg), "this installation is being moved to")
		_, err := app.Move(t.Context(), app.MoveRequest{From: s.cfg, To: to}, io.Discard)
		expect("the same move once more", err, "a server or another move is running on")
		if point == "source marked" {
			return nil // the target is untouched
		}
		expect("a server on the target", refusedStart(t.Context(), to), "a move into this database is in progress")
		if point == "after revocations" { // which waits until it is sure
			_, err = app.Move(t.Context(), app.MoveRequest{From: twin.cfg, To: to}, io.Discard)
			if !errors.Is(err, move.ErrServed) && (err == nil || !strings.Contains(err.Error(), "not marked as moved")) {
				t.Errorf("another installation's move: %v", err)
			}
		}
		return nil
	}
	must.Get(app.Move(t.Context(), want, io.Discard))(t)
	_, err := app.Move(t.Context(), app.MoveRequest{From: twin.cfg, To: to}, io.Discard)
	expect("another installation's move, later", err, "Give up this database and this vault")
	expect("a server on the old directory", refusedStart(t.Context(), s.cfg), "\"The way back\" in docs/moving.md")
	s.serves(t, to, credentials)
}

// TestMoveIntoBegun: a server that creates an installation in the target just before
// the move is not overwritten: nothing is moved, and the old directory serves as
// before.
func TestMoveIntoBegun(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	want := app.MoveRequest{From: s.cfg, To: s.target(t, engine.Postgres(t)), Credentials: filepath.Join(t.TempDir(), "credentials")}
	prepare(t, vaultserver.Shared(t), &want)
	before := files(t, s.cfg.Data)
	var begun *server
	want.At = func(point string) error {
		if point == "source marked" {
			begun = startAs(t, want.To, app.Run)
		}
		return nil
	}
	_, err := app.Move(t.Context(), want, io.Discard)
	if !errors.Is(err, move.ErrNotEmpty) || !strings.Contains(err.Error(), "Choose an empty one") {
		t.Errorf("moved into what a server has begun: %v", err)
	}
	s.untouched(t, before, false)
	begun.login("admin", adminPassword)
	must.OK(t, begun.stop())
	w := startAs(t, s.cfg, app.Run)
	w.login("a-user", usual)
	must.OK(t, w.stop())
}

// TestMoveRefusesLead: a server that holds the target's lead may be working.
func TestMoveRefusesLead(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	want := app.MoveRequest{From: s.cfg, To: s.target(t, engine.Postgres(t))}
	old := startAs(t, s.cfg, app.Run)
	_, err := app.Move(t.Context(), want, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "a server or another move is running on") {
		t.Errorf("beside its server: %v", err)
	}
	must.OK(t, old.stop())
	before := files(t, s.cfg.Data)
	db := must.Get(store.OpenPostgres(t.Context(), store.Server{URL: want.To.DatabaseURL}, store.Options{}))(t)
	defer func() { must.OK(t, db.Close()) }()
	led, held := context.WithCancel(t.Context())
	leads, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Lead(led, func() time.Duration { return 0 }, func(context.Context) { close(leads); <-led.Done() })
	}()
	<-leads
	if _, err := app.Move(t.Context(), want, io.Discard); !errors.Is(err, move.ErrServed) {
		t.Errorf("into a served database: %v", err)
	}
	held()
	<-done
	s.untouched(t, before, false)
}
