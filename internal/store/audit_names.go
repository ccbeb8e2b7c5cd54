package store

import (
	"context"
	"slices"
	"strconv"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
)

type named struct {
	id   int64
	name string
}

func scanNamed(row scanner) (n named, err error) {
	err = row.Scan(&n.id, &n.name)
	return n, err
}

type owned struct{ id, owner int64 }

func scanOwned(row scanner) (o owned, err error) {
	err = row.Scan(&o.id, &o.owner)
	return o, err
}

// NameAudit implements audit.Store.
func (db *DB) NameAudit(ctx context.Context, scope access.Scope, entries []audit.Entry) (audit.Names, error) {
	names := audit.Names{Users: map[int64]string{}, Organizations: map[int64]string{}, Sessions: map[int64]int64{}}
	var users, organizations, sessions []int64
	for _, e := range entries {
		if e.ActorID != nil {
			users = append(users, *e.ActorID)
		}
		id, err := strconv.ParseInt(e.TargetID, 10, 64)
		switch {
		case err != nil:
		case e.TargetType == "user":
			users = append(users, id)
		case e.TargetType == "organization":
			organizations = append(organizations, id)
		case e.TargetType == "session":
			sessions = append(sessions, id)
		}
	}
	if len(sessions) > 0 {
		w := &where{}
		oneOf(w, "s.id", sortedIDs(sessions))
		rows, err := queryAll(ctx, db.read, scanOwned, "SELECT s.id, s.user_id FROM sessions AS s"+w.String(), w.args...)
		if err != nil {
			return names, asFault("name audit", err)
		}
		for _, row := range rows {
			names.Sessions[row.id] = row.owner
			users = append(users, row.owner)
		}
	}
	for _, of := range []struct {
		ids     []int64
		query   string
		id      string
		visible columns
		into    map[int64]string
	}{
		{users, "SELECT u.id, CASE u.name WHEN '' THEN u.username ELSE u.name END FROM users AS u", "u.id",
			columns{"u.organization_id", "u.id"}, names.Users},
		{organizations, "SELECT o.id, o.name FROM organizations AS o", "o.id", columns{organization: "o.id"}, names.Organizations},
	} {
		if len(of.ids) == 0 {
			continue
		}
		w := &where{}
		oneOf(w, of.id, sortedIDs(of.ids))
		w.scope(scope, of.visible, nil, nil, false)
		rows, err := queryAll(ctx, db.read, scanNamed, of.query+w.String(), w.args...)
		if err != nil {
			return names, asFault("name audit", err)
		}
		for _, row := range rows {
			of.into[row.id] = row.name
		}
	}
	return names, nil
}

func sortedIDs(ids []int64) []int64 {
	slices.Sort(ids)
	return slices.Compact(ids)
}
