package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/settings"
)

var _ move.NewDatabase = (*DB)(nil)

// PostgresTables names the tables of a server's database, and changes nothing.
func PostgresTables(ctx context.Context, server Server) (tables []string, err error) {
	server = server.withDefaults()
	config, err := server.config()
	if err != nil {
		return nil, err
	}
	pool := server.pool(readingConfig(config, nil), 1, use{reads: true})
	defer func() { err = errors.Join(err, pool.Close()) }()
	tables, err = queryAll(ctx, pool, scanText, postgresTables)
	return tables, asFault("tables", err)
}

// Place is the server's host and the database's name, for people.
func (s Server) Place() string {
	config, err := s.withDefaults().config()
	if err != nil {
		return "PostgreSQL"
	}
	return config.Host + "/" + config.Database
}

// aloneWait is how long the lock may take to become free.
const aloneWait = 10 * time.Second

// Alone implements move.NewDatabase, by the lock of the servers' leader.
func (db *DB) Alone(ctx context.Context, do func(context.Context) error) error {
	conn, err := db.candidate(ctx)
	if err != nil {
		return asFault("alone", err)
	}
	defer db.letGo(conn)
	// A leader that has just ended holds it until the server notices.
	wait, cancel := context.WithTimeout(ctx, aloneWait)
	defer cancel()
	// Never able, so that no leader steps down for a move.
	c := candidate{conn: conn, within: db.leadWithin, unable: func() time.Duration { return 1 }}
	switch err := c.win(wait); {
	case err != nil && wait.Err() != nil && ctx.Err() == nil:
		return move.ErrServed
	case err != nil:
		return asFault("alone", err)
	}
	held, lose := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		lose(c.watch(held))
	}()
	err = do(held)
	cause := context.Cause(held)
	lose(nil)
	<-watched
	if err != nil && cause != nil && ctx.Err() == nil {
		return asFault("alone", cause)
	}
	return err
}

// Begin implements move.NewDatabase: in one serializable transaction.
func (db *DB) Begin(ctx context.Context, tables []string, state settings.Value) error {
	return db.write(ctx, "begin the move", func(ctx context.Context, t *tx) error {
		for _, name := range tables {
			rows, err := queryOne(ctx, t.sql, scanInt, "SELECT count(*) FROM (SELECT 1 FROM "+quoted(name)+" LIMIT 1) AS one")
			if err != nil {
				return err
			}
			if rows > 0 {
				return move.ErrNotEmpty
			}
		}
		return t.writeSetting(ctx, move.StateName, state)
	})
}

// complete refuses the first account of an installation that is being moved here.
func (t *tx) complete(ctx context.Context) error {
	row, err := t.q.Setting(ctx, move.StateName)
	if err != nil {
		if none(err) {
			return nil
		}
		return err
	}
	return move.RefuseState(settings.Value{Text: row.Value})
}

// maxParameters is the most that a statement has: its message has room for 65535.
const maxParameters = 60_000

// InsertRows implements move.NewDatabase.
func (db *DB) InsertRows(ctx context.Context, t move.Table, rows [][]any, clear bool, state settings.Value) error {
	return db.write(ctx, "insert rows", func(ctx context.Context, tx *tx) error {
		if clear {
			if _, err := tx.sql.ExecContext(ctx, "DELETE FROM "+quoted(t.Name)+" WHERE TRUE"); err != nil {
				return err
			}
		}
		if err := tx.run(ctx, tx.announcing()); err != nil { // as every writer of the log does
			return err
		}
		size := max(maxParameters/len(t.Columns), 1)
		for from := 0; from < len(rows); from += size {
			if err := tx.insertRows(ctx, t, rows[from:min(from+size, len(rows))]); err != nil {
				return err
			}
		}
		return tx.writeSetting(ctx, move.StateName, state)
	})
}

func (t *tx) insertRows(ctx context.Context, table move.Table, rows [][]any) error {
	var query strings.Builder
	query.WriteString("INSERT INTO " + quoted(table.Name) + " (" + quotedList(table.Columns) + ") VALUES ")
	var args []any
	for i, row := range rows {
		if i > 0 {
			query.WriteByte(',')
		}
		for j, value := range row {
			args = append(args, value)
			query.WriteByte("(,"[min(j, 1)])
			query.WriteString("$" + strconv.Itoa(len(args)))
		}
		query.WriteByte(')')
	}
	_, err := t.sql.ExecContext(ctx, query.String(), args...)
	return err
}

// RaiseIDs implements move.NewDatabase. A table without ids is left alone.
func (db *DB) RaiseIDs(ctx context.Context, table string, last int64) error {
	return db.write(ctx, "raise ids", func(ctx context.Context, t *tx) error {
		_, err := queryAll(ctx, t.sql, scanInt, `SELECT setval(of.sequence, $2::bigint) FROM
			(SELECT pg_get_serial_sequence($1, 'id')::regclass AS sequence) AS of WHERE of.sequence IS NOT NULL`, quoted(table), last)
		return err
	})
}
