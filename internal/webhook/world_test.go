package webhook_test

import (
	"context"
	"log/slog"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/httpapi/resource"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/internal/webhook/outbound"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// clock is a time that the test advances.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

var loopback = webhook.Networks{netip.MustParsePrefix("127.0.0.0/8")}

// world is all of webhooks on real engines in a directory, wired as in the
// server, with its own clock.
type world struct {
	*testing.T
	dir, caFile string
	clock       *clock
	db          *store.DB
	vault       vault.Engine
	service     *webhook.Service
	fanOut      *webhook.FanOut
	sender      *webhook.Sender
	stop        func()
}

func newWorld(t *testing.T, r *receiver) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), caFile: r.caFile, clock: &clock{at: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}}
	w.open()
	_, err := w.db.InsertUser(t.Context(),
		account.User{Username: "admin", Email: "admin@example.org", Role: access.GlobalAdmin, IsActive: true, AuthSource: account.Local},
		audit.Entry{Action: audit.UserCreated, Outcome: audit.Success, Actor: audit.System, TargetType: "user"})
	must.OK(w, err)
	t.Cleanup(func() { w.close() })
	return w
}

// open starts the engines and the sender.
func (w *world) open() {
	w.Helper()
	w.db = must.Get(engine.Open(w, w.dir, store.Options{Now: w.clock.now}))(w)
	w.vault = must.Get(embedded.Open(w.Context(), embedded.Options{
		Path: filepath.Join(w.dir, "vault.db"), Seal: embedded.FileSeal(filepath.Join(w.dir, "seal.key")),
		PublicBase: "https://keys.example.org", CAKeyType: piv.ECP256, Now: w.clock.now,
	}))(w)
	client := must.Get(outbound.New(outbound.Options{Allowed: loopback, CAFile: w.caFile, Timeout: time.Hour}))(w)
	log := slog.New(slog.DiscardHandler)
	secrets := &webhook.Secrets{Vault: w.vault, Now: w.clock.now}
	w.sender = &webhook.Sender{
		Store: w.db, Secrets: secrets, Transport: client, Render: resource.WebhookData, Log: log, Now: w.clock.now,
	}
	w.service = &webhook.Service{
		Store: w.db, Organizations: w.db, Secrets: secrets, Allowed: loopback, Wake: w.sender.Wake, Log: log, Now: w.clock.now,
	}
	w.fanOut = &webhook.FanOut{Store: w.db, Tail: w.db, Wake: w.sender.Wake, Now: w.clock.now}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.sender.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			w.Errorf("the sender: %v", err)
		}
	})
}

func (w *world) close() {
	w.Helper()
	w.stop()
	must.OK(w, w.vault.Close())
	must.OK(w, w.db.Close())
}

// restart stops and starts on the same directory.
func (w *world) restart() {
	w.Helper()
	w.close()
	w.open()
}

// admin has always authenticated recently.
var admin = access.Actor{
	UserID: 1, Username: "admin", Role: access.GlobalAdmin, AuthenticatedAt: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
}

func (w *world) hook(url string) (webhook.Webhook, secret.String) {
	w.Helper()
	return must.Both(w.service.Create(w.Context(), admin, access.All(), webhook.New{URL: url, Actions: []string{"test."}}))(w)
}

// happen writes entries and fans them out.
func (w *world) happen(details ...string) {
	w.Helper()
	for _, d := range details {
		must.OK(w, w.db.AppendAudit(w.Context(), audit.Entry{Action: "test.happened", Outcome: audit.Success, Actor: "jdoe", Details: d}))
	}
	must.OK(w, w.fanOut.Run(w.Context()))
}

func (w *world) deliveries(h webhook.Webhook) []webhook.Delivery {
	w.Helper()
	p := must.Get(w.service.Deliveries(w.Context(), access.All(), h.ID, webhook.Filter{}, page.Request{Limit: 100}))(w)
	return p.Items
}

// until waits until the newest delivery of a webhook is right.
func (w *world) until(h webhook.Webhook, what string, right func(webhook.Delivery) bool) webhook.Delivery {
	w.Helper()
	var last webhook.Delivery
	w.wait(what, func() bool {
		if list := w.deliveries(h); len(list) > 0 {
			last = list[0]
		}
		return right(last)
	})
	return last
}

func (w *world) wait(what string, right func() bool) {
	w.Helper()
	await.That(w, what, func() bool {
		w.sender.Wake()
		return right()
	})
}

func is(s webhook.Status) func(webhook.Delivery) bool {
	return func(d webhook.Delivery) bool { return d.Status == s }
}

// attempted reports whether that many attempts are over and none is in progress.
func (w *world) attempted(n int) func(webhook.Delivery) bool {
	return func(d webhook.Delivery) bool {
		return d.Attempts == n && (d.Status != webhook.Pending || d.NextAttemptAt.After(w.clock.now()))
	}
}
