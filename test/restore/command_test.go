package restore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// underWay tells whether a restore has changed the database and has not ended.
func (w *world) underWay(t *testing.T) (is bool) {
	t.Helper()
	w.row(t, []any{&is}, "SELECT "+underWay)
	return is
}

// killedAtWrite kills a program on one machine (SIGKILL) at its first write to the vault after
// a restore has changed the database, until stop is called.
func (w *world) killedAtWrite(t *testing.T, p *process.Process) (stop func()) {
	t.Helper()
	watch := must.Get(unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK))(t)
	must.Get(unix.InotifyAddWatch(watch, filepath.Join(w.data, "vault.db"), unix.IN_MODIFY))(t)
	writes := os.NewFile(uintptr(watch), "inotify")
	db := w.open(t)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for event := make([]byte, 4096); ; {
			if _, err := writes.Read(event); err != nil { // closed
				return
			}
			var is bool
			if err := db.QueryRowContext(t.Context(), "SELECT "+underWay).Scan(&is); err == nil && is {
				p.Kill()
				t.Log("it was killed while it wrote to the vault")
				return
			}
		}
	}()
	return func() {
		must.OK(t, writes.Close())
		<-watched
		must.OK(t, db.Close())
	}
}

// thereOrKilled waits until the database looks so to others while somebody writes to it, or
// the program has ended.
func (w *world) thereOrKilled(t *testing.T, p *process.Process, seen string) {
	t.Helper()
	await.That(t, "it is there, or was killed", func() bool {
		select {
		case <-p.Ended:
			return true
		default:
		}
		var is bool
		w.row(t, []any{&is}, "SELECT "+seen)
		return is && w.busy(t)
	})
}

// killCommand kills a command on one machine (SIGKILL): at its first write to the vault
// after the database's part, or else in the statement with that trigger, which it never
// comes past; then others see the database so.
func (w *world) killCommand(t *testing.T, trigger, seen string, args ...string) {
	t.Helper()
	w.execute(t, "CREATE TRIGGER very_long "+trigger+" "+longest)
	cmd := exec.Command(filepath.Join(bin, "keyward"), args...)
	cmd.Env, cmd.Stdin = w.environment(t), strings.NewReader(backupPassword+"\n")
	p := process.Start(w.whole, "keyward restore", cmd)
	stop := w.killedAtWrite(t, p)
	w.thereOrKilled(t, p, seen)
	p.Kill()
	stop()
	if code := p.Wait(t); code != -1 {
		t.Fatalf("it has ended by itself, with %d:\n%s%s", code, p.Log.String(), p.Out.String())
	}
	w.execute(t, "DROP TRIGGER very_long")
}

// inVaultFile kills the server at its first write to the embedded vault in a restore.
func inVaultFile(t *testing.T, w *world, begin func() int) int {
	t.Helper()
	w.execute(t, "CREATE TRIGGER very_long "+beforeMarks+" "+longest)
	stop := w.killedAtWrite(t, w.Process)
	job := begin()
	w.thereOrKilled(t, w.Process, underWay)
	w.Kill()
	stop()
	w.execute(t, "DROP TRIGGER very_long")
	return job
}
