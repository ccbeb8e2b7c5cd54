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
	// PutSetting stores a value, with the entries.
	PutSetting(ctx context.Context, name string, v Value, entries ...audit.Entry) error
}

// Swapper is a Store in which several servers can change a value at once.
type Swapper interface {
	Store
	// SwapSetting stores v if the current value is was (the zero Value: none), and
	// reports whether it did.
	SwapSetting(ctx context.Context, name string, was, v Value) (bool, error)
}

// Keeper is a Store in which several servers can agree on a value.
type Keeper interface {
	Store
	// KeepSetting stores a value unless the name has one, and returns the stored
	// one: concurrent callers get the same.
	KeepSetting(ctx context.Context, name string, v Value) (Value, error)
}
