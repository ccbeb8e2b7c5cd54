package rollback

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/settings"
)

// Unfinished is a restore that has changed the database and has not ended. It has what a
// retry needs.
//
// A restore writes to both sides, but not atomically, so its first transaction records that
// it has begun (RestoreBegins), and its last that it has ended (RestoreEnds). In between,
// secrets and signatures are blocked, and the database is not considered older. A restore
// that stopped halfway is found that way; it can be resumed, which repeats all of it, or
// abandoned by accepting the vault.
type Unfinished struct {
	ID        string         `json:"id"`
	At        time.Time      `json:"at"`
	Key       string         `json:"key"`                 // of the backup
	Checksum  string         `json:"checksum"`            // of its file
	Type      string         `json:"type"`                // of the backup: full, database or vault
	Kind      restore.Target `json:"kind"`                // the database before
	Over      restore.Target `json:"over"`                // the vault before
	ReplaceCA bool           `json:"replace_ca,omitzero"` // was requested
	Published bool           `json:"published,omitzero"`  // the backup came with a published CRL
	Job       int64          `json:"job,omitzero"`        // the job that runs it, or did last
	Ended     bool           `json:"ended,omitzero"`      // kept to answer for that job
}

// everything reports whether all is the backup's, including the logs.
func (u *Unfinished) everything() bool { return u.Kind == restore.Fresh || u.Kind == restore.Empty }

// unfinishedSetting is its key in the database.
const unfinishedSetting = "restore_unfinished"

// RestoreBegins returns the setting that shows everyone that a restore has begun. It
// is written in the restore's own transaction, or before its first change.
func (g *Guard) RestoreBegins(u Unfinished) (name string, v settings.Value, err error) {
	v, err = settingOf(&u, g.Now())
	return unfinishedSetting, v, err
}

// RestoreUnfinished returns the restore that has not ended; nil if there is none.
func (g *Guard) RestoreUnfinished(ctx context.Context) (*Unfinished, error) {
	u, err := g.lastRestore(ctx)
	if u != nil && u.Ended {
		u = nil
	}
	return u, err
}

// RestoreOf returns the state of a job's restore: neither if it has changed nothing,
// or another restore has begun since.
func (g *Guard) RestoreOf(ctx context.Context, job int64) (unfinished, ended bool, err error) {
	u, err := g.lastRestore(ctx)
	if err != nil || u == nil || u.Job != job {
		return false, false, err
	}
	return !u.Ended, u.Ended, nil
}

// lastRestore returns the latest restore; nil if there was none or it was abandoned.
func (g *Guard) lastRestore(ctx context.Context) (u *Unfinished, err error) {
	_, err = readSetting(ctx, g.Database, unfinishedSetting, &u)
	return u, err
}

// RestoreEnds is the last step of a restore, when database and vault have its
// contents. The CRL gets every revocation that either side knows and a number above
// both. If everything is the backup's, what its logs name and it lacks is marked as
// lost, and the audit log continues in a new segment, which names the former heads.
// The secret of the access tokens is replaced. The marks are written last, and then
// nothing is held back any more. It may be repeated after an error. Without an
// unfinished restore it does nothing.
func (g *Guard) RestoreEnds(ctx context.Context) error {
	u, err := g.RestoreUnfinished(ctx)
	if err != nil || u == nil {
		return err
	}
	if err := g.continueLog(ctx, u.everything()); err != nil {
		return err
	}
	if u.everything() {
		for _, s := range g.Sources {
			if err := s.MarkUnaccounted(ctx); err != nil {
				return err
			}
		}
	}
	if err := g.CRL.Learn(ctx); err != nil {
		return err
	}
	if err := g.republish(ctx); err != nil {
		return err
	}
	if err := g.Renew(ctx); err != nil {
		return err
	}
	_, err = changeRecord(ctx, g.Vault, func(r *record) bool {
		if u.everything() {
			r.DatabaseOlder = nil
		}
		r.Accepted++ // makes every server use the new secret
		return true
	})
	if err == nil {
		err = g.markAnew(ctx, u)
	}
	if err == nil {
		u.Ended = true
		err = g.putRestore(ctx, u)
	}
	if err == nil {
		g.accepted(ctx)
	}
	return err
}

// continueLog begins a new segment of the log if anyway is set or nothing can be
// sealed otherwise: the vault was lost, and its sealing key with it.
func (g *Guard) continueLog(ctx context.Context, anyway bool) error {
	due, err := g.Audit.SegmentDue(ctx)
	if err == nil && (due || anyway) {
		err = g.beginSegment(ctx)
	}
	return err
}

// segmentTries bounds the attempts to begin a segment while servers seal.
const segmentTries = 8

func (g *Guard) beginSegment(ctx context.Context) (err error) {
	for range segmentTries {
		if err = g.Audit.BeginSegment(ctx); !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return err
}

// republish makes the CRL list all recorded revocations, with a number above all known.
func (g *Guard) republish(ctx context.Context) error {
	ca, _, err := g.CRL.Number(ctx)
	if err != nil {
		return err
	}
	marks, err := g.Database.VaultMarks(ctx)
	if err != nil {
		return err
	}
	lacking, err := g.CRL.MissingRevocations(ctx)
	if err != nil {
		return err
	}
	return g.CRL.Republish(ctx, lacking, marks[CRLMark(ca)].Value)
}

// markAnew rewrites the marks. A backup of only the database leaves the vault as it
// was; any other may have restored older documents.
func (g *Guard) markAnew(ctx context.Context, u *Unfinished) error {
	if u.Type == "database" && !u.everything() {
		return g.establish(ctx)
	}
	epoch, err := g.raiseEpoch(ctx)
	if err != nil {
		return err
	}
	ca, number, err := g.CRL.Number(ctx)
	if err != nil {
		return err
	}
	n, err := g.noted(ctx)
	if err != nil {
		return err
	}
	details := fmt.Sprintf("a restore of %s, begun %s, has ended", u.Key, stamp(u.At))
	if n.vault != nil {
		details += "; the vault was older, and lacked " + strings.Join(n.vault.Lines(), "; ")
	}
	return g.Database.AcceptVault(ctx, VaultAcceptance{
		Marks: map[string]uint64{epochMark: epoch, CRLMark(ca): number}, Setting: vaultOlderSetting,
		Entry: audit.By(access.Actor{}, audit.SystemRecovered, "system", "restore", details), At: g.Now().UTC(),
	})
}

// putRestore stores what is known of the latest restore; nil: it is abandoned.
func (g *Guard) putRestore(ctx context.Context, u *Unfinished) error {
	v, err := settingOf(u, g.Now())
	if err != nil {
		return err
	}
	return g.Database.PutSetting(ctx, unfinishedSetting, v)
}

// older returns the finding about the vault; for an unfinished restore it includes
// that its end is missing.
func older(f *Finding, u *Unfinished) *Finding {
	if u == nil {
		return f
	}
	with := Finding{ID: u.ID, At: u.At, Lacks: []Missing{{What: RestoreEnd, Count: 1, Some: []string{u.Key}, To: u.At}}}
	if f != nil {
		with.Lacks = append(with.Lacks, f.Lacks...)
	}
	return &with
}
