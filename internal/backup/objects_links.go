package backup

import (
	"context"
	"errors"
	"net/url"

	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// linkKeyPath is where the key of links to the directory stands in the vault.
const linkKeyPath = VaultFolder + "/link_key"

type linkDocument struct {
	Key string `json:"key"` // 256 random bits
}

// Link makes a link to a backup that is listed: for whoever has it, for an hour. A bucket
// serves its objects itself, the server those of the directory.
func (s *Service) Link(ctx context.Context, key string) (objstore.Link, error) {
	store, set, _, err := s.listed(ctx, key)
	if err != nil {
		return objstore.Link{}, err
	}
	defer end(store)
	if set.Store == Bucket {
		return store.Link(ctx, key)
	}
	links, err := s.links(ctx)
	if err != nil {
		return objstore.Link{}, err
	}
	return links.Sign(key, s.Now().Add(objstore.LinkLifetime)), nil
}

// Blob opens a backup in the directory by a link that Link has made.
func (s *Service) Blob(ctx context.Context, query url.Values) (*Blob, error) {
	links, err := s.links(ctx)
	if err != nil {
		return nil, err
	}
	key, err := links.Verify(query, s.Now())
	if err != nil {
		return nil, err
	}
	store, set, o, err := s.listed(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case set.Store == Bucket: // since then
		return nil, errors.Join(objstore.NotFound(nil), store.Close())
	}
	return &Blob{Object: o, ctx: ctx, store: store}, nil
}

// links have a key that is made when it is first needed, the same for all servers.
func (s *Service) links(ctx context.Context) (objstore.Links, error) {
	v, err := s.Vault.Get(ctx, linkKeyPath)
	if errors.Is(err, vault.ErrNotFound) {
		if err = s.makeLinkKey(ctx); err == nil {
			v, err = s.Vault.Get(ctx, linkKeyPath)
		}
	}
	if err != nil {
		return objstore.Links{}, vault.Fault(err)
	}
	var d linkDocument
	if err := v.Data.Decode(&d); err != nil {
		return objstore.Links{}, err
	}
	return objstore.NewLinks(s.SiteURL, secret.New(d.Key))
}

// makeLinkKey leaves one that somebody has made meanwhile.
func (s *Service) makeLinkKey(ctx context.Context) error {
	key, err := secret.Random()
	if err != nil {
		return err
	}
	data, err := vault.Encode(linkDocument{key.Reveal()})
	if err != nil {
		return err
	}
	if _, err = s.Vault.Put(ctx, linkKeyPath, data, 0); errors.Is(err, vault.ErrCAS) {
		return nil
	}
	return err
}
