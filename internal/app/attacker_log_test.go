package app_test

import (
	"fmt"

	"github.com/keyward/keyward/test/engine"
)

// onLog returns attacks on the rows of the audit log and its seals.
func onLog() []attack {
	newest := func(action string) string {
		return "id = (SELECT max(id) FROM audit_entries WHERE action = '" + action + "')"
	}
	sealed := func(statements ...string) func(*databaseAttacker) {
		return func(w *databaseAttacker) { w.sql(statements...) }
	}
	const first = "names the first such entry"
	gap := []string{"first missing entry"}
	if engine.OnPostgres() { // where a rollback consumes ids
		gap = nil
	}
	return []attack{
		{
			what: "the entry of a release deleted before it is sealed",
			do: func(w *databaseAttacker) {
				w.unsealed(func() { w.release("a-user", "10000") }, "DELETE FROM audit_entries WHERE "+newest("hwkey.secrets_released"))
				w.idsBack()
			},
			start: older, verify: []string{"token 10000: entry"}, log: "names token and entry",
		},
		{
			what: "the entry of a release edited before it is sealed",
			do: func(w *databaseAttacker) {
				w.unsealed(func() { w.release("a-user", "10000") },
					"UPDATE audit_entries SET ip_address = '192.0.2.1' WHERE "+newest("hwkey.secrets_released"))
			},
			start: older, verify: []string{"token 10000: entry"}, log: "names token and entry",
		},
		{
			what: "the entry of a certificate deleted before it is sealed",
			do: func(w *databaseAttacker) {
				n := 0
				w.unsealed(func() {
					n++
					w.certify("a-user", "10000", "9e", "a-user", fmt.Sprint("deleted ", n))
				}, "DELETE FROM audit_entries WHERE "+newest("certificate.issued"))
				w.idsBack()
			},
			start: unnoticed, verify: []string{"certificate"}, log: "names the certificate",
		},
		{
			what: "the entry of a certificate edited before it is sealed",
			do: func(w *databaseAttacker) {
				n := 0
				w.unsealed(func() {
					n++
					w.certify("a-user", "10000", "9e", "a-user", fmt.Sprint("edited ", n))
				}, "UPDATE audit_entries SET actor_id = actor_id + 1 WHERE "+newest("certificate.issued"))
			},
			start: unnoticed, verify: []string{"differs from what was written"}, log: "names the certificate",
		},
		{
			what:  "a sealed entry edited",
			do:    sealed("UPDATE audit_entries SET actor = 'a-user', actor_key = 'a-user' WHERE id = 3"),
			start: unnoticed, verify: []string{"first bad entry: 3 ", "its content is not what was sealed"}, log: first,
		},
		{
			what: "a sealed entry deleted", do: sealed("DELETE FROM audit_entries WHERE id = 3"),
			start: unnoticed, verify: []string{"first bad entry: 3 ", "it was removed"}, log: first,
		},
		{
			what: "the IDs of sealed entries changed",
			do: sealed("UPDATE audit_entries SET id = -1 WHERE id = 3", "UPDATE audit_entries SET id = 3 WHERE id = 4",
				"UPDATE audit_entries SET id = 4 WHERE id = -1"),
			start: unnoticed, verify: []string{"first bad entry: 3 "}, log: first,
		},
		{
			what: "a fake entry among sealed ones", do: func(w *databaseAttacker) { w.madeUp("auth.login", "", 0) },
			start: unnoticed, verify: []string{"first bad entry: 0 ", "it was inserted"}, log: first,
		},
		{
			what:  "a seal edited",
			do:    sealed("UPDATE audit_batches SET entry_count = entry_count + 1 WHERE id = 1"),
			start: unnoticed, verify: []string{"batch 1", "was changed"}, log: "names the first such seal",
		},
		{
			what:  "the newest seals deleted",
			do:    sealed("DELETE FROM audit_batches WHERE id > 1"),
			start: older, verify: []string{"first bad entry"}, log: "names the first entry without its seal",
		},
		{
			what:  "the whole log deleted, with its seals",
			do:    sealed("DELETE FROM audit_batches", "DELETE FROM audit_entries"),
			start: older, verify: []string{"first bad entry", "token 10000: entry"}, log: "names that, and each release",
		},
		{
			what: "the entry of a sign-in deleted before it is sealed",
			do: func(w *databaseAttacker) {
				w.unsealed(func() { w.login("b-user", usual) }, "DELETE FROM audit_entries WHERE "+newest("auth.login"))
			},
			start: unnoticed, verify: gap, log: "SQLite: names the gap; PostgreSQL: not noticed",
		},
		{
			what: "the newest entries deleted before they are sealed, and the next ids set back",
			do: func(w *databaseAttacker) {
				w.unsealed(func() { w.login("b-user", usual) }, "DELETE FROM audit_entries WHERE action IN ('auth.login', 'session.created')")
				w.idsBack()
			},
			start: unnoticed, log: "not noticed, unless one is of a release",
		},
		{
			what: "a fake entry added before sealing",
			do: func(w *databaseAttacker) {
				w.madeUp("auth.login", "")
				w.madeUp("hwkey.secrets_released", "fields pin")
			},
			start: unnoticed, unknown: 1, log: "not noticed; one of a release is listed among those that only the database has",
		},
	}
}

// idsBack gives the next entry the id after the last one present.
func (w *databaseAttacker) idsBack() {
	w.t.Helper()
	if engine.OnPostgres() {
		w.sql("SELECT setval(pg_get_serial_sequence('audit_entries', 'id'), (SELECT max(id) FROM audit_entries))")
		return
	}
	w.sql("UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM audit_entries) WHERE name = 'audit_entries'")
}

// madeUp writes an entry in the name of a-user, about their session.
func (w *databaseAttacker) madeUp(action, details string, id ...int) {
	w.t.Helper()
	columns, values := "", ""
	if len(id) > 0 {
		columns, values = "id, ", fmt.Sprint(id[0], ", ")
	}
	session := fmt.Sprint(w.sessions["a-user"])
	w.execute("INSERT INTO audit_entries ("+columns+`at, action, outcome, actor, actor_key, target_type, target_id, target_key,
		hostname, ip_address, request_id, reason, details, file_name, backup_type) SELECT `+values+
		`at, ?, 'success', 'a-user', 'a-user', 'session', ?, ?, '', '', '', '', ?, '', '' FROM audit_entries WHERE id = 1`,
		action, session, session, details)
}
