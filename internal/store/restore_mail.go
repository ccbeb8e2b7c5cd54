package store

import (
	"context"
	"encoding/json"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/settings"
)

// mailNow returns the current mail settings; none if nobody set any, or if they cannot be read:
// then the restore repairs them.
func (r *restoring) mailNow(ctx context.Context) (v settings.Value, set mail.Settings, err error) {
	v, err = r.setting(ctx, mail.SettingName)
	switch {
	case none(err):
		return settings.Value{}, mail.Settings{}, nil
	case err != nil:
		return v, set, err
	}
	if set, err = mail.DecodeSettings(v.Text); err != nil {
		return v, mail.Settings{}, nil //nolint:nilerr // as said
	}
	return v, set, nil
}

// quietly switches mail off if its settings came with the backup and differ from before: a copy
// made for testing would write to people, and from elsewhere.
func (r *restoring) quietly(ctx context.Context, before mail.Settings) error {
	v, set, err := r.mailNow(ctx)
	if err != nil || !set.Enabled || set == before {
		return err
	}
	set.Enabled = false
	text, err := json.Marshal(set)
	if err != nil {
		return err
	}
	r.warn(fault.Say("mail_restored", "Mail is set up as in the backup, but turned off. If this installation replaces the former one, "+
		"turn it on under System, Mail."))
	return r.writeSetting(ctx, mail.SettingName, settings.Value{Text: string(text), UpdatedAt: v.UpdatedAt})
}
