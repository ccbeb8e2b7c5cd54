package backup_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/dir"
	"github.com/keyward/keyward/internal/objstore/s3"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// bench is the service on a real database, a real vault and a real directory.
type bench struct {
	*backup.Service
	t      *testing.T
	db     *store.DB
	kv     *embedded.Engine
	sealer *chain.Sealer
	now    atomic.Pointer[time.Time] // nil: the machine's
	place  string                    // path of the directory
	wrap   func(objstore.Store) objstore.Store
	done   []string // keys of Completed backups
}

const password = "correct horse battery staple"

var admin = access.Actor{Username: "admin", Role: access.GlobalAdmin}

func newBench(t *testing.T) *bench {
	t.Helper()
	at := t.TempDir()
	b := &bench{t: t, place: filepath.Join(at, "backups"), wrap: func(s objstore.Store) objstore.Store { return s }}
	now := func() time.Time {
		if fixed := b.now.Load(); fixed != nil {
			return *fixed
		}
		return time.Now()
	}
	log := slog.New(slog.DiscardHandler)
	b.db, b.kv = engine.Store(t, at, store.Options{}), engine.Vault(t, at, nil)
	b.sealer = &chain.Sealer{Store: b.db, Vault: b.kv, Now: time.Now}
	b.Service = &backup.Service{
		Rows: b.db, Audit: b.db, Vault: b.kv, Database: b.db, Source: b.kv, Sealed: b.sealer.Status, Admitted: b.db.Admitted,
		Account:   func(ctx context.Context, id int64) (account.User, error) { return b.db.User(ctx, access.All(), id) },
		Completed: func(context.Context) ([]string, error) { return b.done, nil },
		Directory: b.place, Temporary: filepath.Join(at, "tmp"), SiteURL: "https://keys.example.org", Log: log, Now: now,
		OpenStore: func(set backup.Settings, key secret.String) (objstore.Store, error) {
			var s objstore.Store
			var err error
			if set.Store == backup.Bucket {
				s, err = s3.New(s3.Options{
					Endpoint: set.Endpoint, Region: set.Region, Bucket: set.Bucket, Prefix: set.Prefix, AccessKeyID: set.AccessKeyID,
					SecretKey: key, PathStyle: set.PathStyle, InsecureTLS: set.InsecureTLS, Lock: s3.Lock{Mode: set.LockMode, Days: set.LockDays},
					Attempts: 2, Pause: time.Millisecond, Logger: log,
				})
			} else {
				s, err = dir.New(dir.Options{Path: b.place, Prefix: set.Prefix})
			}
			if err != nil {
				return nil, err
			}
			return b.wrap(s), nil
		},
	}
	return b
}

// at stops the clock at now.
func (b *bench) at(now time.Time) { b.now.Store(&now) }

// change changes the settings, and the password unless pw is empty.
func (b *bench) change(pw string, change func(*backup.Settings)) {
	b.t.Helper()
	set := must.Get(b.Settings(b.t.Context()))(b.t)
	if change != nil {
		change(&set)
	}
	var with backup.Secrets
	if pw != "" {
		value := secret.New(pw)
		with.Password = &value
	}
	if set.Store == backup.Bucket {
		value := secret.New(s3server.SecretKey)
		with.SecretKey = &value
	}
	must.Get(b.Change(b.t.Context(), admin, set, with))(b.t)
}

// inBucket configures a bucket of the test's own.
func (b *bench) inBucket(endpoint string) (bucket string) {
	b.t.Helper()
	bucket = s3server.Shared(b.t).Bucket(b.t)
	b.change("", func(s *backup.Settings) {
		s.Store, s.Endpoint, s.Region, s.Bucket, s.Prefix = backup.Bucket, endpoint, s3server.Region, bucket, "site a/"
		s.AccessKeyID, s.PathStyle = s3server.AccessKeyID, true
	})
	return bucket
}

// open returns the store of the settings.
func (b *bench) open() objstore.Store {
	b.t.Helper()
	s, _, err := b.Open(b.t.Context())
	must.OK(b.t, err)
	b.t.Cleanup(func() { _ = s.Close() })
	return s
}

// files returns all files in the directory, and checks that the temporary one is empty.
func (b *bench) files() (names []string) {
	b.t.Helper()
	if left, err := os.ReadDir(b.Temporary); err == nil && len(left) > 0 {
		b.t.Errorf("temporary files are left: %v", left)
	}
	must.OK(b.t, filepath.WalkDir(b.place, func(path string, d os.DirEntry, err error) error {
		switch {
		case errors.Is(err, os.ErrNotExist): // nothing was ever stored there
			return nil
		case err == nil && !d.IsDir():
			names = append(names, strings.TrimPrefix(path, b.place+"/"))
		}
		return err
	}))
	return names
}

// entries returns the audit entries of an action, newest first.
func (b *bench) entries(action audit.Action) []audit.Entry {
	b.t.Helper()
	list := must.Get(b.db.ListAudit(b.t.Context(), access.All(), audit.Filter{Action: string(action)}, page.Request{Limit: 100}))(b.t)
	return list.Items
}

func (b *bench) reason(err error) string {
	b.t.Helper()
	f, ok := fault.As(err)
	if !ok {
		return ""
	}
	return f.Reason
}

// make makes a backup of a type.
func (b *bench) make(ctx context.Context, t backup.Type) (backup.Result, error) {
	return b.Making(t)(ctx, nil)
}

func read(t *testing.T, s objstore.Store, key string) []byte {
	t.Helper()
	r := must.Get(s.Open(t.Context(), key, 0, -1))(t)
	defer r.Close()
	return must.Get(io.ReadAll(r))(t)
}

func fields(err error) (names []string) {
	if f, ok := fault.As(err); ok && f.Code == fault.InvalidRequest {
		for _, field := range f.Fields {
			names = append(names, field.Field)
		}
	}
	slices.Sort(names)
	return names
}
