package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// InsertKey implements session.APIKeyStore.
func (db *DB) InsertKey(ctx context.Context, k session.APIKey, entry audit.Entry) (session.APIKey, error) {
	var stored session.APIKey
	scopes, err := listText(k.Scopes)
	if err != nil {
		return stored, err
	}
	err = db.write(ctx, "insert api key", func(ctx context.Context, t *tx) error {
		if err := t.checkOrganization(ctx, k.OrganizationID); err != nil {
			return err
		}
		id, err := t.q.InsertKey(ctx, sqlcgen.InsertKeyParams{
			Name: k.Name, Prefix: k.Prefix, Hash: k.Hash, Role: string(k.Role), OrganizationID: k.OrganizationID,
			CreatedBy: k.CreatedBy, CreatedAt: micros(k.CreatedAt), ExpiresAt: micros(k.ExpiresAt), Scopes: scopes,
		})
		if err != nil {
			return err
		}
		stored, err = queryOne(ctx, t.sql, scanKey, "SELECT "+keyColumns+keyFrom+" WHERE k.id = $1", id)
		if err != nil {
			return err
		}
		return t.audit(ctx, about([]audit.Entry{entry}, "api_key", audit.ID(id))...)
	})
	if err != nil {
		return session.APIKey{}, err
	}
	return stored, nil
}

const keyColumns = `k.id, k.name, k.prefix, k.hash, k.role, k.scopes, k.organization_id, k.created_by, k.created_at, k.expires_at,
	k.last_used_at, k.revoked_at, u.username, COALESCE(o.name, '')`

const (
	keyTable = " FROM api_keys AS k"
	keyJoin  = ` JOIN users AS u ON u.id = k.created_by
LEFT JOIN organizations AS o ON o.id = k.organization_id`
	keyFrom = keyTable + keyJoin
)

func scanKey(row scanner) (k session.APIKey, err error) {
	var created, expires int64
	var used, revoked *int64
	var scopes string
	err = row.Scan(&k.ID, &k.Name, &k.Prefix, &k.Hash, &k.Role, &scopes, &k.OrganizationID, &k.CreatedBy, &created, &expires,
		&used, &revoked, &k.CreatedByName, &k.OrganizationName)
	k.CreatedAt, k.ExpiresAt, k.LastUsedAt, k.RevokedAt = moment(created), moment(expires), momentOf(used), momentOf(revoked)
	if err == nil {
		k.Scopes, err = listOf[access.KeyScope](scopes)
	}
	return k, err
}

var noKey = fault.New(fault.NotFound, "no_api_key", "There is no such API key.")

// KeyByHash implements session.APIKeyStore. Like Authenticate it is part of every request, and uses the
// pool of checks.
func (db *DB) KeyByHash(ctx context.Context, hash string) (session.APIKey, session.APIKeyDependencies, error) {
	if err := ctx.Err(); err != nil {
		return session.APIKey{}, session.APIKeyDependencies{}, asFault("api key by hash", err)
	}
	r, err := checked(ctx, db, func(ctx context.Context) (sqlcgen.KeyByHashRow, error) {
		return sqlcgen.New(db.check).KeyByHash(ctx, hash)
	})
	if none(err) {
		err = noKey
	}
	if err != nil {
		return session.APIKey{}, session.APIKeyDependencies{}, asFault("api key by hash", err)
	}
	scopes, err := listOf[access.KeyScope](r.Scopes)
	if err != nil {
		return session.APIKey{}, session.APIKeyDependencies{}, asFault("api key by hash", err)
	}
	k := session.APIKey{
		ID: r.ID, Name: r.Name, Prefix: r.Prefix, Hash: r.Hash, Role: access.Role(r.Role), Scopes: scopes,
		OrganizationID:   r.OrganizationID,
		OrganizationName: r.Organization, CreatedBy: r.CreatedBy, CreatedByName: r.Creator, CreatedAt: moment(r.CreatedAt),
		ExpiresAt: moment(r.ExpiresAt), LastUsedAt: momentOf(r.LastUsedAt), RevokedAt: momentOf(r.RevokedAt),
	}
	return k, session.APIKeyDependencies{CreatorActive: r.CreatorActive, CreatorRole: access.Role(r.CreatorRole),
		CreatorOrganizationID: r.CreatorOrganizationID, OrganizationActive: r.OrganizationActive}, nil
}

var keyScope = columns{"k.organization_id", "k.created_by"}

// Key implements session.APIKeyStore.
func (db *DB) Key(ctx context.Context, scope access.Scope, id int64) (session.APIKey, error) {
	w := &where{}
	w.equal("k.id", id)
	w.scope(scope, keyScope, nil, nil, false)
	k, err := queryOne(ctx, db.read, scanKey, "SELECT "+keyColumns+keyFrom+w.String(), w.args...)
	if none(err) {
		err = noKey
	}
	return k, asFault("api key", err)
}

// ListKeys implements session.APIKeyStore.
func (db *DB) ListKeys(ctx context.Context, scope access.Scope, f session.APIKeyFilter, p page.Request) (page.Page[session.APIKey], error) {
	w := &where{}
	w.scope(scope, keyScope, f.CreatedBy, nil, true)
	if !f.ActiveAt.IsZero() {
		w.is("k.revoked_at IS NULL")
		w.compare("k.expires_at", ">", micros(f.ActiveAt))
	}
	list := listed[session.APIKey]{"SELECT " + keyColumns, keyTable, keyJoin, "k.id", scanKey, func(k session.APIKey) int64 { return k.ID }}
	return list.page(ctx, db, "list api keys", w, p)
}

// RevokeKey implements session.APIKeyStore.
func (db *DB) RevokeKey(ctx context.Context, id int64, at time.Time, entry audit.Entry) error {
	return db.write(ctx, "revoke api key", func(ctx context.Context, t *tx) error {
		n, err := t.q.RevokeKey(ctx, sqlcgen.RevokeKeyParams{At: pointerTo(micros(at)), ID: id})
		if err != nil || n == 0 {
			return err
		}
		return t.audit(ctx, entry)
	})
}

// NoteKeyUses implements session.APIKeyStore.
func (db *DB) NoteKeyUses(ctx context.Context, uses map[int64]time.Time) error {
	if len(uses) == 0 {
		return nil
	}
	return db.write(ctx, "note api key uses", func(ctx context.Context, t *tx) error {
		for _, id := range slices.Sorted(maps.Keys(uses)) { // one order for all replicas: no deadlock
			if err := t.q.NoteKeyUse(ctx, sqlcgen.NoteKeyUseParams{At: pointerTo(micros(uses[id])), ID: id}); err != nil {
				return err
			}
		}
		return nil
	})
}
