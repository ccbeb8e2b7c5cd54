package backup

import (
	"time"

	"github.com/keyward/keyward/internal/backup/union"
	"github.com/keyward/keyward/internal/fault"
)

// mostNamed is how many names a warning has, and how many accounts have one of their own.
const mostNamed = 100

// documents tells which of the vault could not be restored.
func documents(paths []string) fault.Sentence {
	n := len(paths)
	if n > mostNamed {
		return fault.Sayf("documents_failed_more", "{documents} documents of the vault could not be restored: {paths} and {more} more",
			fault.Params{"documents": n, "paths": paths[:mostNamed], "more": n - mostNamed})
	}
	return fault.Sayf("documents_failed", "{documents} documents of the vault could not be restored: {paths}",
		fault.Params{"documents": n, "paths": paths})
}

// whyDisabled says why an account is disabled after a restore.
var whyDisabled = map[union.Why]fault.Sentence{
	union.Disabled: fault.Say("disabled_since", "it was disabled since the backup"),
	union.Inactive: fault.Say("disabled_before", "it is disabled in the backup"),
	union.Demoted:  fault.Say("demoted_since", "its role was lowered since the backup"),
	union.Moved:    fault.Say("moved_since", "it moved to another organization since the backup"),
	union.Absent:   fault.Say("absent_before", "it was not there just before"),
}

// accounts tells whom the restore has left disabled, and why.
func accounts(r union.Report) (lines []fault.Sentence) {
	for _, a := range r.Accounts[:min(len(r.Accounts), mostNamed)] {
		lines = append(lines, fault.Sayf("disabled_by_restore", "The account {username} is disabled: {why}.",
			fault.Params{"username": a.Username, "why": whyDisabled[a.Why]}))
	}
	if more := r.AccountCount - int64(len(lines)); more > 0 {
		lines = append(lines, fault.Sayf("more_disabled_by_restore",
			"{accounts} more accounts are disabled; the People page lists those that a restore has disabled.", fault.Params{"accounts": more}))
	}
	return lines
}

// details are counts, for people.
func (w *restoring) details() []fault.Sentence {
	h := w.archive.Header
	list := []fault.Sentence{fault.Sayf("restored", "a {type} backup of {at}",
		fault.Params{"type": string(h.Type), "at": h.CreatedAt.UTC().Format(time.RFC3339)})}
	if w.scratch != nil {
		list = append(list, fault.Sayf("restored_rows", "{rows} rows", fault.Params{"rows": w.totalRows()}))
	}
	if w.survey != nil {
		list = append(list, fault.Sayf("restored_documents", "{documents} documents of the vault",
			fault.Params{"documents": w.survey.Count().Documents}))
	}
	return append(list, w.notes...)
}
