//go:build exhaustive

package recovery_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/recovery"
	"github.com/keyward/keyward/test/must"
)

// sharedVault is a vault that several servers have open: one of files serves one
// process, so they share its engine.
type sharedVault struct {
	vaultPlace

	engine authority
}

func (s sharedVault) open(now func() time.Time) (authority, error) {
	if _, file := s.vaultPlace.(*vaultFile); !file {
		return s.vaultPlace.open(now)
	}
	return keptOpen{s.engine}, nil
}

type keptOpen struct{ authority }

func (keptOpen) Close() error { return nil }

// month is an installation with three replicas, and its time.
type month struct {
	*world

	random   *rand.Rand
	ahead    atomic.Int64
	replicas []*world // each a process, with a connection to the database of its own
	leader   int
	errs     []error // under the log's lock
	checks   struct{ looks, rounds, comparisons, work, restarts, killed, outages atomic.Int64 }
}

// TestMonth: in a month of three replicas, which work, look, compare, end and begin
// again, lose vault and database, and take the lead from each other, all at the same
// time, nobody finds anything.
func TestMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := &month{world: w, random: rand.New(rand.NewPCG(3, 14))} // #nosec G404 -- a month that can be told again
	_, file := w.vaults.(*vaultFile)                            // a Vault has a clock of its own, and no month passes there
	w.close()
	w.now = func() time.Time { return time.Now().Add(time.Duration(m.ahead.Load())) }
	w.open()
	for range 3 {
		r := &world{t: t, log: w.log, alex: w.alex, database: w.database, vaults: sharedVault{w.vaults, w.vault.authority}}
		apart := []time.Duration{0, 5 * time.Minute, -30 * time.Second}[len(m.replicas)]
		r.now = func() time.Time { return w.now().Add(apart) }
		m.replicas = append(m.replicas, r)
		m.begin(r)
		t.Cleanup(r.close)
	}
	const hours = 720
	perHour := *roundsAnHour
	for tick := range hours * perHour {
		if m.tick(tick%perHour == 0); file {
			m.ahead.Add(int64(time.Hour) / int64(perHour))
		}
	}
	c := &m.checks
	t.Logf("%d looks, %d rounds, %d comparisons, beside %d deeds, %d restarts, %d kills, %d outages", c.looks.Load(), c.rounds.Load(),
		c.comparisons.Load(), c.work.Load(), c.restarts.Load(), c.killed.Load(), c.outages.Load())
	if c.looks.Load() < 2*hours || c.rounds.Load() < int64(hours*perHour/2) || c.comparisons.Load() < hours/2 {
		t.Error("that is no month of checks")
	}
	if len(m.errs) > 0 {
		t.Errorf("%d errors, such as %v", len(m.errs), m.errs[0])
	}
	for name, verify := range m.verifications() {
		if err := verify(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// begin starts a replica.
func (m *month) begin(r *world) {
	m.t.Helper()
	r.close()
	r.open()
	r.life.end = func() {} // the files stay where they are
	must.OK(m.t, r.servers[0].guard.Start(context.Background()))
}

// tick is a round: all do at the same time what they have to.
func (m *month) tick(hour bool) {
	m.t.Helper()
	var away *world
	switch m.random.IntN(40) {
	case 0:
		r := m.replicas[m.random.IntN(3)]
		must.OK(m.t, r.servers[0].guard.Stop(context.Background()))
		m.begin(r)
		m.checks.restarts.Add(1)
	case 1: // one is killed between two writes
		r := m.replicas[m.random.IntN(3)]
		r.life.mu.Lock()
		r.life.left = m.random.IntN(6)
		r.life.mu.Unlock()
	case 2, 3: // or loses one side, or both
		away = m.replicas[m.random.IntN(3)]
		lost := 1 + m.random.IntN(3)
		away.life.cut(lost&1 != 0, lost&2 != 0)
		m.checks.outages.Add(1)
	case 4:
		m.leader = m.random.IntN(3)
	}
	var all sync.WaitGroup
	for i, r := range m.replicas {
		s := r.servers[0]
		all.Go(func() { m.count(r, &m.checks.looks, s.guard.Look) })
		if i == m.leader {
			all.Go(func() { m.count(r, &m.checks.rounds, s.guard.Round) })
			if hour {
				all.Go(func() { m.count(r, &m.checks.comparisons, s.guard.Compare) })
			}
			if m.random.IntN(4) == 0 {
				all.Go(func() { m.count(r, nil, func(ctx context.Context) error { return r.seal(ctx, s) }) })
				all.Go(func() { m.count(r, nil, func(ctx context.Context) error { return r.reconcile(ctx, s) }) })
			}
		}
		if m.random.IntN(20) == 0 {
			what := m.random.IntN(4)
			all.Go(func() { m.count(r, &m.checks.work, func(ctx context.Context) error { return m.work(ctx, r, what) }) })
		}
	}
	all.Wait()
	for i, r := range m.replicas {
		if got := found(r.servers[0].guard); got != "" {
			m.t.Fatal(fmt.Sprintf("after %v: replica %d finds %qolder\n%s", time.Duration(m.ahead.Load()), i, got, m.log.String()))
		}
		if r.life.read(true) != nil && away == nil {
			m.begin(r)
			m.checks.killed.Add(1)
		}
		r.life.mu.Lock()
		r.life.left = -1
		r.life.mu.Unlock()
	}
	if away != nil {
		away.life.cut(false, false)
		must.OK(m.t, away.servers[0].guard.Look(context.Background())) // all is compared
	}
}

// work is what people do, by a replica.
func (m *month) work(ctx context.Context, r *world, what int) (err error) {
	s := r.servers[0]
	switch what {
	case 0:
		_, err = r.sign(ctx, s)
	case 1:
		_, err = r.revoke(ctx, s)
	case 2:
		err = r.rotate(ctx, s)
	case 3:
		err = r.release(ctx, s)
	}
	if err == nil {
		err = s.certs.Issuances.Flush(ctx)
	}
	return err
}

// count counts what was done; it may fail of a replica that is killed or does not
// reach both sides, or that comes second to another.
func (m *month) count(r *world, counter *atomic.Int64, do func(context.Context) error) {
	err := do(context.Background())
	switch {
	case err == nil && counter != nil && r.life.read(true) == nil:
		counter.Add(1)
	case err == nil, r.life.read(true) != nil, r.life.read(false) != nil, fault.Is(err, fault.Conflict):
	default:
		m.failed(err)
	}
}

func (m *month) failed(err error) {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	m.errs = append(m.errs, err)
}

// TestServers: of three servers with clocks apart, what one finds or accepts, all
// know at their next look.
func TestServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var servers []*server
	for _, apart := range []time.Duration{0, 5 * time.Minute, -30 * time.Second} {
		servers = append(servers, w.server(func() time.Time { return time.Now().Add(apart) }))
	}
	all := func(when, want string) {
		t.Helper()
		for i, s := range servers {
			must.OK(t, s.guard.Look(t.Context()))
			if got := found(s.guard); got != want {
				t.Fatalf("%s: server %d finds %qolder, want %q\n%s", when, i, got, want, w.log.String())
			}
		}
	}
	for _, s := range servers {
		must.OK(t, s.guard.Start(t.Context()))
	}
	all("in quiet times", "")
	answer := servers[1].guard.Older(t.Context(), token, isOlder)
	if !fault.Is(answer, fault.RecoveryRequired) {
		t.Errorf("an older document: %v", answer)
	}
	all("found by one", "vault ")
	if lines := servers[2].guard.VaultOlder().Lines(); len(lines) != 1 || lines[0] != "the current secrets of at least one token: abcd" {
		t.Errorf("told %q", lines)
	}
	must.OK(t, servers[0].guard.AcceptVault(t.Context(), recovery.By{}))
	all("accepted by one", "")
	if d := must.Get(w.db.Device(t.Context(), access.All(), token))(t); d.SecretsCounter != 0 {
		t.Errorf("the counter is %d", d.SecretsCounter)
	}
}
