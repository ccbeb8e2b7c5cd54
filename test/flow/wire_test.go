package flow_test

import (
	"context"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/httpapi/resource"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
)

// wired is the backend as the server wires it, but with control over custody's use of
// the vault.
type wired struct {
	users     *account.Users
	http      *httpapi.Server
	issuances *intentlog.Issuances
}

// settle is what the server does now and then, and at its end.
func (w wired) settle(ctx context.Context) error { return w.issuances.Flush(ctx) }

func wire(db *store.DB, engine vault.Engine, documents vault.KV, roots *pki.AttestationVerifier, log *slog.Logger) wired {
	now := time.Now
	hasher, policies := password.NewHasherWith(2, password.Parameters{MemoryKiB: 1 << 10}), password.Fixed(password.DefaultPolicy())
	sessions := &session.Service{
		Store: db, Users: db, Audit: db, Hasher: hasher, Policies: policies, Signer: &session.Signer{Vault: engine, Now: now},
		Lifetimes: session.Lifetimes{Access: 30 * time.Minute, Session: time.Hour, Refresh: 7 * 24 * time.Hour},
		Binding:   session.BindingLog, Log: log, Now: now,
	}
	crl := &pki.CRLCache{PKI: engine, Now: now}
	certs := &cert.Service{
		Store: db, Devices: db, Agents: sessions, PKI: engine, CRL: crl, Policy: "owner",
		Keys: cert.KeyPolicy{Attestation: cert.AttestationVerify, Verifier: roots}, Log: log, Now: now,
		Issuances: intentlog.NewIssuances(engine, now),
		Profiles:  &profile.Service{Vault: engine, KeyTypes: []piv.KeyType{piv.RSA2048}},
	}
	if _, alone := engine.(*embedded.Engine); !alone {
		crl.Shared = db
	}
	users := &account.Users{Store: db, Organizations: db, Hasher: hasher, Policies: policies, Now: now}
	keys := &hwkey.Service{
		Store: db, Custody: &custody.Store{Vault: documents, Now: now},
		Directory: db, Agents: sessions, Publisher: certs, Now: now, ReleaseLimit: 10_000,
		ReleaseLog: intentlog.NewReleases(engine, db, now, log),
	}
	certs.Releases = keys
	server := httpapi.New(httpapi.Options{
		Version: "test", Log: log, Auth: authenticator{sessions}, Health: health{db, engine},
	})
	resource.Register(server, resource.Services{
		Sessions: sessions, Users: users, Organizations: &account.Organizations{Store: db, Now: now},
		HWKeys: keys, Certificates: certs, CRL: crl, Audit: db,
	})
	return wired{users, server, certs.Issuances}
}

type authenticator struct{ sessions *session.Service }

func (a authenticator) Authenticate(ctx context.Context, bearer string, r httpapi.RequestInfo) (access.Actor, account.User, error) {
	return a.sessions.Authenticate(ctx, bearer, session.Client{IPAddress: r.IPAddress, UserAgent: r.UserAgent, RequestID: r.RequestID})
}

type health struct {
	*store.DB
	engine vault.Engine
}

func (h health) State(ctx context.Context) vault.State { return h.engine.State(ctx) }
