// Package sqldump writes and reads a database as portable SQL, accepted by SQLite
// and PostgreSQL alike, and readable for people.
//
//	-- Keyward database, schema 7
//	INSERT INTO "organizations" ("created_at", "id", "is_active", "name") VALUES (1767225600000000, 1, TRUE, 'It''s us');
//	…
//	-- Last id of organizations: 17
//	-- End: 12345 rows
//
// Each row is one statement, starting on a new line (a text may have line breaks). A
// value is NULL, TRUE, FALSE, a 64-bit integer or a text in single quotes, which are
// doubled inside; nothing else is escaped, and NUL is not allowed. Tables are in an
// order in which every row follows those it refers to, if the caller keeps such an
// order. The last ids are the highest ever assigned: the id of a deleted row is not reused.
//
// The reader accepts the grammar of docs/backup-format.md: also keywords in any
// case, unquoted names, other white space between words, and a surrounding
// transaction. It executes nothing: the caller gets names and values, and decides
// what to do with them. Contract, "Backup and restore".
package sqldump

// Limits of the reader.
const (
	maxName    = 63 // PostgreSQL's
	maxColumns = 200
	maxTables  = 1000
	// MaxText is the maximum length of a text in bytes. Keyward's largest is a
	// certificate revocation list.
	MaxText = 1 << 30
	// maxNumber is the length of a 64-bit number with its sign.
	maxNumber = len("-9223372036854775808")
)

// Row is what one statement inserts. Values are int64, string, bool or nil, one per column.
type Row struct {
	Table   string
	Columns []string // shared by consecutive rows; read-only
	Values  []any    // valid until the next row is read
}
