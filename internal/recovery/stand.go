package recovery

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"github.com/keyward/keyward/internal/settings"
)

// noted is what both sides say of findings before a comparison.
type noted struct {
	setting settings.Value // the database's about the vault; zero: none was ever written
	vault   *Finding       // what it says
	record  record         // the vault's
	by      string         // the id of the finding about the database, in the database
	restore *Unfinished    // the database's; nil: none
}

func (g *Guard) noted(ctx context.Context) (n noted, err error) {
	if n.setting, err = readSetting(ctx, g.Database, vaultOlderSetting, &n.vault); err != nil {
		return n, err
	}
	if n.record, _, err = readRecord(ctx, g.Vault); err != nil {
		return n, err
	}
	if _, err = readSetting(ctx, g.Database, olderBySetting, &n.by); err != nil {
		return n, err
	}
	n.restore, err = g.RestoreUnfinished(ctx)
	return n, err
}

// outcome is that of a comparison. Before a restore has ended the database may have the
// backup's log, and the vault not yet: then it is not older.
func (n noted) outcome(r Read) Outcome {
	o := Compare(r)
	if n.restore != nil {
		o.Database = nil
	}
	return o
}

// stands is the finding about a side after a comparison: known itself when that
// says it all, nil when there is none. id is that of the finding that this side
// was seen with. Where it is not known's, another state was put in place, of which
// a comparison of everything tells anew.
func (g *Guard) stands(known *Finding, id string, lacks []Missing, all bool) *Finding {
	if known != nil && all && known.ID != id {
		known = nil
	}
	switch {
	case len(lacks) == 0:
		return known
	case known == nil:
		return &Finding{ID: rand.Text(), At: g.Now().UTC(), Lacks: lacks}
	}
	f := *known
	f.Lacks = slices.Clone(f.Lacks)
	if !f.widen(lacks) {
		return known
	}
	return &f
}

// standing is what both sides say after a comparison: what was found and holds.
type standing struct {
	vault, database *Finding
	restore         *Unfinished
	accepted        uint64
	mend            error // why what the vault's CRL lacks could not be published again
}

// errChanged: while a comparison was under way, another server has found or
// accepted something. What was read is from before that.
var errChanged = errors.New("something was found or accepted meanwhile")

// compare reads and compares, and writes what it has found.
func (g *Guard) compare(ctx context.Context, all bool) (s standing, err error) {
	for {
		if s, err = g.compareOnce(ctx, all); !errors.Is(err, errChanged) {
			return s, err
		}
	}
}

func (g *Guard) compareOnce(ctx context.Context, all bool) (s standing, err error) {
	n, r, err := g.read(ctx, all)
	if err != nil {
		return s, err
	}
	o := n.outcome(r)
	if s.restore = n.restore; s.restore == nil && len(o.Database) > 0 { // a restore may have begun since
		if now, err := g.RestoreUnfinished(ctx); err != nil {
			return s, err
		} else if now != nil {
			return s, errChanged
		}
	}
	if s.vault, err = g.aboutVault(ctx, n, o.Vault, all); err != nil {
		return s, err
	}
	if s.database, err = g.aboutDatabase(ctx, n, o.Database, all); err != nil {
		return s, err
	}
	s.accepted = n.record.Accepted
	if all { // whatever else was found
		s.mend = g.mend(ctx, r)
	}
	return s, nil
}

// aboutVault keeps in the database that the vault is older, and its id in that
// vault.
func (g *Guard) aboutVault(ctx context.Context, n noted, lacks []Missing, all bool) (*Finding, error) {
	f := g.stands(n.vault, n.record.OlderBy, lacks, all)
	if f == nil && n.vault != nil { // its id may have been on its way, from who found it
		if r, _, err := readRecord(ctx, g.Vault); err != nil {
			return nil, err
		} else if r.OlderBy == n.vault.ID {
			return nil, errChanged
		}
	}
	if f != n.vault {
		value, err := settingOf(f, g.Now())
		if err != nil {
			return nil, err
		}
		if swapped, err := g.Database.SwapSetting(ctx, vaultOlderSetting, n.setting, value); err != nil {
			return nil, err
		} else if !swapped {
			return nil, errChanged
		}
	}
	for f != nil && len(lacks) > 0 { // of two servers that find it at once, the last one's finding stands
		_, err := changeRecord(ctx, g.Vault, func(r *record) bool {
			changed := r.OlderBy != f.ID
			r.OlderBy = f.ID
			return changed
		})
		if err != nil {
			return nil, err
		}
		var now *Finding
		if _, err := readSetting(ctx, g.Database, vaultOlderSetting, &now); err != nil || now == nil || now.ID == f.ID {
			return now, err
		}
		f = now
	}
	return f, nil
}

// aboutDatabase keeps in the vault that the database is older, and before that its
// id in that database.
func (g *Guard) aboutDatabase(ctx context.Context, n noted, lacks []Missing, all bool) (*Finding, error) {
	f := g.stands(n.record.DatabaseOlder, n.by, lacks, all)
	if f != nil && len(lacks) > 0 && f.ID != n.by {
		value, err := settingOf(f.ID, g.Now())
		if err == nil {
			err = g.Database.PutSetting(ctx, olderBySetting, value)
		}
		if err != nil {
			return nil, err
		}
	}
	if f == n.record.DatabaseOlder {
		return f, nil
	}
	stale := false
	_, err := changeRecord(ctx, g.Vault, func(r *record) bool {
		stale = r.Accepted != n.record.Accepted || idOf(r.DatabaseOlder) != idOf(n.record.DatabaseOlder)
		r.DatabaseOlder = f
		return !stale
	})
	if err == nil && stale {
		err = errChanged
	}
	return f, err
}

// idOf is empty of no finding.
func idOf(f *Finding) string {
	if f == nil {
		return ""
	}
	return f.ID
}
