package flow_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/agent"
	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/flow/carddriver"
)

const (
	owner         = "alice"
	ownerPassword = "a long enough one"
)

// transport is shared by all clients; the flows only talk to this machine.
var transport = &http.Transport{MaxIdleConnsPerHost: 16}

// world is what the cases of a test share: one service, two agents with their own keys
// that reach the same cards, and sessions of the tokens' owner. Sessions are shared
// because a sign-in costs 50 ms of Argon2id.
type world struct {
	t        *testing.T
	service  *service
	admin    *client.Backend
	clerk    *client.Backend // the owner, with a session for what no flow does
	ownerID  int64
	cards    *carddriver.Driver
	keys     []*rsa.PrivateKey // what cards will "generate"
	root     *applet.Root
	stranger *applet.Root // untrusted
	serials  atomic.Uint32
	agents   [2]string          // addresses
	ours     ed25519.PrivateKey // the identity of both
	desks    map[string]desk
}

// desk is a signed-in person at a workstation.
type desk struct {
	backend *client.Backend
	agent   *client.Agent
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, cards: carddriver.New(), desks: map[string]desk{}}
	w.makeKeys()
	w.service = startService(t, w.root.PEM())
	var err error
	_, w.ours, err = ed25519.GenerateKey(nil)
	must(t, err)
	for i := range w.agents {
		w.agents[i] = w.startAgent()
	}
	w.admin = w.signIn("admin", adminPassword)
	alice, err := w.admin.CreateUser(t.Context(), client.NewUser{
		Username: owner, Email: "alice@example.org", Role: "user", Password: secret.New(ownerPassword),
	})
	must(t, err)
	w.ownerID = alice.ID
	w.clerk = w.signIn(owner, ownerPassword)
	w.desks["first"] = desk{w.signIn(owner, ownerPassword), w.agent(0)}
	w.desks["patient"] = desk{w.signInPatiently(owner, ownerPassword, 0), w.agent(0)} // repeats calls as the product does
	w.desks["second"] = desk{w.signIn(owner, ownerPassword), w.agent(1)}
	w.desks["admin"] = desk{w.admin, w.agent(0)}
	key, err := w.desks["first"].agent.PublicKey(t.Context())
	must(t, err)
	must(t, w.clerk.RegisterAgent(t.Context(), key, "clerk", ""))
	return w
}

func (w *world) makeKeys() {
	w.t.Helper()
	var wg sync.WaitGroup
	w.keys = make([]*rsa.PrivateKey, 6)
	errs := make([]error, len(w.keys))
	for i := range w.keys {
		wg.Go(func() { w.keys[i], errs[i] = rsa.GenerateKey(rand.Reader, 2048) })
	}
	var err error
	w.root, err = applet.NewRoot(time.Now())
	errs = append(errs, err)
	w.stranger, err = applet.NewRoot(time.Now())
	wg.Wait()
	for _, err := range append(errs, err) {
		must(w.t, err)
	}
}

func (w *world) signIn(username, password string) *client.Backend {
	w.t.Helper()
	return w.signInPatiently(username, password, 1)
}

// signInPatiently signs in somebody whose calls are sent at most attempts times.
func (w *world) signInPatiently(username, password string, attempts int) *client.Backend {
	w.t.Helper()
	b, err := client.NewBackend(w.service.url, client.BackendOptions{Attempts: attempts})
	must(w.t, err)
	b.SetTransport(line{transport})
	_, err = b.Login(w.t.Context(), username, secret.New(password))
	must(w.t, err)
	return b
}

func (w *world) agent(n int) *client.Agent {
	w.t.Helper()
	a, err := client.NewAgent(w.agents[n], "")
	must(w.t, err)
	a.SetTransport(line{transport})
	return a
}

// startAgent runs an agent until the test ends and returns its address.
func (w *world) startAgent() string {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	key := newFactors(w.t) // here: only the test's own goroutine may fail it
	go func() {
		done <- agent.Run(ctx, agent.Config{
			Listen: "127.0.0.1:0", Dev: true, Version: "test", Driver: w.cards, Key: key, Identity: w.ours,
			Ready: func(a string) { ready <- a },
		})
	}()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	select {
	case addr := <-ready:
		return "http://" + addr
	case err := <-done:
		done <- nil
		w.t.Fatal("the agent ended at once:", err)
		return ""
	}
}

// token is a recorded card.
type token struct {
	serial string
	card   *applet.Card
	first  state // in the scenario's initial state, or the last remembered one
}

// newCard creates a card and records it for its owner.
func (w *world) newCard(t *testing.T, s start) *token {
	t.Helper()
	if s.Firmware == "" {
		s.Firmware = "5.4.3"
	}
	version, err := applet.ParseFirmware(s.Firmware)
	must(t, err)
	var made atomic.Uint32
	tok := &token{}
	root := w.root
	if s.Stranger {
		root = w.stranger
	}
	tok.card, err = applet.New(applet.Options{
		Serial: 5_000_000 + w.serials.Add(1), Firmware: version, Root: root, PINComplexity: s.Stubborn,
		GenerateRSA: func(bits int) (*rsa.PrivateKey, error) {
			if bits != 2048 {
				return nil, fmt.Errorf("no key of %d bits", bits)
			}
			if s.OwnKeys {
				return rsa.GenerateKey(rand.Reader, bits)
			}
			return w.keys[int(made.Add(1)-1)%len(w.keys)], nil
		},
	})
	must(t, err)
	tok.serial = w.cards.Add(tok.card)
	n := client.NewDevice{Serial: tok.serial, OwnerID: &w.ownerID}
	if s.Nobodys {
		n.OwnerID = nil
	}
	_, err = w.admin.RegisterDevice(t.Context(), n)
	must(t, err)
	return tok
}
