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
	Drill   Kind = "drill" // a restore into nothing, to see that the backup would
)

// Type is what a backup holds.
type Type = archive.Type

// Status is where a job stands; the package's comment has the picture.
type Status string

// The states.
const (
	Pending   Status = "Pending"
	Running   Status = "Running"
	Completed Status = "Completed"
	Failed    Status = "Failed"
)

// Active tells whether a job is not over.
func (s Status) Active() bool { return s == Pending || s == Running }

// Outcome says more of a job that is over. It is empty before, and for a failure
// that has no name.
type Outcome string

// The outcomes.
const (
	OK              Outcome = "ok"
	Warnings        Outcome = "warnings"         // Completed, and a person should read them
	VaultIncomplete Outcome = "vault_incomplete" // Failed: the database is restored, the vault in part; it can be retried
	Cancelled       Outcome = "cancelled"        // Failed: somebody did not want it any more
)

// Limits of a job (specification, "Limits"; contract, "Backup and restore").
const (
	BeatEvery  = 15 * time.Second // how often whoever works on a job notes it
	SilentFor  = 60 * time.Second // a job without such a note for so long is Failed
	AloneFor   = 45 * time.Second // whoever could not note it for so long stops the work
	LongestJob = 2 * time.Hour
)

// Person asked for a job.
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
	ErrorMessage fault.Sentence // of a Failed one: what happened, and what to do
	Actor        access.Actor   // who asked for it; the zero one is the system
	Scheduled    bool
	DueAt        *time.Time // the moment of the schedule that it is for; no two jobs of a kind have the same
	Key          string     // the object's; empty before it is known
	SizeBytes    int64      // of the object
	Warnings     []fault.Sentence
	Details      []fault.Sentence // a Completed one's counts, for people
	Runner       string           // who works on it: nobody else may note how it goes
	Cancel       bool             // somebody wants it to end
	CreatedAt    time.Time
	StartedAt    *time.Time // nil while it is Pending
	FinishedAt   *time.Time // nil until it is over
	Heartbeat    time.Time  // of the latest note, by the clock of the server that works on it
}

// TriggeredBy is who asked for it; nil of one that is scheduled, or was asked for on
// the command line, or by an API key.
func (j Job) TriggeredBy() *Person {
	if j.Actor.UserID == 0 {
		return nil
	}
	return &Person{j.Actor.UserID, j.Actor.Username}
}

// End is how a job ended.
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

// over is the job with its end.
func (j Job) over(e End) Job {
	j.Status, j.Percent, j.Outcome, j.ErrorMessage = e.Status, e.Percent, e.Outcome, e.ErrorMessage
	j.Key, j.SizeBytes, j.Warnings, j.Details, j.FinishedAt = e.Key, e.SizeBytes, e.Warnings, e.Details, &e.At
	return j
}

// Counted are a job's details in English, in one line.
func Counted(details []fault.Sentence) string {
	texts := fault.Texts(details)
	for i, text := range texts {
		texts[i] = strings.TrimSuffix(text, ".")
	}
	return strings.Join(texts, "; ")
}
