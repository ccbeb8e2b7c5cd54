package recovery_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/recovery"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// moment is a copy of both files, the vault's first.
type moment struct {
	vault, database copied
	revoked, sealed int // by then
}

const (
	vaultFile    = "vault.db"
	databaseFile = "keyward.db"
)

// TestHistories: whatever happens to an installation, and however its servers end,
// nothing is found while its files stay together; a file that is put back alone
// is found whenever the other knew more, and is accepted for good.
func TestHistories(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3, 4} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7)) // #nosec G404 -- a history that can be told again
			w := newWorld(t)
			h := &history{world: w, random: random}
			h.start("")
			w.seal() // a vault of its first minute has not even the key of the seal
			for range 40 {
				h.step()
			}
		})
	}
}

type history struct {
	*world

	random  *rand.Rand
	kept    []moment
	revoked int
	sealed  int
	serials []string // of what was ever revoked, and not undone by putting both back
}

// start begins a server, and tells what it should find.
func (h *history) start(want string) {
	h.t.Helper()
	must.OK(h.t, h.guard.Start(h.t.Context()))
	h.expect("at start", want)
}

func (h *history) expect(when, want string) {
	h.t.Helper()
	if got := found(h.guard); got != want {
		h.t.Fatalf("%s: %qolder, want %q\n%s", when, got, want, h.log.String())
	}
}

func (h *history) again(want string) {
	h.t.Helper()
	h.open()
	h.start(want)
}

func (h *history) step() {
	h.t.Helper()
	ctx := h.t.Context()
	switch h.random.IntN(9) {
	case 0:
		h.write()
	case 1:
		h.seal()
		h.sealed++
	case 2:
		h.serials = append(h.serials, h.revoke())
		h.revoked++
	case 3:
		must.OK(h.t, h.guard.Round(ctx))
	case 4:
		must.OK(h.t, h.guard.Again(ctx))
	case 5: // an end in good order
		must.OK(h.t, h.guard.Stop(ctx))
		h.kill()
		h.again("")
	case 6: // or any other; the files are copied meanwhile, the vault first
		h.kill()
		m := moment{vault: h.copy(vaultFile), revoked: h.revoked, sealed: h.sealed}
		h.open()
		if h.random.IntN(2) == 0 { // and what nobody did by hand goes on in between
			must.OK(h.t, h.sealer.Run(ctx))
			h.write()
		}
		h.kill()
		m.database = h.copy(databaseFile)
		h.kept = append(h.kept, m)
		h.again("")
	case 7:
		h.putBack()
	case 8: // what is noted on one side only, as when the server is killed in between
		must.OK(h.t, h.db.RaiseVaultMark(ctx, "other", 1))
		must.Get(h.vault.CRL(ctx))(h.t)
		h.kill()
		h.again("")
	}
	h.expect("afterwards", "")
	h.listed()
}

func (h *history) putBack() {
	h.t.Helper()
	if len(h.kept) == 0 {
		return
	}
	i := h.random.IntN(len(h.kept))
	m := h.kept[i]
	h.kill()
	switch h.random.IntN(3) {
	case 0:
		h.put(m.vault, m.database)
		h.kept, h.serials, h.revoked, h.sealed = h.kept[:i+1], h.serials[:m.revoked], m.revoked, m.sealed
		h.again("")
	case 1:
		h.put(m.vault) // since then a server was started
		h.again("vault ")
		h.stays("vault ")
		must.OK(h.t, h.guard.AcceptVault(h.t.Context(), recovery.By{}))
		h.kept = nil
	case 2:
		h.put(m.database)
		if h.open(); h.sealed == m.sealed { // the vault knows of nothing that is missing
			h.kill()
			h.put(m.vault)
			h.open()
			h.kept, h.serials, h.revoked = h.kept[:i+1], h.serials[:m.revoked], m.revoked
			h.start("")
			return
		}
		h.start("database ")
		h.stays("database ")
		must.OK(h.t, h.guard.AcceptDatabase(h.t.Context(), recovery.By{}, recovery.Accounts{}))
		h.kept = nil
	}
	h.expect("accepted", "")
	h.kill()
	h.again("")
}

// stays: what was found holds, over looks, comparisons and starts.
func (h *history) stays(want string) {
	h.t.Helper()
	must.OK(h.t, h.guard.Look(h.t.Context()))
	must.OK(h.t, h.guard.Round(h.t.Context()))
	must.OK(h.t, h.guard.Again(h.t.Context()))
	h.expect("still", want)
	if err := h.guard.Held(h.t.Context()); !fault.Is(err, fault.RecoveryRequired) {
		h.t.Errorf("secrets leave: %v", err)
	}
	if err := h.guard.Barred(); fault.Is(err, fault.RecoveryRequired) != strings.Contains(want, "database") {
		h.t.Errorf("who signs in is told %v", err)
	}
	h.kill()
	h.again(want)
}

// listed: every revocation stands in the vault, whichever file was put back.
func (h *history) listed() {
	h.t.Helper()
	has := map[string]bool{}
	must.OK(h.t, h.vault.Revoked(h.t.Context(), func(r vault.Revocation) error { has[r.Serial] = true; return nil }))
	for _, serial := range h.serials {
		if !has[serial] {
			h.t.Errorf("%s is revoked no more", serial)
		}
	}
}

// TestServers: of three servers with clocks apart, what one finds or accepts, all
// know at their next look; and in quiet times none finds anything.
func TestServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var servers []*recovery.Guard
	for _, apart := range []time.Duration{0, 5 * time.Minute, -30 * time.Second} {
		servers = append(servers, w.server(func() time.Time { return time.Now().Add(apart) }))
	}
	all := func(when, want string) {
		t.Helper()
		for i, g := range servers {
			must.OK(t, g.Look(t.Context()))
			if got := found(g); got != want {
				t.Fatalf("%s: server %d finds %qolder, want %q\n%s", when, i, got, want, w.log.String())
			}
		}
	}
	for _, g := range servers {
		must.OK(t, g.Start(t.Context()))
	}
	for i := range 60 { // hours
		g := servers[i%len(servers)]
		must.OK(t, g.Round(t.Context()))
		must.OK(t, g.Again(t.Context()))
		if i%20 == 0 {
			w.revoke()
			w.seal()
		}
		all("in quiet times", "")
	}
	answer := servers[1].Older(t.Context(), "abcd", isOlder)
	if !fault.Is(answer, fault.RecoveryRequired) {
		t.Errorf("an older document: %v", answer)
	}
	all("found by one", "vault ")
	if lines := servers[2].VaultOlder().Lines(); len(lines) != 1 || lines[0] != "the present secrets of at least one token: abcd" {
		t.Errorf("told %q", lines)
	}
	must.OK(t, servers[0].AcceptVault(t.Context(), recovery.By{}))
	all("accepted by one", "")
	if d := must.Get(w.db.Device(t.Context(), access.All(), "abcd"))(t); d.SecretsCounter != 0 {
		t.Errorf("the counter is %d", d.SecretsCounter)
	}
}
