package backend

import (
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// BackupSettings are the settings of backups as the API shows them.
type BackupSettings struct {
	Store                 string   `json:"store" enum:"directory,s3"`
	S3Endpoint            string   `json:"s3_endpoint" doc:"empty: AWS itself, in the region"`
	Region                string   `json:"region"`
	Bucket                string   `json:"bucket"`
	Prefix                string   `json:"prefix" doc:"before every key, as it is; in the directory, too"`
	AccessKeyID           string   `json:"access_key_id"`
	SecretAccessKeySet    bool     `json:"secret_access_key_set" doc:"the secret itself is never shown"`
	UsePathStyle          bool     `json:"use_path_style"`
	InsecureTLS           bool     `json:"insecure_tls" doc:"no certificate of the store is verified"`
	ObjectLockMode        string   `json:"object_lock_mode" doc:"empty: objects are not locked"`
	ObjectLockDays        int      `json:"object_lock_days"`
	Encryption            string   `json:"encryption" doc:"by the store, beyond Keyward's own; empty: the bucket's default"`
	KMSKeyID              string   `json:"kms_key_id"`
	Schedule              string   `json:"schedule" doc:"cron, five fields; empty: none"`
	DrillSchedule         string   `json:"drill_schedule" doc:"of restore drills, likewise"`
	TimeZone              string   `json:"time_zone" doc:"of both schedules; empty: UTC"`
	RetentionDays         int      `json:"retention_days"`
	IncludeAuditLogs      bool     `json:"include_audit_logs"`
	EncryptionPasswordSet bool     `json:"encryption_password_set" doc:"false: no backup can be made"`
	Location              string   `json:"location" doc:"where the files are, for people"`
	Warnings              []string `json:"warnings" nullable:"false" doc:"what these settings leave open, and what follows from the change"`

	NextAt         *time.Time `json:"next_at" nullable:"true" doc:"when the schedule has the next backup made; null: it does not"`
	NextDrillAt    *time.Time `json:"next_drill_at" nullable:"true" doc:"when the schedule has the next drill made; null: it does not"`
	OverdueAt      *time.Time `json:"overdue_at" nullable:"true" doc:"the scheduled time whose backup has been missing for three hours; null: none"`
	DrillOverdueAt *time.Time `json:"drill_overdue_at" nullable:"true" doc:"the scheduled time whose trial restore has been missing for a day; null: none"`
}

// PutBackupSettings has pointers, so that an absent field takes its default.
type PutBackupSettings struct {
	Store              *string        `json:"store,omitempty" enum:"directory,s3" doc:"default: directory"`
	S3Endpoint         string         `json:"s3_endpoint,omitempty" maxLength:"1024" doc:"https://HOST[:PORT], or http://; empty: AWS itself"`
	Region             string         `json:"region,omitempty" maxLength:"64" doc:"can be empty with an endpoint: us-east-1"`
	Bucket             string         `json:"bucket,omitempty" maxLength:"255"`
	Prefix             string         `json:"prefix,omitempty" maxLength:"960" doc:"keyward/ makes a folder, keyward- doesn't; each installation needs its own"`
	AccessKeyID        string         `json:"access_key_id,omitempty" maxLength:"255"`
	SecretAccessKey    *secret.String `json:"secret_access_key,omitempty" maxLength:"1024" doc:"absent: as it is; empty: none"`
	UsePathStyle       *bool          `json:"use_path_style,omitempty" doc:"the bucket is in the path, not in the host's name; default: true with an s3_endpoint"`
	InsecureTLS        bool           `json:"insecure_tls,omitempty" doc:"saved with a warning"`
	ObjectLockMode     string         `json:"object_lock_mode,omitempty" enum:",GOVERNANCE,COMPLIANCE"`
	ObjectLockDays     int            `json:"object_lock_days,omitempty" minimum:"0" maximum:"36500"`
	Encryption         string         `json:"encryption,omitempty" enum:",AES256,aws:kms"`
	KMSKeyID           string         `json:"kms_key_id,omitempty" maxLength:"2048"`
	Schedule           *string        `json:"schedule,omitempty" maxLength:"256" doc:"cron, five fields; empty: none; default: 0 2 * * *"`
	DrillSchedule      *string        `json:"drill_schedule,omitempty" maxLength:"256" doc:"of restore drills, likewise; default: 0 5 1 * *, the first of each month"`
	TimeZone           string         `json:"time_zone,omitempty" maxLength:"64" doc:"of both schedules, an IANA name such as Europe/Berlin; empty: UTC"`
	RetentionDays      *int           `json:"retention_days,omitempty" minimum:"1" maximum:"36500" doc:"default: 30"`
	IncludeAuditLogs   *bool          `json:"include_audit_logs,omitempty" doc:"default: true"`
	EncryptionPassword *secret.String `json:"encryption_password,omitempty" maxLength:"4096" doc:"absent: unchanged; otherwise 12 to 1024 characters. Older backups only open with the previous one. Nobody can restore without it."`
}
