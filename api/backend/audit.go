package backend

import (
	"time"
)

// AuditEntry is an entry as the API shows it.
type AuditEntry struct {
	ID             int64     `json:"id"`
	At             time.Time `json:"at"`
	Action         string    `json:"action" doc:"noun.verb"`
	Outcome        string    `json:"outcome" enum:"success,failure,denied"`
	ActorID        *int64    `json:"actor_id" nullable:"true"`
	Actor          string    `json:"actor" doc:"username, system, or api-key: and the name of a key"`
	OrganizationID *int64    `json:"organization_id" nullable:"true"`
	TargetType     string    `json:"target_type"`
	TargetID       string    `json:"target_id"`
	Hostname       string    `json:"hostname"`
	IPAddress      string    `json:"ip_address"`
	RequestID      string    `json:"request_id"`
	Reason         string    `json:"reason" doc:"as the person gave it; of a revocation its RFC 5280 name"`
	Details        string    `json:"details"`
	FileName       string    `json:"file_name"`
	BackupType     string    `json:"backup_type"`
	DurationMS     *int64    `json:"duration_ms" nullable:"true"`
	SizeBytes      *int64    `json:"size_bytes" nullable:"true"`
}

// ListedAuditEntry is an entry in a list, with what is called today whom it names.
type ListedAuditEntry struct {
	AuditEntry
	ActorName  string `json:"actor_name" doc:"of the account actor_id today, its username if no name is known; empty: not visible. Not part of the log"`
	TargetName string `json:"target_name" doc:"of the account or organization that it is about, or whose session it is, likewise. Not part of the log"`
}

// AuditSeal is how far the audit log is sealed.
type AuditSeal struct {
	PublicKey        string     `json:"public_key" doc:"Ed25519, hex; empty before the first sealing"`
	FormerPublicKeys []string   `json:"former_public_keys" nullable:"false" doc:"of the segments before restores from a backup; hex"`
	Segment          int64      `json:"segment" doc:"increases with each accepted older database; 0: nothing is sealed"`
	Batch            int64      `json:"batch" doc:"the number of the last batch"`
	LastSealedID     int64      `json:"last_sealed_id" doc:"the last entry that is sealed"`
	SealedAt         *time.Time `json:"sealed_at" nullable:"true"`
	Hash             string     `json:"hash" doc:"running hash after that entry, hex"`
	KeyID            string     `json:"key_id"`
	Signature        string     `json:"signature" doc:"of segment, batch, last_sealed_id, sealed_at and hash, by public_key (docs/audit.md); hex"`
	Unsealed         int64      `json:"unsealed" doc:"entries that wait for the next minute's sealing"`
	OldestUnsealedAt *time.Time `json:"oldest_unsealed_at" nullable:"true"`
	Problem          *string    `json:"problem" nullable:"true" doc:"why sealing does not go on; null when it does"`
}

// AuditVerification is a line of what a verification of the log answers: how far it is and, in the last one, its result.
type AuditVerification struct {
	Checked int64                    `json:"checked" doc:"up to this entry, all is as it was sealed"`
	Of      int64                    `json:"of" doc:"the last sealed entry when it began"`
	Result  *AuditVerificationResult `json:"result,omitempty" doc:"in the last line alone"`
}

// AuditVerificationResult is what a verification of the log found.
type AuditVerificationResult struct {
	OK           bool                       `json:"ok"`
	Entries      int64                      `json:"entries" doc:"sealed ones that were checked"`
	Unsealed     int64                      `json:"unsealed" doc:"entries that wait for the next minute's sealing"`
	Releases     int64                      `json:"releases" doc:"of secrets, that the vault has logged"`
	Certificates int64                      `json:"certificates" doc:"that the vault has logged as recorded"`
	Findings     []AuditVerificationFinding `json:"findings" nullable:"false" doc:"what was changed"`
}

// AuditVerificationFinding is something that was changed.
type AuditVerificationFinding struct {
	Entry  int64  `json:"entry,omitempty" doc:"the first bad one"`
	Detail string `json:"detail"`
}
