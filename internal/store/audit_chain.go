package store

import (
	"context"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

const batchColumns = `id, segment, first_id, last_id, entry_count, previous_hash, hash, link, leaves, sealed_at, key_id, signature`

// typed reads columns by their types and remembers the first of another type: SQLite keeps any
// value in any column, so anyone who edits the file could hide a row from an index by its type
// alone.
type typed struct {
	values []any
	dest   []any
	fault  string
}

func newTyped(columns int) *typed {
	t := &typed{values: make([]any, columns), dest: make([]any, columns)}
	for i := range t.values {
		t.dest[i] = &t.values[i]
	}
	return t
}

func (t *typed) scan(row scanner) error {
	t.fault = ""
	return row.Scan(t.dest...)
}

func (t *typed) wrong(column string) {
	if t.fault == "" {
		t.fault = "its " + column + " is of another type"
	}
}

func (t *typed) int(i int, column string) int64 {
	n, ok := t.values[i].(int64)
	if !ok {
		t.wrong(column)
	}
	return n
}

func (t *typed) optional(i int, column string) *int64 {
	if t.values[i] == nil {
		return nil
	}
	n := t.int(i, column)
	return &n
}

func (t *typed) text(i int, column string) string {
	switch v := t.values[i].(type) {
	case string:
		return v
	case []byte:
		t.wrong(column)
		return string(v)
	}
	t.wrong(column)
	return ""
}

func (t *typed) batch(row scanner) (chain.Batch, error) {
	if err := t.scan(row); err != nil {
		return chain.Batch{}, err
	}
	b := chain.Batch{
		ID: t.int(0, "id"), Segment: t.int(1, "segment"), FirstID: t.int(2, "first_id"), LastID: t.int(3, "last_id"),
		Count: t.int(4, "entry_count"), Previous: t.text(5, "previous_hash"), Hash: t.text(6, "hash"), Link: t.text(7, "link"),
		Leaves: t.text(8, "leaves"), SealedAt: moment(t.int(9, "sealed_at")), KeyID: t.text(10, "key_id"), Signature: t.text(11, "signature"),
	}
	b.Fault = t.fault
	return b, nil
}

// row also compares the folded columns, which no entry shows.
func (t *typed) row(row scanner) (chain.Row, error) {
	if err := t.scan(row); err != nil {
		return chain.Row{}, err
	}
	r := chain.Row{Entry: audit.Entry{
		ID: t.int(0, "id"), At: moment(t.int(1, "at")), Action: audit.Action(t.text(2, "action")), Outcome: audit.Outcome(t.text(3, "outcome")),
		ActorID: t.optional(4, "actor_id"), Actor: t.text(5, "actor"), OrganizationID: t.optional(6, "organization_id"),
		TargetType: t.text(7, "target_type"), TargetID: t.text(8, "target_id"), Hostname: t.text(9, "hostname"),
		IPAddress: t.text(10, "ip_address"), RequestID: t.text(11, "request_id"), Reason: t.text(12, "reason"),
		Details: t.text(13, "details"), FileName: t.text(14, "file_name"), BackupType: t.text(15, "backup_type"),
		DurationMS: t.optional(16, "duration_ms"), SizeBytes: t.optional(17, "size_bytes"),
	}}
	actor, target := t.text(18, "actor_key"), t.text(19, "target_key")
	r.Fault = t.fault
	switch {
	case r.Fault != "":
	case actor != fold(r.Actor):
		r.Fault = "its actor_key is not that of its actor"
	case target != fold(r.TargetID):
		r.Fault = "its target_key is not that of its target_id"
	}
	return r, nil
}

// AuditRows implements chain.Store.
func (db *DB) AuditRows(ctx context.Context, from int64, limit int) ([]chain.Row, error) {
	rows, err := queryAll(ctx, db.read, newTyped(20).row, "SELECT "+auditColumns+
		", e.actor_key, e.target_key FROM audit_entries AS e WHERE e.id >= $1 ORDER BY e.id LIMIT $2", from, limit)
	return rows, asFault("audit rows", err)
}

// AuditRowsOf implements intentlog.AuditRows.
func (db *DB) AuditRowsOf(ctx context.Context, ids ...int64) ([]chain.Row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var from querier = inLine{db.reads} // one text per count: not worth caching
	if len(ids) == 1 {
		from = db.read
	}
	w := &where{}
	places := make([]string, len(ids))
	for i, id := range ids {
		places[i] = w.arg(id)
	}
	rows, err := queryAll(ctx, from, newTyped(20).row, "SELECT "+auditColumns+", e.actor_key, e.target_key FROM audit_entries AS e"+
		" WHERE e.id IN ("+strings.Join(places, ", ")+") ORDER BY e.id", w.args...)
	return rows, asFault("audit rows", err)
}

// LastAuditBatch implements chain.Store.
func (db *DB) LastAuditBatch(ctx context.Context) (chain.Batch, error) {
	b, err := lastBatch(ctx, db.read)
	return b, asFault("last audit batch", err)
}

func lastBatch(ctx context.Context, q querier) (chain.Batch, error) {
	b, err := queryOne(ctx, q, newTyped(12).batch, "SELECT "+batchColumns+" FROM audit_batches ORDER BY id DESC LIMIT 1")
	if none(err) {
		err = fault.New(fault.NotFound, "no_seal", "Nothing is sealed yet.")
	}
	return b, err
}

// AuditBatches implements chain.Store.
func (db *DB) AuditBatches(ctx context.Context, after int64, limit int) ([]chain.Batch, error) {
	rows, err := queryAll(ctx, db.read, newTyped(12).batch,
		"SELECT "+batchColumns+" FROM audit_batches WHERE id > $1 ORDER BY id LIMIT $2", after, limit)
	return rows, asFault("audit batches", err)
}

// InsertAuditBatch implements chain.Store. If transactions overlap, the primary key decides between
// two that saw the same last batch.
func (db *DB) InsertAuditBatch(ctx context.Context, last, b chain.Batch) (done bool, err error) {
	err = db.write(ctx, "insert audit batch", func(ctx context.Context, t *tx) error {
		done = false
		present, err := lastBatch(ctx, t.sql)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if present.ID != last.ID || present.Hash != last.Hash {
			return nil
		}
		n, err := t.q.InsertAuditBatch(ctx, sqlcgen.InsertAuditBatchParams{
			ID: b.ID, Segment: b.Segment, FirstID: b.FirstID, LastID: b.LastID, EntryCount: b.Count, PreviousHash: b.Previous,
			Hash: b.Hash, Link: b.Link, Leaves: b.Leaves, SealedAt: micros(b.SealedAt), KeyID: b.KeyID, Signature: b.Signature,
		})
		done = n == 1
		return err
	})
	return done && err == nil, err
}

// UnsealedAudit implements chain.Store.
func (db *DB) UnsealedAudit(ctx context.Context, after int64) (count int64, oldest time.Time, err error) {
	if count, err = db.q().CountAuditAfter(ctx, after); err != nil {
		return 0, time.Time{}, asFault("unsealed audit", err)
	}
	at, err := db.q().AuditTimeAfter(ctx, after)
	if none(err) {
		return count, time.Time{}, nil
	}
	return count, moment(at), asFault("unsealed audit", err)
}

func scanInt(row scanner) (n int64, err error) {
	err = row.Scan(&n)
	return n, err
}

// ReleasesAfter implements intentlog.ReleaseDatabase.
func (db *DB) ReleasesAfter(ctx context.Context, after int64, limit int) ([]int64, error) {
	ids, err := db.q().ReleasesAfter(ctx, sqlcgen.ReleasesAfterParams{After: after, MaxRows: int32(min(limit, 1<<30))})
	return ids, asFault("releases after", err)
}

// RegisteredKeys implements intentlog.ReleaseDatabase.
func (db *DB) RegisteredKeys(ctx context.Context, session int64) ([]string, error) {
	said, err := db.q().RegisteredKeys(ctx, audit.ID(session))
	if err != nil {
		return nil, asFault("registered keys", err)
	}
	keys := make([]string, len(said))
	for i, details := range said {
		_, keys[i], _ = strings.Cut(details, "agent key ")
	}
	return keys, nil
}
