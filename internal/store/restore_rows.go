package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/restore"
)

// takenAtOnce is how many rows one statement copies from file to file: that often progress is
// reported, and the context is checked.
const takenAtOnce = 10_000

// One statement reads the backup's rows beside the database's own: in SQLite from the file itself,
// attached as "backup"; on PostgreSQL from a temporary table, into which a table's rows are copied
// first. So both run the same statements.

var placeNames = regexp.MustCompile(`\{(\w+)\}`)

// text fills in a statement: {users} is the backup's table, {at} the time of the restore.
func (r *restoring) text(statement string) string {
	return placeNames.ReplaceAllStringFunc(statement, func(place string) string {
		name := place[1 : len(place)-1]
		if name == "at" {
			return strconv.FormatInt(micros(r.o.At), 10)
		}
		return r.source(name)
	})
}

// source is the backup's table in a statement.
func (r *restoring) source(table string) string {
	if r.of == onSQLite {
		return "backup." + quoted(table)
	}
	return quoted("restored_" + table)
}

func (r *restoring) exec(ctx context.Context, statement string) (int64, error) {
	result, err := r.sql.ExecContext(ctx, r.text(statement))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// temporary makes a table of a query's rows, for the duration of the transaction.
func (r *restoring) temporary(ctx context.Context, name, query string) error {
	ends := ""
	if r.of == onPostgres {
		ends = " ON COMMIT DROP"
	}
	_, err := r.exec(ctx, "CREATE TEMP TABLE "+quoted(name)+ends+" AS "+query)
	if err == nil && r.of == onPostgres {
		_, err = r.exec(ctx, "ANALYZE "+quoted(name))
	}
	return err
}

// stage puts the backup's table where statements read it.
func (r *restoring) stage(ctx context.Context, table string) error {
	if r.of == onSQLite {
		r.looked(r.table().Backup)
		return nil
	}
	columns := quotedList(r.columns[table])
	name := "restored_" + table
	if err := r.temporary(ctx, name, "SELECT "+columns+" FROM "+quoted(table)+" WHERE FALSE"); err != nil {
		return err
	}
	if _, err := r.copy(ctx, table, name, nil); err != nil {
		return err
	}
	// The planner needs statistics of both; of the database's own it may have none yet.
	_, err := r.exec(ctx, "ANALYZE "+quoted(name)+", "+quoted(table))
	return err
}

// counted restores a table, and records in the report what that did.
func (r *restoring) counted(ctx context.Context, p policy, do func(*restoring, context.Context) error) error {
	count := "SELECT count(*) FROM " + quoted(p.table)
	before, err := queryOne(ctx, r.sql, scanInt, count)
	if err != nil {
		return err
	}
	there, err := queryOne(ctx, r.from.read, scanInt, count)
	if err != nil {
		return err
	}
	r.report.Tables = append(r.report.Tables, restore.Table{Name: p.table, Backup: there})
	if err := do(r, ctx); err != nil {
		return err
	}
	t := r.table()
	t.Kept = before - t.Updated - t.Removed
	return nil
}

// table returns the report of the table that is being restored.
func (r *restoring) table() *restore.Table { return &r.report.Tables[len(r.report.Tables)-1] }

// update and remove run a statement and count its rows.
func (r *restoring) update(ctx context.Context, statement string) error {
	n, err := r.exec(ctx, statement)
	r.table().Updated += n
	return err
}

func (r *restoring) remove(ctx context.Context, statement string) error {
	n, err := r.exec(ctx, statement)
	r.table().Removed += n
	return err
}

// insert adds the backup's rows, named b, that meet a condition; as overrides the values of
// columns. A column mapped to "" is left out.
func (r *restoring) insert(ctx context.Context, table string, as map[string]string, condition string) error {
	columns, values := r.selected(table, as)
	n, err := r.exec(ctx, "INSERT INTO "+quoted(table)+" ("+quotedList(columns)+") SELECT "+values+" FROM {"+table+"} AS b WHERE "+condition)
	r.table().Inserted += n
	return err
}

func (r *restoring) selected(table string, as map[string]string) (columns []string, values string) {
	var list []string
	for _, column := range r.columns[table] {
		value, other := as[column]
		switch {
		case !other:
			value = "b." + quoted(column)
		case value == "":
			continue
		}
		columns, list = append(columns, column), append(list, value)
	}
	return columns, strings.Join(list, ", ")
}

// take inserts all of the backup's rows. SQLite rebuilds the table's indexes after them; on
// PostgreSQL that would block readers of the table.
func (r *restoring) take(ctx context.Context, table string, as map[string]string) error {
	if table == "audit_entries" { // as every writer of the log does
		if err := r.tx.run(ctx, r.announcing()); err != nil {
			return err
		}
	}
	if r.of == onPostgres {
		n, err := r.copy(ctx, table, table, as)
		r.table().Inserted += n
		return err
	}
	indexes, err := takeIndexes(ctx, r.sql, table)
	if err != nil {
		return err
	}
	if err := r.takeRows(ctx, table, as); err != nil {
		return err
	}
	return makeIndexes(ctx, r.sql, indexes)
}

func (r *restoring) takeRows(ctx context.Context, table string, as map[string]string) error {
	for after := int64(0); ; {
		last, err := queryOne(ctx, r.sql, func(row scanner) (last sql.NullInt64, err error) {
			err = row.Scan(&last)
			return last, err
		}, fmt.Sprintf("SELECT max(p.rowid) FROM (SELECT rowid FROM %s WHERE rowid > $1 ORDER BY rowid LIMIT %d) AS p",
			r.source(table), takenAtOnce), after)
		if err != nil || !last.Valid {
			return err
		}
		before := r.table().Inserted
		if err := r.insert(ctx, table, as, fmt.Sprintf("b.rowid > %d AND b.rowid <= %d ORDER BY b.rowid", after, last.Int64)); err != nil {
			return err
		}
		r.looked(r.table().Inserted - before)
		after = last.Int64
	}
}

// raiseIDs ensures that no id is assigned that either side has assigned.
func (r *restoring) raiseIDs(ctx context.Context) error {
	ids, err := r.from.LastIDs(ctx)
	if err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(ids)) {
		if p, ok := policyOf(table); !ok || p.aside || ids[table] == 0 {
			continue
		}
		if err := r.raiseID(ctx, table, ids[table]); err != nil {
			return err
		}
	}
	return nil
}

// raiseID is in the transaction on SQLite. On PostgreSQL ids stay raised after a rollback, like any
// that was assigned; preventing that would block readers of the table.
func (r *restoring) raiseID(ctx context.Context, table string, last int64) error {
	if r.of == onSQLite {
		for _, statement := range []string{
			"INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)",
			"UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1",
		} {
			if _, err := r.sql.ExecContext(ctx, statement, table, last); err != nil {
				return err
			}
		}
		return nil
	}
	sequence, err := queryOne(ctx, r.sql, func(row scanner) (name sql.NullString, err error) {
		err = row.Scan(&name)
		return name, err
	}, "SELECT pg_get_serial_sequence($1, 'id')", quoted(table))
	if err != nil || !sequence.Valid {
		return err
	}
	_, err = r.sql.ExecContext(ctx, "SELECT setval($1::text::regclass, $2::bigint) FROM "+sequence.String+ // quoted by the server
		" WHERE $2::bigint > CASE WHEN is_called THEN last_value ELSE last_value - 1 END", sequence.String, last)
	return err
}
