package signon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// secretPath is where the client secrets stand in the vault. The underscore
// keeps it apart from every token's serial.
const secretPath = "oidc_settings/client_secret"

// keptSecrets is how many client secrets the document holds at most.
const keptSecrets = 4

// keep carries client secrets to the vault and back. Vault and database share
// no transaction, so the document holds several, each by an id, and the
// settings' row, written after it, names the one that counts: a crash between
// the two changes nothing.
type keep struct {
	vault vault.KV
	now   func() time.Time
}

// keptDocument is what stands in the vault, oldest first.
type keptDocument struct {
	Secrets []keptSecret `json:"secrets"`
}

type keptSecret struct {
	ID        string    `json:"id"`
	Secret    string    `json:"secret"`
	CreatedAt time.Time `json:"created_at"`
}

func (k keep) load(ctx context.Context) (kept []keptSecret, version int, err error) {
	v, err := k.vault.Get(ctx, secretPath)
	if errors.Is(err, vault.ErrNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, vault.Fault(err)
	}
	var document keptDocument
	err = v.Data.Decode(&document)
	return document.Secrets, v.Number, err
}

// get returns the secret of that id; the empty one for the empty id.
func (k keep) get(ctx context.Context, id string) (secret.String, error) {
	if id == "" {
		return secret.String{}, nil
	}
	kept, _, err := k.load(ctx)
	if err != nil {
		return secret.String{}, err
	}
	for _, stored := range kept {
		if stored.ID == id {
			return secret.New(stored.Secret), nil
		}
	}
	return secret.String{}, fmt.Errorf("the vault does not hold the client secret that the settings name")
}

// put adds a secret and returns its id. The one of the id in use stays, as do
// the newest others.
func (k keep) put(ctx context.Context, value secret.String, inUse string) (string, error) {
	former, version, err := k.load(ctx)
	if err != nil {
		return "", err
	}
	id := rand.Text()
	kept := []keptSecret{}
	for i, stored := range former {
		if stored.ID == inUse || len(former)-i < keptSecrets-1 {
			kept = append(kept, stored)
		}
	}
	kept = append(kept, keptSecret{id, value.Reveal(), k.now().UTC()})
	data, err := vault.Encode(keptDocument{kept})
	if err != nil {
		return "", err
	}
	_, err = k.vault.Put(ctx, secretPath, data, version)
	if errors.Is(err, vault.ErrCAS) {
		return "", fault.New(fault.Conflict, "settings_busy", "Somebody else is changing these settings. Try again in a moment.")
	}
	return id, vault.Fault(err)
}
