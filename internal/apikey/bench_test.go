package apikey_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/apikey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/user"
)

// BenchmarkAuthenticate is what a key costs a request, the look-up in a real
// database included, at several numbers of keys: it must not grow with them.
func BenchmarkAuthenticate(b *testing.B) {
	for _, keys := range []int{1, 1000, 10_000} {
		db, err := store.OpenSQLite(b.Context(), filepath.Join(b.TempDir(), "keyward.db"), store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = db.Close() })
		s, text := filled(b, db, keys)
		b.Run(fmt.Sprintf("keys=%d", keys), func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := s.Authenticate(b.Context(), text.Reveal()); err != nil {
						b.Error(err)
					}
				}
			})
		})
		b.Run(fmt.Sprintf("keys=%d/unknown", keys), func(b *testing.B) {
			unknown := apikey.Prefix + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
			for b.Loop() {
				if _, err := s.Authenticate(b.Context(), unknown); !fault.Is(err, fault.TokenInvalid) {
					b.Fatal(err)
				}
			}
		})
	}
}

func filled(b *testing.B, db *store.DB, keys int) (*apikey.Service, secret.String) {
	b.Helper()
	now := time.Now()
	u, err := db.InsertUser(b.Context(), user.User{
		Username: "admin", Email: "admin@example.org", Role: access.GlobalAdmin, IsActive: true, AuthSource: user.Local,
		CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}, audit.By(access.Actor{}, audit.UserCreated, "user", "", ""))
	if err != nil {
		b.Fatal(err)
	}
	s := &apikey.Service{Store: db, Organizations: db, Now: time.Now}
	a := access.Actor{UserID: u.ID, Username: u.Username, Role: u.Role}
	var text secret.String
	for i := range keys {
		_, text, err = s.Create(b.Context(), a, access.All(), apikey.Request{Name: fmt.Sprint("key ", i), Role: access.GlobalAdmin})
		if err != nil {
			b.Fatal(err)
		}
	}
	if list, err := s.List(b.Context(), access.All(), true, nil, page.Request{Limit: 1}); err != nil || len(list.Items) != 1 {
		b.Fatal(err)
	}
	return s, text
}
