package storebench

import (
	"context"
	"database/sql"
	"strings"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
)

var postgres = engine{
	numbers: `WITH k AS (SELECT n, $2::bigint AS organizations, $3::bigint AS users, $4::bigint AS devices, $5::bigint AS releases,
		$6::bigint AS now FROM generate_series(1, $1::bigint) AS n)
		`,
	words: strings.NewReplacer(append(words, "{serial}", "lpad(to_hex(1 + n % 127), 2, '0') || substr(md5(random()::text), 3)")...),
	indexes: `SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index AS i
		WHERE i.indrelid = to_regclass($1) AND NOT EXISTS (SELECT 1 FROM pg_constraint AS c WHERE c.conindid = i.indexrelid)
		ORDER BY i.indexrelid`,
}

// prepare lets a session fill tables quickly: references are not checked, indexes are built in
// memory, and no commit waits for the disk.
const prepare = "SET session_replication_role = replica; SET maintenance_work_mem = '512MB'; SET synchronous_commit = off"

// numbering moves a table's ids past its rows.
const numbering = `SELECT count(setval(pg_get_serial_sequence(c.table_name, 'id'), top)) FROM information_schema.columns AS c,
	LATERAL (SELECT (xpath('/row/top/text()', query_to_xml('SELECT max(id) AS top FROM ' || c.table_name, FALSE, TRUE, '')))[1]::text::bigint
		AS top) AS t
	WHERE c.table_schema = 'public' AND c.column_name = 'id' AND c.is_identity = 'YES' AND top IS NOT NULL`

// FillPostgres brings the schema of the URL's database up to date, adds the rows, and leaves the
// tables as autovacuum would: analyzed, and with the visibility map set. The database must be empty
// and unused; the URL's account must be a superuser.
func FillPostgres(ctx context.Context, url string, size Size) error {
	db, err := store.OpenPostgres(ctx, store.Server{URL: secret.New(url)}, store.Options{})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	return over(ctx, "pgx", url, func(conn *sql.Conn) error {
		if _, err := conn.ExecContext(ctx, prepare); err != nil {
			return err
		}
		if err := postgres.fill(ctx, conn, size); err != nil {
			return err
		}
		for _, then := range []string{numbering, "VACUUM (ANALYZE)", "CHECKPOINT"} {
			if _, err := conn.ExecContext(ctx, then); err != nil {
				return err
			}
		}
		return nil
	})
}
