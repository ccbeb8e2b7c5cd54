package hwkey_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"github.com/keyward/keyward/internal/profile"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/engine"
)

// world is the service on the server's engines, with two organizations, a few
// people, and an adjustable clock.
type world struct {
	dir   string // of the engines' files
	db    *store.DB
	keys  *hwkey.Service
	certs *cert.Service
	pki   *embedded.Engine
	kv    *stubbornKV
	ahead atomic.Int64 // of the real clock, in nanoseconds

	sessions *session.Service

	a, b          account.Organization
	admin         access.Actor // without an organization
	manager, desk access.Actor // managers of a
	alex, amy     access.Actor // users of a
	other         access.Actor // manager of b
	bea           access.Actor // user of b
}

// stubbornKV is the vault with writes that fail on a test's demand.
type stubbornKV struct {
	vault.KV
	left atomic.Int64           // writes until it fails; negative never ends
	then atomic.Pointer[func()] // once, after the next write
}

func (s *stubbornKV) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	if s.left.Add(-1) == -1 {
		s.left.Store(0) // from now on
		return 0, vault.ErrUnavailable
	}
	version, err := s.KV.Put(ctx, path, data, cas)
	if then := s.then.Swap(nil); then != nil {
		(*then)()
	}
	return version, err
}

var agentKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
})

const forever = 1 << 40

func setup(t testing.TB) *world {
	t.Helper()
	w := &world{}
	w.kvReady(t)
	ctx := t.Context()
	var err error
	for _, o := range []struct {
		name string
		at   *account.Organization
	}{{"Acme", &w.a}, {"Bolt", &w.b}} {
		*o.at, err = w.db.InsertOrganization(ctx, account.Organization{Name: o.name, IsActive: true, CreatedAt: w.now(), UpdatedAt: w.now()},
			audit.Entry{Action: audit.OrganizationCreated, Outcome: audit.Success, TargetType: "organization"})
		must(t, err)
	}
	for _, p := range []struct {
		name string
		role access.Role
		of   *account.Organization
		at   *access.Actor
	}{
		{"admin", access.GlobalAdmin, nil, &w.admin}, {"manager", access.OrgManager, &w.a, &w.manager}, {"desk",
			access.OrgManager, &w.a, &w.desk},
		{"alex", access.User, &w.a, &w.alex}, {"amy", access.User, &w.a, &w.amy}, {"other", access.OrgManager,
			&w.b, &w.other}, {"bea", access.User, &w.b, &w.bea},
	} {
		*p.at = w.person(t, p.name, p.role, p.of)
	}
	return w
}

// kvReady opens the engines and sets up the services.
func (w *world) kvReady(t testing.TB) {
	t.Helper()
	dir, log := t.TempDir(), slog.New(slog.DiscardHandler)
	db, err := engine.Open(t, dir, store.Options{Now: w.now})
	must(t, err)
	authority, err := embedded.Open(t.Context(), embedded.Options{
		Path: dir, PublicBase: "http://localhost", CAKeyType: piv.ECP256, Now: w.now, Logger: log,
		Role: vault.Role{KeyTypes: []piv.KeyType{piv.RSA2048, piv.ECP256}, MaxTTL: vault.DefaultRole().MaxTTL},
	})
	must(t, err)
	t.Cleanup(func() {
		must(t, authority.Close())
		must(t, db.Close())
	})
	w.dir, w.db, w.pki, w.kv = dir, db, authority, &stubbornKV{KV: authority}
	w.kv.left.Store(forever)
	sessions := &session.Service{Store: db, Signer: &session.Signer{Vault: authority, Now: w.now}, Now: w.now, Log: log}
	w.sessions = sessions
	w.certs = &cert.Service{Store: db, Devices: db, Agents: sessions, PKI: authority, CRL: &pki.CRLCache{PKI: authority, Now: w.now},
		Policy: cert.AnyPolicy, Log: log, Now: w.now, Issuances: intentlog.NewIssuances(authority, w.now),
		Profiles: &profile.Service{Vault: w.kv, KeyTypes: []piv.KeyType{piv.RSA2048, piv.ECP256}}}
	w.keys = &hwkey.Service{
		Store: db, Custody: &custody.Store{Vault: w.kv, Now: w.now}, Directory: db, Agents: sessions, Publisher: w.certs, Log: log, Now: w.now,
		ReleaseLog: intentlog.NewReleases(w.kv, db, w.now, log),
	}
	w.certs.Releases = w.keys
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *world) turn(d time.Duration) { w.ahead.Add(int64(d)) }

// person creates an account with a session and an agent.
func (w *world) person(t testing.TB, name string, role access.Role, of *account.Organization) access.Actor {
	t.Helper()
	ctx, now := t.Context(), w.now()
	a := access.Actor{Username: name, Role: role, AuthenticatedAt: now}
	if of != nil {
		a.OrganizationID = &of.ID
	}
	u, err := w.db.InsertUser(ctx, account.User{
		Username: name, Email: name + "@example.org", Role: role, OrganizationID: a.OrganizationID, IsActive: true,
		AuthSource: account.Local, CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}, audit.Entry{Action: audit.UserCreated, Outcome: audit.Success, TargetType: "user"})
	must(t, err)
	a.UserID = u.ID
	s, err := w.db.BeginSession(ctx, session.Session{
		UserID: u.ID, TokenHash: name, CreatedAt: now, ExpiresAt: now.Add(100 * time.Hour), Active: true,
		AuthenticatedAt: now, AuthMethod: session.Password,
	}, session.Family{UserID: u.ID, CreatedAt: now, ExpiresAt: now.Add(100 * time.Hour)}, session.RefreshToken{Hash: name, CreatedAt: now})
	must(t, err)
	a.SessionID = s.ID
	must(t, w.sessions.RegisterAgent(ctx, a, s.ID, session.Registration{PublicKey: agentKey(), Hostname: "desk-1"}))
	return a
}

// scope returns an actor's scope for tokens.
func scope(t testing.TB, a access.Actor) access.Scope {
	t.Helper()
	s, err := access.Can(a, "update-hwkey")
	must(t, err)
	return s
}

// register registers a token for that owner, or in stock.
func (w *world) register(t testing.TB, serial string, owner *access.Actor) hwkey.Device {
	t.Helper()
	in := hwkey.Registration{Serial: serial, OrganizationID: &w.a.ID}
	if owner != nil {
		in.OwnerID = &owner.UserID
	}
	d, err := w.keys.Register(t.Context(), w.manager, scope(t, w.manager), in)
	must(t, err)
	return d
}

// logged counts the entries of an action and outcome.
func (w *world) logged(t testing.TB, action audit.Action, outcome audit.Outcome) int {
	t.Helper()
	n, p := 0, page.Request{Limit: page.MaxLimit}
	for {
		list, err := w.db.ListAudit(t.Context(), access.All(), audit.Filter{Action: string(action), Outcome: outcome}, p)
		must(t, err)
		n += len(list.Items)
		if list.NextCursor == nil {
			return n
		}
		p.Before = list.Items[len(list.Items)-1].ID
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func code(t testing.TB, what string, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

func lines(text ...string) []byte { return []byte(strings.Join(text, "\r\n") + "\r\n") }

func serialOf(i int) string { return fmt.Sprintf("key-%05d", i) }

// csr is a request for a new key: an earlier one may be compromised.
func csr(t testing.TB, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	return csrOf(t, name, key)
}

func csrOf(t testing.TB, name string, key crypto.Signer) string {
	t.Helper()
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name}}, key)
	must(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}
