package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/audit"
)

// strand is a part of a list that an index finds: the entries of an action, what a person did or had
// done to them, and what a token's certificates have of it. No entry is in two of them.
type strand struct {
	actions []string // nil: any
	by      int64    // an account
	on      func(w *where, f audit.Filter)
}

// strandsOf gives the parts of a list; nil when it is one. No action: nothing fits.
func strandsOf(f audit.Filter, actions []string, had []period) []strand {
	parts := []strand{}
	switch {
	case actions != nil && len(actions) == 0:
	case f.User != 0:
		parts = append(parts, strand{actions, f.User, nil}, strand{actions, 0, onAccount}, strand{actions, 0, onSessions},
			strand{actions, 0, onCertificates})
		if len(had) > 0 {
			parts = append(parts, strand{actions, 0, onTokens})
		}
	case f.Target != "":
		parts = append(parts, strand{actions, 0, onTarget}, strand{actions, 0, onItsCertificates})
	case actions == nil:
		return nil
	default:
		for _, action := range actions {
			parts = append(parts, strand{actions: []string{action}})
		}
	}
	return parts
}

// ofToken selects the certificates of the token with that serial.
func ofToken(serial string) string {
	return "SELECT c.serial_number FROM certificates AS c JOIN hwkeys AS h ON h.id = c.hwkey_id WHERE h.serial_key = " + serial
}

func onTarget(w *where, f audit.Filter) { w.text("e.target_key", fold(f.Target), true) }

func onItsCertificates(w *where, f audit.Filter) {
	serial := w.arg(fold(f.Target))
	w.is("e.target_key IN (" + ofToken(serial) + ")")
	w.is("e.target_key <> " + serial)
	w.is("e.target_type = 'certificate'")
}

// onEither is both of these in one strand, and chooses the index.
func onEither(w *where, f audit.Filter) {
	serial := w.arg(fold(f.Target))
	w.is("e.target_key IN (SELECT CAST(" + serial + " AS TEXT) UNION ALL " + ofToken(serial) + ")")
	w.is("(e.target_key = " + serial + " OR e.target_type = 'certificate')")
}

// byOthers: what somebody did to themselves is in the strand of what they did.
func byOthers(w *where, f audit.Filter) { w.compare("COALESCE(e.actor_id, 0)", "<>", f.User) }

func onAccount(w *where, f audit.Filter) {
	w.text("e.target_key", strconv.FormatInt(f.User, 10), f.Target == "")
	w.is("e.target_type = 'user'")
	byOthers(w, f)
}

// onSessions knows them by the log: a session's row goes a day after its end.
func onSessions(w *where, f audit.Filter) {
	w.is("e.target_key IN (SELECT s.target_key FROM audit_entries AS s WHERE s.actor_id = " + w.arg(f.User) +
		" AND COALESCE(s.action, '') = '" + string(audit.SessionCreated) + "')")
	w.is("e.target_type = 'session'")
	byOthers(w, f)
}

func onCertificates(w *where, f audit.Filter) {
	w.is("e.target_key IN (SELECT c.serial_number FROM certificates AS c WHERE c.owner_id = " + w.arg(f.User) + ")")
	w.is("e.target_type = 'certificate'")
	byOthers(w, f)
}

// onTokens: those of a person, while they were theirs.
func onTokens(w *where, f audit.Filter) {
	w.is("e.target_key IN (SELECT h.token FROM had AS h)")
	w.is("EXISTS (SELECT 1 FROM had AS h WHERE h.token = e.target_key AND e.id BETWEEN h.gained AND h.lost)")
	w.is("e.target_type = 'hwkey'")
	byOthers(w, f)
}

// period is when somebody had a token: from the entry that gave it to them to the one that took it away.
type period struct {
	token        string
	gained, lost int64
}

// maxPeriods is how many of them a statement takes, the newest: three arguments each, of SQLite's 32,766.
const maxPeriods = 5_000

// withPeriods names them "had", for onTokens.
func withPeriods(w *where, had []period) string {
	if len(had) == 0 {
		return ""
	}
	rows := make([]string, len(had))
	for i, p := range had {
		rows[i] = "(CAST(" + w.arg(p.token) + " AS TEXT), CAST(" + w.arg(p.gained) + " AS BIGINT), CAST(" +
			w.arg(p.lost) + " AS BIGINT))"
	}
	return "WITH had (token, gained, lost) AS (VALUES " + strings.Join(rows, ", ") + ") "
}

// had finds the tokens of an account. Entries say the owner's name of that time; the present owner, who
// may have another now, is known by the token itself, and a former one must have had an account then.
func (db *DB) had(ctx context.Context, user int64) ([]period, error) {
	if user == 0 {
		return nil, nil
	}
	all, err := db.q().HandOvers(ctx, user)
	if err != nil {
		return nil, err
	}
	var periods []period
	for i, r := range all {
		lost := int64(math.MaxInt64)
		last := i+1 == len(all) || all[i+1].SerialKey != r.SerialKey
		if !last {
			lost = all[i+1].ID
		}
		words, _, _ := strings.Cut(r.Details, ";")
		named := words == "owner is now "+r.Username || words == "assigned to "+r.Username
		if last && r.OwnerID != nil && *r.OwnerID == user || named && r.At >= r.CreatedAt {
			periods = append(periods, period{r.SerialKey, r.ID, lost})
		}
	}
	slices.SortFunc(periods, func(a, b period) int { return cmp.Compare(a.gained, b.gained) })
	return periods[max(0, len(periods)-maxPeriods):], nil
}
