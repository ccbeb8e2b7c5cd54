package restore_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/process"
)

// underWay reports whether a restore has changed the database and not ended.
func (w *world) underWay(t *testing.T) (is bool) {
	t.Helper()
	w.row(t, []any{&is}, "SELECT "+underWay)
	return is
}

// killCommand kills a command on one machine (SIGKILL) in the statement with that
// trigger, which never completes; others then see the database as seen.
func (w *world) killCommand(t *testing.T, trigger, seen string, args ...string) {
	t.Helper()
	w.execute(t, "CREATE TRIGGER very_long "+trigger+" "+longest)
	cmd := exec.Command(filepath.Join(bin, "keyward"), args...)
	cmd.Env, cmd.Stdin = w.environment(t), strings.NewReader(backupPassword+"\n")
	p := process.Start(w.whole, "keyward restore", cmd)
	await.That(t, "it is in that statement", func() bool {
		select {
		case <-p.Ended:
			t.Fatalf("it has ended by itself:\n%s%s", p.Log.String(), p.Out.String())
		default:
		}
		var is bool
		w.row(t, []any{&is}, "SELECT "+seen)
		return is && w.busy(t)
	})
	p.Kill()
	if code := p.Wait(t); code != -1 {
		t.Fatalf("it has ended by itself, with %d:\n%s%s", code, p.Log.String(), p.Out.String())
	}
	w.execute(t, "DROP TRIGGER very_long")
}
