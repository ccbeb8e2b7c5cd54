package backend

import (
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// RestoreRequest asks for the restore of a backup.
type RestoreRequest struct {
	Key       string        `json:"key" minLength:"1" maxLength:"1024" doc:"of the backup, as listed"`
	Password  secret.String `json:"password" minLength:"1" maxLength:"4096" doc:"that the backup was encrypted with"`
	ReplaceCA bool          `json:"replace_ca,omitempty" doc:"another CA, or an installation that nobody uses yet, is replaced by the backup's; without it that is refused"`
}

// BackupPasswordRequest asks whether a password seems to open a backup.
type BackupPasswordRequest struct {
	Key      string        `json:"key" minLength:"1" maxLength:"1024" doc:"of the backup, as listed"`
	Password secret.String `json:"password" minLength:"1" maxLength:"4096"`
}

// BackupPasswordResult is whether it does. The restore checks everything.
type BackupPasswordResult struct {
	Valid  bool         `json:"valid" doc:"of the backup's beginning: the rest was not looked at"`
	Header BackupHeader `json:"header" doc:"as at the beginning of the file; proven if the password is valid"`
}

// BackupHeader says what a backup is.
type BackupHeader struct {
	Version       int       `json:"version"`
	CreatedAt     time.Time `json:"created_at"`
	BackupType    string    `json:"backup_type" enum:"full,database,vault"`
	Checksum      string    `json:"checksum" doc:"hex SHA-256 of the encrypted content"`
	IncludesDB    bool      `json:"includes_db"`
	IncludesKV    bool      `json:"includes_kv"`
	IncludesAudit bool      `json:"includes_audit"`
}

// RestoreStatus is how a restore stands.
type RestoreStatus struct {
	Running bool        `json:"running"`
	Job     *RestoreJob `json:"job" doc:"the restore that is running, or the last one; null: there was none"`
	// Unfinished may be another one than the last.
	Unfinished *RestoreJob `json:"unfinished" doc:"the restore that has changed things and stopped before its end: secrets and signatures are held back until it is retried; null: there is none"`
}

// RestoreJob is a restore, or null.
type RestoreJob struct {
	_ struct{} `nullable:"true"`
	BackupJob
}

// RetryRestore goes on with a restore that stopped half-way.
type RetryRestore struct {
	Password secret.String `json:"password" minLength:"1" maxLength:"4096" doc:"that the backup was encrypted with"`
}

// DrillRequest asks for a restore drill.
type DrillRequest struct {
	Key string `json:"key,omitempty" maxLength:"1024" doc:"of the backup, as listed; default: the newest"`
}
