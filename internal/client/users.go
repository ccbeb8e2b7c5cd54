package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/keyward/keyward/api/backend"
)

// CreateUser creates an account.
func (b *Backend) CreateUser(ctx context.Context, n NewUser) (User, error) {
	var u User
	return u, b.post(ctx, "/api/admin/users", n, &u)
}

// ChangeNames changes names of an account: email, upn, sid; an empty UPN or SID is
// none. revoke says whether live certificates with a former one are revoked or kept; nil
// leaves it open, which fails with CertificatesLive if there are any.
func (b *Backend) ChangeNames(ctx context.Context, id int64, names map[string]string, revoke *bool) (User, error) {
	change := map[string]any{}
	for field, name := range names {
		change[field] = name
	}
	if revoke != nil {
		change["revoke_certificates"] = *revoke
	}
	var u User
	r := request{method: http.MethodPatch, path: fmt.Sprint("/api/admin/users/", id), body: change, repeatable: true}
	return u, b.call(ctx, r, &u)
}

// UserByName finds an account by its exact name, ignoring case.
func (b *Backend) UserByName(ctx context.Context, username string) (User, error) {
	q := url.Values{"q": {username}, "limit": {"500"}}
	for {
		var p Page[User]
		if err := b.get(ctx, "/api/admin/users", q, &p); err != nil {
			return User{}, err
		}
		for _, u := range p.Items {
			if strings.EqualFold(u.Username, username) {
				return u, nil
			}
		}
		if p.NextCursor == nil || *p.NextCursor == "" {
			return User{}, fmt.Errorf("there is no user with that name that you manage")
		}
		q.Set("cursor", *p.NextCursor)
	}
}

// EnableUsers enables accounts, all of them or none; at most 200.
func (b *Backend) EnableUsers(ctx context.Context, ids ...int64) (EnabledUsers, error) {
	var done EnabledUsers
	return done, b.postAgain(ctx, "/api/admin/users/enable", backend.EnableUsersRequest{IDs: ids}, &done)
}

// DisabledByRecovery lists the accounts disabled since an older database was accepted,
// newest first, after a cursor (empty for the first page).
func (b *Backend) DisabledByRecovery(ctx context.Context, cursor string) (Page[User], error) {
	q := url.Values{"disabled_by_recovery": {"true"}}
	set(q, "cursor", cursor)
	var p Page[User]
	return p, b.get(ctx, "/api/admin/users", q, &p)
}
