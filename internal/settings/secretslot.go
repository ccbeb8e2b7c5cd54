package settings

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// maxSecrets is how many secrets a document holds at most.
const maxSecrets = 4

// ErrSecretMissing: the vault does not hold the secret that the setting names, as when one of
// the two was put back from a backup.
var ErrSecretMissing = errors.New("the vault does not hold the secret that the settings name")

// SecretSlot carries the secrets of one setting to the vault and back.
type SecretSlot struct {
	Vault vault.KV
	Path  string // of the document
	Now   func() time.Time
}

// document is the vault's document, oldest secret first.
type document struct {
	Secrets []entry `json:"secrets"`
}

type entry struct {
	ID        string    `json:"id"`
	Secret    string    `json:"secret"`
	CreatedAt time.Time `json:"created_at"`
}

func (k SecretSlot) load(ctx context.Context) (entries []entry, version int, err error) {
	v, err := k.Vault.Get(ctx, k.Path)
	if errors.Is(err, vault.ErrNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, vault.Fault(err)
	}
	var d document
	err = v.Data.Decode(&d)
	return d.Secrets, v.Number, err
}

// Get returns the secret of that id; the empty one for the empty id. ErrSecretMissing.
func (k SecretSlot) Get(ctx context.Context, id string) (secret.String, error) {
	if id == "" {
		return secret.String{}, nil
	}
	entries, _, err := k.load(ctx)
	if err != nil {
		return secret.String{}, err
	}
	for _, e := range entries {
		if e.ID == id {
			return secret.New(e.Secret), nil
		}
	}
	return secret.String{}, ErrSecretMissing
}

// Put adds a secret and returns its id. It keeps the one in use and the newest others. Conflict if
// someone else does so at the same time.
func (k SecretSlot) Put(ctx context.Context, value secret.String, inUse string) (string, error) {
	former, version, err := k.load(ctx)
	if err != nil {
		return "", err
	}
	id := rand.Text()
	entries := []entry{}
	for i, e := range former {
		if e.ID == inUse || len(former)-i < maxSecrets-1 {
			entries = append(entries, e)
		}
	}
	data, err := vault.Encode(document{append(entries, entry{id, value.Reveal(), k.Now().UTC()})})
	if err != nil {
		return "", err
	}
	_, err = k.Vault.Put(ctx, k.Path, data, version)
	if errors.Is(err, vault.ErrCAS) {
		return "", fault.New(fault.Conflict, "settings_busy", "Someone else is changing these settings. Try again in a moment.")
	}
	return id, vault.Fault(err)
}
