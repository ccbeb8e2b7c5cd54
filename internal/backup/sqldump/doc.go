// Package sqldump writes and reads a database as portable SQL: what SQLite and
// PostgreSQL take alike, and what a person can read.
//
//	-- Keyward database, schema 7
//	INSERT INTO "organizations" ("created_at", "id", "is_active", "name") VALUES (1767225600000000, 1, TRUE, 'It''s us');
//	…
//	-- Last id of organizations: 17
//	-- End: 12345 rows
//
// A row is a statement of its own on a line of its own (a text may hold more
// lines). A value is NULL, TRUE, FALSE, a whole number of 64 bits or a text in
// single quotes, in which one is doubled; nothing else is special in it, and it has
// no character zero. Tables stand in an order in which every row finds those that it
// refers to, if the caller keeps to one. The last ids are those that a table has ever
// given: that of a row which is gone is not given again.
//
// The reader takes the grammar of docs/backup-format.md: also keywords in any case, names
// without quotes, other white space between words, and a transaction around it all. It
// runs nothing: whoever reads gets names and values, and decides what becomes of them.
// Contract, "Backup and restore".
package sqldump

// Limits of what a reader takes.
const (
	maxName    = 63 // PostgreSQL's
	maxColumns = 200
	maxTables  = 1000
	// MaxText is how many bytes a text has at most. The largest that Keyward keeps
	// is a certificate revocation list.
	MaxText = 1 << 30
	// maxNumber are the digits of a number of 64 bits, with its sign.
	maxNumber = len("-9223372036854775808")
)

// Row is what one statement inserts. Values are int64, string, bool or nil, as
// many as columns.
type Row struct {
	Table   string
	Columns []string // shared by rows that follow each other; nobody changes it
	Values  []any    // good until the next one is read
}
