package store

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// Preferences implements notify.Store.
func (db *DB) Preferences(ctx context.Context, userID int64) (notify.Preferences, error) {
	row, err := db.q().Preferences(ctx, userID)
	if none(err) {
		return notify.Preferences{}, noUser
	}
	if err != nil {
		return notify.Preferences{}, asFault("preferences", err)
	}
	var set mail.Settings
	v, err := db.q().Setting(ctx, mail.SettingName)
	if err == nil {
		set, err = mail.DecodeSettings(v.Value)
	}
	if err != nil && !none(err) {
		return notify.Preferences{}, asFault("preferences", err)
	}
	return notify.Preferences{
		Language: row.Language, Mail: choicesOf(row.MailChoices), Address: account.MailAddress(row.Email), FailedAt: momentOf(row.MailFailedAt),
		Error: row.MailError, Available: set.Enabled,
	}, nil
}

// PutPreferences implements notify.Store.
func (db *DB) PutPreferences(ctx context.Context, userID int64, c notify.Choosing) error {
	return db.write(ctx, "put preferences", func(ctx context.Context, t *tx) error {
		row, err := t.q.Preferences(ctx, userID)
		if none(err) {
			return noUser
		}
		if err != nil {
			return err
		}
		next := sqlcgen.SetPreferencesParams{Language: row.Language, ID: userID}
		if c.Language != nil {
			next.Language = *c.Language
		}
		choices := choicesOf(row.MailChoices)
		if choices == nil {
			choices = map[notify.Kind]bool{}
		}
		maps.Copy(choices, c.Mail)
		text, err := json.Marshal(choices)
		if err != nil {
			return err
		}
		next.MailChoices = string(text)
		return t.q.SetPreferences(ctx, next)
	})
}
