package app_test

import (
	"fmt"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
)

// onSchema returns attacks that change what the tables do.
func onSchema() []attack {
	const (
		first = `CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`
		named = "named, as long as it is there"
	)
	quiet := []string{"trigger quiet on audit_entries"}
	return []attack{
		{
			what: "a trigger that swallows the entries of releases",
			do: func(w *databaseAttacker) {
				w.trigger("BEFORE", "hwkey.secrets_released", "SELECT RAISE(IGNORE);", "RETURN NULL;")
			},
			release: held, sign: untilNoticed, start: altered, verify: quiet, log: named,
		},
		{
			what: "a trigger that deletes them again",
			do: func(w *databaseAttacker) {
				const gone = "DELETE FROM audit_entries WHERE id = NEW.id;"
				w.trigger("AFTER", "hwkey.secrets_released", gone, gone)
			},
			release: held, sign: untilNoticed, start: altered, verify: quiet, log: named,
		},
		{
			what: "a trigger that edits them",
			do: func(w *databaseAttacker) {
				const other = "UPDATE audit_entries SET ip_address = '' WHERE id = NEW.id;"
				w.trigger("AFTER", "hwkey.secrets_released", other, other)
			},
			release: held, sign: untilNoticed, start: altered, verify: quiet, unknown: 1, log: named,
		},
		{
			what: "a trigger on another table, such as people's notices",
			do: func(w *databaseAttacker) {
				if engine.OnPostgres() {
					w.sql(first, "CREATE TRIGGER quiet BEFORE INSERT ON notices FOR EACH ROW EXECUTE FUNCTION quiet()")
					return
				}
				w.sql("CREATE TRIGGER quiet BEFORE INSERT ON notices BEGIN SELECT RAISE(IGNORE); END")
			},
			release: untilNoticed, sign: untilNoticed, start: altered, verify: []string{"trigger quiet on notices"}, log: named,
		},
		{
			what: "a view in the place of a table",
			do: func(w *databaseAttacker) {
				w.sql("ALTER TABLE notices RENAME TO told", "CREATE VIEW notices AS SELECT * FROM told")
			},
			release: untilNoticed, sign: untilNoticed, start: altered, verify: []string{"view in place of the table notices"}, log: named,
		},
		{
			what: "a rule (PostgreSQL) that swallows entries", on: "postgres",
			do:      func(w *databaseAttacker) { w.sql("CREATE RULE quiet AS ON INSERT TO audit_entries DO INSTEAD NOTHING") },
			release: held, sign: untilNoticed,
			start: altered, verify: []string{"rule quiet on audit_entries"}, log: named,
		},
		{
			what: "row security (PostgreSQL) that hides entries", on: "postgres",
			do: func(w *databaseAttacker) {
				w.sql("CREATE POLICY few ON audit_entries USING (action <> 'hwkey.secrets_released')",
					"ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY", "ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY")
			},
			release: untilNoticed, sign: untilNoticed, start: altered, verify: []string{"policy few on audit_entries"}, log: named,
		},
		{
			what: "a unique index that refuses entries of releases",
			do: func(w *databaseAttacker) {
				w.release("a-user", "10000")
				w.sql(fmt.Sprintf("CREATE UNIQUE INDEX once ON audit_entries (action) WHERE action = 'hwkey.secrets_released' AND id >= %d",
					w.number("SELECT max(id) FROM audit_entries")))
			},
			release: nothing, refused: "500 internal", start: unnoticed, verify: []string{"index once is not Keyward's"}, log: named,
		},
		{
			what: "a trigger that swallows the entry of an agent's registration, dropped before the servers look again",
			do: func(w *databaseAttacker) {
				w.trigger("BEFORE", "session.agent_registered", "SELECT RAISE(IGNORE);", "RETURN NULL;")
				w.registers("a-user", w.thief.code())
				w.dropTrigger()
			},
			start: unnoticed, verify: []string{"to an agent key that no entry says was registered with its session"},
			log: "names the releases to that agent",
		},
		{
			what: "a trigger that swallows the entry of a certificate, dropped likewise",
			do: func(w *databaseAttacker) {
				await.That(w.t, "it is not noticed", func() bool {
					w.trigger("BEFORE", "certificate.issued", "SELECT RAISE(IGNORE);", "RETURN NULL;")
					defer w.dropTrigger()
					status, _ := w.certify("a-user", "10000", "9e", "a-user", "swallowed")
					return status == 200
				})
			},
			start: unnoticed, verify: []string{"certificate"}, log: "names the certificate",
		},
		{
			what: "a trigger that swallows the entry of a sign-in, dropped likewise",
			do: func(w *databaseAttacker) {
				w.trigger("BEFORE", "auth.login", "SELECT RAISE(IGNORE);", "RETURN NULL;")
				w.login("b-user", usual)
				w.dropTrigger()
			},
			start: unnoticed, log: "not noticed; what is released in that session is on record",
		},
	}
}

// trigger adds a trigger to the audit log that acts on an action's entries.
func (w *databaseAttacker) trigger(when, action, onSQLite, onPostgres string) {
	w.t.Helper()
	if !engine.OnPostgres() {
		w.sql(fmt.Sprintf("CREATE TRIGGER quiet %s INSERT ON audit_entries WHEN NEW.action = '%s' BEGIN %s END", when, action, onSQLite))
		return
	}
	w.sql("CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN "+onPostgres+" RETURN NULL; END$$",
		fmt.Sprintf("CREATE TRIGGER quiet %s INSERT ON audit_entries FOR EACH ROW WHEN (NEW.action = '%s') EXECUTE FUNCTION quiet()",
			when, action))
}

// dropTrigger also waits until the server has forgotten the trigger, if it had noticed
// it.
func (w *databaseAttacker) dropTrigger() {
	w.t.Helper()
	if engine.OnPostgres() {
		w.sql("DROP TRIGGER quiet ON audit_entries", "DROP FUNCTION quiet")
	} else {
		w.sql("DROP TRIGGER quiet")
	}
	await.That(w.t, "releases go on", func() bool { status, _ := w.release("a-user", "10000"); return status == 200 })
}
