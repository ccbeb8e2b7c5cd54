package backend

import "time"

// BackupJob is a backup, a restore, or a drill.
type BackupJob struct {
	JobID           int64        `json:"job_id"`
	Kind            string       `json:"kind" enum:"backup,restore,drill"`
	Type            string       `json:"type" enum:"full,database,vault" doc:"what the backup holds"`
	Status          string       `json:"status" enum:"Pending,Running,Completed,Failed"`
	Phase           string       `json:"phase" doc:"of its work, in a word: dump, vault, upload, verify; download, check, database, vault, finish; empty before the first"`
	ProgressPercent int          `json:"progress_percent" minimum:"0" maximum:"100" doc:"of all its work; 100 when it is Completed"`
	Progress        *Progress    `json:"progress" doc:"of its phase; null when that counts nothing, and unless it is Running"`
	Outcome         *string      `json:"outcome" nullable:"true" doc:"ok, warnings, vault_incomplete, cancelled; null: not done, or failed for a reason that only error_message gives"`
	ErrorMessage    *string      `json:"error_message" nullable:"true" doc:"of a Failed one: what happened, and what to do"`
	TriggeredBy     *Owner       `json:"triggered_by" doc:"null: the schedule, the command line, or an API key"`
	Scheduled       bool         `json:"scheduled"`
	Key             string       `json:"key" doc:"of the backup object; empty before it is known"`
	SizeBytes       int64        `json:"size_bytes" doc:"of the object; 0 before it is known"`
	CancelRequested bool         `json:"cancel_requested" doc:"someone canceled it; it will end soon"`
	Details         string       `json:"details" doc:"what a Completed job counted, for people, in English"`
	Warnings        []string     `json:"warnings" nullable:"false" doc:"for people, in English"`
	Sentences       JobSentences `json:"sentences" doc:"error_message, details and warnings again, with codes for translation"`
	CreatedAt       time.Time    `json:"created_at"`
	StartedAt       *time.Time   `json:"started_at" nullable:"true" doc:"null while it is Pending"`
	FinishedAt      *time.Time   `json:"finished_at" nullable:"true" doc:"null until it is over"`
}

// JobSentences is what a job says to people.
type JobSentences struct {
	ErrorMessage *Sentence  `json:"error_message,omitempty" doc:"absent: none"`
	Details      []Sentence `json:"details" nullable:"false"`
	Warnings     []Sentence `json:"warnings" nullable:"false"`
}

// Sentence is one for people. A param may be a sentence itself, or a time.
type Sentence struct {
	Code   string         `json:"code" doc:"for programs: errors.json lists the message of each code under jobs; empty: there is only the English text"`
	Params map[string]any `json:"params,omitempty" nullable:"false" doc:"what a translation of the text needs: reason names the sentence where the code has several, the others fill its places"`
	Text   string         `json:"text" doc:"in English"`
}

// Progress is what a job's phase has done.
type Progress struct {
	_     struct{} `nullable:"true"`
	Done  int64    `json:"done" minimum:"0" doc:"what of it is done"`
	Total *int64   `json:"total" nullable:"true" minimum:"1" doc:"all of it, never less than is done; null: nobody knows yet"`
	Unit  string   `json:"unit" enum:"bytes,rows,secrets" doc:"of both; rows: of the database"`
}

// RunningBackupJobs are those that are Pending or Running: one at most.
type RunningBackupJobs struct {
	Items []BackupJob `json:"items" nullable:"false"`
}
