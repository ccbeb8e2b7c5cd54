package move

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// check compares the target with the source: the rows of each table, each document,
// each revocation, and the audit log's chain.
func (m *Move) check(ctx context.Context) error {
	for _, part := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"CA", m.checkCA}, {"rows", m.checkRows}, {"audit log", m.checkLog}, {"documents", m.checkDocuments}, {"revocations", m.checkRevocations},
	} {
		if err := part.do(ctx); err != nil {
			return fmt.Errorf("the check of the %s: %w", part.name, err)
		}
		m.Progress("  %s: as before", part.name)
	}
	return nil
}

// checkCA checks that Vault signs with the old CA, and has the others, with the same chains.
func (m *Move) checkCA(ctx context.Context) error {
	got, err := m.NewVault.CAs(ctx)
	if err != nil {
		return err
	}
	for _, want := range m.cas {
		if !slices.ContainsFunc(got, func(ca vault.CA) bool {
			return ca.ID == want.ID && ca.Active == want.Active && ca.First == want.First && slices.EqualFunc(ca.Chain, want.Chain, bytes.Equal)
		}) {
			return fmt.Errorf("the vault signs with a different CA, or lacks the CA %s: is VAULT_PKI_MOUNT the one that the move "+
				"started with?", want.ID)
		}
	}
	return nil
}

func (m *Move) checkRows(ctx context.Context) error {
	for _, t := range m.tables {
		want, err := m.OldRows.CountRows(ctx, t.Name)
		if err != nil {
			return err
		}
		got, err := m.NewRows.CountRows(ctx, t.Name)
		if err != nil {
			return err
		}
		if t.Name == "settings" {
			got-- // the state of the move
		}
		if got != want {
			return fmt.Errorf("the table %s has %d rows, but had %d", t.Name, got, want)
		}
	}
	return nil
}

func (m *Move) checkLog(ctx context.Context) error {
	want, err := m.oldLog(ctx)
	if err != nil {
		return err
	}
	anchor, err := chain.VaultAnchor(ctx, m.NewVault)
	if err != nil {
		return err
	}
	got, err := chain.Verify(ctx, m.NewRows, anchor)
	if err == nil && got != want {
		err = fmt.Errorf("it has %d sealed entries up to %s, but had %d up to %s", got.Entries, got.Head.Hash, want.Entries, want.Head.Hash)
	}
	return err
}

func (m *Move) checkDocuments(ctx context.Context) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	var want int64
	err := eachDocument(groupCtx, m.OldVault, func(path string) error {
		want++
		group.Go(func() error { return m.checkDocument(groupCtx, path) })
		return groupCtx.Err()
	})
	if waited := group.Wait(); waited != nil {
		return waited
	}
	if err != nil {
		return err
	}
	got, err := m.countDocuments(ctx)
	if err == nil && got != want {
		err = fmt.Errorf("there are %d, but there were %d", got, want)
	}
	return err
}

// countDocuments counts the new vault's documents, several folders at a time: every
// token has a folder.
func (m *Move) countDocuments(ctx context.Context) (int64, error) {
	names, err := m.NewVault.List(ctx, "")
	if err != nil {
		return 0, err
	}
	var count atomic.Int64
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, name := range names {
		folder, ok := strings.CutSuffix(name, "/")
		if !ok {
			count.Add(1)
			continue
		}
		group.Go(func() error {
			return below(groupCtx, m.NewVault, folder, func(path string) error {
				if path != vaultMark && !vault.EnginesOwn(path) {
					count.Add(1)
				}
				return nil
			})
		})
	}
	err = group.Wait()
	return count.Load(), err
}

func (m *Move) checkDocument(ctx context.Context, path string) error {
	old, err := m.OldVault.Get(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	there, err := m.NewVault.Get(ctx, path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if there.Number != versions(path, old) || !old.Data.Same(there.Data) {
		return fmt.Errorf("%s: it differs from the original", path)
	}
	return nil
}
