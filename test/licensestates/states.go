package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/server"
	"github.com/keyward/keyward/internal/license/signer"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// history is an installation's past. Days are relative to now.
type history struct {
	trial    int  // when the trial began
	to       int  // when the license ends that was stored on the trial's first day; zero: none
	removed  bool // it was removed again
	tampered bool // it was changed in the vault
}

// histories lead to the states: a trial with 18 days left, an expired one, a license
// with 265 days left, …
var histories = map[string]history{
	"TRIAL":      {trial: -12},
	"TRIAL_OVER": {trial: -31}, // EXPIRED, without a license
	"VALID":      {trial: -100, to: 265},
	"EXPIRING":   {trial: -100, to: 5},
	"EXPIRED":    {trial: -100, to: -1},
	"INVALID":    {trial: -100, to: 265, tampered: true},
	"MISSING":    {trial: -100, to: 265, removed: true},
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// slack keeps the number of whole days left constant during a test.
const slack = time.Hour

// installation has a selectable state.
type installation struct {
	vendor vendor

	mu      sync.Mutex
	vault   *memory
	handler http.Handler
	known   string // its ID
}

func (i *installation) service() http.Handler {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.handler
}

func (i *installation) id() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.known
}

// reach replays an installation's whole history so that it ends in that state.
func (i *installation) reach(ctx context.Context, state string) error {
	past, ok := histories[state]
	if !ok {
		return fmt.Errorf("%q is no state of this program", state)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	begin := time.Now().Add(days(past.trial) + slack)
	s := &license.Service{
		Vault: i.vault.anew(), Keys: i.vendor.keys(), Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return begin },
	}
	is, err := s.Status(ctx)
	if err == nil && past.to != 0 {
		var file []byte
		if file, err = i.vendor.issue(is.InstallationID, begin, time.Now().Add(days(past.to)+slack)); err == nil {
			_, err = s.Upload(ctx, file, false)
		}
	}
	if err == nil && past.removed {
		_, err = s.Remove(ctx)
	}
	if err == nil && past.tampered {
		err = tamper(ctx, s.Vault)
	}
	if err != nil {
		return err
	}
	s.Now = time.Now
	i.vault, i.known = s.Vault.(*memory), is.InstallationID
	i.handler = server.New(server.Options{
		Version: "test", License: s, Token: secret.Fixed(Token), Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	return nil
}

// tamper changes the stored license's type after the vendor signed it.
func tamper(ctx context.Context, v license.Documents) error {
	const path = "license/record"
	is, err := v.Get(ctx, path)
	if err != nil {
		return err
	}
	_, err = v.Put(ctx, path, bytes.ReplaceAll(is.Data, []byte(licenseType), []byte("unlimited")), is.Number)
	return err
}

// vendor signs licenses.
type vendor struct{ key ed25519.PrivateKey }

const licenseType = "enterprise"

func newVendor() vendor {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // it never fails
	}
	return vendor{key}
}

func (v vendor) keys() license.Keys { return license.Keys{v.key.Public().(ed25519.PublicKey)} }

// issue issues a license file.
func (v vendor) issue(installation string, from, to time.Time) ([]byte, error) {
	file, err := signer.Issue(v.key, license.License{
		InstallationID: installation, CustomerName: "Example Ltd", CustomerEmail: "it@example.com", LicenseType: licenseType,
		IssueDate: from, ExpiryDate: to,
	})
	return file.Text(), err
}

// memory is an in-memory vault that only holds the license's documents.
type memory struct {
	mu        sync.Mutex
	documents map[string]vault.Version
}

var _ license.Documents = (*memory)(nil)

// anew returns a memory that only holds the installation ID, if m has one.
func (m *memory) anew() *memory {
	next := &memory{documents: map[string]vault.Version{}}
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		const path = "license/installation"
		next.documents[path] = m.documents[path]
	}
	return next
}

// Get implements license.Documents.
func (m *memory) Get(_ context.Context, path string) (vault.Version, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.documents[path]
	if !ok {
		return v, vault.ErrNotFound
	}
	return v, nil
}

// Put implements license.Documents.
func (m *memory) Put(_ context.Context, path string, data vault.Data, cas int) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.documents[path].Number != cas {
		return 0, vault.ErrCAS
	}
	m.documents[path] = vault.Version{Number: cas + 1, Data: data}
	return cas + 1, nil
}
