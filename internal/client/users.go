package client

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// CreateUser makes an account.
func (b *Backend) CreateUser(ctx context.Context, n NewUser) (User, error) {
	var u User
	return u, b.post(ctx, "/api/admin/users", n, &u)
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
			return User{}, fmt.Errorf("there is no user of that name within your reach")
		}
		q.Set("cursor", *p.NextCursor)
	}
}
