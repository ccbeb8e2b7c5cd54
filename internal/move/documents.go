package move

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/vault"
)

const (
	// vaultMark is a document of the new vault during the move: it identifies the move
	// that the others belong to.
	vaultMark = "_keyward/move"
	pagePaths = 64 // documents after which the position is saved
	atOnce    = 8  // documents moved concurrently
)

// eachDocument calls each with every path, in a stable order as long as no one writes.
func eachDocument(ctx context.Context, from vault.KV, each func(path string) error) error {
	return below(ctx, from, "", each)
}

func below(ctx context.Context, from vault.KV, prefix string, each func(path string) error) error {
	names, err := from.List(ctx, prefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := strings.TrimPrefix(prefix+"/"+name, "/")
		if folder, ok := strings.CutSuffix(path, "/"); ok {
			err = below(ctx, from, folder, each)
		} else {
			err = each(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepareVault sets up the new vault, including the CA, and marks it.
func (m *Move) prepareVault(ctx context.Context) error {
	// Twice: if there already was a CA, its settings were checked the first time, and
	// those of the imported one the second time.
	for range 2 {
		if err := m.setUp(ctx); err != nil {
			return err
		}
	}
	data, err := vault.Encode(map[string]string{"id": m.state.ID})
	if err != nil {
		return err
	}
	if _, err = m.NewVault.Put(ctx, vaultMark, data, 0); errors.Is(err, vault.ErrCAS) {
		return m.ours(ctx)
	}
	return err
}

// setUp creates everything that the new vault lacks.
func (m *Move) setUp(ctx context.Context) error {
	items, err := m.Setup.Examine(ctx)
	if err != nil {
		return err
	}
	for _, item := range items {
		if len(item.Lacks) == 0 {
			continue
		}
		if err := item.Apply(ctx); err != nil {
			return fmt.Errorf("%s: %w", item.Name, err)
		}
		m.Progress("  %s: %s", item.Name, strings.Join(item.Lacks, "; "))
		if err := m.point("vault: " + item.Name); err != nil {
			return err
		}
	}
	return nil
}

// ours returns nil if the new vault's documents belong to this move.
func (m *Move) ours(ctx context.Context) error {
	v, err := m.NewVault.Get(ctx, vaultMark)
	var has struct {
		ID string `json:"id"`
	}
	if err == nil {
		err = v.Data.Decode(&has)
	}
	if err == nil && has.ID != m.state.ID || errors.Is(err, vault.ErrNotFound) {
		err = errors.New("the vault is not the one that this move started with, or another installation is being moved into " +
			"it: choose an empty mount with VAULT_KV_MOUNT")
	}
	return err
}

// moveDocuments moves every document, from the state's position on.
func (m *Move) moveDocuments(ctx context.Context) error {
	if err := m.ours(ctx); err != nil {
		return err
	}
	var seen int64
	var page []string
	flush := func() error {
		group, groupCtx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for _, path := range page {
			group.Go(func() error { return m.moveDocument(groupCtx, path) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		m.state.Number, page = seen, page[:0]
		if err := m.note(ctx); err != nil {
			return err
		}
		m.Progress("  documents: %d", seen)
		return m.point("documents")
	}
	done := m.state.Number
	err := eachDocument(ctx, m.OldVault, func(path string) error {
		if seen++; seen <= done {
			return nil
		}
		if page = append(page, path); len(page) < m.page(pagePaths) {
			return nil
		}
		return flush()
	})
	if err == nil && len(page) > 0 {
		err = flush()
	}
	return err
}

// moveDocument writes a token's secrets as often as in the old vault, since the
// database has their version number. Other documents, some of which change every
// minute, are written once.
func (m *Move) moveDocument(ctx context.Context, path string) error {
	old, err := m.OldVault.Get(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	has, err := m.NewVault.Put(ctx, path, old.Data, 0)
	if errors.Is(err, vault.ErrCAS) { // an earlier attempt came this far
		has, err = m.standing(ctx, path, old)
	}
	for want := versions(path, old); err == nil && has < want; {
		has, err = m.NewVault.Put(ctx, path, old.Data, has)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// standing returns the version of a document in the new vault.
func (m *Move) standing(ctx context.Context, path string, old vault.Version) (int, error) {
	there, err := m.NewVault.Get(ctx, path)
	if err == nil && !old.Data.Same(there.Data) {
		err = errors.New("the new vault holds a different document there")
	}
	return there.Number, err
}

// versions returns the version that a document gets in the new vault.
func versions(path string, old vault.Version) int {
	if strings.Contains(path, "_") || !strings.HasSuffix(path, "/secrets") { // no token's serial has an underscore
		return 1
	}
	return old.Number
}
