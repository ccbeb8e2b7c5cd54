package replicas_test

import (
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/tier"
)

const workers = 2

// site is a working installation.
type site struct {
	*installation
	admin   *client
	workers []*worker
	stop    atomic.Bool
	ended   sync.WaitGroup
}

// staff creates the accounts and signs everybody in.
func (i *installation) staff(t testing.TB) *site {
	t.Helper()
	s := &site{installation: i, admin: i.client(t)}
	s.admin.signIn(t, "admin", adminPassword)
	for n := range workers {
		w := &worker{name: fmt.Sprintf("worker%d", n), user: i.client(t), admin: i.client(t)}
		w.key = must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
		out := s.admin.must(t, http.MethodPost, "/api/admin/users",
			m{"username": w.name, "email": w.name + "@example.org", "password": userPassword, "role": "user"})
		w.id = int(out["id"].(float64))
		w.admin.signIn(t, "admin", adminPassword)
		w.registerAgent(t, w.user.signIn(t, w.name, userPassword))
		s.workers = append(s.workers, w)
	}
	return s
}

// work has everybody do job after job.
func (s *site) work(t testing.TB) {
	t.Helper()
	for n, w := range s.workers {
		s.ended.Go(func() {
			for k := 0; !s.stop.Load(); k++ {
				w.do(t, fmt.Sprintf("%d%07d", n+1, k), k%2 == 0)
			}
		})
	}
}

// settle waits until every worker has begun and ended a job since.
func (s *site) settle(t testing.TB, what string) {
	t.Helper()
	for _, w := range s.workers {
		until := w.ends.Load() + 2 // the first may have been running already
		await.That(t, w.name+" goes on "+what, func() bool {
			if t.Failed() {
				t.Fatalf("somebody has stopped: %s", what)
			}
			return w.ends.Load() >= until
		})
	}
}

// during makes something fail, until each certain response was received, and repairs
// it. Before the next failure everybody has resumed.
func (s *site) during(t testing.TB, f fault, begin, end func()) {
	t.Helper()
	at := time.Now()
	defer func() { t.Logf("%s: gone on after %v", f.name, time.Since(at).Round(time.Millisecond)) }()
	s.record.begin(f)
	begin()
	if f.sure {
		await.That(t, "each answer that is sure was given: "+f.name, func() bool {
			if t.Failed() {
				t.Fatal("somebody has stopped")
			}
			return s.record.all()
		})
	}
	end()
	s.settle(t, "after: "+f.name)
}

// TestFaults: everybody continues whatever fails, each refusal states its reason, and
// nothing is lost or duplicated. make test kills one of three servers; make test-all
// also makes everything else fail, alongside an upgrade.
func TestFaults(t *testing.T) {
	t.Parallel()
	built := func() string { return "" }
	if tier.Exhaustive {
		built = buildNext(t)
	}
	s := install(t, map[string]string{"DRAIN_DELAY": "1s"}).staff(t)
	s.record.begin(fault{name: "no fault"})
	s.work(t)
	stopped := sync.OnceFunc(func() { s.stop.Store(true); s.ended.Wait() })
	defer func() {
		if t.Failed() {
			close(s.record.over)
		}
		stopped()
	}()
	s.settle(t, "at first")

	s.killed(t, 0)
	if tier.Exhaustive {
		s.failing(t, built())
	}
	s.record.begin(fault{name: "no fault again"})
	s.settle(t, "at last")
	stopped()
	if !t.Failed() {
		s.compare(t)
	}
	s.record.judge(t)
}

// killed kills a server, and restarts it.
func (s *site) killed(t testing.TB, n int) {
	t.Helper()
	r := s.servers[n]
	s.during(t, fault{name: fmt.Sprintf("server %d is killed", n), answers: []string{noServer}}, r.Kill, func() { r.start(t) })
}

// failing makes a server's dependencies fail while the servers are upgraded.
func (s *site) failing(t testing.TB, next string) {
	t.Helper()
	// From now on servers of two versions work side by side, whatever fails.
	s.migrate(t, next)
	for n := range s.servers {
		s.killed(t, n)
	}
	s.upgrade(t, 0, next)
	s.runs(t, true, false, false)
	for name, end := range map[string]func() error{"is shut down": s.database.Shutdown, "is killed": s.database.Kill} {
		s.during(t, fault{name: "PostgreSQL " + name, answers: []string{noDatabase}, sure: true},
			func() { must.OK(t, end()) }, func() { must.OK(t, s.database.Restart()) })
	}
	s.during(t, fault{name: "Vault is sealed", answers: []string{noVault}, sure: true},
		func() { s.vault.Seal(t) }, func() { s.vault.Unseal(t) })
	for n, r := range s.servers {
		name := fmt.Sprintf("server %d is cut off from ", n)
		s.during(t, fault{name: name + "PostgreSQL", answers: []string{noDatabase}, sure: true},
			func() { r.database.cut(t) }, func() { r.database.mend(t) })
		s.during(t, fault{name: name + "Vault", answers: []string{noVault}, sure: true},
			func() { r.vault.cut(t) }, func() { r.vault.mend(t) })
	}
	for _, r := range s.servers {
		r.database.delay(t, 4)
		r.vault.delay(t, 20)
	}
	s.during(t, fault{name: "everything is slow"}, func() {}, func() {})
	for _, r := range s.servers {
		r.database.hurry(t)
		r.vault.hurry(t)
	}
	s.upgrade(t, 1, next)
	s.upgrade(t, 2, next)
	s.runs(t, true, true, true)
}
