package rollback_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup/sqldump"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// installed makes the world an installation that can be restored: it has an id, on
// both sides, and an administrator.
func (w *world) installed(t *testing.T) { w.installedAs(t, "one") }

func (w *world) installedAs(t *testing.T, id string) {
	t.Helper()
	number := `{"id":"` + id + `"}`
	must.Get(w.db.KeepSetting(t.Context(), restore.InstallationSetting, settings.Value{Text: number, UpdatedAt: w.now()}))(t)
	must.Get(w.vault.Put(t.Context(), "_keyward/installation", vault.Data(number), 0))(t)
	must.Get(w.db.InsertUser(t.Context(), account.User{
		Username: "admin", Email: "admin@example.org", Role: access.GlobalAdmin, IsActive: true, AuthSource: account.Local,
		CreatedAt: w.now(), UpdatedAt: w.now(), PasswordChangedAt: w.now(),
	}, entry(audit.UserCreated)))(t)
}

// taken is a backup.
type taken struct {
	t         must.T
	dir       string // where it is loaded
	dump      []byte
	documents map[string]vault.Data
	survey    *vaultpart.Survey
}

// wholeDatabase reports whether a backup has that table.
func wholeDatabase(table string) bool {
	return !slices.Contains([]string{"goose_db_version", "schema_compatibility", "locks", "crl_mark", "backup_jobs"}, table)
}

// takeBackup makes a backup.
func (w *world) takeBackup(t *testing.T) *taken {
	t.Helper()
	return w.takeBackupIn(t.TempDir(), func() {})
}

// takeBackupIn makes one that is loaded in that folder: the database first, with
// something happening before the rest.
func (w *world) takeBackupIn(dir string, meanwhile func()) *taken {
	w.t.Helper()
	ctx := context.Background()
	b := &taken{t: w.t, dir: dir, documents: map[string]vault.Data{}, survey: &vaultpart.Survey{Judge: restore.Judge{AnyTime: true}}}
	var dump bytes.Buffer
	must.Get(w.db.Dump(ctx, &dump, wholeDatabase))(w.t)
	b.dump = dump.Bytes()
	meanwhile()
	must.Get(vaultpart.Read(ctx, w.vault.authority, func(path string, data vault.Data) error {
		b.documents[path] = data
		return b.survey.Look(path, data)
	}))(w.t)
	return b
}

// scratch returns the backup's database, loaded.
func (b *taken) scratch() *store.DB {
	ctx, path := context.Background(), filepath.Join(must.Get(os.MkdirTemp(b.dir, "scratch"))(b.t), "scratch.db")
	must.OK(b.t, store.LoadDump(ctx, path, must.Get(sqldump.NewReader(bytes.NewReader(b.dump)))(b.t), restore.Judge{AnyTime: true}))
	return must.Get(store.OpenSQLiteReader(ctx, path))(b.t)
}

// restore does a whole restore like the service and the command, and resumes it if
// the database has been restored.
func (w *world) restore(ctx context.Context, b *taken, over restore.Target) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	killed := w.life.end
	w.life.end = func() { killed(); cancel() } // a dead process waits for nothing
	g := w.guard()
	begun, err := g.RestoreUnfinished(ctx)
	if err != nil {
		return err
	}
	if begun == nil {
		begun = &rollback.Unfinished{
			ID: "restore-1", At: w.now(), Key: "backup-full-20261123-020000.enc", Type: "full",
			Kind: over, Over: over, ReplaceCA: over != restore.InUse, Job: 7,
		}
		name, value, err := g.RestoreBegins(*begun)
		if err != nil {
			return err
		}
		if err := w.life.write(false); err != nil {
			return err
		}
		from := b.scratch()
		_, err = w.db.Restore(ctx, from, restore.Options{
			At: w.now(), Entry: entry(audit.SystemRecovered), Setting: name, Value: value, ReplaceAll: over == restore.Fresh,
		})
		if closed := from.Close(); err != nil || closed != nil {
			return err
		}
	}
	to, err := vaultpart.NewWriter(ctx, w.vault.target(), b.survey, vaultpart.Options{
		Over: begun.Over, ReplaceCA: begun.ReplaceCA, Record: w.servers[0].certs.RecordRevoked,
	})
	if err != nil {
		return err
	}
	for path, data := range b.documents {
		if err := to.Put(path, data); err != nil {
			to.Stop()
			return err
		}
	}
	report, err := to.End()
	if err != nil {
		return err
	}
	for _, err := range report.Failed {
		return err
	}
	return g.RestoreEnds(ctx)
}

// target is the vault as a restore's target; only the embedded one's CA can be replaced.
func (m mortalVault) target() vaultpart.Target {
	if e, ok := m.authority.(*embedded.Engine); ok {
		return replaceable{m, e}
	}
	return m
}

type replaceable struct {
	mortalVault

	engine *embedded.Engine
}

func (r replaceable) RestoreCAs(ctx context.Context, cas []vault.ExportedCA, how vault.CARestore) error {
	if err := r.life.write(true); err != nil {
		return err
	}
	return r.engine.RestoreCAs(ctx, cas, how)
}

// restored restores a backup in a process that is killed before each of its writes
// in turn and resumed each time. In between only the unfinished restore is found,
// and it holds secrets and signatures back.
func (w *world) restored(t *testing.T, b *taken, over restore.Target) {
	t.Helper()
	begun := false
	for cut := 0; ; cut++ {
		w.life.left = cut
		err := w.restore(t.Context(), b, over)
		w.life.left = -1
		if !w.life.over {
			must.OK(t, err)
			w.left(t, 7, false, true)
			t.Logf("whole after %d kills", cut)
			return
		}
		w.close()
		w.open()
		u := must.Get(w.guard().RestoreUnfinished(t.Context()))(t)
		switch {
		case u == nil && begun:
			w.left(t, 7, false, true)
			return // killed after the end
		case u == nil:
			w.left(t, 7, false, false)
			continue
		}
		begun = true
		w.left(t, 7, true, false)
		w.left(t, 8, false, false)
		must.OK(t, w.guard().Start(t.Context()))
		if f, held := fault.As(w.guard().SigningBlocked(t.Context())); !held || f.Reason != "restore_unfinished" || found(w.guard()) != "vault " {
			t.Fatalf("killed before write %d: held is %v, older is %q\n%s", cut, f, found(w.guard()), w.log.String())
		}
	}
}

// left checks what a job has left of a restore.
func (w *world) left(t *testing.T, job int64, unfinished, ended bool) {
	t.Helper()
	if u, e := must.Both(w.guard().RestoreOf(t.Context(), job))(t); u != unfinished || e != ended {
		t.Errorf("job %d has left: unfinished %v, ended %v", job, u, e)
	}
}

// quiet: nothing is found any more, now and after a restart, and everything is there.
func (w *world) quiet(t *testing.T, revoked map[string]bool) {
	t.Helper()
	for range 2 {
		must.OK(t, w.guard().Start(t.Context()))
		must.OK(t, w.guard().Compare(t.Context()))
		must.OK(t, w.guard().SigningBlocked(t.Context()))
		if sides := found(w.guard()); sides != "" {
			t.Errorf("older is %q\n%s", sides, w.log.String())
		}
		must.OK(t, w.servers[0].sealer.Run(t.Context()))
		for name, verify := range w.verifications() {
			if err := verify(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for serial := range revoked {
			if !w.listed()[serial] {
				t.Errorf("%s is revoked no more", serial)
			}
		}
		w.kill()
		w.open()
	}
	must.OK(t, w.guard().Start(t.Context()))
	w.signIn()
	must.OK(t, w.release(t.Context(), w.servers[0]))
	must.OK(t, w.rotate(t.Context(), w.servers[0]))
	must.Get(w.sign(t.Context(), w.servers[0]))(t)
}

// pin returns the token's PIN in the vault.
func (w *world) pin() secret.String {
	w.t.Helper()
	return must.Get(w.servers[0].keys.Custody.Load(context.Background(), token))(w.t).Document.Fields[piv.PIN].Current
}

// busy does some work.
func (w *world) busy(t *testing.T) {
	t.Helper()
	s := w.servers[0]
	must.Get(w.sign(t.Context(), s))(t)
	must.Get(w.sign(t.Context(), s))(t)
	must.Get(w.revoke(t.Context(), s))(t)
	must.Get(w.revokeUnknown(t.Context(), s))(t)
	must.OK(t, w.rotate(t.Context(), s))
	must.OK(t, w.release(t.Context(), s))
	must.OK(t, s.certs.Issuances.Flush(t.Context()))
	must.OK(t, w.seal(t.Context(), s))
}
