package store

import (
	"context"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// actions returns the recorded actions that begin with one of the prefixes, between commas; nil
// without any.
func (db *DB) actions(ctx context.Context, prefixes string) ([]string, error) {
	if prefixes == "" {
		return nil, nil
	}
	all := []string{}
	for prefix := range strings.SplitSeq(prefixes, ",") {
		found, err := db.q().AuditActions(ctx, sqlcgen.AuditActionsParams{Low: prefix, High: prefix + "\U0010FFFF"})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// auditQuery selects a page. A prefix stands for several actions, a person for what they did and what
// was done to them, and a token for its certificates, too, whose rows no index has in the list's order:
// so each strand yields its own first rows, and the first of these are the page.
func auditQuery(scope access.Scope, f audit.Filter, actions []string, had []period, begin *position, limit int) (string, []any) {
	direction := " DESC"
	if f.OldestFirst {
		direction = ""
	}
	order := " ORDER BY e.at" + direction + ", e.id" + direction + " LIMIT "
	w := &where{}
	all := strandsOf(f, actions, had)
	if all == nil {
		auditConditions(w, scope, f, begin, strand{})
		return "SELECT " + auditColumns + " FROM audit_entries AS e" + w.String() + order + w.arg(limit), w.args
	}
	if len(all) == 0 {
		return "SELECT " + auditColumns + " FROM audit_entries AS e WHERE FALSE", nil
	}
	with := withPeriods(w, had)
	count := w.arg(limit)
	parts := make([]string, len(all))
	for i, part := range all {
		w.conditions = nil
		auditConditions(w, scope, f, begin, part)
		parts[i] = "SELECT * FROM (SELECT e.at, e.id FROM audit_entries AS e" + w.String() + order + count + ") AS a"
	}
	union := strings.Join(parts, " UNION ALL ")
	return with + "SELECT " + auditColumns + " FROM audit_entries AS e WHERE e.id IN (SELECT u.id FROM (" + union +
		") AS u ORDER BY u.at" + direction + ", u.id" + direction + " LIMIT " + count + ")" + order + count, w.args
}

// auditCountQuery counts what auditQuery reads pages of.
func auditCountQuery(scope access.Scope, f audit.Filter, actions []string, had []period, begin *position, bound int) (string, []any) {
	const from = " FROM audit_entries AS e"
	w := &where{}
	all := strandsOf(f, actions, had)
	if all == nil {
		auditConditions(w, scope, f, begin, strand{})
		return countQuery(from, *w, bound)
	}
	if len(all) == 0 {
		return "SELECT 0, 0", nil
	}
	with := withPeriods(w, had)
	limit := w.arg(bound + 1)
	parts := make([]string, len(all))
	for i, part := range all {
		w.conditions = nil
		auditConditions(w, scope, f, begin, part)
		parts[i] = "SELECT a.matches FROM (SELECT 1 AS matches" + from + w.String() + " LIMIT " + limit + ") AS a"
	}
	union := strings.Join(parts, " UNION ALL ")
	return with + "SELECT count(*), count(*) FROM (SELECT u.matches FROM (" + union + ") AS u LIMIT " + limit + ") AS counted", w.args
}

func auditConditions(w *where, scope access.Scope, f audit.Filter, begin *position, part strand) {
	// The most selective condition chooses the index: the target, the account, the actor that the
	// scope names, the actor by name, the organization (with an action).
	own := scope.Reach == access.Own
	free := f.Target == "" && f.User == 0
	if part.by != 0 {
		w.number("e.actor_id", part.by, f.Target == "")
	}
	if part.on != nil {
		part.on(w, f)
	}
	if f.User != 0 && f.Target != "" {
		onEither(w, f)
	}
	w.scope(scope, columns{"e.organization_id", "e.actor_id"}, nil, f.OrganizationID, free && (own || f.Actor == ""))
	if f.Actor != "" {
		w.text("e.actor_key", fold(f.Actor), free && !own)
	}
	if free && !own && f.Actor == "" && len(part.actions) == 1 {
		w.equal("e.action", part.actions[0])
	} else if part.actions != nil {
		oneOf(w, "COALESCE(e.action, '')", part.actions)
	}
	if f.NoRenewals {
		w.is("e.action <> 'auth.refresh'")
	}
	switch f.Outcome { // literally, for the partial indexes
	case "":
	case audit.Denied:
		w.is("e.outcome = 'denied'")
	case audit.Failure:
		w.is("e.outcome = 'failure'")
	default:
		w.equal("e.outcome", string(f.Outcome))
	}
	if !f.From.IsZero() {
		w.compare("e.at", ">=", micros(f.From))
	}
	if f.UpTo != 0 {
		w.compare("+e.id", "<=", f.UpTo) // must not choose the index
	}
	beyond := " < "
	if f.OldestFirst {
		beyond = " > "
		if !f.To.IsZero() {
			w.compare("e.at", "<", micros(f.To))
		}
	}
	if begin != nil {
		w.is("(e.at, e.id)" + beyond + "(" + w.arg(begin.at) + ", " + w.arg(begin.id) + ")")
	}
}
