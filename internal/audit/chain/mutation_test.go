package chain_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/test/must"
)

// Every column of the two tables, and how an attacker changes it. New columns must
// be added: TestColumnsAreComplete.
var (
	entryColumns = map[string]string{
		"at": "at + 1", "action": "action || 'x'", "outcome": "'failure'", "actor_id": "COALESCE(actor_id, 0) + 1", "actor": "actor || ' '",
		"actor_key": "'somebody'", "organization_id": "COALESCE(organization_id, 0) + 1", "target_type": "''", "target_id": "target_id || '0'",
		"target_key": "''", "hostname": "hostname || 'x'", "ip_address": "'192.0.2.2'", "request_id": "''",
		"reason": "reason || 'x'", "details": "details || 'x'",
		"file_name": "''", "backup_type": "'vault'", "duration_ms": "NULL", "size_bytes": "COALESCE(size_bytes, 0) + 1",
	}
	// An index does not find a value of another type.
	retyped = []string{"action", "outcome", "actor", "actor_key", "target_type", "target_id", "target_key", "hostname", "ip_address"}

	batchColumns = map[string]string{
		"segment": "segment + 1", "first_id": "first_id + 1", "last_id": "last_id - 1", "entry_count": "entry_count - 1",
		"previous_hash": "hash", "hash": "previous_hash", "link": "'x'", "leaves": "'zz' || substr(leaves, 3)", "sealed_at": "sealed_at + 1",
		"key_id": "'0'", "signature": "'zz' || substr(signature, 3)", "id": "id + 1000",
	}
)

func TestColumnsAreComplete(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for table, known := range map[string]map[string]string{"audit_entries": entryColumns, "audit_batches": batchColumns} {
		rows := must.Get(w.raw.QueryContext(t.Context(), "SELECT name FROM pragma_table_info('"+table+"')"))(t)
		defer rows.Close()
		for rows.Next() {
			var name string
			must.OK(t, rows.Scan(&name))
			if known[name] == "" && (table != "audit_entries" || name != "id") {
				t.Errorf("there is no mutation of %s.%s", table, name)
			}
		}
		must.OK(t, rows.Err())
	}
}

// sample is a sealed log whose rows can be restored after each mutation.
type sample struct {
	*world

	ids     []int64   // of the sealed entries
	lasts   []int64   // the last id of each batch
	gaps    []int64   // IDs between them without an entry
	mutated int       // number of mutations tried
	batches [][]int64 // the IDs of each batch
}

func newSample(t *testing.T) *sample {
	t.Helper()
	s := &sample{world: setup(t)}
	s.raw.SetMaxOpenConns(1)
	next := int64(1)
	for _, n := range []int{4, 1, 4, 2} {
		s.append(n)
		gap := next + int64(n)/2
		if n > 3 { // like a rolled-back transaction on some engines
			s.tamper("DELETE FROM audit_entries WHERE id = $1", gap)
			s.gaps = append(s.gaps, gap)
		}
		var ids []int64
		for ; n > 0; n-- {
			if len(s.gaps) == 0 || next != s.gaps[len(s.gaps)-1] {
				ids = append(ids, next)
			}
			next++
		}
		s.seal()
		s.ids, s.batches, s.lasts = append(s.ids, ids...), append(s.batches, ids), append(s.lasts, next-1)
	}
	s.append(2) // not sealed yet
	r := s.good()
	if r.Entries != int64(len(s.ids)) || r.Batches != 4 || r.Unsealed != 2 || r.Absent != int64(len(s.gaps)) ||
		r.FirstAbsent != slices.Min(s.gaps) {
		t.Fatalf("the sample: %+v", r)
	}
	s.tamper("CREATE TABLE kept_entries AS SELECT * FROM audit_entries")
	s.tamper("CREATE TABLE kept_batches AS SELECT * FROM audit_batches")
	return s
}

// found runs statements, demands that entry is named as the first bad one, and undoes them.
func (s *sample) found(entry int64, name string, statements ...string) {
	s.t.Helper()
	for _, text := range statements {
		s.tamper(text)
	}
	_, err := s.verify()
	if b, ok := errors.AsType[*chain.Bad](err); !ok || b.Entry != entry {
		s.t.Errorf("%s: %v, want entry %d to be named", name, err, entry)
	}
	for _, kind := range []string{"entries", "batches"} {
		s.tamper("DELETE FROM audit_" + kind)
		s.tamper("INSERT INTO audit_" + kind + " SELECT * FROM kept_" + kind)
	}
	s.mutated++
}

const otherColumns = `at, action, outcome, actor_id, actor, actor_key, organization_id, target_type, target_id, target_key,
	hostname, ip_address, request_id, reason, details, file_name, backup_type, duration_ms, size_bytes`

// TestEveryMutationOfEntriesIsFound: every edited field of each row, and each row
// deleted, inserted, moved, or swapped, names the first bad entry.
func TestEveryMutationOfEntriesIsFound(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	for i, id := range s.ids {
		for column, value := range entryColumns {
			s.found(id, fmt.Sprint("edited ", column, " of ", id), fmt.Sprintf("UPDATE audit_entries SET %s = %s WHERE id = %d", column, value, id))
		}
		for _, column := range retyped {
			s.found(id, fmt.Sprint("retyped ", column, " of ", id),
				fmt.Sprintf("UPDATE audit_entries SET %s = CAST(%s AS BLOB) WHERE id = %d", column, column, id))
		}
		s.found(id, fmt.Sprint("deleted ", id), fmt.Sprintf("DELETE FROM audit_entries WHERE id = %d", id))
		s.found(id, fmt.Sprint("cut from ", id), fmt.Sprintf("DELETE FROM audit_entries WHERE id >= %d", id))
		for _, gap := range s.gaps {
			s.found(min(id, gap), fmt.Sprint("moved ", id, " to ", gap), fmt.Sprintf("UPDATE audit_entries SET id = %d WHERE id = %d", gap, id))
		}
		for _, other := range s.ids[i+1:] {
			s.found(id, fmt.Sprint("swapped ", id, " and ", other), fmt.Sprintf("UPDATE audit_entries SET id = -5 WHERE id = %d", id),
				fmt.Sprintf("UPDATE audit_entries SET id = %d WHERE id = %d", id,
					other), fmt.Sprintf("UPDATE audit_entries SET id = %d WHERE id = -5", other))
		}
	}
	for _, id := range append([]int64{math.MinInt64, -1, 0}, s.gaps...) {
		s.found(id, fmt.Sprint("inserted ", id),
			fmt.Sprintf("INSERT INTO audit_entries (id, %s) SELECT %d, %s FROM audit_entries WHERE id = 2", otherColumns, id, otherColumns))
	}
	s.found(1, "all entries deleted", "DELETE FROM audit_entries")
	if s.mutated < 300 {
		t.Errorf("only %d mutations", s.mutated)
	}
	s.good()
}

// TestEveryMutationOfBatchesIsFound: the same for the rows of the chain.
func TestEveryMutationOfBatchesIsFound(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	from := int64(1) // the first ID not covered yet
	for i, last := range s.lasts {
		batch := i + 1
		for column, value := range batchColumns {
			s.found(from, fmt.Sprint("edited ", column, " of batch ", batch),
				fmt.Sprintf("UPDATE audit_batches SET %s = %s WHERE id = %d", column, value, batch))
			s.found(from, fmt.Sprint("retyped ", column, " of batch ", batch),
				fmt.Sprintf("UPDATE audit_batches SET %s = CAST(%s AS BLOB) WHERE id = %d", column, column, batch))
		}
		s.found(from, fmt.Sprint("deleted batch ", batch), fmt.Sprintf("DELETE FROM audit_batches WHERE id = %d", batch))
		s.found(from, fmt.Sprint("deleted batches from ", batch), fmt.Sprintf("DELETE FROM audit_batches WHERE id >= %d", batch))
		s.found(from, fmt.Sprint("cut with its batches from ", batch), fmt.Sprintf("DELETE FROM audit_entries WHERE id >= %d", from),
			fmt.Sprintf("DELETE FROM audit_batches WHERE id >= %d", batch))
		s.found(from, fmt.Sprint("deleted batch with its entries ", batch),
			fmt.Sprintf("DELETE FROM audit_entries WHERE id BETWEEN %d AND %d", from, last),
			fmt.Sprintf("DELETE FROM audit_batches WHERE id = %d", batch))
		for other := batch + 1; other <= len(s.lasts); other++ {
			s.found(from, fmt.Sprint("swapped batches ", batch, " and ", other),
				fmt.Sprintf("UPDATE audit_batches SET id = -5 WHERE id = %d", batch),
				fmt.Sprintf("UPDATE audit_batches SET id = %d WHERE id = %d", batch,
					other), fmt.Sprintf("UPDATE audit_batches SET id = %d WHERE id = -5", other))
		}
		s.found(from, fmt.Sprint("a batch before ", batch),
			fmt.Sprintf("INSERT INTO audit_batches SELECT %d - 0.5, segment, first_id, last_id, entry_count, previous_hash, hash, link, "+
				"leaves, sealed_at, key_id, signature FROM audit_batches WHERE id = %d", batch, batch))
		from = last + 1
	}
	s.found(from, "a batch of one's own at the end",
		fmt.Sprintf("INSERT INTO audit_batches SELECT id + 1, segment, last_id + 1, last_id + 2, 2, hash, hash, link, leaves, sealed_at, "+
			"key_id, signature FROM audit_batches WHERE id = %d", len(s.lasts)))
	s.good()
}

// TestForgedChain: someone who can write anything in the database and knows all of
// this still has no key.
func TestForgedChain(t *testing.T) {
	t.Parallel()
	s := newSample(t)
	other := setup(t)
	s.tamper("UPDATE audit_entries SET details = 'nothing happened' WHERE id = 6")
	s.tamper("DELETE FROM audit_batches WHERE id > 1")
	if err := s.newSealer(s.db, s.vault).Run(t.Context()); err == nil {
		t.Error("the sealer goes on over a cut")
	}
	if b := s.bad(); b.Entry != s.lasts[0]+1 {
		t.Errorf("a cut: %v", b)
	}
	s.tamper("DELETE FROM audit_batches")
	must.OK(t, s.newSealer(s.db, other.vault).Run(t.Context()))
	if b := s.bad(); b.Entry != 1 || b.Batch != 1 {
		t.Errorf("a chain with another key: %v", b)
	}
}
