package mail

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// Service is mail's face to administrators.
type Service struct {
	Rows      settings.Store
	Store     Store
	Vault     vault.KV
	Transport Transport
	TokenHost string // the server that takes Transport's access token in place of a password
	Writer    Writer
	Admitted  func(context.Context) error // whether the actor may still proceed
	Wake      func()                      // wakes this server's Sender
	Now       func() time.Time
}

// passwordPath is the password's path in the vault.
const passwordPath = "mail_settings/password"

// Settings returns the current settings.
func (s *Service) Settings(ctx context.Context) (Settings, error) {
	_, set, err := s.row(ctx)
	return set, err
}

// On reports whether mail is on.
func (s *Service) On(ctx context.Context) (bool, error) {
	set, err := s.Settings(ctx)
	return set.Enabled, err
}

// row returns the settings and their row, which is zero if there is none.
func (s *Service) row(ctx context.Context) (settings.Value, Settings, error) {
	v, err := s.Rows.Setting(ctx, SettingName)
	switch {
	case fault.Is(err, fault.NotFound):
		return settings.Value{}, DefaultSettings(), nil
	case err != nil:
		return settings.Value{}, Settings{}, err
	}
	set, err := DecodeSettings(v.Text)
	return v, set, err
}

func (s *Service) keep() settings.SecretSlot {
	return settings.SecretSlot{Vault: s.Vault, Path: passwordPath, Now: s.Now}
}

// password returns "" when there is none, or when the vault lacks it: the settings
// came from another installation's backup, without it.
func (s *Service) password(ctx context.Context, set Settings) (secret.String, error) {
	value, err := s.keep().Get(ctx, set.PasswordID)
	if errors.Is(err, settings.ErrSecretMissing) {
		return secret.String{}, nil
	}
	return value, err
}

// Change replaces the settings; next's PasswordID is ignored. A nil password keeps the
// stored one, an empty one removes it. Invalid settings are refused, naming the fields,
// and nothing changes.
func (s *Service) Change(ctx context.Context, a access.Actor, next Settings, password *secret.String) (Settings, error) {
	before, err := s.Settings(ctx)
	if err != nil {
		return Settings{}, err
	}
	next.PasswordID = before.PasswordID
	has := before.PasswordID != ""
	if password != nil {
		has = !password.Empty()
	}
	bad := next.check(has, s.TokenHost != "" && strings.EqualFold(next.Host, s.TokenHost))
	if password == nil && has && before.elsewhere(next) {
		bad = append(bad, fault.Wrong("password", "password_again",
			"must be given again when the server, its protection or the username changes"))
	}
	if password != nil && len(password.Reveal()) > maxPassword {
		bad = append(bad, fault.TooLong("password", maxPassword))
	}
	if len(bad) > 0 {
		return Settings{}, fault.Invalid(bad...)
	}
	switch {
	case password == nil:
	case password.Empty():
		next.PasswordID = ""
	default:
		if next.PasswordID, err = s.keep().Put(ctx, *password, before.PasswordID); err != nil {
			return Settings{}, err
		}
	}
	raw, err := json.Marshal(next)
	if err != nil {
		return Settings{}, fmt.Errorf("settings of mail: %w", err)
	}
	changed := "nothing"
	if names := before.changes(next); len(names) > 0 {
		changed = strings.Join(names, ", ")
	}
	entry := audit.By(a, audit.SettingsChanged, "settings", SettingName, "changed: "+changed)
	if err := s.Rows.PutSetting(ctx, SettingName, settings.Value{Text: string(raw), UpdatedAt: s.Now()}, entry); err != nil {
		return Settings{}, err
	}
	s.Wake()
	return next, nil
}

const maxPassword = 1024

// testTakes bounds a test message.
const testTakes = 45 * time.Second

// Test sends a message to an address at once, with the saved settings, even while mail
// is off. A refusal is a MailFailed with the class as reason.
func (s *Service) Test(ctx context.Context, a access.Actor, to string) (messageID string, err error) {
	if err := s.Admitted(ctx); err != nil {
		return "", err
	}
	set, err := s.Settings(ctx)
	if err != nil {
		return "", err
	}
	if !account.ValidEmail(to) {
		return "", fault.Invalid(fault.Wrong("to", "bad_email",
			"must be an email address such as name@example.org, in ASCII (a domain of other letters in its xn-- form)"))
	}
	if set.Host == "" || set.From == "" {
		return "", fault.New(fault.Conflict, "mail_not_set", "Email is not set up. Enter the SMTP server and the sender, and save, first.")
	}
	password, err := s.password(ctx, set)
	if err != nil {
		return "", err
	}
	letter, err := s.Writer.test(set, a.Username, to, set.MessageID(rand.Text()), s.Now())
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, testTakes)
	defer cancel()
	err = func() error {
		conn, err := s.Transport.Open(ctx, set, password)
		if err != nil {
			return err
		}
		defer conn.Close()
		return conn.Send(ctx, ctx, letter)
	}()
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return "", refusal.problem(set.Host)
	}
	return letter.MessageID, err
}

// List returns messages, newest first.
func (s *Service) List(ctx context.Context, f Filter, p page.Request) (page.Page[Message], error) {
	return s.Store.ListMail(ctx, f, p)
}

// Retry sends a failed message again; Conflict while mail is off.
func (s *Service) Retry(ctx context.Context, a access.Actor, id int64) (Message, error) {
	if on, err := s.On(ctx); err != nil {
		return Message{}, err
	} else if !on {
		if err := s.Admitted(ctx); err != nil {
			return Message{}, err
		}
		return Message{}, fault.New(fault.Conflict, "mail_off", "Mail is turned off. Turn it on in the settings, then send the message again.")
	}
	m, err := s.Store.RetryMail(ctx, id, s.Now(), audit.By(a, audit.MailRetried, "mail", audit.ID(id), ""))
	if err == nil {
		s.Wake()
	}
	return m, err
}

// purgeBatch bounds one transaction.
const purgeBatch = 500

// CleanUp removes messages that ended more than KeptFor ago.
func (s *Service) CleanUp(ctx context.Context) error {
	for {
		n, err := s.Store.PurgeMail(ctx, s.Now().Add(-KeptFor), purgeBatch)
		if err != nil || n < purgeBatch {
			return err
		}
	}
}
