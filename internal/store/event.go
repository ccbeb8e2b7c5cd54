package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/events"
)

// changedIn has, for each type of target, its kind and the query that finds rows by the
// text of their IDs: ID, organization, person.
var changedIn = map[string]struct {
	kind    events.Kind
	numbers bool
	query   string
}{
	"hwkey": {events.Tokens, false, "SELECT h.serial, h.organization_id, h.owner_id FROM hwkeys AS h WHERE h.serial_key IN "},
	"certificate": {events.Certificates, false,
		"SELECT c.serial_number, c.organization_id, c.owner_id FROM certificates AS c WHERE c.serial_number IN "},
	"user": {events.Accounts, true, "SELECT CAST(u.id AS TEXT), u.organization_id, u.id FROM users AS u WHERE u.id IN "},
	"session": {events.Accounts, true, `SELECT DISTINCT CAST(u.id AS TEXT), u.organization_id, u.id FROM sessions AS s
		JOIN users AS u ON u.id = s.user_id WHERE s.id IN `},
}

// Changed implements events.Store.
func (db *DB) Changed(ctx context.Context, targets []events.Target) ([]events.Change, error) {
	ids := map[string][]any{}
	for _, t := range targets {
		in, ok := changedIn[t.Type]
		if !ok {
			continue
		}
		if !in.numbers {
			ids[t.Type] = append(ids[t.Type], fold(t.ID))
		} else if id, err := strconv.ParseInt(t.ID, 10, 64); err == nil {
			ids[t.Type] = append(ids[t.Type], id)
		}
	}
	var changes []events.Change
	for name, list := range ids {
		in, w := changedIn[name], &where{}
		places := make([]string, len(list))
		for i, id := range list {
			places[i] = w.arg(id)
		}
		found, err := queryAll(ctx, inLine{db.reads}, func(row scanner) (events.Change, error) {
			c := events.Change{Event: events.Event{Kind: in.kind}}
			return c, row.Scan(&c.ID, &c.OrganizationID, &c.UserID)
		}, fmt.Sprintf("%s(%s)", in.query, strings.Join(places, ", ")), w.args...)
		if err != nil {
			return nil, asFault("changed", err)
		}
		changes = append(changes, found...)
	}
	return changes, nil
}

// NewestNotices implements events.Store.
func (db *DB) NewestNotices(ctx context.Context, limit int) ([]events.Notice, error) {
	list, err := queryAll(ctx, db.read, func(row scanner) (n events.Notice, err error) {
		return n, row.Scan(&n.ID, &n.UserID, &n.Read)
	}, "SELECT n.id, n.user_id, n.read_at IS NOT NULL FROM notices AS n ORDER BY n.id DESC LIMIT $1", limit)
	return list, asFault("newest notices", err)
}

// NewestJobs implements events.Store.
func (db *DB) NewestJobs(ctx context.Context, limit int) ([]events.Job, error) {
	list, err := queryAll(ctx, db.read, func(row scanner) (j events.Job, err error) {
		var percent, done int64
		var status, phase string
		if err := row.Scan(&j.ID, &status, &phase, &percent, &done); err != nil {
			return j, err
		}
		j.Progress = fmt.Sprintf("%s.%s.%d.%d", status, phase, percent, done)
		return j, nil
	}, "SELECT j.id, j.status, j.phase, j.percent, j.phase_done FROM backup_jobs AS j ORDER BY j.id DESC LIMIT $1", limit)
	return list, asFault("newest jobs", err)
}
