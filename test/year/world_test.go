//go:build exhaustive

package year_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"encoding/pem"
	"fmt"
	"github.com/keyward/keyward/internal/profile"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// begins is the year's start: late enough that the CA, created on this machine's clock,
// is already valid.
func begins() time.Time { return time.Now().UTC().Truncate(time.Hour).Add(24 * time.Hour) }

// world is the installation, with the services that people use, and the model's
// knowledge.
type world struct {
	t     *testing.T
	clock licensetest.Clock
	began time.Time
	url   string
	sql   *sql.DB // bypassing the store
	db    *store.DB
	keys  *hwkey.Service
	certs *cert.Service
	users *account.Users

	sessions *session.Service
	ca       *lasting

	licenses string // the license service's address
	term     term

	runner    *backup.Runner
	schedules []*scheduled
	worked    time.Time // when jobs were last created

	post    *smtpserver.Server // nil: mail is off
	outages outages
	turns   time.Time       // when an outage begins or ends
	spells  map[outages]int // how often each occurred
	cleared bool            // the server was out before

	told     map[string]int       // expected on the page, by person, kind, thing and time
	mailed   map[string][]*letter // expected by mail, likewise
	open     []*letter            // of these, the unfinished ones
	briefed  time.Time            // when managers last got a brief
	digested time.Time

	organizations []account.Organization
	admin         *person
	managers      []*person
	people        []*person
	tokens        []*token
}

// person is somebody with an account.
type person struct {
	access.Actor

	disabled bool
	choices  map[notify.Kind]bool // the person's choices of what is mailed
}

// token is a token as the model knows it.
type token struct {
	serial string
	owner  *person // nil: in stock
	status hwkey.Status
	of     int                       // the organization's index in the list
	slots  map[string][]*certificate // the unrevoked ones, the newest last
}

// certificate is a certificate as the model knows it.
type certificate struct {
	serial     string
	began, end time.Time
	told       int // the milestone of its owner's last reminder
}

func (w *world) now() time.Time { return w.clock.Now() }

func (w *world) pass(d time.Duration) { w.clock.Set(w.now().Add(d)) }

// newWorld is an installation with the given number of tokens in three organizations:
// two with managers, one without.
func newWorld(t *testing.T, tokens int) *world {
	t.Helper()
	w := &world{
		t: t, began: begins(), url: engine.Postgres(t), told: map[string]int{}, mailed: map[string][]*letter{}, spells: map[outages]int{},
		schedules: schedules(),
	}
	w.clock.Set(w.began)
	w.worked = w.began
	ctx, log := t.Context(), slog.New(slog.DiscardHandler)
	w.db = must.Get(store.OpenPostgres(ctx, store.Server{URL: secret.New(w.url)}, store.Options{Now: w.now}))(t)
	authority := must.Get(embedded.Open(ctx, embedded.Options{
		Path: t.TempDir(), PublicBase: "http://localhost", CAKeyType: piv.ECP256, Now: w.now, Logger: log,
		Role: vault.Role{KeyTypes: []piv.KeyType{piv.ECP256}, MaxTTL: vault.DefaultRole().MaxTTL},
	}))(t)
	w.sql = must.Get(sql.Open("pgx", w.url))(t)
	t.Cleanup(func() {
		must.OK(t, authority.Close())
		must.OK(t, w.db.Close())
		must.OK(t, w.sql.Close())
	})
	w.sessions = &session.Service{Store: w.db, Signer: &session.Signer{Vault: authority, Now: w.now}, Now: w.now, Log: log}
	w.ca = &lasting{Engine: authority}
	w.certs = &cert.Service{
		Store: w.db, Devices: w.db, Agents: w.sessions, PKI: w.ca, CRL: &pki.CRLCache{PKI: authority, Now: w.now},
		Policy: cert.AnyPolicy, Log: log, Now: w.now, Issuances: intentlog.NewIssuances(authority, w.now),
		Profiles: &profile.Service{Vault: authority, KeyTypes: []piv.KeyType{piv.ECP256}},
	}
	w.keys = &hwkey.Service{
		Store: w.db, Custody: &custody.Store{Vault: authority, Now: w.now}, Directory: w.db, Agents: w.sessions, Publisher: w.certs, Log: log,
		Now: w.now, ReleaseLog: intentlog.NewReleases(authority, w.db, w.now, log),
	}
	w.certs.Releases = w.keys
	w.users = &account.Users{Store: w.db, Now: w.now, Log: log}
	w.runner = newRunner(w.db, w.now)
	w.licenses = w.serveLicense(authority)
	for _, name := range []string{"Acme", "Bolt", "Cove"} {
		w.organizations = append(w.organizations, must.Get(w.db.InsertOrganization(ctx, account.Organization{
			Name: name, IsActive: true, CreatedAt: w.now(), UpdatedAt: w.now(),
		}, audit.By(access.Actor{}, audit.OrganizationCreated, "organization", "", "")))(t))
	}
	w.admin = w.person("admin", access.GlobalAdmin, nil)
	for i, name := range []string{"ann", "bob", "amy"} { // two of Acme, one of Bolt, none of Cove
		w.managers = append(w.managers, w.person(name, access.OrgManager, &w.organizations[i%2].ID))
	}
	for i := range max(6, tokens/3) {
		w.people = append(w.people, w.person(fmt.Sprintf("person-%d", i), access.User, &w.organizations[i%3].ID))
	}
	for i := range tokens {
		w.register(i)
	}
	return w
}

// person creates an account, with a session and an agent.
func (w *world) person(name string, role access.Role, of *int64) *person {
	w.t.Helper()
	p := &person{Actor: access.Actor{Username: name, Role: role, OrganizationID: of}, choices: map[notify.Kind]bool{}}
	u := must.Get(w.db.InsertUser(w.t.Context(), account.User{
		Username: name, Email: name + "@example.org", Role: role, OrganizationID: of, IsActive: true,
		AuthSource: account.Local, CreatedAt: w.now(), UpdatedAt: w.now(), PasswordChangedAt: w.now(),
	}, audit.By(access.Actor{}, audit.UserCreated, "user", "", "")))(w.t)
	p.UserID = u.ID
	w.signIn(p)
	w.expect(p, notify.AgentPaired, "")
	return p
}

// signIn begins a session for the whole year, with the person's only agent.
func (w *world) signIn(p *person) {
	w.t.Helper()
	ctx, ends := w.t.Context(), w.now().Add(10_000*time.Hour)
	p.AuthenticatedAt = ends
	hash := rand.Text()
	s := must.Get(w.db.BeginSession(ctx, session.Session{
		UserID: p.UserID, TokenHash: hash, CreatedAt: w.now(), ExpiresAt: ends, Active: true,
		AuthenticatedAt: ends, AuthMethod: session.Password,
	}, session.Family{UserID: p.UserID, CreatedAt: w.now(), ExpiresAt: ends}, session.RefreshToken{Hash: hash, CreatedAt: w.now()}))(w.t)
	p.SessionID = s.ID
	agent := must.Get(os.ReadFile("../e2e/browser/harness/agent.pub.pem"))(w.t)
	must.OK(w.t, w.sessions.RegisterAgent(ctx, p.Actor, s.ID, session.Registration{PublicKey: string(agent), Hostname: "desk-1"}))
}

// register adds a token to an organization's stock.
func (w *world) register(i int) {
	w.t.Helper()
	k := &token{serial: fmt.Sprintf("year-%05d", i), of: i % 3, status: hwkey.InStock, slots: map[string][]*certificate{}}
	must.Get(w.keys.Register(w.t.Context(), w.admin.Actor, access.All(),
		hwkey.Registration{Serial: k.serial, OrganizationID: &w.organizations[k.of].ID}))(w.t)
	w.tokens = append(w.tokens, k)
}

// scope returns somebody's scope for an operation.
func (w *world) scope(p *person, operation access.Operation) access.Scope {
	w.t.Helper()
	return must.Get(access.Can(p.Actor, operation))(w.t)
}

func csrOf(name string) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name}}, key)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})), nil
}

// lasting is the CA, with certificates of a chosen lifetime.
type lasting struct {
	*embedded.Engine

	ttl time.Duration
}

func (l *lasting) Prepare(ctx context.Context, r vault.SignRequest) (vault.Prepared, error) {
	r.TTL = l.ttl
	return l.Engine.Prepare(ctx, r)
}
