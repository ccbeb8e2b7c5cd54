package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/vault"
)

// userAgent is the one in storebench's sessions.
const userAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"

// world is a data directory, with its engines, filled directly before the server
// starts.
type world struct {
	*engines

	data  string
	admin string // access token of a global administrator
	rows  storebench.Size
	sign  *session.Signer
	store *store.DB // open while the world is created
}

// fill is the content of a world.
type fill struct {
	name    string
	rows    storebench.Size
	caKey   piv.KeyType
	revoked int // on the vault's CRL, besides those of the database
}

func (b *bench) world(ctx context.Context, f fill, use func(*world) error) (err error) {
	w := &world{data: filepath.Join(b.temp, f.name), rows: f.rows}
	f.rows.Now = time.Now().UnixMicro()
	if w.engines, err = b.engines(ctx, w.data, f); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.vault.Close()) }()
	if err := revokeMany(ctx, w.vault, f.revoked); err != nil { // the embedded one
		return err
	}
	w.sign = &session.Signer{Vault: w.vault, Now: time.Now}
	db, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if w.admin, err = w.administrator(ctx, db); err != nil {
		return err
	}
	w.store = db
	return use(w)
}

// serving creates a world, starts a server on it and stops it after use. prepare, if
// not nil, works on the world before that.
func (b *bench) serving(
	ctx context.Context, f fill, env []string, prepare func(*world) error, use func(*world, *process) error,
) (err error) {
	var w *world
	if err := b.world(ctx, f, func(made *world) error {
		w = made
		if prepare == nil {
			return nil
		}
		return prepare(w)
	}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.remove(context.WithoutCancel(ctx)), b.remove(w.data)) }()
	p, err := b.serve(ctx, w.data, slices.Concat(w.env, env)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	if err := p.idle(ctx); err != nil {
		return err
	}
	return use(w, p)
}

// administrator creates an account and a session for it.
func (w *world) administrator(ctx context.Context, db *store.DB) (string, error) {
	now := time.Now()
	by := func(action audit.Action, target string) audit.Entry {
		return audit.By(access.Actor{}, action, target, "", "load run")
	}
	u, err := db.InsertUser(ctx, account.User{
		Username: "bench-admin", Email: "bench-admin@example.org", Role: access.GlobalAdmin, IsActive: true,
		AuthSource: account.Local, CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}, by(audit.UserCreated, "user"))
	if err != nil {
		return "", err
	}
	s, err := db.BeginSession(ctx,
		session.Session{UserID: u.ID, TokenHash: secret.New(rand.Text()).Hash(), UserAgent: userAgent,
			CreatedAt: now, AuthenticatedAt: now, ExpiresAt: now.Add(24 * time.Hour), Active: true},
		session.Family{UserID: u.ID, CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour)},
		session.RefreshToken{Hash: secret.New(rand.Text()).Hash(), CreatedAt: now}, by(audit.SessionCreated, "session"))
	if err != nil {
		return "", err
	}
	token, _, err := w.sign.Issue(ctx, u, s, time.Hour)
	return token.Reveal(), err
}

// token returns an access token for storebench's session n.
func (w *world) token(ctx context.Context, n int) (string, error) {
	u := account.User{ID: int64(w.owner(n)), Role: access.User}
	s := session.Session{ID: int64(n), UserID: u.ID, UserAgent: userAgent, ExpiresAt: time.Now().Add(24 * time.Hour)}
	token, _, err := w.sign.Issue(ctx, u, s, time.Hour)
	return token.Reveal(), err
}

// owner returns the user of storebench's row n.
func (w *world) owner(n int) int { return n%w.rows.Users + 1 }

// tokens returns access tokens for count sessions, spread over all sessions.
func (w *world) tokens(ctx context.Context, count int) ([]string, error) {
	list := make([]string, count)
	var err error
	for i := range list {
		if list[i], err = w.token(ctx, (i*7919)%w.rows.Sessions+1); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// revokeMany puts n serials on the vault's CRL.
func revokeMany(ctx context.Context, engine vault.Engine, n int) error {
	now := time.Now()
	list := make([]vault.Revocation, n)
	for i := range list {
		var serial [20]byte
		if _, err := rand.Read(serial[:]); err != nil {
			return err
		}
		serial[0] = serial[0]&0x3f | 0x40
		list[i] = vault.Revocation{Serial: hex.EncodeToString(serial[:]), Reason: vault.Superseded,
			At: now, NotAfter: now.Add(365 * 24 * time.Hour)}
	}
	return engine.Revoke(ctx, list...)
}
