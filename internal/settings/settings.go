// Package settings keeps what an administrator sets while the server runs
// (the password policy, single sign-on), and the server's own bookmarks: one
// JSON text a name. What a setting means is its owner's matter; secrets are
// kept in the vault, never here.
package settings

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit"
)

// Value is a stored setting.
type Value struct {
	Text      string // JSON
	UpdatedAt time.Time
}

// Store keeps settings.
type Store interface {
	// Setting is NotFound when nothing was ever stored under that name.
	Setting(ctx context.Context, name string) (Value, error)
	// PutSetting stores a value together with the entries.
	PutSetting(ctx context.Context, name string, v Value, entries ...audit.Entry) error
}

// Swapper is a Store in which several servers can change a value at once.
type Swapper interface {
	Store
	// SwapSetting stores a value where was still stands (the zero Value: nothing), and
	// tells whether it did.
	SwapSetting(ctx context.Context, name string, was, v Value) (bool, error)
}

// Keeper is a Store in which several servers can agree on a value.
type Keeper interface {
	Store
	// KeepSetting stores a value unless there is one under that name, and returns
	// what stands there: all who do so at once get the same.
	KeepSetting(ctx context.Context, name string, v Value) (Value, error)
}
