package releaselog

import (
	"bytes"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/envelope"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// Entries reads the audit log.
type Entries interface {
	// AuditRowsOf returns those of the entries that exist, ordered by id, as the primary
	// has them at the time of the call.
	AuditRowsOf(ctx context.Context, ids ...int64) ([]chain.Row, error)
}

// Log is the release logs of all tokens. Create it with New. Its methods are safe
// for concurrent use.
type Log struct {
	kv      vault.KV
	entries Entries
	log     *slog.Logger

	tokens turns[record] // by serial
	lately *lately
}

// New returns the log. It writes nothing yet.
func New(kv vault.KV, entries Entries, now func() time.Time, log *slog.Logger) *Log {
	return &Log{kv: kv, entries: entries, log: log, lately: newLately(kv, now)}
}

// Disclosure describes secrets about to be released.
type Disclosure struct {
	Serial  string         // of the token, as in its vault paths
	Fields  []piv.Field    // whose values may be released
	Session int64          // whose agent receives them
	Key     *rsa.PublicKey // of that agent
	Entry   audit.Entry    // who, of which token, why
	Kind    string         // prefix of the entry's details, such as "rotation 3"; empty for a plain reading
}

// entry is the audit entry of the disclosure.
func (d Disclosure) entry() (audit.Entry, error) {
	fingerprint, err := envelope.Fingerprint(d.Key)
	if err != nil {
		return audit.Entry{}, err
	}
	details := fmt.Sprintf("fields %s; session %d; agent key %s", piv.Names(d.Fields), d.Session, fingerprint)
	if d.Kind != "" {
		details = d.Kind + ", " + details
	}
	return d.Entry.Saying(details), nil
}

// Disclose records a disclosure and returns the Sealer for its values. write stores
// the audit entry that it gets, with whatever belongs to it, and returns the entry
// as stored; it may change only the organization. The errors are those of write,
// DatabaseUnavailable, VaultUnavailable, and RecoveryRequired when the database does
// not hold the entry as written. After any error, nothing may be released.
func (l *Log) Disclose(
	ctx context.Context, d Disclosure, write func(context.Context, audit.Entry) (audit.Entry, error),
) (*Sealer, error) {
	meant, err := d.entry()
	if err != nil {
		return nil, err
	}
	written, err := write(ctx, meant)
	if errors.Is(err, audit.ErrNotTaken) {
		return nil, l.notKept(ctx, d.Serial, meant, err.Error())
	}
	if err != nil {
		return nil, err
	}
	meant.ID, meant.At, meant.OrganizationID = written.ID, written.At, written.OrganizationID
	if err := l.readBack(ctx, d.Serial, meant); err != nil {
		return nil, err
	}
	var both errgroup.Group
	both.Go(func() error { return l.lately.note(ctx, d.Serial) })
	both.Go(func() error { return l.takeDown(ctx, d.Serial, record{meant.ID, chain.Leaf(&meant)}) })
	if err := both.Wait(); err != nil {
		return nil, vault.Fault(err)
	}
	return &Sealer{key: d.Key, serial: d.Serial, fields: slices.Clone(d.Fields)}, nil
}

// readBack compares the entry in the database with the one intended.
func (l *Log) readBack(ctx context.Context, serial string, meant audit.Entry) error {
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
	return l.notKept(ctx, serial, meant, problem)
}

func (l *Log) notKept(ctx context.Context, serial string, meant audit.Entry, problem string) error {
	l.log.ErrorContext(ctx, "the audit log did not keep the entry of a release, so no secret was released: "+
		"somebody changed the database",
		"problem", problem, "entry", meant.ID, "serial", serial, "actor", meant.Actor, "request_id", meant.RequestID)
	return errNotKept
}

// errNotKept says no more: the server's log has the details for administrators.
var errNotKept = fault.New(fault.RecoveryRequired, "release_not_recorded",
	"This release could not be recorded in the audit log, so nothing was released. Someone has changed the "+
		"database. Tell an administrator: the server's log has details.")

// Sealer encrypts the values of one disclosure. Only Log.Disclose returns a usable one.
type Sealer struct {
	key    *rsa.PublicKey
	serial string
	fields []piv.Field
}

// Seal encrypts the value of a field for the disclosure's agent; see envelope.Seal.
// It returns an error for a field that the disclosure does not include.
func (s *Sealer) Seal(f piv.Field, value secret.String) (string, error) {
	if !slices.Contains(s.fields, f) {
		return "", fmt.Errorf("seal: the release of %s is not on record", f)
	}
	return envelope.Seal(s.key, s.serial, f, value)
}
