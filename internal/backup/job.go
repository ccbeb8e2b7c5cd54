package backup

import (
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
)

// Kind is what a job does.
type Kind string

// The kinds.
const (
	Backup  Kind = "backup"
	Restore Kind = "restore"
	Drill   Kind = "drill" // a trial restore, to see that the backup works
)

// Type is what a backup includes.
type Type = archive.Type

// Status is the state of a job; see the diagram in the package comment.
type Status string

// The states.
const (
	Pending   Status = "Pending"
	Running   Status = "Running"
	Completed Status = "Completed"
	Failed    Status = "Failed"
)

// Active reports whether a job has not ended.
func (s Status) Active() bool { return s == Pending || s == Running }

// Outcome details the end of a job. It is empty before, and for failures without a name.
type Outcome string

// The outcomes.
const (
	OK              Outcome = "ok"
	Warnings        Outcome = "warnings"         // Completed, with warnings to read
	VaultIncomplete Outcome = "vault_incomplete" // Failed: the database is restored, the vault in part; it can be retried
	Cancelled       Outcome = "cancelled"        // Failed: someone cancelled it
)

// Limits of a job (specification, "Limits"; contract, "Backup and restore").
const (
	BeatEvery  = 15 * time.Second // interval of a job's heartbeats
	SilentFor  = 60 * time.Second // a job without a heartbeat for this long is Failed
	AloneFor   = 45 * time.Second // a server that could not record a heartbeat for this long stops the work
	LongestJob = 2 * time.Hour
)

// Person is who asked for a job.
type Person struct {
	ID       int64
	Username string
}

// Job is one backup, restore or drill.
type Job struct {
	ID     int64
	Kind   Kind
	Type   Type
	Status Status
	Reached
	Outcome      Outcome
	ErrorMessage fault.Sentence // of a Failed job: what happened, and what to do
	Actor        access.Actor   // who asked for it; zero is the system
	Scheduled    bool
	DueAt        *time.Time // the scheduled time it is for; unique among jobs of a kind
	Key          string     // the object's; empty before it is known
	SizeBytes    int64      // of the object
	Warnings     []fault.Sentence
	Details      []fault.Sentence // counts of a Completed job, for people
	Runner       string           // who works on it; no one else may record progress
	Cancel       bool             // someone wants it to end
	CreatedAt    time.Time
	StartedAt    *time.Time // nil while Pending
	FinishedAt   *time.Time // nil until it has ended
	Heartbeat    time.Time  // the latest, by the clock of the server that runs it
}

// TriggeredBy returns who asked for it; nil if it was scheduled, or started from the
// command line or with an API key.
func (j Job) TriggeredBy() *Person {
	if j.Actor.UserID == 0 {
		return nil
	}
	return &Person{j.Actor.UserID, j.Actor.Username}
}

// End is the end of a job.
type End struct {
	Status       Status // Completed or Failed
	Percent      int
	Outcome      Outcome
	ErrorMessage fault.Sentence
	Key          string
	SizeBytes    int64
	Warnings     []fault.Sentence
	Details      []fault.Sentence
	At           time.Time
}

// over returns the job with its end.
func (j Job) over(e End) Job {
	j.Status, j.Percent, j.Outcome, j.ErrorMessage = e.Status, e.Percent, e.Outcome, e.ErrorMessage
	j.Key, j.SizeBytes, j.Warnings, j.Details, j.FinishedAt = e.Key, e.SizeBytes, e.Warnings, e.Details, &e.At
	return j
}

// Counted returns a job's details in English, on one line.
func Counted(details []fault.Sentence) string {
	return strings.Join(fault.Texts(details), " ")
}
