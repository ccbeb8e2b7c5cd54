//go:build exhaustive

package rollback_test

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
// even between any two writes, nothing is found while its sides stay together,
// including after both were restored. A side that is restored alone is found
// whenever the other knew more; every revocation that either side knows is on the
// CRL, and acceptance ends the finding. No certificate that was issued is forgotten
// by both. After a restore of any earlier backup nothing is found any more; it
// undoes no revocation and loses no PIN.
func TestHistories(t *testing.T) {
	t.Parallel()
	w := newWorldWithCopies(t)
	w.installed(t)
	must.OK(t, w.servers[0].guard.Start(t.Context()))
	must.OK(t, w.seal(t.Context(), w.servers[0])) // a very new vault does not even have the sealing key
	oldest := w.takeBackup(t)
	w.close()
	first := moment{database: w.database.copied(), vault: w.vaults.copied(), alex: w.alex}
	told, done, dir := 0, map[string]int{}, t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		w.t = rt
		h := &history{world: w, t: rt, done: done, dir: dir, saved: []saved{{oldest, 0}}}
		h.begin(first)
		rt.Repeat(map[string]func(*rapid.T){
			"": h.quiet, "deeds": h.actions, "more deeds": h.actions, "time": h.time, "restart": h.restart, "kill": h.kill,
			"replica": h.replica, "copy": h.copy, "copy, one after the other": h.copyApart,
			"both put back": h.putBoth, "the vault put back": h.putVault, "the database put back": h.putDatabase,
			"backup": h.backup, "restore": h.restore,
		})
		h.over()
		told++
	})
	t.Logf("%d histories: %v", told, done)
}

// counts counts the events by which one side knows the other.
type counts struct {
	settled, rounds, published, secrets int // of the vault, in the database
	sealed, released, recorded          int // of the database, in the vault
}

// moment is a copy of both sides, the vault's first, and the state by then.
type moment struct {
	vault, database any
	counts          counts // in the vault's copy
	later           counts // in the database's
	handed          serials
	alex            access.Actor
	accepted        int // how many acceptances, by then
}

// serials are issued certificates, and which sides remember each.
type serials map[string]remembered

type remembered struct{ vault, database bool }

type history struct {
	*world

	t      *rapid.T
	done   map[string]int // everything that happened, in all histories
	dir    string         // of loaded backups
	ahead  time.Duration
	counts counts
	kept   []moment
	saved  []saved
	handed serials
	fresh  int             // signatures not yet marked as recorded by the process
	known  map[string]bool // revocations
	// How often an older side was accepted. With an earlier copy, the other side may
	// lack something, too: what was accepted as lost.
	accepted int
}

// begin restores both sides to a moment, and starts a server.
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

// again starts a server on the present files, and checks what it finds and that the
// CRL is complete. The start may be interrupted.
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

// anything is passed to again if the caller checks itself.
const anything = "*"

// cut returns after how many writes to interrupt, plus one, in often of ten cases;
// otherwise not at all.
func (h *history) cut(often int) int {
	if rapid.IntRange(1, 10).Draw(h.t, "cut") <= 10-often {
		return 0
	}
	return rapid.IntRange(1, 12).Draw(h.t, "after")
}

// note records what either side has as revoked.
func (h *history) note() {
	if h.known == nil {
		h.known = map[string]bool{}
	}
	maps.Copy(h.known, h.revoked())
}

// published: the CRL lists what either side knows, unless the database is older.
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

// quiet is checked after each step: nothing is found on either side.
func (h *history) quiet(*rapid.T) {
	for _, s := range h.servers {
		must.OK(h.t, s.guard.Poll(context.Background()))
		must.OK(h.t, s.guard.SigningBlocked(context.Background()))
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

// any returns one of the servers.
func (h *history) any() *server {
	return h.servers[rapid.IntRange(0, len(h.servers)-1).Draw(h.t, "server")]
}

// serve does something that may be interrupted; then a server starts again.
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

// actions does several things, and perhaps interrupts one.
func (h *history) actions(*rapid.T) {
	for range rapid.IntRange(1, 5).Draw(h.t, "deeds") {
		h.perform(0)
	}
	if cut := h.cut(5); cut > 0 {
		h.perform(cut)
	}
}

// perform does what people and the servers' tasks do.
func (h *history) perform(cut int) {
	h.act(h.any(), rapid.SampledFrom([]string{
		"write", "seal", "sign", "sign", "revoke", "revoke unknown", "rotate", "release", "flush", "reconcile", "round", "compare",
	}).Draw(h.t, "deed"), cut)
}

// act does one of those, on a server.
func (h *history) act(s *server, name string, cut int) {
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

// time passes, unless the vault has a clock of its own.
func (h *history) time(*rapid.T) {
	if _, own := h.vaults.(*vaultServer); !own {
		h.ahead += rapid.SampledFrom([]time.Duration{time.Minute, 11 * time.Minute, time.Hour}).Draw(h.t, "later")
	}
}

// restart stops the process in order, unless interrupted, and starts another.
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

// replica starts a server, or stops one in order.
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

// verified: the log agrees with the vault's, and nothing else is wrong.
func (h *history) verified() {
	h.t.Helper()
	for name, verify := range h.verifications() {
		if err := verify(context.Background()); err != nil {
			h.t.Errorf("%s: %v\n%s", name, err, h.log.String())
		}
	}
}
