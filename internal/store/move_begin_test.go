package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestMoveOrInstallation: of a move and a server's first account that begin in
// an empty database at once, one begins.
func TestMoveOrInstallation(t *testing.T) {
	t.Parallel()
	state := settings.Value{Text: `{"id":"a","step":"vault"}`, UpdatedAt: time.Now()}
	first := user.User{
		Username: "admin", Email: "admin@localhost", Role: access.GlobalAdmin, IsActive: true, AuthSource: user.Local,
		CreatedAt: time.Now(), UpdatedAt: time.Now(), PasswordChangedAt: time.Now(),
	}
	for range 4 {
		db := openPostgres(t, engine.Postgres(t), store.Options{})
		var empty []string
		for _, table := range must.Get(db.MoveTables(t.Context()))(t) {
			if must.Get(db.CountRows(t.Context(), table.Name))(t) == 0 {
				empty = append(empty, table.Name)
			}
		}
		began := make(chan error, 1)
		go func() { began <- db.Begin(t.Context(), empty, state) }()
		_, made := db.InsertUser(t.Context(), first, audit.By(access.Actor{}, audit.UserCreated, "user", "", ""))
		moving := <-began
		if (moving == nil) == (made == nil) || moving != nil && !errors.Is(moving, move.ErrNotEmpty) {
			t.Errorf("a move begins: %v; an account is made: %v", moving, made)
		}
		if again := db.Begin(t.Context(), empty, state); !errors.Is(again, move.ErrNotEmpty) {
			t.Errorf("a move begins once more: %v", again)
		}
	}
}
