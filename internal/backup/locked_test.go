package backup_test

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// listed returns the keys in the list.
func (b *bench) listed() (keys []string) {
	b.t.Helper()
	list, total, err := b.List(b.t.Context(), 100, "")
	must.OK(b.t, err)
	if total != len(list) {
		b.t.Errorf("%d of %d are listed", len(list), total)
	}
	for _, o := range list {
		keys = append(keys, o.Key)
	}
	return keys
}

// TestLockedBackup: a backup locked by the store stays, listed and with its audit
// head, and retention counts it.
func TestLockedBackup(t *testing.T) {
	t.Parallel()
	b := filled(t)
	server := s3server.Shared(t)
	b.inBucket(server.Plain)
	b.change("", func(s *backup.Settings) { s.Bucket, s.LockMode, s.LockDays = server.Locking(t), "COMPLIANCE", 100 })
	if got := must.Get(b.Test(t.Context()))(t); got.Trouble.Text != "" {
		t.Errorf("test of the store: %+v", got)
	}
	made := must.Get(b.make(t.Context(), archive.Full))(t)
	err := b.Delete(t.Context(), admin, made.Key)
	until := time.Now().AddDate(0, 0, 100).UTC().Format("2006-01-02")
	f, _ := fault.As(err)
	if f == nil || f.Code != fault.Conflict || f.Reason != "backup_object_locked_until" || !strings.Contains(f.Detail, until) {
		t.Errorf("not until %s: %v", until, err)
	}
	if got := b.listed(); !slices.Equal(got, []string{made.Key}) {
		t.Errorf("listed: %q", got)
	}
	head := strings.Replace(strings.Replace(made.Key, "backup-full", "audit-head", 1), ".enc", ".json", 1)
	must.Get(b.open().Stat(t.Context(), head))(t)
	if entries := b.entries(audit.BackupDeleted); len(entries) > 0 {
		t.Errorf("on record: %+v", entries)
	}

	later := time.Now().AddDate(0, 0, 50)
	for n := range 4 { // three of which always stay
		b.at(later.AddDate(0, 0, n))
		last := must.Get(b.make(t.Context(), archive.Full))(t)
		b.done = append(b.done, last.Key)
		locked := slices.ContainsFunc(last.Details, func(s fault.Sentence) bool { return s.Code == "still_locked" && s.Params["backups"] == 1 })
		if locked != (n >= 2) || last.Outcome != backup.OK {
			t.Errorf("after %d more: %+v", n+1, last)
		}
	}
	must.OK(t, b.Expire(t.Context()))
	if got := b.listed(); len(got) != 5 {
		t.Errorf("listed: %q", got)
	}
}

// TestBucketWithoutLock: if the bucket has no object lock, the test of the store
// says so, and a backup fails and leaves nothing.
func TestBucketWithoutLock(t *testing.T) {
	t.Parallel()
	b := filled(t)
	server := s3server.Shared(t)
	bucket := b.inBucket(server.Plain)
	b.change("", func(s *backup.Settings) { s.LockMode, s.LockDays = "GOVERNANCE", 1 })
	if got := must.Get(b.Test(t.Context()))(t); got.Trouble.Params["reason"] != "s3_lock" {
		t.Errorf("test of the store: %+v", got)
	}
	if _, err := b.make(t.Context(), archive.Full); b.reason(err) != "s3_lock" {
		t.Errorf("a backup: %v", err)
	}
	if keys, parts := server.Objects(t, bucket); len(keys)+len(parts) > 0 {
		t.Errorf("left: %q %q", keys, parts)
	}

	// What the store keeps anyway is named, and not listed.
	p := server.Proxy(t)
	b.change("", func(s *backup.Settings) { s.Endpoint = p.Address })
	p.Fault(func(r *http.Request) s3server.Fault {
		if r.Method == http.MethodDelete {
			return s3server.Fault{Status: http.StatusForbidden, Code: "AccessDenied"}
		}
		return s3server.Fault{}
	})
	b.Job = b.db.BackupJob
	jobs := &backup.Runner{Store: b.db, Server: "a", Log: slog.New(slog.DiscardHandler), Now: time.Now}
	job, err := jobs.Run(t.Context(), backup.Request{Kind: backup.Backup, Type: archive.Full, Actor: admin}, b.Making(archive.Full))
	keys, _ := server.Objects(t, bucket)
	if b.reason(err) != "backup_left_behind" || len(keys) != 1 || !strings.Contains(job.ErrorMessage.Text, keys[0]) ||
		!strings.Contains(job.ErrorMessage.Text, "Object Lock") {
		t.Errorf("%+v, left: %q", job.ErrorMessage, keys)
	}
	if got := b.listed(); got != nil {
		t.Errorf("listed: %q", got)
	}
	p.Fault(nil)
	must.OK(t, b.Tidy(t.Context()))
	if keys, _ := server.Objects(t, bucket); len(keys) > 0 {
		t.Errorf("left: %q", keys)
	}
}

// TestLockedUnverified: an unverified object that cannot be deleted is named, and not
// listed, until retention can delete it.
func TestLockedUnverified(t *testing.T) {
	t.Parallel()
	b := filled(t)
	b.Job = b.db.BackupJob
	jobs := &backup.Runner{Store: b.db, Server: "a", Log: slog.New(slog.DiscardHandler), Now: time.Now}
	run := func() (backup.Job, error) {
		return jobs.Run(t.Context(), backup.Request{Kind: backup.Backup, Type: archive.Vault, Actor: admin}, b.Making(archive.Vault))
	}
	locked := fault.New(fault.Conflict, "locked", "It is locked.").With(objstore.ErrLocked)
	b.wrap = func(s objstore.Store) objstore.Store {
		return liar{Store: s, change: flip(func(n int) int { return n / 2 }), fail: locked}
	}
	job, _ := run()
	left := b.files()
	if job.Status != backup.Failed || job.ErrorMessage.Params["reason"] != "backup_left_locked" || len(left) != 1 ||
		!strings.Contains(job.ErrorMessage.Text, left[0]) {
		t.Fatalf("%+v, left: %q", job, left)
	}
	for range 2 {
		if got := b.listed(); got != nil {
			t.Errorf("listed: %q", got)
		}
		must.OK(t, b.Tidy(t.Context()))
	}
	asked := 0
	b.wrap = func(s objstore.Store) objstore.Store { asked++; return s }
	must.OK(t, b.Tidy(t.Context()))
	if asked > 0 {
		t.Error("the store is asked about it again and again")
	}

	for n := range 3 { // each with its own name
		b.at(time.Now().Add(time.Duration(n+2) * time.Second))
		proven := must.Get(run())(t)
		b.done = append(b.done, proven.Key)
	}
	if got := b.listed(); len(got) != 3 {
		t.Errorf("listed: %q", got)
	}
	b.at(time.Now().AddDate(0, 0, 40)) // its lock has ended
	must.OK(t, b.Expire(t.Context()))
	if files, got := b.files(), b.listed(); slices.Contains(files, left[0]) || len(got) != 3 {
		t.Errorf("in the end: %q, listed %q", files, got)
	}
	if v := must.Get(b.db.Setting(t.Context(), "backup_unproven"))(t); strings.Contains(v.Text, left[0]) {
		t.Errorf("it is remembered: %s", v.Text)
	}
}
