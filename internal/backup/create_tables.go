package backup

// leftOut are the tables that are in no backup, each with the reason.
var leftOut = map[string]string{
	"backup_jobs":          "tells of this machine's jobs, and stays as it is in a restore",
	"goose_db_version":     "each database's own record of its migrations",
	"schema_compatibility": "made by the migrations: it is about the schema",
	"locks":                "made by the migrations: rows to lock, without content",
	"crl_mark":             "counts what servers of one remote vault carried to it",
	"crl_copies":           "copies of the vault's CRL, which a server fetches anew",
}

// auditTables are the tables of the audit log, which settings can exclude.
var auditTables = map[string]bool{"audit_entries": true, "audit_batches": true}

// included reports whether a backup has a table.
func included(table string, audit bool) bool {
	return leftOut[table] == "" && (audit || !auditTables[table])
}
