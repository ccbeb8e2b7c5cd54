package backup

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// linkKeyPath is the vault path of the key for links to the directory.
const linkKeyPath = VaultFolder + "/link_key"

type linkDocument struct {
	Key string `json:"key"` // 256 random bits
}

// Link returns a link to a listed backup, valid for an hour for anyone who has it. A
// bucket serves its objects itself, the server those of the directory. The audit log
// has it before anyone does: a backup contains everything in the vault.
func (s *Service) Link(ctx context.Context, a access.Actor, key string) (objstore.Link, error) {
	store, set, o, err := s.listed(ctx, key)
	if err != nil {
		return objstore.Link{}, err
	}
	defer end(store)
	link, err := s.link(ctx, a, store, set, key)
	if err != nil {
		return objstore.Link{}, err
	}
	details := "works until " + link.ExpiresAt.UTC().Format(time.RFC3339)
	return link, s.Audit.AppendAudit(ctx, s.about(a, audit.BackupLinkCreated, store, o, details))
}

func (s *Service) link(ctx context.Context, a access.Actor, store objstore.Store, set Settings, key string) (objstore.Link, error) {
	if set.Store == Bucket {
		return store.Link(ctx, key)
	}
	links, err := s.links(ctx)
	if err != nil {
		return objstore.Link{}, err
	}
	return links.Sign(key, a.UserID, s.Now().Add(objstore.LinkLifetime)), nil
}

// errMakerGone is for a link whose creator may no longer have the backup.
var errMakerGone = fault.New(fault.PermissionDenied, "blob_link_withdrawn",
	"The person who created this download link may no longer download backups. Ask an administrator for a new one.")

// Blob opens a backup in the directory through a link from Link, as long as its
// creator may still have it.
func (s *Service) Blob(ctx context.Context, query url.Values) (*Blob, error) {
	links, err := s.links(ctx)
	if err != nil {
		return nil, err
	}
	key, maker, err := links.Verify(query, s.Now())
	if err != nil {
		return nil, err
	}
	u, err := s.Account(ctx, maker)
	switch {
	case fault.Is(err, fault.NotFound), err == nil && (!u.Rules() || u.OrganizationDisabled):
		return nil, errMakerGone
	case err != nil:
		return nil, err
	}
	store, set, o, err := s.listed(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case set.Store == Bucket: // the store was changed since
		return nil, errors.Join(objstore.NotFound(nil), store.Close())
	}
	return &Blob{Object: o, maker: u.Username, ctx: ctx, store: store}, nil
}

// Downloaded records that a backup, or part of it, is sent to someone who has the
// link: unknown, but with an address.
func (s *Service) Downloaded(ctx context.Context, from access.Actor, b *Blob) error {
	entry := s.about(from, audit.BackupDownloaded, b.store, b.Object, "through a link that "+b.maker+" made")
	entry.Actor = "unknown"
	return s.Audit.AppendAudit(ctx, entry)
}

// links uses a key that is created when first needed, the same for all servers.
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

// makeLinkKey keeps a key that was created concurrently.
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
