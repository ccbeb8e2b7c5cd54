package backup

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/settings"
)

// Place is where backups are stored.
type Place string

// The places.
const (
	Directory Place = "directory" // of the server
	Bucket    Place = "s3"
)

// Settings are an administrator's settings for backups, without the secrets
// (specification, "Backup settings").
type Settings struct {
	Store            Place  `json:"store"`
	Endpoint         string `json:"s3_endpoint"` // empty: AWS itself
	Region           string `json:"region"`
	Bucket           string `json:"bucket"`
	Prefix           string `json:"prefix"` // of all keys, also in a directory
	AccessKeyID      string `json:"access_key_id"`
	PathStyle        bool   `json:"use_path_style"`
	InsecureTLS      bool   `json:"insecure_tls"`
	LockMode         string `json:"object_lock_mode"` // GOVERNANCE or COMPLIANCE; empty: objects are not locked
	LockDays         int    `json:"object_lock_days"`
	Encryption       string `json:"encryption"` // by the store, in addition to ours: AES256 or aws:kms; empty: its default
	KMSKeyID         string `json:"kms_key_id"`
	Schedule         string `json:"schedule"`       // cron; empty: none
	DrillSchedule    string `json:"drill_schedule"` // cron; empty: drills are only started by hand
	TimeZone         string `json:"time_zone"`      // of both schedules, an IANA name; empty: UTC
	RetentionDays    int    `json:"retention_days"`
	IncludeAuditLogs bool   `json:"include_audit_logs"`

	// Ids of the secrets in the vault; empty: none.
	SecretKeyID string `json:"secret_access_key_id"`
	PasswordID  string `json:"encryption_password_id"`

	// When each schedule took effect: earlier times are neither made up for nor overdue.
	ScheduleSince      time.Time `json:"schedule_since,omitzero"`
	DrillScheduleSince time.Time `json:"drill_schedule_since,omitzero"`
}

// DefaultSettings are a new server's. Without a password it makes no backups or drills.
func DefaultSettings() Settings {
	return Settings{Store: Directory, Schedule: "0 2 * * *", DrillSchedule: "0 5 1 * *", RetentionDays: 30, IncludeAuditLogs: true}
}

// maxRetention is a hundred years.
const maxRetention = 36500

// decodeSettings decodes stored settings; missing fields get their defaults.
func decodeSettings(stored settings.Value) (Settings, error) {
	s := DefaultSettings()
	if err := json.Unmarshal([]byte(stored.Text), &s); err != nil {
		return Settings{}, fmt.Errorf("stored settings of backups: %w", err)
	}
	return s, nil
}

// holdSince sets when the schedules of next, which replaces s, took effect: a
// schedule unchanged in expression and zone keeps its time. None takes effect
// without a password.
func (s Settings) holdSince(next *Settings, now time.Time) {
	next.ScheduleSince, next.DrillScheduleSince = s.ScheduleSince, s.DrillScheduleSince
	first := s.PasswordID == "" || s.TimeZone != next.TimeZone
	if first || s.Schedule != next.Schedule {
		next.ScheduleSince = now
	}
	if first || s.DrillSchedule != next.DrillSchedule {
		next.DrillScheduleSince = now
	}
}

// check returns everything wrong with the settings in themselves. The store's engine
// checks a bucket's.
func (s Settings) check() []fault.Field {
	var bad []fault.Field
	switch s.Store {
	case Directory:
		bad = append(bad, objstore.CheckPrefix("prefix", s.Prefix)...)
	case Bucket:
	default:
		bad = append(bad, fault.NotOneOf("store", Directory, Bucket))
	}
	if s.RetentionDays < 1 || s.RetentionDays > maxRetention {
		bad = append(bad, fault.OutOfRange("retention_days", 1, maxRetention))
	}
	bad = append(bad, CheckZone("time_zone", s.TimeZone)...)
	bad = append(bad, CheckSchedule("schedule", s.Schedule)...)
	return append(bad, CheckSchedule("drill_schedule", s.DrillSchedule)...)
}

// changes returns the names of fields that differ, for the audit log.
func (s Settings) changes(next Settings) []string {
	next.ScheduleSince, next.DrillScheduleSince = s.ScheduleSince, s.DrillScheduleSince // they follow from others
	before, after := s.fields(), next.fields()
	var names []string
	for name := range after {
		if string(before[name]) != string(after[name]) {
			names = append(names, cmp.Or(secretOf[name], name))
		}
	}
	slices.Sort(names)
	return names
}

// secretOf maps a secret's id field to the secret's name.
var secretOf = map[string]string{"secret_access_key_id": "secret_access_key", "encryption_password_id": "encryption_password"}

func (s Settings) fields() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	raw, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return nil // a struct of texts and numbers always encodes
	}
	return out
}

// Location describes where the files are, for people.
func (s *Service) Location(set Settings) string {
	if set.Store != Bucket {
		return filepath.Join(s.Directory, filepath.FromSlash(set.Prefix))
	}
	at := "Amazon S3, region " + set.Region
	if set.Endpoint != "" {
		at = set.Endpoint
	}
	return fmt.Sprintf("s3://%s/%s at %s", set.Bucket, set.Prefix, at)
}

// Warnings returns the weaknesses of the settings. versioned is the bucket's.
func (s Settings) Warnings(has Set, passwordChanged, versioned bool) []string {
	list := []string{} // JSON has no null here
	for _, w := range []struct {
		is   bool
		text string
	}{
		{!has.Password, "No encryption password is set, so no backups are created."},
		{passwordChanged, "Backups created before this change open only with the previous password. Keep it as long as you keep them."},
		{s.Store == Directory, "The backups are on the server itself, or on a disk mounted there: whatever destroys the " +
			"server destroys them, too. Copy them elsewhere, or use a bucket."},
		{s.Store == Bucket && s.InsecureTLS, "insecure_tls is on: anyone between the server and the store can impersonate the " +
			"store. Backups stay encrypted, but can be withheld or destroyed."},
		{s.Store == Bucket && strings.HasPrefix(s.Endpoint, "http://") && !loopback.Site(s.Endpoint), "The endpoint is http://: " +
			"anyone between the server and the store can read and change what they send. Backups stay encrypted, but can be " +
			"withheld or destroyed. Use https://."},
		{versioned, "The bucket keeps versions: backups that are deleted stay in it as noncurrent versions. To really delete " +
			"them, give the bucket a lifecycle rule with NoncurrentVersionExpiration."},
		{s.Schedule == "", "There is no schedule, so backups are only created by hand."},
		{s.DrillSchedule == "", "No trial restore is scheduled, so you only know that a backup restores if someone tries it."},
		{s.LockMode != "" && s.LockDays > s.RetentionDays, "Objects are locked for longer than retention_days, so they stay " +
			"until the lock ends."},
	} {
		if w.is {
			list = append(list, w.text)
		}
	}
	return list
}
