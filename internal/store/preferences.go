package store

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/keyward/keyward/internal/account"
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
		Language: row.Language, Mail: choicesOf(row.MailChoices), Address: account.MailAddress(row.Email), FailedAt: momentOf(row.MailFailedAt),
		Error: row.MailError, Available: set.Enabled,
	}, nil
}

// PutPreferences implements notice.Store.
func (db *DB) PutPreferences(ctx context.Context, userID int64, c notice.Choosing) error {
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
			choices = map[notice.Kind]bool{}
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
