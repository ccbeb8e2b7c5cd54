package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
	var from querier = db.read
	if len(actions) > 0 {
		from = inLine{db.reads} // one text per set of actions: not worth caching
	}
	query, args := auditQuery(scope, f, actions, begin, p.Limit+1)
	rows, err := queryAll(ctx, from, scanEntry, query, args...)
	number := func(e audit.Entry) int64 { return e.ID }
	return makePage("list audit", rows, err, p, number, nil, func() (page.Count, error) {
		begin, err := db.position(ctx, 0, f) // of the first page
		if err != nil {
			return page.Count{}, err
		}
		query, args := auditCountQuery(scope, f, actions, begin, db.opts.CountTo)
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

// actions returns the recorded actions that begin with one of the prefixes, between commas; nil
// without any.
func (db *DB) actions(ctx context.Context, prefixes string) ([]string, error) {
	if prefixes == "" {
		return nil, nil
	}
	all := []string{}
	for prefix := range strings.SplitSeq(prefixes, ",") {
		found, err := db.q().AuditActions(ctx, sqlcgen.AuditActionsParams{Low: prefix, High: prefix + "\U0010FFFF"})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// strand is a part of a list whose rows an index has in the list's order: those of an action, and of
// what a person did or had done to them.
type strand struct {
	action string
	by, on int64 // an account
}

// strandsOf gives the parts of a list; nil when it is one. No action: nothing fits.
func strandsOf(f audit.Filter, actions []string) []strand {
	if actions == nil && f.User == 0 {
		return nil
	}
	if actions == nil {
		actions = []string{""}
	}
	all := []strand{}
	for _, action := range actions {
		if f.User == 0 {
			all = append(all, strand{action: action})
		} else {
			all = append(all, strand{action: action, by: f.User}, strand{action: action, on: f.User})
		}
	}
	return all
}

// auditQuery selects a page. A prefix stands for several actions, and a person for what they did and
// what was done to them, whose rows no index has in the list's order: so each strand yields its own
// first rows, and the first of these are the page.
func auditQuery(scope access.Scope, f audit.Filter, actions []string, begin *position, limit int) (string, []any) {
	direction := " DESC"
	if f.OldestFirst {
		direction = ""
	}
	order := " ORDER BY e.at" + direction + ", e.id" + direction + " LIMIT "
	w := &where{}
	all := strandsOf(f, actions)
	if all == nil {
		auditConditions(w, scope, f, begin, strand{})
		return "SELECT " + auditColumns + " FROM audit_entries AS e" + w.String() + order + w.arg(limit), w.args
	}
	if len(all) == 0 {
		return "SELECT " + auditColumns + " FROM audit_entries AS e WHERE FALSE", nil
	}
	count := w.arg(limit)
	parts := make([]string, len(all))
	for i, part := range all {
		w.conditions = nil
		auditConditions(w, scope, f, begin, part)
		parts[i] = "SELECT * FROM (SELECT e.at, e.id FROM audit_entries AS e" + w.String() + order + count + ") AS a"
	}
	return "SELECT " + auditColumns + " FROM audit_entries AS e WHERE e.id IN (SELECT u.id FROM (" + strings.Join(parts, " UNION ALL ") +
		") AS u ORDER BY u.at" + direction + ", u.id" + direction + " LIMIT " + count + ")" + order + count, w.args
}

// auditCountQuery counts what auditQuery reads pages of.
func auditCountQuery(scope access.Scope, f audit.Filter, actions []string, begin *position, bound int) (string, []any) {
	const from = " FROM audit_entries AS e"
	w := &where{}
	all := strandsOf(f, actions)
	if all == nil {
		auditConditions(w, scope, f, begin, strand{})
		return countQuery(from, *w, bound)
	}
	if len(all) == 0 {
		return "SELECT 0, 0", nil
	}
	limit := w.arg(bound + 1)
	parts := make([]string, len(all))
	for i, part := range all {
		w.conditions = nil
		auditConditions(w, scope, f, begin, part)
		parts[i] = "SELECT a.matches FROM (SELECT 1 AS matches" + from + w.String() + " LIMIT " + limit + ") AS a"
	}
	union := strings.Join(parts, " UNION ALL ")
	return "SELECT count(*), count(*) FROM (SELECT u.matches FROM (" + union + ") AS u LIMIT " + limit + ") AS counted", w.args
}

func auditConditions(w *where, scope access.Scope, f audit.Filter, begin *position, part strand) {
	// The most selective condition chooses the index: the target, the account, the actor that the
	// scope names, the actor by name, the organization (with an action).
	own := scope.Reach == access.Own
	free := f.Target == "" && f.User == 0
	if f.Target != "" {
		w.text("e.target_key", fold(f.Target), true)
	}
	if part.by != 0 {
		w.number("e.actor_id", part.by, f.Target == "")
	}
	if part.on != 0 { // and not by them, which is the other strand
		w.text("e.target_key", strconv.FormatInt(part.on, 10), f.Target == "")
		w.is("e.target_type = 'user'")
		w.compare("COALESCE(e.actor_id, 0)", "<>", part.on)
	}
	w.scope(scope, columns{"e.organization_id", "e.actor_id"}, nil, f.OrganizationID, free && (own || f.Actor == ""))
	if f.Actor != "" {
		w.text("e.actor_key", fold(f.Actor), free && !own)
	}
	if part.action != "" {
		w.text("e.action", part.action, free && !own && f.Actor == "")
	}
	if f.NoRenewals {
		w.is("e.action <> 'auth.refresh'")
	}
	switch f.Outcome { // literally, for the partial indexes
	case "":
	case audit.Denied:
		w.is("e.outcome = 'denied'")
	case audit.Failure:
		w.is("e.outcome = 'failure'")
	default:
		w.equal("e.outcome", string(f.Outcome))
	}
	if !f.From.IsZero() {
		w.compare("e.at", ">=", micros(f.From))
	}
	if f.UpTo != 0 {
		w.compare("+e.id", "<=", f.UpTo) // must not choose the index
	}
	beyond := " < "
	if f.OldestFirst {
		beyond = " > "
		if !f.To.IsZero() {
			w.compare("e.at", "<", micros(f.To))
		}
	}
	if begin != nil {
		w.is("(e.at, e.id)" + beyond + "(" + w.arg(begin.at) + ", " + w.arg(begin.id) + ")")
	}
}
