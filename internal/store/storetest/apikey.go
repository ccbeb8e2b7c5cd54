package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

var apikeyCases = map[string]func(*testing.T, *fixture){
	"insert and read":      keyRead,
	"no such organization": keyOrganization,
	"by hash":              keyByHash,
	"scope and filters":    keyList,
	"revoked once":         keyRevoked,
	"uses":                 keyUses,
}

func (f *fixture) key(
	t *testing.T, name string, by account.User, o *account.Organization, changes ...func(*session.APIKey),
) session.APIKey {
	t.Helper()
	k := session.APIKey{
		Name: name, Prefix: "keyward_" + name, Hash: "hash of " + name, Role: access.OrgManager, CreatedBy: by.ID,
		Scopes:    []access.KeyScope{access.KeyMonitor, access.KeyInventory},
		CreatedAt: Now, ExpiresAt: Now.Add(time.Hour),
	}
	if o != nil {
		k.OrganizationID = &o.ID
	}
	for _, c := range changes {
		c(&k)
	}
	return must.Get(f.InsertKey(t.Context(), k, entry(audit.APIKeyCreated, "api_key")))(t)
}

func keyRead(t *testing.T, f *fixture) {
	k := f.key(t, "ci", f.manager, &f.a)
	want := session.APIKey{
		ID: k.ID, Name: "ci", Prefix: "keyward_ci", Hash: "hash of ci", Role: access.OrgManager, OrganizationID: &f.a.ID,
		Scopes:           []access.KeyScope{access.KeyMonitor, access.KeyInventory},
		OrganizationName: "Acme", CreatedBy: f.manager.ID, CreatedByName: "manager", CreatedAt: Now, ExpiresAt: Now.Add(time.Hour),
	}
	equal(t, "inserted", k, want)
	equal(t, "read", must.Get(f.Key(t.Context(), access.All(), k.ID))(t), want)
	equal(t, "entries", f.logged(t), []string{"api_key.created api_key " + audit.ID(k.ID)})
	equal(t, "of no organization", f.key(t, "root", f.admin, nil).OrganizationName, "")
}

func keyOrganization(t *testing.T, f *fixture) {
	_, err := f.InsertKey(t.Context(), session.APIKey{
		Name: "x", Hash: "x", Role: access.User, OrganizationID: ptr(int64(99999)), CreatedBy: f.admin.ID, CreatedAt: Now, ExpiresAt: Now,
	}, entry(audit.APIKeyCreated, "api_key"))
	invalid(t, "no such organization", err, "organization_id")
	equal(t, "entries", f.logged(t), nil)
}

func keyByHash(t *testing.T, f *fixture) {
	made := f.key(t, "ci", f.manager, &f.a)
	k, s := must.Both(f.KeyByHash(t.Context(), "hash of ci"))(t)
	equal(t, "key", k, made)
	equal(t, "standing", s, session.APIKeyDependencies{
		CreatorActive: true, CreatorRole: access.OrgManager, CreatorOrganizationID: &f.a.ID, OrganizationActive: true,
	})
	f.key(t, "root", f.disabled(t, "gone"), nil)
	_, s = must.Both(f.KeyByHash(t.Context(), "hash of root"))(t)
	equal(t, "standing without organization", s, session.APIKeyDependencies{
		CreatorRole: access.User, CreatorOrganizationID: &f.a.ID, OrganizationActive: true,
	})
	for _, hash := range []string{"", "hash of c", "HASH OF CI", "hash of ci "} {
		refused(t, hash, errOf2(f.KeyByHash(t.Context(), hash)), fault.NotFound)
	}
	closed, err := f.InsertOrganization(t.Context(), account.Organization{Name: "Closed", CreatedAt: Now, UpdatedAt: Now},
		entry("x.y", "organization"))
	must.OK(t, err)
	f.key(t, "late", f.admin, &closed)
	_, s = must.Both(f.KeyByHash(t.Context(), "hash of late"))(t)
	equal(t, "its organization is active", s.OrganizationActive, false)
}

func keyList(t *testing.T, f *fixture) {
	f.key(t, "old", f.manager, &f.a, func(k *session.APIKey) { k.ExpiresAt = Now })
	revoked := f.key(t, "revoked", f.manager, &f.a)
	must.OK(t, f.RevokeKey(t.Context(), revoked.ID, Now, entry(audit.APIKeyRevoked, "api_key")))
	a := f.key(t, "a", f.manager, &f.a)
	f.key(t, "b", f.admin, &f.b)
	f.key(t, "root", f.admin, nil)
	active := session.APIKeyFilter{ActiveAt: Now}
	for _, c := range []struct {
		name   string
		scope  access.Scope
		filter session.APIKeyFilter
		want   string
	}{
		{"all, newest first", access.All(), session.APIKeyFilter{}, "root b a revoked old"},
		{"active", access.All(), active, "root b a"},
		{"an organization", inOrganization(f.a), session.APIKeyFilter{}, "a revoked old"},
		{"active in an organization", inOrganization(f.a), active, "a"},
		{"another organization", inOrganization(f.b), session.APIKeyFilter{}, "b"},
		{"one person's", access.All(), session.APIKeyFilter{CreatedBy: &f.admin.ID}, "root b"},
		{"one person's, in an organization", inOrganization(f.b), session.APIKeyFilter{CreatedBy: &f.admin.ID, ActiveAt: Now}, "b"},
		{"one's own", ofUser(f.manager), active, "a"},
		{"a key's own", access.Scope{Reach: access.Own}, session.APIKeyFilter{}, ""},
		{"nobody", access.Scope{}, session.APIKeyFilter{}, ""},
	} {
		rows := walk(t, 2, func(p page.Request) (page.Page[session.APIKey], error) {
			return f.ListKeys(t.Context(), c.scope, c.filter, p)
		})
		equal(t, c.name, strings.Join(names(rows, func(k session.APIKey) string { return k.Name }), " "), c.want)
	}
	must.Get(f.Key(t.Context(), inOrganization(f.a), a.ID))(t)
	for name, scope := range map[string]access.Scope{"other organization": inOrganization(f.b), "no reach": {}, "another's": ofUser(f.alex)} {
		refused(t, name, errOf(f.Key(t.Context(), scope, a.ID)), fault.NotFound)
	}
}

func keyRevoked(t *testing.T, f *fixture) {
	k := f.key(t, "ci", f.manager, &f.a)
	f.seen = f.newest(t)
	at := Now.Add(time.Minute)
	for _, again := range []time.Duration{0, time.Hour} { // the first time stays
		e := entry(audit.APIKeyRevoked, "api_key")
		e.TargetID = audit.ID(k.ID)
		must.OK(t, f.RevokeKey(t.Context(), k.ID, at.Add(again), e))
		got, _ := must.Both(f.KeyByHash(t.Context(), k.Hash))(t)
		equal(t, "revoked", got.RevokedAt, &at)
		equal(t, "entries", f.logged(t), []string{"api_key.revoked api_key " + audit.ID(k.ID)})
	}
	must.OK(t, f.RevokeKey(t.Context(), 99999, at, entry(audit.APIKeyRevoked, "api_key")))
	equal(t, "entries", len(f.logged(t)), 1)
}

func keyUses(t *testing.T, f *fixture) {
	first, second := f.key(t, "first", f.manager, &f.a), f.key(t, "second", f.admin, nil)
	used := func(k session.APIKey) *time.Time {
		k = must.Get(f.Key(t.Context(), access.All(), k.ID))(t)
		return k.LastUsedAt
	}
	f.seen = f.newest(t)
	must.OK(t, f.NoteKeyUses(t.Context(), nil))
	if used(first) != nil {
		t.Error("used before it was")
	}
	early, late := Now.Add(time.Second), Now.Add(time.Minute)
	must.OK(t, f.NoteKeyUses(t.Context(), map[int64]time.Time{first.ID: early, second.ID: late, 99999: late}))
	equal(t, "first", used(first), &early)
	must.OK(t, f.NoteKeyUses(t.Context(), map[int64]time.Time{first.ID: late, second.ID: early}))
	equal(t, "first again", used(first), &late)
	equal(t, "second: the later one stays", used(second), &late)
	equal(t, "entries", f.logged(t), nil)
}
