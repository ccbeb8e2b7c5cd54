package rollback

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"

	"github.com/keyward/keyward/internal/settings"
)

// noted is what both sides say of findings before a comparison.
type noted struct {
	setting settings.Value // the database's, about the vault; zero: none was ever written
	vault   *Finding       // its content
	record  record         // the vault's
	by      string         // the id, in the database, of the finding about it
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

// differences is the result of a comparison. During a restore the database may have the
// backup's log before the vault does: then it is not older.
func (n noted) differences(r Read) Differences {
	o := Compare(r)
	if n.restore != nil {
		o.Database = nil
	}
	return o
}

// finding returns the finding about a side after a comparison: known itself if it
// already covers lacks, nil if there is none. id is the finding's id stored on this
// side. If it is not known's, that side was replaced by another state, and a
// comparison of everything decides anew.
func (g *Guard) finding(known *Finding, id string, lacks []Missing, all bool) *Finding {
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

// comparison is the state of both sides after a comparison.
type comparison struct {
	vault, database *Finding
	restore         *Unfinished
	accepted        uint64
	mend            error // why what the vault's CRL lacks could not be published again
}

// errChanged: another server has found or accepted something during a comparison,
// whose input is outdated.
var errChanged = errors.New("something was found or accepted meanwhile")

// compare reads and compares, and writes its findings.
func (g *Guard) compare(ctx context.Context, all bool) (s comparison, err error) {
	for {
		if s, err = g.compareOnce(ctx, all); !errors.Is(err, errChanged) {
			return s, err
		}
	}
}

func (g *Guard) compareOnce(ctx context.Context, all bool) (s comparison, err error) {
	n, r, err := g.read(ctx, all)
	if err != nil {
		return s, err
	}
	o := n.differences(r)
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

// aboutVault stores in the database that the vault is older, and the finding's id in that vault.
func (g *Guard) aboutVault(ctx context.Context, n noted, lacks []Missing, all bool) (*Finding, error) {
	f := g.finding(n.vault, n.record.OlderBy, lacks, all)
	if f == nil && n.vault != nil { // another server may be about to write its id
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
	for f != nil && len(lacks) > 0 { // of two servers that find it at once, the last one's finding counts
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

// aboutDatabase stores in the vault that the database is older, and before that the
// finding's id in that database.
func (g *Guard) aboutDatabase(ctx context.Context, n noted, lacks []Missing, all bool) (*Finding, error) {
	f := g.finding(n.record.DatabaseOlder, n.by, lacks, all)
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

// idOf returns "" for no finding.
func idOf(f *Finding) string {
	if f == nil {
		return ""
	}
	return f.ID
}
