package app_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestMoveRefused: obstacles are named, and nothing is changed.
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
		"no second versions": {func(t *testing.T, r *app.MoveRequest) {
			v.Call(t, "POST", "sys/policies/acl/first-"+r.To.VaultRole, map[string]string{
				"policy": `path "*" { capabilities = ["create", "read", "update", "patch", "delete", "list", "sudo"] }
					path "` + r.To.VaultKVMount + `/data/*" { capabilities = ["create", "read"] }`,
			})
			r.To.VaultToken = secret.New(v.Token(t, "1h", "1h", "first-"+r.To.VaultRole))
		}, "VAULT_TOKEN update "},
		"no token": {func(_ *testing.T, r *app.MoveRequest) { r.To.VaultToken = secret.New("none") }, "VAULT_TOKEN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := s.copied(t, clean)
			want := app.MoveRequest{From: mine.cfg, To: s.target(t, engine.Postgres(t))}
			c.change(t, &want)
			mine.cfg = want.From
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
			mine.untouched(t, from, false)
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

// TestMoveIntoPrepared: the CA created by keyward vault setup gives way, and afterwards
// the vault lacks nothing that setup would create.
func TestMoveIntoPrepared(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	to, credentials := s.target(t, engine.Postgres(t)), filepath.Join(t.TempDir(), "credentials")
	want := app.MoveRequest{From: s.cfg, To: to, Credentials: credentials}
	prepare(t, vaultserver.Shared(t), &want)
	must.Get(app.Move(t.Context(), want, io.Discard))(t)
	var said bytes.Buffer
	must.OK(t, app.SetUpVault(t.Context(), to, app.VaultSetup{}, &said))
	if !strings.Contains(said.String(), "Nothing to do.") {
		t.Errorf("after the move:\n%s", said.String())
	}
	s.serves(t, to, credentials)
}
