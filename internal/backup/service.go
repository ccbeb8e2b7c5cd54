package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// settingName is the row of the settings.
const settingName = "backup"

// VaultFolder has the secrets of these settings in the vault. No backup includes it:
// a backup would contain its own encryption password.
const VaultFolder = "backup_settings"

// Dumper dumps the database for a backup.
type Dumper interface {
	// Dump writes the wanted tables, as of one moment, and returns the number of rows of each.
	Dump(ctx context.Context, w io.Writer, wanted func(table string) bool) (map[string]int64, error)
}

// OpenStore opens the store of the settings. It sends nothing; an invalid_request
// names the settings that cannot be right. This package makes the links to the directory.
type OpenStore func(s Settings, secretKey secret.String) (objstore.Store, error)

// Service makes backups, and keeps their settings.
type Service struct {
	Rows      settings.Swapper
	Audit     audit.Store
	Vault     vault.KV
	Database  Dumper
	Source    vaultpart.Source
	OpenStore OpenStore
	Sealed    func(context.Context) (chain.Status, error) // how far the audit log is sealed
	Completed func(context.Context) ([]string, error)     // keys of the latest Completed backups
	Job       func(context.Context, int64) (Job, error)   // by its id; ErrNoJob
	Admitted  func(context.Context) error                 // checks that the caller may still change things
	Account   func(context.Context, int64) (account.User, error)
	Directory string // the path of the place Directory, for people
	SiteURL   string // public base, for links to the directory
	Temporary string // for encrypted files being sent or read
	Log       *slog.Logger
	Now       func() time.Time
}

// Settings returns the current settings.
func (s *Service) Settings(ctx context.Context) (Settings, error) {
	v, err := s.Rows.Setting(ctx, settingName)
	switch {
	case fault.Is(err, fault.NotFound):
		return DefaultSettings(), nil
	case err != nil:
		return Settings{}, err
	}
	return decodeSettings(v)
}

// Set reports which secrets exist.
type Set struct{ SecretKey, Password bool }

// Show returns the settings, and which of their secrets are in the vault.
func (s *Service) Show(ctx context.Context) (Settings, Set, error) {
	set, err := s.Settings(ctx)
	if err != nil {
		return Settings{}, Set{}, err
	}
	key, err := s.secretKey(ctx, set)
	if err != nil {
		return Settings{}, Set{}, err
	}
	password, err := s.password(ctx, set)
	return set, Set{SecretKey: !key.Empty(), Password: !password.Empty()}, err
}

// Secrets are submitted with new settings; nil leaves one unchanged.
type Secrets struct {
	SecretKey *secret.String // empty removes it
	Password  *secret.String
}

// Change replaces the settings, ignoring the ids of secrets in next. It rejects
// invalid settings, naming the fields, without a change. It reports which secrets
// replaced others.
func (s *Service) Change(ctx context.Context, a access.Actor, next Settings, with Secrets) (replaced Set, err error) {
	before, err := s.Settings(ctx)
	if err != nil {
		return Set{}, err
	}
	next.SecretKeyID, next.PasswordID = before.SecretKeyID, before.PasswordID
	if err := s.refuse(ctx, next, with); err != nil {
		return Set{}, err
	}
	if with.SecretKey != nil {
		if next.SecretKeyID, err = s.put(ctx, secretKeyPath, *with.SecretKey, before.SecretKeyID); err != nil {
			return Set{}, err
		}
	}
	if with.Password != nil {
		if next.PasswordID, err = s.put(ctx, passwordPath, *with.Password, before.PasswordID); err != nil {
			return Set{}, err
		}
	}
	now := s.Now()
	before.holdSince(&next, now)
	raw, err := json.Marshal(next)
	if err != nil {
		return Set{}, fmt.Errorf("settings of backups: %w", err)
	}
	const nothing = "nothing"
	changed := nothing
	if names := before.changes(next); len(names) > 0 {
		changed = strings.Join(names, ", ")
	}
	entry := audit.By(a, audit.SettingsChanged, "settings", settingName, "changed: "+changed)
	if changed != nothing { // with the password or the store, anyone can get all that is in the vault
		entry = entry.Notifying(notify.Message{Kind: notify.BackupSettings, At: now,
			Params: notify.Params{"by": a.Username, "changed": changed}})
	}
	replaced = Set{
		SecretKey: before.SecretKeyID != "" && before.SecretKeyID != next.SecretKeyID,
		Password:  before.PasswordID != "" && before.PasswordID != next.PasswordID,
	}
	return replaced, s.Rows.PutSetting(ctx, settingName, settings.Value{Text: string(raw), UpdatedAt: now}, entry)
}

// refuse returns an invalid_request that names all wrong fields.
func (s *Service) refuse(ctx context.Context, next Settings, with Secrets) error {
	bad := next.check()
	if with.Password != nil {
		_, err := archive.NewPassword(*with.Password)
		bad = append(bad, fieldsOf(err)...)
	}
	if next.Store == Bucket {
		fields, err := s.refuseBucket(ctx, next, with.SecretKey)
		if err != nil {
			return err
		}
		bad = append(bad, fields...)
	}
	if len(bad) > 0 {
		return fault.Invalid(bad...)
	}
	return nil
}

func (s *Service) refuseBucket(ctx context.Context, next Settings, given *secret.String) ([]fault.Field, error) {
	var key secret.String
	var err error
	if given != nil {
		key = *given
	} else if key, err = s.secretKey(ctx, next); err != nil {
		return nil, err
	}
	store, err := s.OpenStore(next, key)
	if fields := fieldsOf(err); fields != nil || err != nil {
		return fields, without(err, fields)
	}
	return nil, store.Close()
}

func fieldsOf(err error) []fault.Field {
	if f, ok := fault.As(err); ok {
		return f.Fields
	}
	return nil
}

// without returns the error, unless the fields replace it.
func without(err error, fields []fault.Field) error {
	if fields != nil {
		return nil
	}
	return err
}

// Paths of the secrets in the vault.
const (
	secretKeyPath = VaultFolder + "/secret_access_key"
	passwordPath  = VaultFolder + "/encryption_password"
)

func (s *Service) keep(path string) settings.SecretSlot {
	return settings.SecretSlot{Vault: s.Vault, Path: path, Now: s.Now}
}

// put stores a secret and returns its id, which is empty for an empty secret. A
// secret already in use is kept.
func (s *Service) put(ctx context.Context, path string, value secret.String, inUse string) (string, error) {
	if value.Empty() {
		return "", nil
	}
	former, err := s.get(ctx, path, inUse)
	if err != nil || former.Equal(value) {
		return inUse, err
	}
	return s.keep(path).Put(ctx, value, inUse)
}

// get returns a secret; empty if there is none. One missing in the vault counts as
// none: the settings came from another installation's backup.
func (s *Service) get(ctx context.Context, path, id string) (secret.String, error) {
	value, err := s.keep(path).Get(ctx, id)
	if errors.Is(err, settings.ErrSecretMissing) {
		return secret.String{}, nil
	}
	return value, err
}

func (s *Service) secretKey(ctx context.Context, set Settings) (secret.String, error) {
	return s.get(ctx, secretKeyPath, set.SecretKeyID)
}

func (s *Service) password(ctx context.Context, set Settings) (secret.String, error) {
	return s.get(ctx, passwordPath, set.PasswordID)
}
