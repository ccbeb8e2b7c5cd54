//go:build exhaustive

package recovery_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/test/must"
)

// TestHistories: whatever is done in an installation, and however its servers end,
// between any two writes, too, nothing is found while its sides stay together, also
// after both were put back. Of one that is put back alone it is found whenever the
// other knew more; every revocation that either side knows is on the CRL, and once
// it is accepted it is over. No certificate that was handed out is forgotten by
// both. A restore of any former backup over all that is found no more once it has ended;
// it undoes no revocation and loses no PIN.
func TestHistories(t *testing.T) {
	t.Parallel()
	w := newWorldWithCopies(t)
	w.installed(t)
	must.OK(t, w.servers[0].guard.Start(t.Context()))
	must.OK(t, w.seal(t.Context(), w.servers[0])) // a vault of its first minute has not even the key of the seal
	oldest := w.takeBackup(t)
	w.close()
	first := moment{database: w.database.copied(), vault: w.vaults.copied(), alex: w.alex}
	told, done, dir := 0, map[string]int{}, t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		w.t = rt
		h := &history{world: w, t: rt, done: done, dir: dir, saved: []saved{{oldest, 0}}}
		h.begin(first)
		rt.Repeat(map[string]func(*rapid.T){
			"": h.quiet, "deeds": h.deeds, "more deeds": h.deeds, "time": h.time, "restart": h.restart, "kill": h.kill,
			"replica": h.replica, "copy": h.copy, "copy, one after the other": h.copyApart,
			"both put back": h.putBoth, "the vault put back": h.putVault, "the database put back": h.putDatabase,
			"backup": h.backup, "restore": h.restore,
		})
		h.over()
		told++
	})
	t.Logf("%d histories: %v", told, done)
}

// counts is how often something happened by which one side knows the other.
type counts struct {
	settled, rounds, published, secrets int // of the vault, in the database
	sealed, released, recorded          int // of the database, in the vault
}

// moment is a copy of both sides, the vault's first, and what was so by then.
type moment struct {
	vault, database any
	counts          counts // in the vault's copy
	later           counts // in the database's
	handed          serials
	alex            access.Actor
	accepted        int // how often a side was, by then
}

// serials are certificates that were handed out, and which side remembers each.
type serials map[string]remembered

type remembered struct{ vault, database bool }

type history struct {
	*world

	t      *rapid.T
	done   map[string]int // what ever happened, in all histories
	dir    string         // of backups that are loaded
	ahead  time.Duration
	counts counts
	kept   []moment
	saved  []saved
	handed serials
	fresh  int             // signatures that the process has not marked as recorded yet
	known  map[string]bool // revocations
	// How often an older side was accepted. With a copy of before, the other side
	// may lack something, too: what was accepted as lost.
	accepted int
}

// begin puts both sides as they were at a moment, and starts a server.
func (h *history) begin(m moment) {
	h.close()
	h.now = func() time.Time { return time.Now().Add(h.ahead) }
	h.database.put(m.database)
	h.vaults.put(m.vault)
	h.counts, h.handed, h.alex, h.accepted = m.counts, maps.Clone(m.handed), m.alex, m.accepted
	if h.handed == nil {
		h.handed = serials{}
	}
	h.known = nil
	h.log.reset()
	h.again("")
}

// again starts a server on the installation as it lies, tells what it should find,
// and that the CRL has what it should have. It may be cut off while it starts.
func (h *history) again(want string) {
	h.t.Helper()
	for cut := h.cut(3); ; cut = 0 {
		h.open()
		h.fresh = 0
		h.note()
		h.life.left = cut - 1
		err := h.guard().Start(context.Background())
		if h.life.left = -1; !h.life.over {
			must.OK(h.t, err)
			break
		}
		h.done["start that was cut off"]++
		h.close()
	}
	if h.published(); want != anything {
		h.expect("at start", want)
	}
	if found(h.guard()) == "" {
		h.counts.settled++
	}
}

// anything is what again may find where the caller looks itself.
const anything = "*"

// cut is after how many writes something is cut off, plus one; in so many of ten
// cases, else it is not.
func (h *history) cut(often int) int {
	if rapid.IntRange(1, 10).Draw(h.t, "cut") <= 10-often {
		return 0
	}
	return rapid.IntRange(1, 12).Draw(h.t, "after")
}

// note adds what either side knows as revoked.
func (h *history) note() {
	if h.known == nil {
		h.known = map[string]bool{}
	}
	maps.Copy(h.known, h.revoked())
}

// published: the CRL has what either side knows, unless the database is older.
func (h *history) published() {
	h.t.Helper()
	g := h.guard()
	if !g.Publishes() {
		return
	}
	must.OK(h.t, h.servers[0].certs.PublishRevocations(context.Background()))
	list := h.listed()
	for serial := range h.known {
		if !list[serial] {
			h.t.Fatalf("%s is revoked no more\n%s", serial, h.log.String())
		}
	}
}

func (h *history) expect(when, want string) {
	h.t.Helper()
	for i, s := range h.servers {
		if got := found(s.guard); got != want {
			h.t.Fatalf("%s: server %d finds %qolder, want %q\n%s", when, i, got, want, h.log.String())
		}
	}
}

// quiet is looked at after each step: nothing stands against either side.
func (h *history) quiet(*rapid.T) {
	for _, s := range h.servers {
		must.OK(h.t, s.guard.Look(context.Background()))
		must.OK(h.t, s.guard.Held(context.Background()))
	}
	h.expect("afterwards", "")
	h.note()
}

// over ends a history: both sides are in order.
func (h *history) over() {
	h.published()
	var list = map[string]bool{}
	for serial := range h.handed {
		list[serial] = true
	}
	if lost := h.lost(list); len(lost) > 0 {
		h.t.Errorf("handed out, and remembered nowhere: %v", lost)
	}
	if h.accepted == 0 {
		h.verified()
	}
	h.close()
}

// any is one of the servers.
func (h *history) any() *server {
	return h.servers[rapid.IntRange(0, len(h.servers)-1).Draw(h.t, "server")]
}

// serve does something that may be cut off; then a server starts again.
func (h *history) serve(name string, cut int, do func(context.Context) error) (whole bool) {
	h.t.Helper()
	h.life.left = cut - 1
	err := do(context.Background())
	if h.life.left = -1; h.life.over {
		h.done[name+", cut off"]++
		h.close()
		h.again("")
		return false
	}
	if err != nil {
		h.t.Fatalf("%s: %v\n%s", name, err, h.log.String())
	}
	h.done[name]++
	return true
}

// deeds are some that are done, and perhaps one that is cut off.
func (h *history) deeds(*rapid.T) {
	for range rapid.IntRange(1, 5).Draw(h.t, "deeds") {
		h.perform(0)
	}
	if cut := h.cut(5); cut > 0 {
		h.perform(cut)
	}
}

// perform does what people and the servers' tasks do.
func (h *history) perform(cut int) {
	h.deed(h.any(), rapid.SampledFrom([]string{
		"write", "seal", "sign", "sign", "revoke", "revoke unknown", "rotate", "release", "flush", "reconcile", "round", "compare",
	}).Draw(h.t, "deed"), cut)
}

// deed is one of those, by a server.
func (h *history) deed(s *server, name string, cut int) {
	var serial string
	var left bool
	named := func(do func(context.Context, *server) (string, error)) func(context.Context) error {
		return func(ctx context.Context) (err error) { serial, err = do(ctx, s); return err }
	}
	plain := func(do func(context.Context, *server) error) func(context.Context) error {
		return func(ctx context.Context) error { return do(ctx, s) }
	}
	whole := h.serve(name, cut, map[string]func(context.Context) error{
		"write": h.write, "seal": plain(h.seal), "sign": named(h.sign), "revoke": named(h.revoke), "revoke unknown": named(h.revokeUnknown),
		"rotate":  func(ctx context.Context) (err error) { left, err = h.rotates(ctx, s); return err },
		"release": plain(h.release), "flush": s.certs.Issuances.Flush, "reconcile": plain(h.reconcile),
		"round": s.guard.Round, "compare": s.guard.Again,
	}[name])
	if !whole {
		return
	}
	switch name {
	case "seal":
		h.counts.sealed++
	case "sign":
		h.handed[serial] = remembered{true, true}
		if s == h.servers[0] {
			h.fresh++
		}
	case "revoke", "revoke unknown":
		if serial != "" {
			h.counts.published++
		}
	case "rotate":
		h.counts.secrets++
		if left {
			h.counts.released++
		}
	case "release":
		h.counts.released++
	case "flush":
		if s == h.servers[0] {
			h.counts.recorded += h.fresh
			h.fresh = 0
		}
	case "round":
		h.counts.rounds++
	}
}

// time passes, as far as the vault has no clock of its own.
func (h *history) time(*rapid.T) {
	if _, own := h.vaults.(*vaultServer); !own {
		h.ahead += rapid.SampledFrom([]time.Duration{time.Minute, 11 * time.Minute, time.Hour}).Draw(h.t, "later")
	}
}

// restart ends the process in good order, unless that is cut off, and starts
// another.
func (h *history) restart(*rapid.T) {
	if h.serve("stop", h.cut(3), h.stop) {
		h.counts.settled++
		h.again("")
	}
}

func (h *history) kill(*rapid.T) {
	h.world.kill()
	h.done["kill"]++
	h.again("")
}

// replica comes, or goes in good order.
func (h *history) replica(*rapid.T) {
	if n := len(h.servers); n > 1 && rapid.Bool().Draw(h.t, "goes") {
		h.serve("replica goes", 0, h.servers[n-1].guard.Stop)
		h.servers = h.servers[:n-1]
		return
	}
	apart := rapid.SampledFrom([]time.Duration{0, -30 * time.Second, 5 * time.Minute}).Draw(h.t, "apart")
	s := h.server(func() time.Time { return h.now().Add(apart) })
	if h.serve("replica comes", h.cut(2), s.guard.Start) {
		h.counts.settled++
		h.servers = append(h.servers, s)
	}
}

// verified: the log says what the vault took down, and no more is wrong.
func (h *history) verified() {
	h.t.Helper()
	for name, verify := range h.verifications() {
		if err := verify(context.Background()); err != nil {
			h.t.Errorf("%s: %v\n%s", name, err, h.log.String())
		}
	}
}
