//go:build exhaustive

package restore_test

import (
	"fmt"
	"testing"

	"github.com/keyward/keyward/test/s3server"
)

// TestFaults has one machine meet a full disk, and a store whose connections end at every
// tenth of a backup's upload: one of them, or all from then on.
func TestFaults(t *testing.T) {
	t.Parallel()
	w := oneMachine(t)
	keys := []string{w.settle(t)}
	t.Run("the disk is full", func(t *testing.T) { keys = w.diskFull(t, keys) })
	t.Run("the disk is full in a restore", func(t *testing.T) { w.diskFullInRestore(t, keys) })
	cutter := s3server.Shared(t).Cutter(t)
	w.setBackups(t, cutter.Address)
	var size int64
	w.row(t, []any{&size}, "SELECT size_bytes FROM backup_jobs WHERE key = ?", keys[0])
	for tenth := range int64(10) {
		t.Run(fmt.Sprintf("cut at %d0%%", tenth), func(t *testing.T) { keys = w.cutOnce(t, cutter, size*tenth/10+1, keys) })
		if tenth == 5 { // half a minute, for its tries
			t.Run(fmt.Sprintf("cut for good at %d0%%", tenth), func(t *testing.T) { w.cutForGood(t, cutter, size*tenth/10+1, keys) })
		}
	}
	keys = append(keys, w.makes(t))
	w.nothingLeft(t, keys...)
}

// cutOnce ends the connection that carries a byte: the backup tries again, or says why not.
func (w *world) cutOnce(t *testing.T, cutter *s3server.Cutter, at int64, keys []string) []string {
	t.Helper()
	cutter.CutUp(at, false)
	id := w.begin(t)
	if j := w.over(t, id); j.status == "Completed" {
		var key string
		w.row(t, []any{&key}, "SELECT key FROM backup_jobs WHERE id = ?", id)
		keys = append(keys, key)
	} else {
		w.fails(t, id, "", "S3 store")
	}
	if !cutter.HasCut() {
		t.Error("nothing was cut")
	}
	w.listed(t, keys)
	return keys
}

// cutForGood ends every connection from the one on that carries a byte.
func (w *world) cutForGood(t *testing.T, cutter *s3server.Cutter, at int64, keys []string) {
	t.Helper()
	cutter.CutUp(at, true)
	id := w.begin(t)
	w.fails(t, id, "", "S3 store")
	if !cutter.HasCut() {
		t.Error("nothing was cut")
	}
	cutter.CutUp(0, false)
	w.listed(t, keys)
}

// listed demands that those backups are offered, and no other, and that nothing else is there.
func (w *world) listed(t *testing.T, keys []string) {
	t.Helper()
	out := w.Must(t, "GET", "/api/backup/list", w.token, nil)
	if out["total"] != float64(len(keys)) {
		t.Errorf("listed: %v; made: %q", out, keys)
	}
	w.nothingLeft(t, keys...)
}
