package rollback_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

// world is an installation and what runs on it: one process with one or several servers.
type world struct {
	t   must.T
	log *logBook
	now func() time.Time

	database databasePlace
	vaults   vaultPlace

	life    *life
	db      mortalStore
	vault   mortalVault
	servers []*server
	alex    access.Actor // the owner of the token, with a session and an agent
	signed  int
}

// token is the registered one.
const token = "abcd"

// logBook collects the logs of all servers.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBook) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(line)
}

func (b *logBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *logBook) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
}

// server is what each server has of its own.
type server struct {
	sealer   *chain.Sealer
	certs    *cert.Service
	keys     *hwkey.Service
	crl      *pki.CRLCache
	sessions *session.Service
	guard    *rollback.Guard
}

// newWorld is an installation with a person and a token, on the engines under test,
// and one server that has not compared anything yet.
func newWorld(t *testing.T) *world {
	t.Helper()
	database, vaults := newPlaces(t, false)
	return newWorldIn(t, database, vaults)
}

// newWorldWithCopies is one whose sides can be copied and restored.
func newWorldWithCopies(t *testing.T) *world {
	t.Helper()
	database, vaults := newPlaces(t, true)
	return newWorldIn(t, database, vaults)
}

func newWorldIn(t *testing.T, database databasePlace, vaults vaultPlace) *world {
	t.Helper()
	w := &world{t: t, now: time.Now, log: &logBook{}, database: database, vaults: vaults}
	w.open()
	t.Cleanup(w.close)
	u := must.Get(w.db.InsertUser(t.Context(), account.User{
		Username: "alex", Email: "alex@example.org", Role: access.User, IsActive: true, AuthSource: account.Local,
		CreatedAt: w.now(), UpdatedAt: w.now(), PasswordChangedAt: w.now(),
	}, entry(audit.UserCreated)))(t)
	w.alex = access.Actor{UserID: u.ID, Username: u.Username, Role: u.Role}
	must.Get(w.servers[0].keys.Register(t.Context(), access.Actor{Role: access.GlobalAdmin}, access.All(),
		hwkey.Registration{Serial: token, OwnerID: &u.ID}))(t)
	w.signIn()
	return w
}

func entry(action audit.Action) audit.Entry { return audit.By(access.Actor{}, action, "", "", "") }

// signIn creates a session of the token's owner, with an agent.
func (w *world) signIn() {
	w.t.Helper()
	ctx, now := context.Background(), w.now()
	ends := now.Add(10_000 * time.Hour)
	hash := fmt.Sprint("session ", now.UnixNano())
	s := must.Get(w.db.BeginSession(ctx, session.Session{
		UserID: w.alex.UserID, TokenHash: hash, CreatedAt: now, ExpiresAt: ends, Active: true, AuthenticatedAt: ends,
		AuthMethod: session.Password,
	}, session.Family{UserID: w.alex.UserID, CreatedAt: now, ExpiresAt: ends}, session.RefreshToken{Hash: hash, CreatedAt: now}))(w.t)
	w.alex.SessionID, w.alex.AuthenticatedAt = s.ID, ends // signing without attestation needs recent authentication
	must.OK(w.t, w.registerAgent(ctx, w.servers[0]))
}

func (w *world) registerAgent(ctx context.Context, s *server) error {
	agent := must.Get(os.ReadFile("../../test/e2e/browser/harness/agent.pub.pem"))(w.t)
	return s.sessions.RegisterAgent(ctx, w.alex, w.alex.SessionID, session.Registration{PublicKey: string(agent), Hostname: "desk-1"})
}

// open starts a process with one server on the present files.
func (w *world) open() {
	w.t.Helper()
	w.life = &life{left: -1, end: func() { w.database.killed(); w.vaults.killed() }}
	w.db = mortalStore{must.Get(w.database.open(w.now))(w.t), w.life}
	w.vault = mortalVault{must.Get(w.vaults.open(w.now))(w.t), w.life}
	w.servers = []*server{w.server(w.now)}
}

// server returns a server of the installation, with its own clock.
func (w *world) server(now func() time.Time) *server {
	log := slog.New(slog.NewTextHandler(w.log, nil))
	s := &server{sealer: &chain.Sealer{Store: w.db, Vault: w.vault, Now: now}}
	s.sessions = &session.Service{Store: w.db, Signer: &session.Signer{Vault: w.vault, Now: now}, Now: now, Log: log}
	s.crl = &pki.CRLCache{PKI: w.vault, Now: now, Log: log, Note: func(ctx context.Context, ca []byte, number uint64) error {
		return w.db.RaiseVaultMark(ctx, rollback.CRLMark(ca), number)
	}}
	s.certs = &cert.Service{
		Store: w.db, Devices: w.db, Agents: s.sessions, PKI: w.vault, CRL: s.crl, Policy: cert.AnyPolicy, Log: log, Now: now,
		Issuances: intentlog.NewIssuances(w.vault, now),
		Profiles:  &profile.Service{Vault: w.vault, KeyTypes: []piv.KeyType{piv.RSA2048}},
	}
	s.keys = &hwkey.Service{
		Store: w.db, Custody: &custody.Store{Vault: w.vault, Now: now}, Directory: w.db, Agents: s.sessions, Publisher: s.certs,
		ReleaseLog: intentlog.NewReleases(w.vault, w.db, now, log), Log: log, Now: now,
	}
	s.certs.Releases = s.keys
	known := cert.Comparison{Service: s.certs, Engine: w.vault, KV: w.vault}
	s.guard = &rollback.Guard{
		Database: w.db, Vault: w.vault, CRL: known, Audit: s.sealer, Renew: s.sessions.Signer.Renew, Renewed: s.sessions.Signer.Reload,
		Sources: []rollback.Source{
			{What: rollback.Certificates, Missing: known.MissingIssuancesSince, MarkUnaccounted: known.MarkUnaccounted},
			{What: rollback.Releases, Missing: s.keys.ReleaseLog.Missing, MarkUnaccounted: s.keys.ReleaseLog.MarkUnaccounted},
		},
		Log: log, Now: now,
	}
	s.certs.Consistent = s.guard.Consistent
	s.certs.SigningBlocked = s.guard.SigningBlocked
	s.keys.ReleaseBlocked, s.keys.RolledBack = s.guard.SigningBlocked, s.guard.DocumentRolledBack
	return s
}

func (w *world) guard() *rollback.Guard { return w.servers[0].guard }

// kill ends the process at this moment; what it had open stays as it is.
func (w *world) kill() {
	w.t.Helper()
	w.life.mu.Lock()
	w.life.kill()
	w.life.mu.Unlock()
	w.close()
}

// close closes what a process left open, which changes nothing for a killed one.
func (w *world) close() {
	if w.db.DB != nil { // for whom it is open
		_ = errors.Join(w.vault.Close(), w.db.Close())
		w.db.DB = nil
	}
}

// stop ends the process in order.
func (w *world) stop(ctx context.Context) error {
	for _, s := range w.servers {
		if err := errors.Join(s.certs.Issuances.Flush(ctx), s.guard.Stop(ctx)); err != nil {
			return err
		}
	}
	if err := w.servers[0].sealer.Run(ctx); err != nil {
		return err
	}
	w.close()
	return nil
}

// found returns the older sides: "vault", "database", both or nothing.
func found(g *rollback.Guard) (sides string) {
	if g.VaultRolledBack() != nil {
		sides += "vault "
	}
	if g.DatabaseRolledBack() != nil {
		sides += "database "
	}
	return sides
}
