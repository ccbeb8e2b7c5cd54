//go:build exhaustive

package rollback_test

import (
	"context"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// copy copies both sides at the same moment.
func (h *history) copy(*rapid.T) {
	if !h.live() {
		h.world.kill()
	}
	h.done["copy"]++
	h.kept = append(h.kept, moment{h.vaults.copied(), h.database.copied(), h.counts, h.counts, maps.Clone(h.handed), h.alex, h.accepted})
	if !h.live() {
		h.again("")
	}
}

// copyApart copies the vault, and a moment later the database. Meanwhile, background
// tasks continue.
func (h *history) copyApart(*rapid.T) {
	if !h.live() {
		h.world.kill()
	}
	m := moment{vault: h.vaults.copied(), counts: h.counts, handed: maps.Clone(h.handed), alex: h.alex, accepted: h.accepted}
	if !h.live() {
		h.open()
	}
	s := h.servers[0]
	for _, do := range []func(context.Context) error{
		h.write, s.sealer.Run, s.guard.Again, s.certs.Issuances.Flush, s.crl.Renew,
	} {
		if rapid.Bool().Draw(h.t, "meanwhile") {
			must.OK(h.t, do(context.Background()))
		}
	}
	if h.live() && rapid.Bool().Draw(h.t, "a round") { // they are ten minutes apart
		must.OK(h.t, s.guard.Round(context.Background()))
		h.counts.rounds++
	}
	if !h.live() {
		h.world.kill()
	}
	m.database, m.later = h.database.copied(), h.counts
	m.later.sealed++
	m.later.recorded += h.fresh
	h.done["copy, one after the other"]++
	h.kept = append(h.kept, m)
	if !h.live() {
		h.again("")
	}
}

// which picks a copied moment.
func (h *history) which() (int, moment, bool) {
	if len(h.kept) == 0 {
		return 0, moment{}, false
	}
	i := rapid.IntRange(0, len(h.kept)-1).Draw(h.t, "moment")
	return i, h.kept[i], true
}

func (h *history) putBoth(*rapid.T) {
	if i, m, ok := h.which(); ok {
		h.world.kill()
		h.done["both put back"]++
		h.kept = h.kept[:i+1]
		h.leave(i)
		h.begin(m)
	}
}

// putVault restores the vault alone.
func (h *history) putVault(t *rapid.T) {
	i, m, ok := h.which()
	if !ok {
		return
	}
	was := m.counts
	marked := h.counts.settled > was.settled || h.counts.rounds > was.rounds+1 || h.counts.published > was.published
	if !marked && h.counts.secrets == was.secrets {
		h.putBoth(t)
		return
	}
	h.world.kill()
	h.leave(i)
	h.vaults.put(m.vault)
	h.known = nil
	for serial, at := range h.handed {
		if _, at.vault = m.handed[serial]; !at.vault && !at.database {
			delete(h.handed, serial)
			continue
		}
		h.handed[serial] = at
	}
	now := h.counts
	h.counts = counts{now.settled, now.rounds, now.published, was.secrets, was.sealed, was.released, was.recorded}
	h.done["the vault put back"]++
	h.again(anything)
	if !marked && found(h.guard()) == "" { // found when the secrets are used
		if err := h.release(context.Background(), h.servers[0]); !fault.Is(err, fault.RecoveryRequired) {
			h.t.Fatalf("former secrets leave: %v\n%s", err, h.log.String())
		}
	}
	h.settle("vault ", m)
}

// putDatabase restores the database alone.
func (h *history) putDatabase(t *rapid.T) {
	i, m, ok := h.which()
	if !ok {
		return
	}
	was := m.later
	if h.counts.sealed <= was.sealed && h.counts.released <= was.released && h.counts.recorded <= was.recorded {
		h.putBoth(t)
		return
	}
	h.world.kill()
	h.leave(i)
	h.database.put(m.database)
	h.known, h.alex = nil, m.alex
	for serial, at := range h.handed {
		if _, at.database = m.handed[serial]; !at.database && !at.vault {
			delete(h.handed, serial)
			continue
		}
		h.handed[serial] = at
	}
	now := h.counts
	// What was accepted as lost is no longer missing.
	h.counts = counts{now.settled, now.rounds, m.counts.published, now.secrets, now.sealed, m.counts.released, m.counts.recorded}
	h.done["the database put back"]++
	h.again(anything)
	h.settle("database ", m)
}

// settle: that side is found, and the other one only if something was accepted since
// the moment; the finding holds until it is accepted.
func (h *history) settle(side string, m moment) {
	h.t.Helper()
	got := found(h.guard())
	if !strings.Contains(got, side) || got != side && h.accepted == m.accepted {
		h.t.Fatalf("put back, and found is %qolder, want %q\n%s", got, side, h.log.String())
	}
	h.stays(got)
	order := []string{"vault ", "database "}
	if rapid.Bool().Draw(h.t, "the database first") {
		slices.Reverse(order)
	}
	for _, one := range order {
		if strings.Contains(got, one) {
			h.accept(one)
		}
	}
	if got != side { // each side's marks of the other come from several histories
		h.counts = counts{settled: h.counts.settled}
	}
	h.expect("accepted", "")
	h.accepted++
	h.published()
	h.world.kill()
	h.again("")
	if strings.Contains(got, "database") {
		h.signIn()
	}
}

// stays: findings hold over looks, comparisons and starts.
func (h *history) stays(want string) {
	h.t.Helper()
	ctx, g := context.Background(), h.guard()
	for _, do := range []func(context.Context) error{g.Poll, g.Round, g.Again} {
		must.OK(h.t, do(ctx))
	}
	h.expect("still", want)
	if err := g.SigningBlocked(ctx); !fault.Is(err, fault.RecoveryRequired) {
		h.t.Fatalf("secrets leave: %v", err)
	}
	if err := g.SignInBlocked(); fault.Is(err, fault.RecoveryRequired) != strings.Contains(want, "database") {
		h.t.Fatalf("who signs in is told %v", err)
	}
	if rapid.Bool().Draw(h.t, "restarted") {
		h.world.kill()
		h.again(want)
	}
}

// accept accepts the finding about a side, however often that is interrupted.
func (h *history) accept(side string) {
	h.t.Helper()
	for cut := h.cut(5); ; cut = 0 {
		h.life.left = cut - 1
		err := accept(context.Background(), h.guard(), strings.TrimSpace(side))
		if h.life.left = -1; !h.life.over {
			must.OK(h.t, err)
			break
		}
		h.done["acceptance that was cut off"]++
		h.close()
		h.open()
		h.note()
		must.OK(h.t, h.guard().Start(context.Background()))
		if !strings.Contains(found(h.guard()), side) {
			break
		}
	}
	if got := found(h.guard()); strings.Contains(got, side) {
		h.t.Fatalf("the %swas accepted, and %qis older\n%s", side, got, h.log.String())
	}
	h.counts.settled++
}
