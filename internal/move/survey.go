package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// Survey returns what would be moved and what prevents it. It changes nothing.
func (m *Move) Survey(ctx context.Context) (r Report, err error) {
	_, state, err := m.marks(ctx)
	if err != nil || done(state) {
		return before(state), err
	}
	if m.NewRows == nil {
		return m.survey(ctx, true)
	}
	err = m.NewRows.Alone(ctx, func(ctx context.Context) error {
		r, err = m.survey(ctx, state == nil)
		return err
	})
	return r, err
}

func (m *Move) survey(ctx context.Context, wantEmpty bool) (r Report, err error) {
	hinder := func(format string, args ...any) { r.Obstacles = append(r.Obstacles, fmt.Errorf(format, args...)) }
	if m.cas, err = m.OldVault.CAs(ctx); err != nil {
		return r, err
	}
	if r.Setup, err = m.Setup.Examine(ctx); err != nil {
		return r, err
	}
	for _, item := range r.Setup {
		if item.Hopeless != nil {
			hinder("%s %s: %w", item.Name, strings.Join(item.Lacks, "; "), item.Hopeless)
		}
	}
	if wantEmpty {
		if err := m.emptyTarget(ctx, hinder); err != nil {
			return r, err
		}
	}
	if m.tables, err = m.plan(ctx); err != nil {
		return r, err
	}
	for _, t := range m.tables {
		n, err := m.OldRows.CountRows(ctx, t.Name)
		if err != nil {
			return r, err
		}
		r.Tables = append(r.Tables, Count{t.Name, n})
	}
	if err := m.readableLog(ctx, hinder); err != nil {
		return r, err
	}
	if r.Audit, err = m.oldLog(ctx); err != nil {
		if _, bad := errors.AsType[*chain.Bad](err); !bad {
			return r, err
		}
		hinder("the audit log of the old installation is not intact (keyward audit verify): %w", err)
	}
	err = eachDocument(ctx, m.OldVault, func(path string) error {
		v, err := m.OldVault.Get(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.Documents++
		if err := m.NewVault.Takes(v.Data); err != nil {
			hinder("%s: %w", path, err)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	err = m.eachCA(ctx, func(_ string, number uint64) error { r.CRLNumber = max(r.CRLNumber, number); return nil })
	if err != nil {
		return r, err
	}
	if r.CRLNumber > uint64(vault.RaiseWithin/m.pace(ctx)) {
		hinder("%w", vault.CRLNumberOutOfReach(0, r.CRLNumber))
	}
	return r, m.surveyRevocations(ctx, &r)
}

// pace returns the minimum time the new vault needs for a CRL: that of another
// request, and at least a millisecond.
func (m *Move) pace(ctx context.Context) time.Duration {
	const asked = 5
	began := time.Now()
	for range asked {
		_, _ = m.NewVault.List(ctx, "") // there may be nothing yet: the answer takes as long
	}
	return max(time.Millisecond, time.Since(began)/asked)
}

func (m *Move) surveyRevocations(ctx context.Context, r *Report) error {
	err := m.eachRevocation(ctx, State{}, func(page []vault.Revocation, _ State) error {
		for _, c := range page {
			switch m.fateOf(c) {
			case ended:
				r.Ended++
			case former:
				r.Former++
			case unknown:
				r.Unknown = append(r.Unknown, c.Serial)
			case movable:
				r.Revocations++
			}
		}
		return nil
	})
	if len(r.Unknown) > 0 && !m.Forget {
		r.Obstacles = append(r.Obstacles, fmt.Errorf("%d revocations are of certificates that are not on record, such as %s, "+
			"and Vault can't put a certificate on its CRL without seeing it. With --forget-unknown, they are left behind",
			len(r.Unknown), r.Unknown[0]))
	}
	return err
}

// emptyTarget finds data already in the target.
func (m *Move) emptyTarget(ctx context.Context, hinder func(string, ...any)) error {
	if m.NewRows != nil {
		tables, err := m.NewRows.MoveTables(ctx)
		if err != nil {
			return err
		}
		for _, name := range emptyBefore(tables) {
			n, err := m.NewRows.CountRows(ctx, name)
			if err != nil {
				return err
			}
			if n > 0 {
				hinder("the database %s is not empty: its table %s has %d rows. Choose an empty one", m.Database, name, n)
				break
			}
		}
	}
	err := eachDocument(ctx, m.NewVault, func(path string) error {
		if vault.EnginesOwn(path) { // of an earlier setup
			return nil
		}
		return &held{path}
	})
	if errors.Is(err, vault.ErrDenied) || errors.Is(err, vault.ErrInvalid) {
		return nil // not mounted yet: the setup says so
	}
	if h, ok := errors.AsType[*held](err); ok {
		hinder("the vault %s is not empty: it holds %s at VAULT_KV_MOUNT. Choose an empty mount", m.Vault, h.path)
		return nil
	}
	return err
}

// held is a document where none should be.
type held struct{ path string }

func (h *held) Error() string { return h.path }

// readableLog finds audit entries with texts that PostgreSQL cannot store: changing
// them would break their seal.
func (m *Move) readableLog(ctx context.Context, hinder func(string, ...any)) error {
	at := slices.IndexFunc(m.tables, func(t Table) bool { return t.Name == "audit_entries" })
	if at < 0 {
		return errors.New("the schema has no audit log")
	}
	for after := int64(0); ; {
		rows, last, err := m.OldRows.Rows(ctx, m.tables[at], after, m.page(pageRows))
		if err != nil || len(rows) == 0 {
			return err
		}
		after = last
		for _, row := range rows {
			if slices.ContainsFunc(row, unreadable) {
				hinder("an audit entry at or before id %d has a character that PostgreSQL can't store, which would break its seal", last)
				return nil
			}
		}
	}
}

func unreadable(v any) bool {
	text, ok := v.(string)
	return ok && (!utf8.ValidString(text) || strings.ContainsRune(text, 0))
}

func (m *Move) oldLog(ctx context.Context) (chain.Report, error) {
	anchor, err := chain.VaultAnchor(ctx, m.OldVault)
	if err != nil {
		return chain.Report{}, err
	}
	return chain.Verify(ctx, m.OldRows, anchor)
}
