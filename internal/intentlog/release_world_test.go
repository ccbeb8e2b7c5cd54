package intentlog_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// world is a release log on the engines that the environment names.
type world struct {
	destroy func(t testing.TB, path string) // a document, as the vault's operator could
	*intentlog.Releases
	dir    string
	db     *store.DB
	kv     vault.KV
	logged lines
	began  time.Time    // half past the hour
	ahead  atomic.Int64 // of that, in nanoseconds
}

func (w *world) now() time.Time { return w.began.Add(time.Duration(w.ahead.Load())) }

// lines is what was logged.
type lines struct {
	sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) text() string {
	l.Lock()
	defer l.Unlock()
	return l.String()
}

const session = 7

// agent is the agent whose key is registered with the session.
var agent = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048) // nothing here demands more
	if err != nil {
		panic(err)
	}
	return key
})

func fingerprint(t must.T, key *rsa.PrivateKey) string {
	return must.Get(agentkey.Fingerprint(&key.PublicKey))(t)
}

func setup(t testing.TB) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), began: time.Now().Truncate(time.Hour).Add(30 * time.Minute)}
	w.db = engine.Store(t, w.dir, store.Options{})
	if vaultserver.Wanted(t) {
		o := vaultserver.Shared(t).Prepared(t)
		e := must.Get(remote.Open(t.Context(), o))(t)
		t.Cleanup(func() { _ = e.Close() })
		w.kv = e
		w.destroy = func(t testing.TB, path string) { vaultserver.Shared(t).Destroy(t, o.Mounts, path) }
	} else {
		w.kv = engine.Vault(t, w.dir, nil)
		w.destroy = func(t testing.TB, path string) { must.OK(t, w.kv.DestroyPath(t.Context(), path)) }
	}
	must.OK(t, w.db.AppendAudit(t.Context(), audit.By(access.Actor{Username: "alex"}, audit.SessionAgentRegistered,
		"session", fmt.Sprint(session), "agent key "+fingerprint(t, agent()))))
	w.Releases = w.another()
	return w
}

// another is the log of another server on the same engines.
func (w *world) another() *intentlog.Releases {
	return intentlog.NewReleases(w.kv, w.db, w.now, slog.New(slog.NewTextHandler(&w.logged, nil)))
}

// releaseOf is that of a token's PIN.
func releaseOf(serial string) intentlog.Release {
	return intentlog.Release{
		Serial: serial, Fields: []piv.Field{piv.PIN}, Session: session, Key: &agent().PublicKey,
		Entry: audit.By(access.Actor{Username: "alex"}, audit.SecretsReleased, "hwkey", serial, "").Because("forgotten PIN"),
	}
}

// release records a release with a log, and returns the id of its entry, zero if it was
// never written.
func (w *world) release(ctx context.Context, by *intentlog.Releases, serial string) (id int64, err error) {
	r := releaseOf(serial)
	entry, err := r.AuditEntry()
	if err != nil {
		return 0, err
	}
	written, err := w.db.RecordRelease(ctx, serial, entry, nil)
	if err != nil {
		return 0, err
	}
	return written.ID, by.Record(ctx, r, written)
}

// must is a release that succeeds.
func (w *world) must(t must.T, serial string) int64 {
	t.Helper()
	id, err := w.release(context.Background(), w.Releases, serial)
	must.OK(t, err)
	return id
}

// stands returns the token's Status.
func (w *world) stands(t must.T, serial string) intentlog.ReleaseStatus {
	t.Helper()
	return must.Get(w.Check(context.Background(), serial))(t)
}
