package restore_test

import (
	"fmt"
	"testing"
	"time"
)

// killed is a row of the table.
type killed struct {
	name string
	at   step
	// done: the job had come to its end.
	done bool
	// beyond: the database of the restore is there, and what comes after it is not.
	beyond bool
	// late: the server comes back when the job's time has run out, and waits for no sign of it.
	late bool
}

// says is what the job says that was killed.
func (c killed) says() string {
	if c.late {
		return "longer than two hours"
	}
	return "The server that ran this job is gone"
}

// comesBack is before the next start.
func (w *world) comesBack(t *testing.T, c killed, id int) {
	t.Helper()
	if c.late {
		w.execute(t, fmt.Sprintf("UPDATE backup_jobs SET created_at = created_at - %d, started_at = started_at - %[1]d WHERE id = %d",
			(3*time.Hour).Microseconds(), id))
	}
}
