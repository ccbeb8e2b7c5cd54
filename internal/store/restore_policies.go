package store

import (
	"context"
	"slices"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/settings"
)

// policy is what a restore does to a table, with the reason.
type policy struct {
	table string
	why   string
	// merge is what happens over an installation in use; nil: its rows stay as they are, and the
	// backup's are ignored.
	merge func(*restoring, context.Context) error
	// replaced is what happens to the rows of an empty or fresh database.
	replaced replacement
	// aside are tables whose rows do not show that an installation exists.
	aside bool
	// told is likewise for what a failed restore onto an empty machine reports.
	told bool
}

// replacement is what happens to rows of an empty or fresh database.
type replacement int

const (
	keepRows   replacement = iota // they stay, and the backup's are ignored
	clearRows                     // they go, and the backup's are ignored
	fromBackup                    // they go, and the backup's come
)

// policies name every table of the schema, each after those that its rows refer to.
var policies = []policy{
	{table: "goose_db_version", aside: true, why: "the database's own record of its migrations"},
	{table: "schema_compatibility", aside: true, why: "made by the migrations: it is about the schema"},
	{table: "locks", aside: true, why: "made by the migrations: rows to lock, without content"},
	{table: "backup_jobs", aside: true, why: "what this installation did with backups, and the restore itself"},
	{table: "crl_mark", aside: true, why: "counts what the servers of this vault carried to it"},
	{table: "vault_marks", aside: true, why: "how far this vault had come; whoever restores writes them anew at the end"},
	{table: "webhook_cursor", aside: true, why: "a place in this database's log; moved to its end where the log is the backup's"},

	{table: "organizations", replaced: fromBackup, merge: (*restoring).organizations,
		why: "names are configuration; the rest stays: it decides who comes in, and as whom"},
	{table: "users", replaced: fromBackup, merge: (*restoring).users,
		why: "nobody can do more than just before: those that both have stay, those of the backup alone come disabled"},
	{table: "logins", replaced: fromBackup, merge: (*restoring).logins,
		why: "go with the names of the accounts: those of accounts that come are added"},
	{table: "directory_names", replaced: fromBackup, merge: (*restoring).directoryNames,
		why: "as logins: a logon by certificate goes by them"},
	{table: "identities", replaced: fromBackup, merge: (*restoring).identities,
		why: "who a provider's subject is may have been taken back since: only those of accounts that come"},
	{table: "paired_users", replaced: fromBackup, merge: (*restoring).paired, why: "a fact: nobody pairs a first agent twice"},
	{table: "agents", replaced: fromBackup, why: "what is paired may have been removed since"},
	{table: "agent_keys", replaced: fromBackup, why: "go with the agents"},
	{table: "login_attempts", replaced: fromBackup, why: "guesses that were counted stay counted"},

	{table: "refresh_families", replaced: clearRows, merge: (*restoring).families, why: "every session ends"},
	{table: "refresh_tokens", replaced: clearRows, why: "end with their families"},
	{table: "sessions", replaced: clearRows, merge: (*restoring).sessions, why: "every session ends"},
	{table: "invitations", replaced: clearRows, merge: emptied("invitations"), why: "a link that lets somebody in is no use to trust"},
	{table: "oidc_states", replaced: clearRows, merge: emptied("oidc_states"), why: "nobody is on the way to a session"},
	{table: "oidc_codes", replaced: clearRows, merge: emptied("oidc_codes"), why: "nobody is on the way to a session"},
	{table: "api_keys", replaced: fromBackup, merge: (*restoring).keys, why: "kept as a record, and all revoked"},

	{table: "hwkeys", replaced: fromBackup, merge: (*restoring).tokens,
		why: "what describes them is the backup's; whose they are and how they stand is a fact of today"},
	{table: "certificates", replaced: fromBackup, merge: (*restoring).certificates, why: "facts, and no revocation is undone"},
	{table: "unrecorded_revocations", replaced: fromBackup, merge: (*restoring).unrecorded, why: "facts, and no revocation is undone"},
	{table: "crl_copies", replaced: clearRows, aside: true, why: "copies of this CA's list, made again by the next server"},

	{table: "release_windows", replaced: clearRows, why: "whoever has used up a limit has used it up"},
	{table: "release_limits", replaced: clearRows, why: "the same"},

	{table: "audit_entries", replaced: fromBackup, merge: (*restoring).history, told: true,
		why: "a log has one history: the backup's only where there is none"},
	{table: "audit_batches", replaced: fromBackup, merge: (*restoring).seals, why: "go with the entries"},
	{table: "notices", replaced: fromBackup, merge: (*restoring).notices, told: true,
		why: "told to people once: the backup's only where there are none"},
	{table: "mail_outbox", replaced: fromBackup,
		why: "told to people once: the backup's only onto a bare machine, as a record, and nothing of it is sent"},
	{table: "license_history", replaced: fromBackup, merge: (*restoring).licenseHistory,
		why: "what people did here with the license: the backup's only where there is nothing"},
	{table: "webhooks", replaced: fromBackup, merge: (*restoring).webhooks,
		why: "where they send to is decided today: those that both have stay, those of the backup alone come turned off"},
	{table: "webhook_deliveries", replaced: clearRows, why: "what was sent is not sent again"},
	{table: "settings", merge: (*restoring).settings, why: "each has its own policy: see settingPolicies"},
}

// settingPolicies name settings by prefix, each with the reason why it comes from the backup,
// except over an installation in use, or stays.
var settingPolicies = []struct {
	name  string
	why   string
	comes bool
}{
	{"oidc", "configuration, which decides today who comes in", true},
	{settings.ViewSettings, "names for how people look at lists, and nothing more", true},
	{"password_policy", "configuration, which decides today what is demanded", true},
	{"mail_standing", "how it stands with the SMTP server today", false},
	{"mail", "configuration; switched off where it is not what it was before", true},
	{restore.InstallationSetting, "says whose vault this is; a bare machine becomes the backup's", false},
	{tailSettings, "a place in the log: it comes where the log does", false},
	{"move", "about this database", false},
	{"vault_older", "what was found about this vault", false},
	{"database_older_by", "what was found about this database", false},
	{"restore_unfinished", "about a restore of this database", false},
	{"backup", "where the backups are, and what is known of them", false},
	{"told_", "what people were told of this database", false},
	{"license", "when the trial of this installation began, how far its clock had come, and what was told", false},
}

func policyOf(table string) (policy, bool) {
	i := slices.IndexFunc(policies, func(p policy) bool { return p.table == table })
	if i < 0 {
		return policy{}, false
	}
	return policies[i], true
}

// merge restores over an installation in use.
func (r *restoring) merge(ctx context.Context) error {
	for _, p := range policies {
		if p.merge != nil {
			if err := r.counted(ctx, p, p.merge); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace restores over an empty or fresh database.
func (r *restoring) replace(ctx context.Context) error {
	log, err := any1(ctx, r.from.read, "audit_entries")
	if err != nil {
		return err
	}
	goes := func(p policy) bool {
		if p.table == "audit_entries" || p.table == "audit_batches" {
			return log // a backup without entries was made without the log
		}
		return p.replaced != keepRows
	}
	for _, p := range slices.Backward(policies) {
		if goes(p) {
			if _, err := r.exec(ctx, "DELETE FROM "+quoted(p.table)+" WHERE TRUE"); err != nil {
				return err
			}
		}
	}
	for _, p := range policies {
		if p.replaced == fromBackup && goes(p) {
			err = r.counted(ctx, p, func(r *restoring, ctx context.Context) error { return r.take(ctx, p.table, asTaken[p.table]) })
		} else if p.table == "settings" {
			err = r.counted(ctx, p, (*restoring).settings)
		}
		if err != nil {
			return err
		}
	}
	admins, err := queryOne(ctx, r.sql, scanInt, "SELECT count(*) FROM users WHERE role = 'global_admin' AND is_active = TRUE")
	if err != nil {
		return err
	}
	if admins == 0 { // better than nothing
		r.warn(fault.Say("no_administrator", "No global administrator in the backup can sign in: create one with keyward admin create-admin."))
	}
	if log {
		return r.endOfLog(ctx)
	}
	return nil
}

// asTaken are columns for which an empty or fresh database gets other values than the backup's, in
// SQLite's SQL.
var asTaken = map[string]map[string]string{
	"api_keys":               {"revoked_at": "COALESCE(b.revoked_at, {at})"},
	"hwkeys":                 {"secrets_counter": "0"}, // unknown: the documents are written afterwards
	"certificates":           {"published_at": "CASE WHEN b.status = 'revoked' AND b.not_after > {at} THEN NULL ELSE b.published_at END"},
	"unrecorded_revocations": {"published_at": "NULL"},
	"webhooks":               {"lease_until": "0"},
	"mail_outbox": {
		"status":          "CASE WHEN b.status = 'pending' THEN 'dropped' ELSE b.status END",
		"ended_at":        "COALESCE(b.ended_at, {at})",
		"next_attempt_at": "NULL", "claimed_until": "0",
	},
}

// endOfLog moves the positions of the log's followers past what came with the backup.
func (r *restoring) endOfLog(ctx context.Context) error {
	for _, text := range []string{
		"UPDATE webhook_cursor SET audit_id = (SELECT COALESCE(max(e.id), 0) FROM audit_entries AS e)",
		"UPDATE webhooks SET after_audit_id = (SELECT COALESCE(max(e.id), 0) FROM audit_entries AS e)",
	} {
		if _, err := r.exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
