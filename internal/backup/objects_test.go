package backup_test

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// day returns a backup's key for a day.
func day(n int, kind string) string {
	return objstore.Name{Type: kind, At: time.Date(2026, 1, n, 2, 0, 0, 0, time.UTC)}.Key("")
}

// keep stores objects that are not backups inside.
func (b *bench) keep(keys ...string) {
	b.t.Helper()
	s := b.open()
	for _, key := range keys {
		must.Get(s.Put(b.t.Context(), key, strings.NewReader("content of "+key)))(b.t)
	}
}

// account creates an account.
func (b *bench) account(role access.Role) access.Actor {
	b.t.Helper()
	u := must.Get(b.db.InsertUser(b.t.Context(), account.User{Username: "maker", Email: "maker@example.org", Role: role, IsActive: true},
		audit.By(admin, audit.UserCreated, "user", "", "")))(b.t)
	return access.Actor{UserID: u.ID, Username: u.Username, Role: u.Role}
}

func (b *bench) demote(a access.Actor) {
	b.t.Helper()
	must.Both(b.db.ChangeUser(b.t.Context(), access.All(), a.UserID, nil, func(s account.UserState) (account.UserChange, error) {
		s.User.Role = access.User
		entry := audit.By(admin, audit.UserRoleChanged, "user", audit.ID(a.UserID), "")
		return account.UserChange{User: s.User, Entries: []audit.Entry{entry}}, nil
	}))(b.t)
}

func TestLinksAndDeletion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.change("", func(s *backup.Settings) { s.Prefix = "a b/c-" })
	key := "a b/c-" + day(3, "full")
	head := "a b/c-audit-head-20260103-020000.json"
	b.keep(key, head, "a b/c-notes.txt")
	for _, other := range []string{"", "a b/c-notes.txt", head, "../x", day(3, "full"), "a b/c-" + day(4, "full")} {
		_, err := b.Link(t.Context(), admin, other)
		if !fault.Is(err, fault.NotFound) || !fault.Is(b.Delete(t.Context(), admin, other), fault.NotFound) {
			t.Errorf("%q: %v", other, err)
		}
	}
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	b.at(now)
	maker := b.account(access.GlobalAdmin)
	link := must.Get(b.Link(t.Context(), maker, key))(t)
	again := must.Get(b.Link(t.Context(), maker, key))(t) // with the same link key
	if !link.ExpiresAt.Equal(now.Add(time.Hour)) || link != again ||
		!strings.HasPrefix(link.URL, "https://keys.example.org/api/backup/blob?") {
		t.Errorf("%+v, then %+v", link, again)
	}
	query := must.Get(url.Parse(link.URL))(t).Query()
	blob := must.Get(b.Blob(t.Context(), query))(t)
	if at, err := blob.Seek(-4, io.SeekEnd); at != blob.Object.Size-4 || err != nil {
		t.Errorf("at %d, %v", at, err)
	}
	for _, want := range []string{".enc", "content of " + key} {
		if got := must.Get(io.ReadAll(blob))(t); string(got) != want {
			t.Errorf("read %q, want %q", got, want)
		}
		must.Get(blob.Seek(0, io.SeekStart))(t)
	}
	must.OK(t, b.Downloaded(t.Context(), access.Actor{IPAddress: "192.0.2.7"}, blob))
	must.OK(t, blob.Close())
	for action, want := range map[audit.Action][]string{
		audit.BackupLinkCreated: {"maker", "works until 2026-02-01T01:00:00Z"},
		audit.BackupDownloaded:  {"unknown", "through a link that maker made"},
	} {
		if e := b.entries(action)[0]; !slices.Equal([]string{e.Actor, e.Details}, want) || e.FileName != key {
			t.Errorf("%s: %+v", action, e)
		}
	}
	b.demote(maker)
	if _, err := b.Blob(t.Context(), query); b.reason(err) != "blob_link_withdrawn" {
		t.Errorf("of a maker who is no administrator any more: %v", err)
	}
	query.Set("key", "a b/c-"+day(4, "full"))
	if _, err := b.Blob(t.Context(), query); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("another key: %v", err)
	}
	b.at(now.Add(time.Hour))
	if _, err := b.Blob(t.Context(), must.Get(url.Parse(link.URL))(t).Query()); b.reason(err) != "blob_link_ended" {
		t.Errorf("after an hour: %v", err)
	}

	must.OK(t, b.Delete(t.Context(), admin, key))
	if got := b.files(); !slices.Equal(got, []string{"a b/c-notes.txt"}) {
		t.Errorf("left: %q", got)
	}
	entries := b.entries(audit.BackupDeleted)
	if len(entries) != 1 || entries[0].FileName != key || entries[0].Actor != "admin" ||
		entries[0].BackupType != "full" || *entries[0].SizeBytes == 0 {
		t.Errorf("on record: %+v", entries)
	}
}

// Someone dismissed meanwhile can delete nothing.
func TestDeletionChecksAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.keep(day(1, "full"))
	gone := fault.New(fault.AccountDisabled, "", "Gone.")
	b.Admitted = func(context.Context) error { return gone }
	if err := b.Delete(t.Context(), admin, day(1, "full")); !errors.Is(err, gone) {
		t.Error(err)
	}
	if got := b.files(); len(got) != 1 {
		t.Errorf("left: %q", got)
	}
}

// Each fault of the store is reported, with what to do, and is not an error.
func TestConnection(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.change(password, nil)
	if got := must.Get(b.Test(t.Context()))(t); got.Trouble.Text != "" || got.Latency <= 0 {
		t.Errorf("directory: %+v", got)
	}
	b.inBucket(s3server.Shared(t).Plain)
	if got := must.Get(b.Test(t.Context()))(t); got.Trouble.Text != "" {
		t.Errorf("bucket: %+v", got)
	}
	b.change("", func(s *backup.Settings) { s.Bucket = "another" })
	if got := must.Get(b.Test(t.Context()))(t); got.Trouble.Code != "storage_unavailable" || got.Trouble.Params["reason"] != "s3_no_bucket" ||
		!strings.Contains(got.Trouble.Text, "bucket") {
		t.Errorf("no such bucket: %+v", got)
	}
	must.OK(t, b.kv.DestroyPath(t.Context(), "backup_settings/secret_access_key"))
	if got := must.Get(b.Test(t.Context()))(t); got.Trouble.Code != "invalid_request" ||
		!strings.Contains(got.Trouble.Text, "secret_access_key") ||
		!cmp.Equal(got.Fields, []fault.Field{fault.Required("secret_access_key")}) {
		t.Errorf("without its secret: %+v", got)
	}
	looked := must.Get((&backup.StoreWatch{Backups: b.Service}).Look(t.Context()))(t)
	if looked.Trouble.Code != "invalid_request" || !cmp.Equal(looked.Fields, []fault.Field{fault.Required("secret_access_key")}) {
		t.Errorf("looked at without its secret: %+v", looked)
	}
	b.Vault = away{b.kv}
	if _, err := b.Test(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("without the vault: %v", err)
	}
}

// Retention removes old backups, except the newest three that are Completed, and the
// newest full one of these.
func TestRetention(t *testing.T) {
	t.Parallel()
	var all []string
	for n := range 9 {
		all = append(all, day(n+1, "full"))
	}
	vaults := []string{day(10, "vault"), day(11, "vault"), day(12, "vault")}
	for name, c := range map[string]struct {
		now             time.Time
		completed, gone []string
	}{
		"none is old":             {time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC), all, nil},
		"some are":                {time.Date(2026, 2, 2, 2, 0, 1, 0, time.UTC), all, all[:3]},
		"all are":                 {time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), all, append(slices.Clone(all[:6]), vaults...)},
		"not all are Completed":   {time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), all[1:4], append(slices.Concat(all[:1], all[4:]), vaults...)},
		"no full one is newest":   {time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), slices.Concat(all, vaults), all[:8]},
		"nobody knows":            {time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), nil, all},
		"known ones are not here": {time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), []string{day(20, "full")}, all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.change(password, nil)
			b.keep(slices.Concat(all, vaults, []string{"audit-head-20260101-020000.json", "notes.txt"})...)
			b.at(c.now)
			b.done = c.completed
			must.OK(t, b.Expire(t.Context()))
			left := b.files()
			var gone []string
			for _, key := range slices.Concat(all, vaults) {
				if !slices.Contains(left, key) {
					gone = append(gone, key)
				}
			}
			if diff := cmp.Diff(c.gone, gone); diff != "" {
				t.Error(diff)
			}
			if !slices.Contains(left, "notes.txt") || slices.Contains(left, "audit-head-20260101-020000.json") == slices.Contains(gone, all[0]) {
				t.Errorf("left: %q", left)
			}
			entries := b.entries(audit.BackupDeleted)
			if len(entries) != len(gone) || len(gone) > 0 && (entries[0].Actor != audit.System || entries[0].Details != "older than 30 days") {
				t.Errorf("on record: %+v", entries)
			}
		})
	}
}

// Nothing of a killed process is left.
func TestSweep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	must.OK(t, os.MkdirAll(b.Temporary, 0o700))
	for _, name := range []string{".backup-123", "keyward.db"} {
		must.OK(t, os.WriteFile(filepath.Join(b.Temporary, name), nil, 0o600))
	}
	must.OK(t, b.Sweep())
	if left := must.Get(os.ReadDir(b.Temporary))(t); len(left) != 1 || left[0].Name() != "keyward.db" {
		t.Errorf("left: %v", left)
	}
}
