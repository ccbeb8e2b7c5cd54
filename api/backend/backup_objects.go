package backend

import "time"

// BackupObject is a backup in the store.
type BackupObject struct {
	Key       string    `json:"key"`
	Type      string    `json:"type" enum:"full,database,vault"`
	SizeBytes int64     `json:"size_bytes"`
	CreatedAt time.Time `json:"created_at" doc:"as the name says"`
}

// BackupLink leads to a backup for whoever has it.
type BackupLink struct {
	URL       string    `json:"url" doc:"works without signing in: keep it to yourself until it ends"`
	ExpiresAt time.Time `json:"expires_at"`
}

// BackupConnection is how a test of the store went.
type BackupConnection struct {
	Success   bool           `json:"success"`
	Message   string         `json:"message" doc:"what is wrong, and what to do"`
	Code      string         `json:"code,omitempty" doc:"names the sentence of message (errors.json), so that it can be said in another language"`
	Params    map[string]any `json:"params,omitempty" nullable:"false" doc:"what a translation of the message needs: reason, and what stands in it"`
	Errors    []InputError   `json:"errors,omitempty" nullable:"false" doc:"the settings that are wrong, if it is one of them"`
	LatencyMS int64          `json:"latency_ms" doc:"of writing, listing, reading and deleting a small object"`
}

// NewBackup asks for a backup.
type NewBackup struct {
	Type *string `json:"type,omitempty" enum:"full,database,vault" doc:"default: full"`
}
