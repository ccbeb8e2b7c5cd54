package system

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// TaskReport is what is known about a background task since the server started.
type TaskReport struct {
	Name           string     `json:"name"`
	Interval       string     `json:"interval" doc:"longest time from the end of one run to the next"`
	Continuous     bool       `json:"continuous" doc:"it runs until the server stops; interval is how soon it begins again after a first failure"`
	Elsewhere      bool       `json:"elsewhere" doc:"another server leads and does it, so this one knows nothing about it, or only something old"`
	Running        bool       `json:"running"`
	LastStartedAt  *time.Time `json:"last_started_at" nullable:"true" doc:"null: not yet since the server started"`
	LastFinishedAt *time.Time `json:"last_finished_at" nullable:"true"`
	LastOutcome    *string    `json:"last_outcome" nullable:"true" doc:"success or failure"`
	LastError      *string    `json:"last_error" nullable:"true" doc:"of the last run, if it failed; the log has the cause"`
	DurationMS     *float64   `json:"duration_ms" nullable:"true" doc:"of the last run that finished"`
}

// Outcomes of a task's run.
const (
	Success = "success"
	Failure = "failure"
)

// Tasks records background tasks. The zero value is not usable: make it with NewTasks.
type Tasks struct {
	now  func() time.Time
	mu   sync.Mutex
	list []*Task
}

// NewTasks makes an empty record.
func NewTasks(now func() time.Time) *Tasks { return &Tasks{now: now} }

// Task is one background task.
type Task struct {
	tasks      *Tasks
	name       string
	interval   time.Duration
	continuous bool
	// The following fields are guarded by tasks.mu.
	running           bool
	started, finished time.Time
	outcome, problem  string
	took              time.Duration
	elsewhere         bool
}

// Track adds a task to the record, in the order of the report.
func (t *Tasks) Track(name string, interval time.Duration) *Task {
	return t.add(&Task{tasks: t, name: name, interval: interval})
}

// TrackContinuous adds a task that ends only with the server, or by failing,
// after which it restarts following a pause.
func (t *Tasks) TrackContinuous(name string, pause time.Duration) *Task {
	return t.add(&Task{tasks: t, name: name, interval: pause, continuous: true})
}

func (t *Tasks) add(task *Task) *Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.list = append(t.list, task)
	return task
}

// Run runs the task once, records the result, and returns its error. A failure
// because ctx ended is not recorded as one: the server is stopping.
func (t *Task) Run(ctx context.Context, do func(context.Context) error) error {
	t.begin()
	start := time.Now()
	err := do(ctx)
	t.end(time.Since(start), err, ctx.Err() != nil)
	return err
}

// Elsewhere says that another replica runs the task from now on: on this one
// nothing is late, and its last failure no longer counts.
func (t *Task) Elsewhere() {
	t.tasks.mu.Lock()
	defer t.tasks.mu.Unlock()
	t.elsewhere = true
}

func (t *Task) begin() {
	t.tasks.mu.Lock()
	defer t.tasks.mu.Unlock()
	t.running, t.started, t.elsewhere = true, t.tasks.now(), false
}

func (t *Task) end(took time.Duration, err error, stopped bool) {
	t.tasks.mu.Lock()
	defer t.tasks.mu.Unlock()
	t.running = false
	if err != nil && stopped {
		return
	}
	t.finished, t.took, t.outcome, t.problem = t.tasks.now(), took, Success, ""
	if err != nil {
		t.outcome, t.problem = Failure, public(err)
	}
}

// public returns what may be said about an error: a fault's own text, or only where to look.
func public(err error) string {
	if f, ok := fault.As(err); ok && f.Code != fault.Internal {
		return f.Detail
	}
	return "Something went wrong. The server's log has details."
}

// Report lists all tasks.
func (t *Tasks) Report() []TaskReport {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]TaskReport, 0, len(t.list))
	for _, task := range t.list {
		out = append(out, task.report())
	}
	return out
}

func (t *Task) report() TaskReport {
	r := TaskReport{Name: t.name, Interval: t.interval.String(), Continuous: t.continuous, Elsewhere: t.elsewhere, Running: t.running}
	if !t.started.IsZero() {
		at := t.started.UTC()
		r.LastStartedAt = &at
	}
	if t.finished.IsZero() {
		return r
	}
	at, outcome, took := t.finished.UTC(), t.outcome, milliseconds(t.took)
	r.LastFinishedAt, r.LastOutcome, r.DurationMS = &at, &outcome, &took
	if t.problem != "" {
		problem := t.problem
		r.LastError = &problem
	}
	return r
}

// trouble returns what needs attention, or "". A continuous task that failed
// and restarted is well after running for a minute.
func (t *Task) trouble(now time.Time) string {
	switch failed := t.outcome == Failure; {
	case t.elsewhere:
		return ""
	case failed && t.continuous && t.running && now.Sub(t.started) > time.Minute:
		return ""
	case failed:
		return fmt.Sprintf("The task %q failed: %s", t.name, t.problem)
	case t.continuous || t.started.IsZero() || now.Sub(t.started) <= t.patience():
		return ""
	default:
		return fmt.Sprintf("The task %q has not run for longer than it should.", t.name)
	}
}

// patience is how late a task may be before it counts as stuck: two more
// intervals, and some time for the work itself.
func (t *Task) patience() time.Duration { return 3*t.interval + time.Minute }

// Component is the health of all tasks together: degraded if the last run of
// any failed, or any is stuck.
func (t *Tasks) Component() Component {
	return Component{Name: "background_tasks", Check: func(context.Context) Finding {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, task := range t.list {
			if trouble := task.trouble(t.now()); trouble != "" {
				return Finding{Status: Degraded, Code: "task_trouble", Detail: trouble}
			}
		}
		return Finding{Status: OK}
	}}
}
