package store

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/audit"
)

// strand is a part of a list that an index finds: the entries of an action, what a person did or had
// done to them, and what a token's certificates have of it. No entry is in two of them.
type strand struct {
	action string
	by     int64 // an account
	on     func(w *where, f audit.Filter)
}

// strandsOf gives the parts of a list; nil when it is one. No action: nothing fits.
func strandsOf(f audit.Filter, actions []string, had []period) []strand {
	parts := []strand{{}}
	switch {
	case f.User != 0:
		parts = []strand{{by: f.User}, {on: onAccount}, {on: onSessions}, {on: onCertificates}}
		if len(had) > 0 {
			parts = append(parts, strand{on: onTokens(had)})
		}
	case f.Target != "":
		parts = []strand{{on: onTarget}, {on: onItsCertificates}}
	case actions == nil:
		return nil
	}
	if actions == nil {
		return parts
	}
	all := []strand{}
	for _, action := range actions {
		for _, part := range parts {
			part.action = action
			all = append(all, part)
		}
	}
	return all
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
}

// onEither is both of these in one strand, and chooses the index.
func onEither(w *where, f audit.Filter) {
	serial := w.arg(fold(f.Target))
	w.is("e.target_key IN (SELECT CAST(" + serial + " AS TEXT) UNION ALL " + ofToken(serial) + ")")
}

// byOthers: what somebody did to themselves is in the strand of what they did.
func byOthers(w *where, f audit.Filter) { w.compare("COALESCE(e.actor_id, 0)", "<>", f.User) }

func onAccount(w *where, f audit.Filter) {
	w.text("e.target_key", strconv.FormatInt(f.User, 10), f.Target == "")
	w.is("e.target_type = 'user'")
	byOthers(w, f)
}

func onSessions(w *where, f audit.Filter) {
	w.is("e.target_key IN (SELECT CAST(s.id AS TEXT) FROM sessions AS s WHERE s.user_id = " + w.arg(f.User) + ")")
	w.is("e.target_type = 'session'")
	byOthers(w, f)
}

func onCertificates(w *where, f audit.Filter) {
	w.is("e.target_key IN (SELECT c.serial_number FROM certificates AS c WHERE c.owner_id = " + w.arg(f.User) + ")")
	w.is("e.target_type = 'certificate'")
	byOthers(w, f)
}

// onTokens: those of a person, while they were theirs.
func onTokens(had []period) func(w *where, f audit.Filter) {
	return func(w *where, f audit.Filter) {
		keys, periods := make([]string, len(had)), make([]string, len(had))
		for i, p := range had {
			keys[i] = p.token
			periods[i] = "(e.target_key = " + w.arg(p.token) + " AND e.id >= " + w.arg(p.from) + " AND e.id <= " + w.arg(p.to) + ")"
		}
		oneOf(w, "e.target_key", keys)
		w.is("(" + strings.Join(periods, " OR ") + ")")
		w.is("e.target_type = 'hwkey'")
		byOthers(w, f)
	}
}

// period is when somebody had a token: from the entry that gave it to them to the one that took it away.
type period struct {
	token    string
	from, to int64
}

// had finds the tokens of an account. Entries say the owner's name of that time; the present owner, who
// may have another now, is known by the token itself.
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
		to := int64(math.MaxInt64)
		last := i+1 == len(all) || all[i+1].SerialKey != r.SerialKey
		if !last {
			to = all[i+1].ID
		}
		words, _, _ := strings.Cut(r.Details, ";")
		present := last && r.OwnerID != nil && *r.OwnerID == user
		if present || words == "owner is now "+r.Username || words == "assigned to "+r.Username {
			periods = append(periods, period{r.SerialKey, r.ID, to})
		}
	}
	return periods, nil
}
