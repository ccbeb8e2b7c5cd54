package password

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// small parameters make tests fast; the code is the same.
var small = Parameters{MemoryKiB: 64, Passes: 1, Threads: 4}

func hashed(t *testing.T, h *Hasher, password string) string {
	t.Helper()
	return must.Get(h.Hash(t.Context(), secret.New(password)))(t)
}

func TestHasher(t *testing.T) {
	t.Parallel()
	today := NewHasherWith(2, small)
	older := NewHasherWith(1, Parameters{MemoryKiB: 128, Passes: 2, Threads: 1})
	shortSalt := phc{Parameters: small, salt: []byte("01234567")}
	shortSalt.key = shortSalt.compute("passphrase", shortSalt.salt, keyBytes)
	for _, c := range []struct {
		name, hash, password string
		want                 Match
	}{
		{"good", hashed(t, today, "passphrase"), "passphrase", Yes},
		{"wrong", hashed(t, today, "passphrase"), "Passphrase", No},
		{"empty", hashed(t, today, "passphrase"), "", No},
		{"prefix", hashed(t, today, "passphrase"), "passphras", No},
		{"other parameters", hashed(t, older, "passphrase"), "passphrase", Stale},
		{"other parameters, wrong", hashed(t, older, "passphrase"), "passphrase2", No},
		{"a salt of another length", shortSalt.encode(), "passphrase", Stale},
		{"composed, typed decomposed", hashed(t, today, "caf\u00e9 at noon"), "cafe\u0301 at noon", Yes},
		{"decomposed, typed composed", hashed(t, today, "cafe\u0301 at noon"), "caf\u00e9 at noon", Yes},
		{"no-break space", hashed(t, today, "caf\u00e9 at noon"), "caf\u00e9\u00a0at\u2003noon", Yes},
		{"another letter", hashed(t, today, "caf\u00e9 at noon"), "cafe at noon", No},
		{"wide forms are other letters", hashed(t, today, "abc at noon"), "\uff41bc at noon", No},
		{"no hash", "", "passphrase", No},
		{"no hash, the dummy's own key is no password", "", strings.Repeat("\x00", keyBytes), No},
		{"no hash, not normalized", "", "cafe\u0301 at noon", No},
	} {
		got, err := today.Check(t.Context(), c.hash, secret.New(c.password))
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	if first, second := hashed(t, today, "passphrase"), hashed(t, today, "passphrase"); first == second {
		t.Error("two hashes share a salt")
	}
}

// TestSpecifiedParameters: a stored hash has the specification's values.
func TestSpecifiedParameters(t *testing.T) {
	t.Parallel()
	hash := hashed(t, NewHasherWith(1, Parameters{}), "passphrase")
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=1,p=4$") {
		t.Errorf("%s…", hash[:40])
	}
	if h, err := decode(hash); err != nil || len(h.salt) != 16 || len(h.key) != 32 {
		t.Errorf("%v, salt of %d, key of %d bytes", err, len(h.salt), len(h.key))
	}
}

// TestBadHash: an unreadable hash is an error, not a wrong password, and the
// error shows none of it.
func TestBadHash(t *testing.T) {
	t.Parallel()
	h := NewHasherWith(1, small)
	const bad = "$argon2id$v=19$m=4194304,t=1,p=4$MDEyMzQ1Njc4OWFiY2RlZg$c2VjcmV0"
	_, err := h.Check(t.Context(), bad, secret.New("x"))
	if !errors.Is(err, errHash) || strings.Contains(err.Error(), "4194304") {
		t.Errorf("%v", err)
	}
}

// hold takes all slots of a queue, each for a duration of the fake clock.
func hold(t *testing.T, q *queue, each time.Duration) {
	t.Helper()
	leave := must.Get(q.enter(t.Context(), uint32(q.size)))(t)
	go func() {
		<-time.After(each)
		leave()
	}()
}

// state returns how many wait, and how long a hash is assumed to take.
func (q *queue) state() (waiting int, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int(q.waiting), q.took
}

// TestQueueIsFair: first come, first served, each alone.
func TestQueueIsFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, 64)
		hold(t, q, time.Second)
		var order []int
		for i := range 10 {
			go func() {
				leave, err := q.enter(t.Context(), 64)
				if err != nil {
					t.Errorf("%d: %v", i, err)
					return
				}
				order = append(order, i)
				<-time.After(10 * time.Millisecond)
				leave()
			}()
			synctest.Wait()
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		for i, n := range order {
			if i != n {
				t.Fatalf("served in the order %v", order)
			}
		}
		if waiting, _ := q.state(); len(order) != 10 || waiting != 0 {
			t.Errorf("%d served, %d still wait", len(order), waiting)
		}
	})
}

// TestQueueRefusesAtOnce: a caller who cannot be served in time learns so at
// once, and when to come back.
func TestQueueRefusesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(2, 64)
		hold(t, q, time.Minute)
		began, refused := time.Now(), 0
		results := make(chan error, 500)
		for range 500 {
			go func() {
				leave, err := q.enter(t.Context(), 64)
				if err == nil {
					leave()
				}
				results <- err
			}()
		}
		synctest.Wait()
		for range len(results) {
			err := <-results
			f, ok := fault.As(err)
			if !ok || f.Code != fault.Overloaded || f.RetryAfter < time.Second || f.RetryAfter > 2*maxWait {
				t.Fatalf("%v", err)
			}
			refused++
		}
		waiting, _ := q.state()
		if time.Since(began) != 0 || waiting+refused != 500 || waiting != int(maxWait/firstGuess*2) {
			t.Errorf("after %v: %d refused, %d waiting", time.Since(began), refused, waiting)
		}
		for range waiting { // the estimate was wrong: no slot is freed, and all of them get the error
			if err := <-results; !fault.Is(err, fault.Overloaded) {
				t.Fatalf("%v", err)
			}
		}
		if left, _ := q.state(); time.Since(began) != maxWait || left != 0 {
			t.Errorf("after %v %d still wait", time.Since(began), left)
		}
		<-time.After(time.Minute)
	})
}

// TestQueueBoundsMemory: a larger hash takes several slots; one larger than all
// slots runs alone.
func TestQueueBoundsMemory(t *testing.T) {
	t.Parallel()
	q := newQueue(4, 64)
	one := must.Get(q.enter(t.Context(), 1<<20))(t)
	if q.memory.TryAcquire(1) {
		t.Error("another runs beside the one that takes everything")
	}
	one()
	if !q.memory.TryAcquire(q.size) {
		t.Error("it did not give everything back")
	}
}
