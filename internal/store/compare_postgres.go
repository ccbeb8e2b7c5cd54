package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// definitionsQuery lists the objects of our tables, $1, in a schema, {schema}; of other objects
// only the name. A temporary table counts as a permanent one.
const definitionsQuery = `
WITH own AS (
    SELECT oid, relname, relpersistence FROM pg_class WHERE relnamespace = {schema} AND relname = ANY($1::text[]) AND relkind = 'r'
)
SELECT 'table ' || relname, replace(relpersistence::text, 't', 'p') FROM own
UNION ALL
SELECT 'column ' || own.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname,
        a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid))
    FROM own JOIN pg_attribute a ON a.attrelid = own.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
UNION ALL
SELECT 'constraint ' || own.relname || '.' || c.conname, pg_get_constraintdef(c.oid) || ' ' || c.convalidated
    FROM own JOIN pg_constraint c ON c.conrelid = own.oid AND c.contype IN ('c', 'f', 'p', 'u', 'x')
UNION ALL
SELECT 'index ' || i.relname, regexp_replace(pg_get_indexdef(i.oid), ' ON \S+ ', ' ON ' || own.relname || ' ') || ' ' || x.indisvalid
    FROM own JOIN pg_index x ON x.indrelid = own.oid JOIN pg_class i ON i.oid = x.indexrelid
UNION ALL
SELECT CASE c.relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'materialized view ' WHEN 'f' THEN 'foreign table ' ELSE 'table ' END
        || c.relname, ''
    FROM pg_class c WHERE c.relnamespace = {schema} AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND c.relname <> ALL($1::text[]) AND c.relname <> 'goose_db_version'
UNION ALL
SELECT 'function ' || p.proname, '' FROM pg_proc p WHERE p.pronamespace = {schema}
UNION ALL
SELECT 'event trigger ' || evtname, '' FROM pg_event_trigger WHERE $2`

// errStandbyCompared: the expected schema is made as temporary tables, which a standby does not
// allow.
var errStandbyCompared = errors.New("a standby cannot make the temporary tables that its schema is compared with: name the primary")

// definitionsPostgres lets the server itself write down what the migrations make, in temporary
// tables that end with their connection.
func (db *DB) definitionsPostgres(ctx context.Context) (expected, found map[string]string, err error) {
	config := db.config.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // several statements at once
	pool := db.server.pool(config, 1, use{parameters: map[string]string{"search_path": "pg_temp"}})
	defer func() { err = errors.Join(err, pool.Close()) }()
	var standby bool
	if err := pool.QueryRowContext(ctx, "SELECT pg_is_in_recovery()").Scan(&standby); err != nil {
		return nil, nil, err
	}
	if standby {
		return nil, nil, errStandbyCompared
	}
	if err := makeSchema(ctx, pool, "migrations/postgres"); err != nil {
		return nil, nil, fmt.Errorf("temporary tables to compare with (the account needs the right to make them): %w", err)
	}
	own := ownTables()[1:] // goose makes its own
	if expected, err = definitionsIn(ctx, pool, "pg_my_temp_schema()", own, false); err != nil {
		return nil, nil, err
	}
	found, err = definitionsIn(ctx, db.read, "(SELECT relnamespace FROM pg_class WHERE oid = to_regclass('goose_db_version'))", own, true)
	return expected, found, err
}

func definitionsIn(ctx context.Context, from querier, schema string, own []string, all bool) (map[string]string, error) {
	return definitionsOf(ctx, from, strings.ReplaceAll(definitionsQuery, "{schema}", schema), own, all)
}
