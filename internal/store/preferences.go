package store

import (
	"context"
	"encoding/json"

	"github.com/keyward/keyward/internal/mail"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// Preferences implements notice.Store.
func (db *DB) Preferences(ctx context.Context, userID int64) (notice.Preferences, error) {
	row, err := db.q().Preferences(ctx, userID)
	if none(err) {
		return notice.Preferences{}, noUser
	}
	if err != nil {
		return notice.Preferences{}, asFault("preferences", err)
	}
	var set mail.Settings
	v, err := db.q().Setting(ctx, mail.SettingName)
	if err == nil {
		set, err = mail.DecodeSettings(v.Value)
	}
	if err != nil && !none(err) {
		return notice.Preferences{}, asFault("preferences", err)
	}
	return notice.Preferences{
		Language: row.Language, Mail: choicesOf(row.MailChoices), Address: row.Email, FailedAt: momentOf(row.MailFailedAt),
		Error: row.MailError, Available: set.Enabled,
	}, nil
}

// PutPreferences implements notice.Store.
func (db *DB) PutPreferences(ctx context.Context, userID int64, language string, choices map[notice.Kind]bool) error {
	if choices == nil {
		choices = map[notice.Kind]bool{}
	}
	text, err := json.Marshal(choices)
	if err != nil {
		return err
	}
	return db.write(ctx, "put preferences", func(ctx context.Context, t *tx) error {
		n, err := t.q.SetPreferences(ctx, sqlcgen.SetPreferencesParams{Language: language, MailChoices: string(text), ID: userID})
		if err == nil && n == 0 {
			return noUser
		}
		return err
	})
}
