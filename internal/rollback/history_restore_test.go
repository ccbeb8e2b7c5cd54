//go:build exhaustive

package rollback_test

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/test/must"
)

// saved is a backup and the number of moments copied before it.
type saved struct {
	*taken

	after int
}

// backup makes a backup; something may happen between its halves.
func (h *history) backup(*rapid.T) {
	b := h.takeBackupIn(h.dir, func() {
		if rapid.Bool().Draw(h.t, "meanwhile") {
			h.perform(0)
		}
	})
	h.done["backup"]++
	h.saved = append(h.saved, saved{b, len(h.kept)})
}

// leave is called when a side goes back to a moment: it drops later backups, whose
// history is gone. The first one stays.
func (h *history) leave(moment int) {
	h.saved = slices.DeleteFunc(h.saved, func(s saved) bool { return s.after > moment })
}

// restore restores an earlier backup over the present state, however often that is interrupted.
func (h *history) restore(*rapid.T) {
	b := rapid.SampledFrom(h.saved).Draw(h.t, "backup")
	ctx, pin := context.Background(), h.pin()
	for cut := h.cut(6); ; cut = h.cut(2) {
		h.life.left = cut - 1
		err := h.world.restore(ctx, b.taken, restore.InUse)
		if h.life.left = -1; !h.life.over {
			must.OK(h.t, err)
			break
		}
		h.done["restore, cut off"]++
		h.close()
		h.again(anything)
		want := "" // before its first change, or after its last
		if must.Get(h.guard().RestoreUnfinished(ctx))(h.t) != nil {
			want = "vault "
		}
		h.expect("a restore that was cut off", want)
	}
	h.done["restore"]++
	h.counts.settled++
	h.expect("restored", "")
	h.published()
	h.signIn()
	if !h.pin().Equal(pin) {
		h.t.Fatalf("the PIN is another one\n%s", h.log.String())
	}
}
