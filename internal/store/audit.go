package store

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// AppendAudit implements audit.Store.
func (db *DB) AppendAudit(ctx context.Context, entries ...audit.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return db.write(ctx, "append audit", func(ctx context.Context, t *tx) error {
		return t.audit(ctx, entries...)
	})
}

// audit collects entries in the transaction that they are about, and writes their messages. The
// entries are the last that it writes, in their order.
func (t *tx) audit(ctx context.Context, entries ...audit.Entry) error {
	for _, e := range entries {
		err := sqlcgen.New(&t.entries).NoteAudit(ctx, sqlcgen.NoteAuditParams(t.auditParams(&e)))
		if err != nil {
			return err
		}
		if err := t.notifyAll(ctx, e.Notify); err != nil {
			return err
		}
	}
	if len(t.entries.list) < maxEntries {
		return nil
	}
	return t.log(ctx)
}

// maxEntries is how many entries are collected before they are written.
const maxEntries = 256

// log writes the collected entries.
func (t *tx) log(ctx context.Context) error { return t.run(ctx, t.logging()) }

// logging returns the statements that do so.
func (t *tx) logging() []statement {
	list := t.entries.list
	t.entries.list = nil
	if len(list) == 0 {
		return nil
	}
	return append(t.announcing(), list...)
}

// errNotTaken: the database refuses to take an entry.
var errNotTaken = errors.New("the database takes no audit entry")

// auditOne writes an entry at once and gives it as it was written: with its id,
// which is zero when the database has taken no row, and a time. errNotTaken
// when a rule of PostgreSQL's stands in the way.
func (t *tx) auditOne(ctx context.Context, e audit.Entry) (audit.Entry, error) {
	if err := t.notifyAll(ctx, e.Notify); err != nil {
		return e, err
	}
	if err := t.log(ctx); err != nil {
		return e, err
	}
	if err := t.run(ctx, t.announcing()); err != nil {
		return e, err
	}
	id, err := t.q.InsertAudit(ctx, t.auditParams(&e))
	if none(err) { // a trigger has swallowed it
		id, err = 0, nil
	}
	// A rule returns no row, which ends the transaction: "feature not supported" (PostgreSQL,
	// "Rules on INSERT, UPDATE, and DELETE").
	if state, _ := sqlState(err); state == "0A000" {
		err = fmt.Errorf("%w: %w", errNotTaken, err)
	}
	e.ID = id
	return e, err
}

// auditParams sets the time of an entry that has none.
func (t *tx) auditParams(e *audit.Entry) sqlcgen.InsertAuditParams {
	if e.At.IsZero() {
		e.At = t.now()
	}
	return sqlcgen.InsertAuditParams{
		At: micros(e.At), Action: string(e.Action), Outcome: string(e.Outcome), ActorID: e.ActorID, Actor: e.Actor,
		ActorKey: fold(e.Actor), OrganizationID: e.OrganizationID, TargetType: e.TargetType, TargetID: e.TargetID,
		TargetKey: fold(e.TargetID), Hostname: e.Hostname, IpAddress: e.IPAddress, RequestID: e.RequestID,
		Reason: e.Reason, Details: e.Details, FileName: e.FileName, BackupType: e.BackupType, DurationMs: e.DurationMS,
		SizeBytes: e.SizeBytes,
	}
}

// about sets the target id of entries of that kind that have none: the id of the row just inserted.
func about(entries []audit.Entry, kind, id string) []audit.Entry {
	out := make([]audit.Entry, len(entries))
	for i, e := range entries {
		if e.TargetID == "" && e.TargetType == kind {
			e.TargetID = id
		}
		out[i] = e
	}
	return out
}

const auditColumns = `e.id, e.at, e.action, e.outcome, e.actor_id, e.actor, e.organization_id, e.target_type,
	e.target_id, e.hostname, e.ip_address, e.request_id, e.reason, e.details, e.file_name, e.backup_type, e.duration_ms,
	e.size_bytes`

func scanEntry(row scanner) (e audit.Entry, err error) {
	var at int64
	err = row.Scan(&e.ID, &at, &e.Action, &e.Outcome, &e.ActorID, &e.Actor, &e.OrganizationID, &e.TargetType,
		&e.TargetID, &e.Hostname, &e.IPAddress, &e.RequestID, &e.Reason, &e.Details, &e.FileName, &e.BackupType, &e.DurationMS,
		&e.SizeBytes)
	e.At = moment(at)
	return e, err
}

// ListAudit implements audit.Store.
func (db *DB) ListAudit(ctx context.Context, scope access.Scope, f audit.Filter, p page.Request) (page.Page[audit.Entry], error) {
	begin, err := db.position(ctx, p.Before, f)
	if err != nil {
		return page.Page[audit.Entry]{}, asFault("list audit", err)
	}
	actions, err := db.actions(ctx, f.Action)
	if err != nil {
		return page.Page[audit.Entry]{}, asFault("list audit", err)
	}
	had, err := db.had(ctx, f.User)
	if err != nil {
		return page.Page[audit.Entry]{}, asFault("list audit", err)
	}
	var from querier = db.read
	if len(actions)+len(had) > 0 {
		from = inLine{db.reads} // one text per set of these: not worth caching
	}
	query, args := auditQuery(scope, f, actions, had, begin, p.Limit+1)
	rows, err := queryAll(ctx, from, scanEntry, query, args...)
	number := func(e audit.Entry) int64 { return e.ID }
	return makePage("list audit", rows, err, p, number, nil, func() (page.Count, error) {
		begin, err := db.position(ctx, 0, f) // of the first page
		if err != nil {
			return page.Count{}, err
		}
		query, args := auditCountQuery(scope, f, actions, had, begin, db.opts.CountTo)
		return db.count(ctx, from, query, args)
	})
}

// position is a place in the list, which is newest first by time and, within a microsecond, by id.
// Ids alone would do if the clock never went back; then a range of time would also be a range of
// ids.
type position struct{ at, id int64 }

// position returns where a page begins, without counting: at the cursor's entry, and, newest first,
// below the filter's end. Nil is the start of the list. An entry that is gone, or never was, counts
// as where its neighbour is.
func (db *DB) position(ctx context.Context, cursor int64, f audit.Filter) (*position, error) {
	var p *position
	if !f.To.IsZero() && !f.OldestFirst {
		p = &position{micros(f.To), math.MinInt64}
	}
	if cursor == 0 {
		return p, nil
	}
	at, err := db.q().AuditTimeAt(ctx, cursor)
	if none(err) { // below every entry
		return &position{math.MinInt64, math.MinInt64}, nil
	}
	if err != nil {
		return nil, err
	}
	if p == nil || at < p.at {
		p = &position{at, cursor}
	}
	return p, nil
}

// AuditAfter implements audit.Store.
func (db *DB) AuditAfter(ctx context.Context, after int64, limit int) ([]audit.Entry, error) {
	upTo, err := db.engine.horizon(ctx, db.read)
	if err != nil {
		return nil, asFault("audit after", err)
	}
	rows, err := db.q().AuditAfter(ctx, sqlcgen.AuditAfterParams{After: after, UpTo: upTo, MaxRows: int32(min(limit, 1<<30))})
	if err != nil {
		return nil, asFault("audit after", err)
	}
	entries := make([]audit.Entry, len(rows))
	for i, r := range rows {
		entries[i] = audit.Entry{
			ID: r.ID, At: moment(r.At), Action: audit.Action(r.Action), Outcome: audit.Outcome(r.Outcome), ActorID: r.ActorID,
			Actor: r.Actor, OrganizationID: r.OrganizationID, TargetType: r.TargetType, TargetID: r.TargetID, Hostname: r.Hostname,
			IPAddress: r.IpAddress, RequestID: r.RequestID, Reason: r.Reason, Details: r.Details, FileName: r.FileName,
			BackupType: r.BackupType, DurationMS: r.DurationMs, SizeBytes: r.SizeBytes,
		}
	}
	return entries, nil
}

// NewestAudit implements audit.Store.
func (db *DB) NewestAudit(ctx context.Context) (int64, error) {
	id, err := db.q().NewestAudit(ctx)
	if none(err) {
		return 0, nil
	}
	return id, asFault("newest audit", err)
}
