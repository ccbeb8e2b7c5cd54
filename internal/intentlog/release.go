package intentlog

import (
	"bytes"
	"context"
	"crypto/rsa"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// AuditRows reads the audit log.
type AuditRows interface {
	// AuditRowsOf returns those of the entries that exist, ordered by id, as the primary
	// has them at the time of the call.
	AuditRowsOf(ctx context.Context, ids ...int64) ([]chain.Row, error)
}

// Releases is the release logs of all tokens. Create it with NewReleases. Its methods are safe
// for concurrent use.
type Releases struct {
	kv      vault.KV
	entries AuditRows
	log     *slog.Logger

	tokens batcher[releaseRecord] // by serial
	recent *recent
}

// NewReleases returns the log. It writes nothing yet.
func NewReleases(kv vault.KV, entries AuditRows, now func() time.Time, log *slog.Logger) *Releases {
	return &Releases{kv: kv, entries: entries, log: log, recent: newRecent(kv, now)}
}

// Release is what is about to leave.
type Release struct {
	Serial  string         // of the token, as its documents in the vault have it
	Fields  []piv.Field    // whose values leave, whichever they are
	Session int64          // whose agent gets them
	Key     *rsa.PublicKey // that agent's
	Entry   audit.Entry    // who, of which token, why
	Kind    string         // prefix of the entry's details, such as "rotation 3"; empty for a plain reading
}

// AuditEntry is the entry that has to be written, durably, before Record. It names
// the key that the values are sealed to.
func (r Release) AuditEntry() (audit.Entry, error) {
	fingerprint, err := agentkey.Fingerprint(r.Key)
	if err != nil {
		return audit.Entry{}, err
	}
	details := fmt.Sprintf("fields %s; session %d; agent key %s", piv.Names(r.Fields), r.Session, fingerprint)
	if r.Kind != "" {
		details = r.Kind + ", " + details
	}
	return r.Entry.Saying(details), nil
}

// Record logs a release in the vault. written is AuditEntry as the database says that it
// wrote it; Record reads it back. It may differ in ID, time and organization alone. The
// errors are DatabaseUnavailable, VaultUnavailable, and RecoveryRequired when the database
// doesn't have the entry. After any of them nothing may leave. An entry is good for one call.
func (l *Releases) Record(ctx context.Context, r Release, written audit.Entry) error {
	meant, err := r.AuditEntry()
	if err != nil {
		return err
	}
	meant.ID, meant.At, meant.OrganizationID = written.ID, written.At, written.OrganizationID
	if err := l.readBack(ctx, r.Serial, meant); err != nil {
		return err
	}
	var both errgroup.Group
	both.Go(func() error { return l.recent.note(ctx, r.Serial) })
	both.Go(func() error { return l.append(ctx, r.Serial, releaseRecord{meant.ID, chain.Leaf(&meant)}) })
	return vault.Fault(both.Wait())
}

// readBack compares what the database has with what was meant.
func (l *Releases) readBack(ctx context.Context, serial string, meant audit.Entry) error {
	var rows []chain.Row
	if meant.ID != 0 {
		var err error
		if rows, err = l.entries.AuditRowsOf(ctx, meant.ID); err != nil {
			return err
		}
	}
	problem := ""
	switch {
	case len(rows) == 0:
		problem = "the entry is not there"
	case rows[0].Fault != "":
		problem = rows[0].Fault
	case !bytes.Equal(chain.AppendEntry(nil, &rows[0].Entry), chain.AppendEntry(nil, &meant)):
		problem = "the entry is another than was written"
	default:
		return nil
	}
	l.log.ErrorContext(ctx, "the audit log did not keep the entry of a release, so no secret was released: "+
		"somebody changed the database",
		"problem", problem, "entry", meant.ID, "serial", serial, "actor", meant.Actor, "request_id", meant.RequestID)
	return errNotKept
}

// errNotKept says no more: the server's log has the details for administrators.
var errNotKept = fault.New(fault.RecoveryRequired, "release_not_recorded",
	"This release could not be recorded in the audit log, so nothing was released. Someone has changed the "+
		"database. Tell an administrator: the server's log has details.")
