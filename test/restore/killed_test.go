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
	// done: the job had ended.
	done bool
	// beyond: the restore's database is there, but what follows is not.
	beyond bool
	// late: the server returns after the job's time limit, and does not wait for a sign
	// of it.
	late bool
}

// says returns the error of the killed job.
func (c killed) says() string {
	if c.late {
		return "longer than two hours"
	}
	return "The server that ran this job is gone"
}

// comesBack prepares the next start.
func (w *world) comesBack(t *testing.T, c killed, id int) {
	t.Helper()
	if c.late {
		w.execute(t, fmt.Sprintf("UPDATE backup_jobs SET created_at = created_at - %d, started_at = started_at - %[1]d WHERE id = %d",
			(3*time.Hour).Microseconds(), id))
	}
}
