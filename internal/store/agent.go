package store

import (
	"context"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// RegisterAgent implements session.Store.
func (db *DB) RegisterAgent(
	ctx context.Context, id int64, key session.AgentKey, decide func(session.AgentState) (session.AgentDecision, error),
) error {
	return db.writeInTurn(ctx, "register agent", (*sqlcgen.Queries).LockAgents, func(ctx context.Context, t *tx) error {
		state, err := t.agentState(ctx, id, key)
		if err != nil {
			return err
		}
		d, err := decide(state)
		if err != nil {
			return err
		}
		if err := t.bindAgent(ctx, state, key); err != nil {
			return err
		}
		for _, m := range d.Notices {
			if err := t.notify(ctx, m); err != nil {
				return err
			}
		}
		return t.audit(ctx, about(d.Entries, "session", audit.ID(id))...)
	})
}

// agentState reads what a registration depends on. It first deletes keys that no longer count.
func (t *tx) agentState(ctx context.Context, id int64, key session.AgentKey) (state session.AgentState, err error) {
	sess, err := t.sessionByID(ctx, id)
	if err != nil {
		return state, err
	}
	if sess == nil || !sess.Live(key.At) {
		return state, noSession
	}
	state.Session = *sess
	err = t.q.DeleteStaleAgentKeys(ctx, sqlcgen.DeleteStaleAgentKeysParams{
		Before: micros(key.At.Add(-session.KeepAgentKeys)), UserID: sess.UserID, At: micros(key.At)})
	if err != nil {
		return state, err
	}
	paired, err := t.q.CountPaired(ctx, sess.UserID)
	if err != nil {
		return state, err
	}
	state.First = paired == 0
	day := key.At.UTC().Truncate(24 * time.Hour)
	since := sqlcgen.PairedWithoutIdentitySinceParams{UserID: sess.UserID, Since: micros(day)}
	state.Notified, err = t.q.PairedWithoutIdentitySince(ctx, since)
	if err != nil {
		return state, err
	}
	rows, err := t.q.AgentsOf(ctx, sess.UserID)
	if err != nil {
		return state, err
	}
	known, err := t.knownAgent(ctx, sess.UserID, key, rows)
	if err != nil {
		return state, err
	}
	if i := slices.IndexFunc(rows, func(r sqlcgen.Agent) bool { return r.ID == known }); i >= 0 {
		state.Known = pointerTo(agentOf(rows[i]))
	}
	if former := sess.AgentKeyFingerprint; former != "" && former != key.Fingerprint {
		holders, err := t.q.AgentsWithKey(ctx, sqlcgen.AgentsWithKeyParams{UserID: sess.UserID, Fingerprint: former})
		if err != nil {
			return state, err
		}
		state.Replaces = !slices.Contains(holders, known)
	}
	return state, nil
}

// knownAgent returns the agent's number, 0 if it is unknown: by its identity, or without one by any
// agent of the user's that had this key.
func (t *tx) knownAgent(ctx context.Context, userID int64, key session.AgentKey, of []sqlcgen.Agent) (int64, error) {
	for _, r := range of {
		if r.Fingerprint == key.Agent() {
			return r.ID, nil
		}
	}
	if key.Identity != "" {
		return 0, nil
	}
	holders, err := t.q.AgentsWithKey(ctx, sqlcgen.AgentsWithKeyParams{UserID: userID, Fingerprint: key.Fingerprint})
	if err != nil || len(holders) == 0 {
		return 0, err
	}
	return holders[0], nil
}

// bindAgent stores the key in the session and records the agent.
func (t *tx) bindAgent(ctx context.Context, state session.AgentState, key session.AgentKey) (err error) {
	at := micros(key.At)
	var agent int64
	if state.Known != nil {
		agent = state.Known.ID
		err = t.q.NoteAgent(ctx, sqlcgen.NoteAgentParams{Hostname: key.Hostname, At: at, ID: agent})
	} else {
		agent, err = t.addAgent(ctx, sqlcgen.InsertAgentParams{
			UserID: state.Session.UserID, Fingerprint: key.Agent(), Hostname: key.Hostname, CreatedAt: at, LastUsedAt: at})
	}
	if err != nil {
		return err
	}
	if err := t.q.NoteAgentKey(ctx, sqlcgen.NoteAgentKeyParams{AgentID: agent, Fingerprint: key.Fingerprint, At: at}); err != nil {
		return err
	}
	n, err := t.q.RegisterAgent(ctx, sqlcgen.RegisterAgentParams{
		PublicKey: key.PublicKey, Fingerprint: key.Fingerprint, Mac: key.MAC, Hostname: key.Hostname, ID: state.Session.ID, At: at})
	if err == nil && n == 0 {
		err = noSession
	}
	return err
}

// addAgent also records that the user has paired an agent, whatever becomes of it.
func (t *tx) addAgent(ctx context.Context, a sqlcgen.InsertAgentParams) (int64, error) {
	if err := t.q.NotePaired(ctx, a.UserID); err != nil {
		return 0, err
	}
	return t.q.InsertAgent(ctx, a)
}

func agentOf(r sqlcgen.Agent) session.Agent {
	return session.Agent{ID: r.ID, UserID: r.UserID, Fingerprint: r.Fingerprint, Hostname: r.Hostname,
		CreatedAt: moment(r.CreatedAt), LastUsedAt: moment(r.LastUsedAt)}
}

func scanAgent(row scanner) (a session.Agent, err error) {
	var created, used int64
	err = row.Scan(&a.ID, &a.UserID, &a.Fingerprint, &a.Hostname, &created, &used)
	a.CreatedAt, a.LastUsedAt = moment(created), moment(used)
	return a, err
}

// ListAgents implements session.Store.
func (db *DB) ListAgents(ctx context.Context, userID int64, p page.Request) (page.Page[session.Agent], error) {
	w := &where{}
	w.equal("a.user_id", userID)
	list := listed[session.Agent]{"SELECT a.id, a.user_id, a.fingerprint, a.hostname, a.created_at, a.last_used_at", " FROM agents AS a",
		"", "a.id", scanAgent, func(a session.Agent) int64 { return a.ID }}
	return list.page(ctx, db, "list agents", w, p)
}

// RemoveAgent implements session.Store.
func (db *DB) RemoveAgent(ctx context.Context, userID, id int64, entry func(session.Agent) audit.Entry) error {
	return db.writeInTurn(ctx, "remove agent", (*sqlcgen.Queries).LockAgents, func(ctx context.Context, t *tx) error {
		rows, err := t.q.AgentsOf(ctx, userID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(rows, func(r sqlcgen.Agent) bool { return r.ID == id })
		if i < 0 {
			return fault.New(fault.NotFound, "no_agent", "There is no such agent.")
		}
		if err := t.q.ClearAgentFromSessions(ctx, sqlcgen.ClearAgentFromSessionsParams{UserID: userID, AgentID: id}); err != nil {
			return err
		}
		if err := t.q.DeleteAgentKeys(ctx, id); err != nil {
			return err
		}
		if _, err := t.q.DeleteAgent(ctx, sqlcgen.DeleteAgentParams{ID: id, UserID: userID}); err != nil {
			return err
		}
		return t.audit(ctx, entry(agentOf(rows[i])))
	})
}

// SetAuthenticated implements session.Store.
func (db *DB) SetAuthenticated(ctx context.Context, id int64, at time.Time, entries ...audit.Entry) error {
	return db.write(ctx, "set authenticated", func(ctx context.Context, t *tx) error {
		n, err := t.q.SetAuthenticated(ctx, sqlcgen.SetAuthenticatedParams{At: micros(at), ID: id})
		if err != nil {
			return err
		}
		if n == 0 {
			return noSession
		}
		return t.audit(ctx, entries...)
	})
}
