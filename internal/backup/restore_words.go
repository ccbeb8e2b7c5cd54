package backup

import (
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
)

// mostNamed limits the names in a warning, and the accounts with a warning of their own.
const mostNamed = 100

// documents names the vault documents that could not be restored.
func documents(paths []string) fault.Sentence {
	n := len(paths)
	if n > mostNamed {
		return fault.Sayf("documents_failed_more", "{documents} documents of the vault could not be restored: {paths} and {more} more",
			fault.Params{"documents": n, "paths": paths[:mostNamed], "more": n - mostNamed})
	}
	return fault.Sayf("documents_failed", "{documents} documents of the vault could not be restored: {paths}",
		fault.Params{"documents": n, "paths": paths})
}

// accounts names the accounts that the restore brought back disabled.
func accounts(r restore.Report) (lines []fault.Sentence) {
	for _, a := range r.Accounts[:min(len(r.Accounts), mostNamed)] {
		lines = append(lines, fault.Sayf("disabled_by_restore", "The account {username} is back, but disabled: it was not there "+
			"before the restore.", fault.Params{"username": a.Username}))
	}
	if more := r.AccountCount - int64(len(lines)); more > 0 {
		lines = append(lines, fault.Sayf("more_disabled_by_restore",
			"{accounts} more accounts are disabled; the People page lists those that a restore has disabled.", fault.Params{"accounts": more}))
	}
	return lines
}

// stays says what keeps its present state, and how to get the backup's instead.
func stays(r restore.Report) (lines []fault.Sentence) {
	for _, k := range []struct {
		kind     restore.Kept
		sentence fault.Sentence
	}{
		{restore.Accounts, fault.Sayf("kept_accounts", "Kept as today: {count} accounts whose username, email, name, role, organization, "+
			"activity or password is not the backup's. A restore gives nobody what they could not do just before.",
			fault.Params{"count": r.Kept[restore.Accounts]})},
		{restore.Organizations, fault.Sayf("kept_organizations", "Kept as today: {count} organizations whose email domains or activity "+
			"are not the backup's. These decide who comes in.", fault.Params{"count": r.Kept[restore.Organizations]})},
		{restore.Tokens, fault.Sayf("kept_tokens", "Kept as today: {count} tokens whose owner, organization or status is not the "+
			"backup's. Whose a token is, is a fact of today.", fault.Params{"count": r.Kept[restore.Tokens]})},
		{restore.SignOn, fault.Say("kept_sign_on", "Kept as today: single sign-on. It decides who comes in.")},
		{restore.PasswordRules, fault.Say("kept_password_rules", "Kept as today: the password rules. They decide what is demanded.")},
		{restore.Mail, fault.Say("kept_mail", "Kept as today: how mail is sent. It decides where messages go.")},
		{restore.Webhooks, fault.Sayf("kept_webhooks", "Kept as today: {count} webhooks that are not the backup's. They decide where "+
			"events go.", fault.Params{"count": r.Kept[restore.Webhooks]})},
	} {
		if r.Kept[k.kind] > 0 {
			lines = append(lines, k.sentence)
		}
	}
	if len(lines) > 0 {
		lines = append(lines, fault.Say("kept_way", "To get these as they are in the backup, restore it onto an empty computer."))
	}
	return lines
}

// details say what was restored, for people.
func (w *restoring) details() []fault.Sentence {
	h := w.archive.Header
	at := h.CreatedAt.UTC().Format(time.RFC3339)
	var restored fault.Sentence
	switch {
	case w.survey == nil:
		restored = fault.Sayf("restored_database", "Restored the database backup of {at}: {rows} records.",
			fault.Params{"at": at, "rows": w.totalRows()})
	case w.scratch == nil:
		restored = fault.Sayf("restored_vault", "Restored the vault backup of {at}: {documents} vault entries.",
			fault.Params{"at": at, "documents": w.survey.Count().Documents})
	default:
		restored = fault.Sayf("restored_full", "Restored the full backup of {at}: {rows} records and {documents} vault entries.",
			fault.Params{"at": at, "rows": w.totalRows(), "documents": w.survey.Count().Documents})
	}
	return append([]fault.Sentence{restored}, w.notes...)
}
