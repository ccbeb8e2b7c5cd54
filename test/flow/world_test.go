package flow_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/agent"
	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/envelope"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/flow/carddriver"
)

// world is what the cases of a test share: one service, two agents with keys
// of their own that reach the same cards, and three sessions of the tokens'
// owner. Sessions are shared because a sign-in costs 50 ms of Argon2id.
type world struct {
	t       *testing.T
	service *service
	admin   *client.Backend
	owner   int64
	cards   *carddriver.Driver
	keys    []*rsa.PrivateKey
	root    *applet.Root
	serials atomic.Uint32
	// desks[0] fails, desks[1] comes later: another session, another agent.
	desks  [2]desk
	audits desk // holds a key of the test's own, to look into the vault
	key    *rsa.PrivateKey
}

// desk is a signed-in person at a workstation.
type desk struct {
	backend *client.Backend
	agent   *client.Agent
}

func newWorld(t *testing.T, busy time.Duration) *world {
	t.Helper()
	w := &world{t: t, service: startService(t, busy), cards: carddriver.New()}
	w.makeKeys()
	w.admin = w.signIn("admin", adminPassword)
	alice, err := w.admin.CreateUser(t.Context(), client.NewUser{Username: "alice", Email: "alice@example.org", Role: "user", Password: secret.New("a long enough one")})
	if err != nil {
		t.Fatal(err)
	}
	w.owner = alice.ID
	for i := range w.desks {
		w.desks[i] = desk{w.signIn("alice", "a long enough one"), w.startAgent()}
	}
	w.audits.backend = w.signIn("alice", "a long enough one")
	pem, err := envelope.EncodePublicKey(&w.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.audits.backend.RegisterAgent(t.Context(), pem, "auditor"); err != nil {
		t.Fatal(err)
	}
	return w
}

// makeKeys makes the auditor's key, and the keys that cards will "generate".
func (w *world) makeKeys() {
	var wg sync.WaitGroup
	w.keys = make([]*rsa.PrivateKey, 6)
	wg.Go(func() { w.key, _ = rsa.GenerateKey(rand.Reader, 4096) })
	for i := range w.keys {
		wg.Go(func() { w.keys[i], _ = rsa.GenerateKey(rand.Reader, 2048) })
	}
	var err error
	w.root, err = applet.NewRoot(time.Now())
	wg.Wait()
	if err != nil || w.key == nil {
		w.t.Fatal("no keys", err)
	}
}

func (w *world) signIn(username, password string) *client.Backend {
	w.t.Helper()
	b, err := client.NewBackend(w.service.url, client.BackendOptions{Attempts: 1})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := b.Login(w.t.Context(), username, secret.New(password)); err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) startAgent() *client.Agent {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- agent.Run(ctx, agent.Config{Listen: "127.0.0.1:0", Dev: true, Version: "test", Driver: w.cards, Ready: func(a string) { ready <- a }})
	}()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	select {
	case addr := <-ready:
		a, err := client.NewAgent("http://"+addr, "")
		if err != nil {
			w.t.Fatal(err)
		}
		return a
	case err := <-done:
		done <- nil
		w.t.Fatal("the agent ended at once:", err)
		return nil
	}
}

// token makes a card and puts it on record for alice.
func (w *world) token(t *testing.T, firmware string) (*applet.Card, string) {
	t.Helper()
	version, err := applet.ParseFirmware(firmware)
	if err != nil {
		t.Fatal(err)
	}
	var made atomic.Uint32
	card, err := applet.New(applet.Options{
		Serial: 5_000_000 + w.serials.Add(1), Firmware: version, Root: w.root,
		GenerateRSA: func(bits int) (*rsa.PrivateKey, error) {
			if bits != 2048 {
				return nil, fmt.Errorf("no key of %d bits", bits)
			}
			return w.keys[int(made.Add(1)-1)%len(w.keys)], nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	serial := w.cards.Add(card)
	_, err = w.admin.RegisterDevice(t.Context(), client.NewDevice{Serial: serial, FirmwareVersion: firmware, OwnerID: &w.owner})
	if err != nil {
		t.Fatal(err)
	}
	return card, serial
}

// at gives the options for a flow at a desk.
func (w *world) at(n int, serial string) flow.Options {
	return flow.Options{
		Backend: w.desks[n].backend, Agent: w.desks[n].agent, Serial: serial,
		Confirm: func(context.Context, flow.Question, string) (bool, error) { return true, nil },
	}
}
