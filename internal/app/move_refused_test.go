package app_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestMoveRefused: what stands in the way is named, and nothing is changed.
func TestMoveRefused(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	clean := files(t, s.cfg.Data)
	v := vaultserver.Shared(t)
	for name, c := range map[string]struct {
		change func(t *testing.T, r *app.MoveRequest)
		says   string
	}{
		"no installation": {func(t *testing.T, r *app.MoveRequest) { r.From.Data = t.TempDir() }, "there is no keyward.db"},
		"a sealed vault, old": {func(t *testing.T, r *app.MoveRequest) {
			r.From.Data = t.TempDir()
			for name, text := range clean {
				if name != "seal.key" {
					must.OK(t, os.WriteFile(filepath.Join(r.From.Data, name), []byte(text), 0o600))
				}
			}
		}, "is sealed"},
		"rows": {func(t *testing.T, r *app.MoveRequest) {
			engine.ExecuteURL(t, r.To.DatabaseURL.Reveal(), "INSERT INTO settings (name, value, updated_at) VALUES ('x', '1', 1)")
		}, "is not empty: its table settings"},
		"another's tables": {func(t *testing.T, r *app.MoveRequest) {
			r.To.DatabaseURL = secret.New(postgrestest.Empty(t))
			engine.ExecuteURL(t, r.To.DatabaseURL.Reveal(), "CREATE TABLE invoices (id bigint)")
		}, "table invoices"},
		"documents": {func(t *testing.T, r *app.MoveRequest) {
			prepare(t, v, r)
			v.Call(t, "POST", r.To.VaultKVMount+"/data/12345678/secrets",
				map[string]any{"options": map[string]int{"cas": 0}, "data": map[string]int{}})
		}, "it holds 12345678/"},
		"a CA that signs": {func(t *testing.T, r *app.MoveRequest) {
			prepare(t, v, r)
			v.Call(t, "POST", r.To.VaultPKIMount+"/sign/"+r.To.VaultRole, map[string]any{"csr": request(t, "x", nil), "common_name": "x"})
		}, "has signed certificates"},
		"a server's token": {func(t *testing.T, r *app.MoveRequest) {
			prepare(t, v, r)
			r.To.VaultToken = secret.New(v.Token(t, "1h", "1h", r.To.VaultRole))
		}, "VAULT_TOKEN"},
		"no token": {func(_ *testing.T, r *app.MoveRequest) { r.To.VaultToken = secret.New("none") }, "VAULT_TOKEN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := app.MoveRequest{From: s.cfg, To: s.target(t, engine.Postgres(t))}
			want.From.Data = t.TempDir()
			for name, text := range clean {
				must.OK(t, os.WriteFile(filepath.Join(want.From.Data, name), []byte(text), 0o600))
			}
			c.change(t, &want)
			from := files(t, want.From.Data)
			for _, want.DryRun = range []bool{true, false} {
				var said []string
				report, err := app.Move(t.Context(), want, io.Discard)
				for _, o := range report.Obstacles {
					said = append(said, o.Error())
				}
				if err != nil {
					said = append(said, err.Error())
				}
				if !strings.Contains(strings.Join(said, "\n"), c.says) {
					t.Errorf("dry %v: it says %q", want.DryRun, said)
				}
			}
			if !sameFiles(from, files(t, want.From.Data)) {
				t.Error("the old directory was changed")
			}
		})
	}
}

// prepare sets the vault up as for an installation of its own.
func prepare(t *testing.T, v *vaultserver.Server, r *app.MoveRequest) {
	t.Helper()
	o := v.Operator()
	o.Mounts.KV, o.Mounts.PKI, o.Mounts.Role = r.To.VaultKVMount, r.To.VaultPKIMount, r.To.VaultRole
	v.Prepare(t, o)
}

// TestMoveIntoPrepared: the CA that keyward vault setup made gives way.
func TestMoveIntoPrepared(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	to, credentials := s.target(t, engine.Postgres(t)), filepath.Join(t.TempDir(), "credentials")
	want := app.MoveRequest{From: s.cfg, To: to, Credentials: credentials}
	prepare(t, vaultserver.Shared(t), &want)
	must.Get(app.Move(t.Context(), want, io.Discard))(t)
	s.serves(t, to, credentials)
}

// TestMoveWhileServed: neither side may have a server.
func TestMoveWhileServed(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	want := app.MoveRequest{From: s.cfg, To: s.target(t, engine.Postgres(t))}
	old := startAs(t, s.cfg, app.Run)
	if _, err := app.Move(t.Context(), want, io.Discard); err == nil || !strings.Contains(err.Error(), "a server runs on") {
		t.Errorf("beside its server: %v", err)
	}
	must.OK(t, old.stop())
	db := must.Get(store.OpenPostgres(t.Context(), store.Server{URL: want.To.DatabaseURL}, store.Options{}))(t)
	defer func() { must.OK(t, db.Close()) }()
	led, held := context.WithCancel(t.Context())
	leads, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- db.Lead(led, func(context.Context) { close(leads); <-led.Done() }) }()
	<-leads
	if _, err := app.Move(t.Context(), want, io.Discard); !errors.Is(err, move.ErrServed) {
		t.Errorf("into a served database: %v", err)
	}
	held()
	<-done
	mark := must.Get(move.ReadMark(s.cfg.Data))(t)
	if mark != nil {
		t.Errorf("the old directory is marked: %+v", mark)
	}
}
