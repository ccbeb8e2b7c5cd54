package store

import (
	"testing"

	"github.com/keyward/keyward/test/must"
)

// ordered are the columns of texts that lists and searches go through in order.
var ordered = []string{
	"audit_entries.action", "audit_entries.reason", "certificates.common_name_key", "certificates.serial_number",
	"hwkeys.firmware_version", "logins.login_key",
}

// TestTextsAreInByteOrder: on PostgreSQL texts sort by bytes, as on SQLite, whatever the language
// of the database, which has one here.
func TestTextsAreInByteOrder(t *testing.T) {
	t.Parallel()
	db := setupPostgres(t)
	languages := must.Get(queryOne(t.Context(), db.read, scanInt,
		"SELECT count(*) FROM pg_database WHERE datname = current_database() AND daticulocale IS NOT NULL"))(t)
	if languages == 0 {
		t.Error("the database sorts as bytes do, so that no test sees what does not ask for it")
	}
	for _, name := range ordered {
		inBytes := must.Get(queryOne(t.Context(), db.read, scanInt, `SELECT count(*) FROM pg_attribute AS a
			JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
			JOIN pg_collation AS o ON o.oid = a.attcollation
			WHERE n.nspname = current_schema() AND c.relname || '.' || a.attname = $1 AND o.collname = 'C'`, name))(t)
		if inBytes != 1 {
			t.Errorf("%s is in the order of the database's language, or is not there", name)
		}
	}
}
