package app

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/settings"
)

// explicitSettings are backup settings that exist only in a command's flags.
type explicitSettings struct{ backup.Settings }

// Setting implements settings.Store for the only setting that there is.
func (g explicitSettings) Setting(context.Context, string) (settings.Value, error) {
	text, err := json.Marshal(g.Settings)
	return settings.Value{Text: string(text)}, err
}

// PutSetting implements settings.Store; it always fails.
func (explicitSettings) PutSetting(context.Context, string, settings.Value, ...audit.Entry) error {
	return errors.New("the settings of a command are not stored")
}

// SwapSetting implements settings.Swapper; it always fails.
func (g explicitSettings) SwapSetting(ctx context.Context, name string, _, v settings.Value) (bool, error) {
	return false, g.PutSetting(ctx, name, v)
}
