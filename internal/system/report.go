package system

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// ServerInfo says what runs, and since when.
type ServerInfo struct {
	Version   string    `json:"version"`
	Commit    *string   `json:"commit" nullable:"true" doc:"of the source; null when the build did not record it"`
	CommitAt  *string   `json:"commit_at" nullable:"true" doc:"when that commit was made"`
	Modified  *bool     `json:"modified" nullable:"true" doc:"whether the source differed from that commit"`
	GoVersion string    `json:"go_version"`
	Platform  string    `json:"platform" doc:"operating system and processor"`
	StartedAt time.Time `json:"started_at"`
	Uptime    string    `json:"uptime" doc:"duration"`
	Engines   Engines   `json:"engines"`
	SiteURL   string    `json:"site_url"`
	Leads     bool      `json:"leads" doc:"whether this server does the background work that only one of all servers does; a single server always does"`
}

// Engines names the engine of each port.
type Engines struct {
	Database string `json:"database"`
	Vault    string `json:"vault"`
}

// DatabaseReport is the size of the database.
type DatabaseReport struct {
	Engine        string        `json:"engine"`
	SchemaVersion int64         `json:"schema_version"`
	SizeBytes     int64         `json:"size_bytes" doc:"on disk, without the write-ahead log"`
	WALBytes      *int64        `json:"wal_bytes" nullable:"true" doc:"of the write-ahead log; null if the engine has none of its own"`
	Tables        []TableReport `json:"tables" nullable:"false"`
}

// TableReport is the size of a table.
type TableReport struct {
	Name      string `json:"name"`
	Rows      int64  `json:"rows"`
	Estimated bool   `json:"estimated" doc:"large tables aren't counted: rows is estimated from the range of their IDs, and from PostgreSQL's statistics"`
}

// Database reports its size.
type Database interface {
	Engine() string
	// Statistics is cheap for a database of any size. DatabaseUnavailable when
	// it does not answer.
	Statistics(ctx context.Context) (DatabaseReport, error)
}

// VaultReport is the state of the vault, with its CA and CRL, which are nil
// while the vault does not answer.
type VaultReport struct {
	Engine string
	State  string // a vault.State
	CA     *AuthorityReport
	CRL    *CRLReport
}

// AuthorityReport is the issuing certificate.
type AuthorityReport struct {
	Subject      string    `json:"subject" doc:"RFC 2253"`
	SerialNumber string    `json:"serial_number"`
	NotBefore    time.Time `json:"not_before"`
	NotAfter     time.Time `json:"not_after"`
	KeyType      string    `json:"key_type" doc:"for example rsa-3072"`
}

// CRLReport is the current CRL.
type CRLReport struct {
	Number     uint64    `json:"number"`
	ThisUpdate time.Time `json:"this_update"`
	NextUpdate time.Time `json:"next_update"`
}

// StorageReport is where the server keeps its files.
type StorageReport struct {
	Data   DataReport   `json:"data"`
	Backup BackupReport `json:"backup_store"`
}

// DataReport is the data directory.
type DataReport struct {
	Path       string       `json:"path"`
	FreeBytes  *int64       `json:"free_bytes" nullable:"true" doc:"of its file system, to the server; null where the system does not tell"`
	TotalBytes *int64       `json:"total_bytes" nullable:"true" doc:"of its file system"`
	UsedBytes  int64        `json:"used_bytes" doc:"by the files of the directory"`
	Files      []FileReport `json:"files" nullable:"false"`
}

// FileReport is a file of the data directory.
type FileReport struct {
	Name      string `json:"name"`
	SizeBytes int64  `json:"size_bytes"`
}

// BackupReport is the state of the backup store at a recent check.
type BackupReport struct {
	Status     Status         `json:"status" enum:"not_configured,ok,failed" doc:"not_configured: no backups are made, and nobody looks"`
	Kind       string         `json:"kind" enum:",directory,s3" doc:"empty while it is not configured"`
	Location   string         `json:"location" doc:"where the files are, for people; without a secret"`
	Detail     string         `json:"detail" doc:"of a failed one: what is wrong, and what to do"`
	Code       string         `json:"code,omitempty" doc:"names the sentence of detail (errors.json), so that it can be said in another language"`
	Params     map[string]any `json:"params,omitempty" nullable:"false" doc:"what a translation of the detail needs: reason, and what stands in it"`
	Errors     []fault.Field  `json:"errors,omitempty" nullable:"false" doc:"of a failed one: the settings that are wrong, if it is one of them"`
	CheckedAt  *time.Time     `json:"checked_at" nullable:"true" doc:"when its backups were listed; null while it is not configured"`
	LatencyMS  float64        `json:"latency_ms" doc:"how long that took"`
	Backups    int            `json:"backups" doc:"how many there are"`
	FreeBytes  *int64         `json:"free_bytes" nullable:"true" doc:"of a directory's file system, to the server; null of a bucket, and where the system does not tell"`
	TotalBytes *int64         `json:"total_bytes" nullable:"true" doc:"of a directory's file system"`
}

// LicenseReport is the state of the license and its service.
type LicenseReport struct {
	Status  Status `json:"status" enum:"ok,degraded,failed" doc:"degraded: it expires soon, or the license service doesn't answer; failed: the installation is restricted"`
	License string `json:"license" enum:"TRIAL,VALID,EXPIRING,INVALID,EXPIRED,MISSING"`
	Service string `json:"service" doc:"where the license service is: embedded, or its address"`
	Detail  string `json:"detail" doc:"for people, in English; empty when all is well"`
}
