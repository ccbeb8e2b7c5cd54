package backup_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/s3server"
)

// The secrets are only in the vault, and the settings have their ids; the audit log
// has the names of what changed.
func TestSettingsKeepSecretsInTheVault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	set, has, err := b.Show(t.Context())
	if diff := cmp.Diff(backup.DefaultSettings(), set); diff != "" || has != (backup.Set{}) || err != nil {
		t.Errorf("at first: %v %v\n%s", has, err, diff)
	}
	if err := b.Ready(t.Context()); !errors.Is(err, backup.ErrNotConfigured) {
		t.Errorf("without a password: %v", err)
	}
	b.change(password, nil)
	b.inBucket("http://127.0.0.1:1")
	if set, has, err = b.Show(t.Context()); !has.Password || !has.SecretKey || err != nil {
		t.Errorf("afterwards: %v %v", has, err)
	}
	must.OK(t, b.Ready(t.Context()))
	row := must.Get(b.db.Setting(t.Context(), "backup"))(t).Text
	entries := b.entries(audit.SettingsChanged)
	all, err := json.Marshal(entries)
	must.OK(t, err)
	for _, text := range []string{password, s3server.SecretKey} {
		if strings.Contains(row, text) || strings.Contains(string(all), text) {
			t.Errorf("a secret is in the database: %s", row)
		}
	}
	var said []string
	for _, e := range entries {
		said = append(said, e.Details)
	}
	want := []string{
		"changed: access_key_id, bucket, prefix, region, s3_endpoint, secret_access_key, store, use_path_style",
		"changed: encryption_password",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}

	// The same password is no change; neither is an absent one.
	again := secret.New(password)
	for _, with := range []backup.Secrets{{Password: &again}, {}} {
		if replaced := must.Get(b.Change(t.Context(), admin, set, with))(t); replaced != (backup.Set{}) {
			t.Errorf("replaced: %v", replaced)
		}
	}
	other := secret.New(password + "!")
	if replaced := must.Get(b.Change(t.Context(), admin, set, backup.Secrets{Password: &other}))(t); !replaced.Password || replaced.SecretKey {
		t.Errorf("replaced: %v", replaced)
	}

	// Another installation's settings, without its vault, have no secrets.
	must.OK(t, b.kv.DestroyPath(t.Context(), "backup_settings/encryption_password"))
	if _, has, err := b.Show(t.Context()); has.Password || !has.SecretKey || err != nil {
		t.Errorf("without the vault's document: %v %v", has, err)
	}
	if err := b.Ready(t.Context()); !errors.Is(err, backup.ErrNotConfigured) {
		t.Errorf("without the vault's document: %v", err)
	}
}

// Errors are named, field by field, and nothing changes.
func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, c := range map[string]struct {
		change   func(*backup.Settings)
		password string
		want     []string
	}{
		"nothing":        {func(*backup.Settings) {}, password, nil},
		"another store":  {func(s *backup.Settings) { s.Store = "tape" }, "", []string{"store"}},
		"short password": {func(*backup.Settings) {}, "eleven char", []string{"encryption_password"}},
		"no days":        {func(s *backup.Settings) { s.RetentionDays = 0 }, "", []string{"retention_days"}},
		"a way out":      {func(s *backup.Settings) { s.Prefix = "../up/" }, "", []string{"prefix"}},
		"no bucket": {func(s *backup.Settings) { s.Store, s.RetentionDays = backup.Bucket, -1 }, "short",
			[]string{"access_key_id", "bucket", "encryption_password", "region", "retention_days", "secret_access_key"}},
		"a path in the address": {func(s *backup.Settings) {
			s.Store, s.Endpoint, s.Bucket, s.AccessKeyID, s.Prefix = backup.Bucket, "https://s3.example/bucket", "b", "k", "/x"
		}, "", []string{"prefix", "s3_endpoint", "secret_access_key"}},
		"locked for no time": {func(s *backup.Settings) {
			s.Store, s.Endpoint, s.Bucket, s.AccessKeyID, s.LockMode = backup.Bucket, "https://s3.example", "b", "k", "GOVERNANCE"
		}, "", []string{"object_lock_days", "secret_access_key"}},
		"no such zone": {func(s *backup.Settings) { s.TimeZone = "Mars/Olympus" }, "", []string{"time_zone"}},
		"no such time": {func(s *backup.Settings) { s.Schedule = "0 25 * * *" }, "", []string{"schedule"}},
	} {
		t.Run(name, func(t *testing.T) {
			set := backup.DefaultSettings()
			c.change(&set)
			var with backup.Secrets
			if c.password != "" {
				value := secret.New(c.password)
				with.Password = &value
			}
			_, err := b.Change(t.Context(), admin, set, with)
			if diff := cmp.Diff(c.want, fields(err)); diff != "" || (c.want == nil) != (err == nil) {
				t.Errorf("%v\n%s", err, diff)
			}
			if err != nil && (strings.Contains(err.Error(), "Olympus") || strings.Contains(err.Error(), "eleven")) {
				t.Errorf("a value is repeated: %v", err)
			}
		})
	}
}

// An unavailable vault is distinguished from having no password.
func TestSettingsWithoutTheVault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.change(password, nil)
	b.Vault = away{b.kv}
	if err := b.Ready(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Error(err)
	}
}

// away is a vault that does not answer.
type away struct{ vault.KV }

func (away) Get(context.Context, string) (vault.Version, error) {
	return vault.Version{}, vault.ErrUnavailable
}

// The weaknesses of the settings are reported.
func TestWarnings(t *testing.T) {
	t.Parallel()
	bucket := backup.DefaultSettings()
	bucket.Store = backup.Bucket
	if none := bucket.Warnings(backup.Set{Password: true}, false, false); none == nil || len(none) > 0 {
		t.Errorf("without a weakness, JSON gets %#v, not []", none)
	}
	for endpoint, open := range map[string]bool{
		"": false, "https://s3.example.org": false, "http://127.0.0.1:9000": false, "http://localhost": false, "http://[::1]:9000": false,
		"http://s3.example.org": true, "http://10.0.0.7:9000": true,
	} {
		set := backup.DefaultSettings()
		set.Store, set.Endpoint = backup.Bucket, endpoint
		for _, versioned := range []bool{false, true} {
			warnings := strings.Join(set.Warnings(backup.Set{Password: true}, false, versioned), " ")
			if strings.Contains(warnings, "http://") != open || strings.Contains(warnings, "NoncurrentVersionExpiration") != versioned {
				t.Errorf("%q, versioned %v: %s", endpoint, versioned, warnings)
			}
		}
	}
}
