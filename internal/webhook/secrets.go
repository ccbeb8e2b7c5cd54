package webhook

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// folder of the signing secrets in the vault: the underscore keeps it apart from token serials.
const folder = "webhook_secrets"

// Secrets keeps signing secrets in the vault, one document each. A document
// never changes: a new secret is a new document, and the webhook's row refers
// to the current one.
type Secrets struct {
	Vault vault.KV
	Now   func() time.Time
}

func secretPath(ref string) string { return folder + "/" + ref }

// create stores a new secret and returns the name of its document.
func (s *Secrets) create(ctx context.Context) (ref string, value secret.String, err error) {
	ref, value = strings.ToLower(rand.Text()), newSecret()
	data, err := vault.Encode(map[string]string{"secret": value.Reveal()})
	if err != nil {
		return "", secret.String{}, err
	}
	if _, err := s.Vault.Put(ctx, secretPath(ref), data, 0); err != nil {
		return "", secret.String{}, vault.Fault(err)
	}
	return ref, value, nil
}

// load is NotFound when there is no usable secret.
func (s *Secrets) load(ctx context.Context, ref string) (secret.String, error) {
	missing := fault.New(fault.NotFound, "webhook_secret_missing",
		"The vault has no signing secret for this webhook. Create a new one (rotate_secret).")
	v, err := s.Vault.Get(ctx, secretPath(ref))
	if errors.Is(err, vault.ErrNotFound) {
		return secret.String{}, missing
	}
	if err != nil {
		return secret.String{}, vault.Fault(err)
	}
	var document struct {
		Secret secret.String `json:"secret"`
	}
	if v.Data.Decode(&document) != nil || !usable(document.Secret) {
		return secret.String{}, missing
	}
	return document.Secret, nil
}

func usable(s secret.String) bool {
	_, err := sign(s, "", time.Time{}, nil)
	return err == nil
}

func (s *Secrets) destroy(ctx context.Context, ref string) error {
	return vault.Fault(s.Vault.DestroyPath(ctx, secretPath(ref)))
}

// orphanAge protects documents whose row may be about to be written.
const orphanAge = time.Hour

// destroyOrphans destroys secrets that no webhook refers to: leftovers of a
// crash, or of deletions while the vault was unavailable.
func (s *Secrets) destroyOrphans(ctx context.Context, store Store) error {
	refs, err := s.Vault.List(ctx, folder)
	if err != nil {
		return vault.Fault(err)
	}
	used, err := store.WebhookSecretRefs(ctx)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if slices.Contains(used, ref) || strings.HasSuffix(ref, "/") {
			continue
		}
		meta, err := s.Vault.Metadata(ctx, secretPath(ref))
		if errors.Is(err, vault.ErrNotFound) || err == nil && s.Now().Sub(meta.CreatedAt) < orphanAge {
			continue
		}
		if err != nil {
			return vault.Fault(err)
		}
		if err := s.destroy(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}
