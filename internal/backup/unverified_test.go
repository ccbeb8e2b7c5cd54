package backup_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/must"
)

// taken is a store in which another object takes a name while it is being written.
type taken struct{ objstore.Store }

func (s taken) Put(ctx context.Context, key string, r io.Reader) (objstore.Object, error) {
	if _, err := s.Store.Put(ctx, key, strings.NewReader("another's")); err != nil {
		return objstore.Object{}, err
	}
	return s.Store.Put(ctx, key, r)
}

// TestTidy: of backups that were not proven the objects go, and no other's.
func TestTidy(t *testing.T) {
	t.Parallel()
	b := filled(t)
	b.Job = b.db.BackupJob
	jobs := &backup.Runner{Store: b.db, Server: "a", Log: slog.New(slog.DiscardHandler), Now: time.Now}

	b.wrap = func(s objstore.Store) objstore.Store { return taken{s} }
	failed, err := jobs.Run(t.Context(), backup.Request{Kind: backup.Backup, Type: archive.Vault, Actor: admin}, b.Making(archive.Vault))
	if !errors.Is(err, objstore.ErrExists) || failed.Status != backup.Failed {
		t.Fatalf("the job whose name was taken: %+v, %v", failed, err)
	}
	b.wrap = func(s objstore.Store) objstore.Store { return s }
	must.OK(t, b.Tidy(t.Context()))
	if left := b.files(); len(left) != 1 {
		t.Errorf("another's object, after that: %q", left)
	}

	// From a database restored to an older state: the backup was proven later.
	proven := must.Get(b.make(t.Context(), archive.Vault))(t)
	note := settings.Value{Text: fmt.Sprintf(`[{"job":%d,"key":%q}]`, failed.ID, proven.Key), UpdatedAt: time.Now()}
	must.OK(t, b.db.PutSetting(t.Context(), "backup_unproven", note))
	must.OK(t, b.Forget(t.Context()))
	must.OK(t, b.Tidy(t.Context()))
	if left := strings.Join(b.files(), " "); !strings.Contains(left, proven.Key) {
		t.Errorf("after it was forgotten: %q", left)
	}
	must.OK(t, b.db.PutSetting(t.Context(), "backup_unproven", note))
	must.OK(t, b.Tidy(t.Context()))
	if left := strings.Join(b.files(), " "); strings.Contains(left, proven.Key) {
		t.Errorf("what was not proven is left: %q", left)
	}
}

// crowded is the settings store of a server that another one beats once, after a
// number of reads of the unverified list.
type crowded struct {
	*store.DB
	reads   int
	between func()
}

func (c *crowded) Setting(ctx context.Context, name string) (settings.Value, error) {
	v, err := c.DB.Setting(ctx, name)
	if name == "backup_unproven" {
		if c.reads--; c.reads == 0 {
			c.between()
		}
	}
	return v, err
}

// TestUnverifiedConcurrently: entries that two servers add concurrently, or one adds while
// another tidies up, are all kept.
func TestUnverifiedConcurrently(t *testing.T) {
	t.Parallel()
	b := filled(t)
	b.Job = b.db.BackupJob
	jobs := &backup.Runner{Store: b.db, Server: "a", Log: slog.New(slog.DiscardHandler), Now: time.Now}
	noted := func() string { return must.Get(b.db.Setting(t.Context(), "backup_unproven"))(t).Text }
	quicker := func(after int, key string) {
		b.Rows = &crowded{b.db, after, func() {
			list := "["
			if v, err := b.db.Setting(t.Context(), "backup_unproven"); err == nil {
				list = strings.TrimSuffix(v.Text, "]") + ","
			}
			note := settings.Value{Text: list + fmt.Sprintf(`{"job":99,"key":%q}]`, key), UpdatedAt: time.Now()}
			must.OK(t, b.db.PutSetting(t.Context(), "backup_unproven", note))
		}}
	}
	quicker(1, "first")
	made := must.Get(jobs.Run(t.Context(), backup.Request{Kind: backup.Backup, Type: archive.Vault, Actor: admin}, b.Making(archive.Vault)))(t)
	if now := noted(); !strings.Contains(now, "first") || !strings.Contains(now, made.Key) {
		t.Errorf("of two servers at once: %s", now)
	}
	quicker(2, "second") // after it has looked at all, before it writes the rest
	must.OK(t, b.Tidy(t.Context()))
	if now := noted(); !strings.Contains(now, "second") || strings.Contains(now, made.Key) {
		t.Errorf("noted while another tidied up: %s", now)
	}
}

// TestUnverifiedByKey: someone who knows an unverified object's key can neither get nor
// restore it, but may delete it.
func TestUnverifiedByKey(t *testing.T) {
	t.Parallel()
	b := filled(t)
	maker := b.account(access.GlobalAdmin)
	jobs := &backup.Runner{Store: b.db, Server: "a", Log: b.Log, Now: time.Now}
	r := &backup.Restorer{Backups: b.Service, Runner: jobs, Log: b.Log, Now: time.Now, Folder: t.TempDir()}
	key := must.Get(b.make(t.Context(), archive.Vault))(t).Key
	link := must.Get(url.Parse(must.Get(b.Link(t.Context(), maker, key))(t).URL))(t).Query()
	b.Job = b.db.BackupJob
	pw := must.Get(archive.NewPassword(secret.New(password)))(t)
	asked := backup.Restoration{Key: key, Password: pw, Actor: admin}
	ways := map[string]func() error{
		"link":         func() error { _, err := b.Link(t.Context(), maker, key); return err },
		"by a link":    func() error { _, err := b.Blob(t.Context(), link); return err },
		"password":     func() error { _, err := r.TryPassword(t.Context(), key, pw); return err },
		"restore":      func() error { _, err := r.Start(t.Context(), asked); return err },
		"by a command": func() error { _, err := r.Run(t.Context(), asked); return err },
		"plan":         func() error { _, _, err := r.Look(t.Context(), asked); return err },
	}
	hidden := func(when string) {
		for way, try := range ways {
			if err := try(); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s, %s: %v", when, way, err)
			}
		}
	}
	_, err := jobs.Run(t.Context(), backup.Request{Kind: backup.Backup, Type: archive.Vault, Actor: admin},
		func(_ context.Context, p *backup.Progress) (backup.Result, error) {
			id, _ := p.Job()
			note := settings.Value{Text: fmt.Sprintf(`[{"job":%d,"key":%q}]`, id, key), UpdatedAt: time.Now()}
			must.OK(t, b.db.PutSetting(t.Context(), "backup_unproven", note))
			hidden("while its job runs")
			return backup.Result{}, errors.New("it fails")
		})
	if err == nil {
		t.Fatal("the job did not fail")
	}
	hidden("after its job has failed")
	must.OK(t, b.Delete(t.Context(), admin, key))
	if left := b.files(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
