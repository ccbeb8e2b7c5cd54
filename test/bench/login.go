package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/storebench"
)

// typed is the password of every account that signs in.
const typed = "a passphrase of the load run"

// people creates accounts login-0, login-1 … with one password; checking it costs the
// same as if each had its own salt.
func (w *world) people(ctx context.Context, count int) error {
	hash, err := password.NewHasherWith(1, password.Parameters{}).Hash(ctx, secret.New(typed))
	if err != nil {
		return err
	}
	now := time.Now()
	for i := range count {
		name := "login-" + strconv.Itoa(i)
		_, err := w.store.InsertUser(ctx, account.User{
			Username: name, Email: name + "@example.org", PasswordHash: hash, Role: access.User, IsActive: true,
			AuthSource: account.Local, CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
		}, audit.By(access.Actor{}, audit.UserCreated, "user", "", "load run"))
		if err != nil {
			return err
		}
	}
	return nil
}

// signingIn serves a world with the given number of people who may sign in.
func (b *bench) signingIn(ctx context.Context, name string, people int, use func(*process) error) error {
	f := fill{name: name, rows: storebench.Size{Organizations: 1, Users: 1}, caKey: piv.ECP256}
	return b.serving(ctx, f, nil, func(w *world) error { return w.people(ctx, people) }, func(_ *world, p *process) error { return use(p) })
}

// credentials is the body of a sign-in.
func credentials(username, password string) string {
	raw, err := json.Marshal(map[string]string{"username": username, "password": password})
	if err != nil {
		panic(err) // two strings
	}
	return string(raw)
}

func (p *process) login(buf []byte, username, password string) []byte {
	return p.request(buf, "POST", "/api/auth/login", "", credentials(username, password))
}

// loggingIn measures sign-ins per second against Argon2id alone on the same cores. Each
// uses a different account, so that no lock interferes.
func loggingIn(ctx context.Context, b *bench) error {
	const people = 256
	return b.signingIn(ctx, "login", people, func(p *process) error {
		next := func(buf []byte, i int64) ([]byte, error) {
			return p.login(buf, "login-"+strconv.FormatInt(i%people, 10), typed), nil
		}
		salt := make([]byte, 16)
		if _, err := rand.Read(salt); err != nil {
			return err
		}
		d := password.DefaultParameters()
		conns, rounds, spell := 3*runtime.NumCPU(), b.size(3, 1), 8*time.Second
		if b.quick {
			spell, conns = b.spell(), 1 // on a busy machine, nobody waits so long for a turn as to be refused
		}
		if _, err := p.load(ctx, conns, min(spell, time.Second), next); err != nil { // warm up
			return err
		}
		ours, raw, err := versus(rounds,
			func() (sample, error) { return p.load(ctx, conns, spell, next) },
			func() (sample, error) {
				return allCores(ctx, spell, func() error {
					argon2.IDKey([]byte(typed), salt, d.Passes, d.MemoryKiB, d.Threads, 32)
					return nil
				})
			})
		if err != nil {
			return err
		}
		b.out.rates("sign-ins", ours, "argon2.IDKey, 64 MiB", raw, aim{"≥ 0.95", ours.rate()/raw.rate() >= 0.95},
			fmt.Sprintf("%s, %d connections", goClient, conns))
		return nil
	})
}

// flooding lets 500 people sign in concurrently, several times in a row, and measures
// the memory that this takes.
func flooding(ctx context.Context, b *bench) error {
	const most = 512 << 20
	people := b.size(500, 10)
	return b.signingIn(ctx, "flood", people, func(p *process) error {
		rounds := b.size(5, 1)
		counts := map[int]int{}
		for range rounds {
			if err := p.flood(ctx, people, counts); err != nil {
				return err
			}
		}
		peak, others := p.memory("VmHWM"), 0
		for status, n := range counts {
			if status != http.StatusOK && status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
				others += n
			}
		}
		b.out.durations(fmt.Sprintf("memory of %d sign-ins at once, %d times", people, rounds),
			fmt.Sprintf("peak %d MiB resident", peak>>20), fmt.Sprintf("statuses %v", counts), "",
			aim{"< 512 MiB, only 200, 429, 503", peak > 0 && peak < most && others == 0}, "/proc/PID/status")
		return nil
	})
}

// flood connects everybody first, lets them all send at once, and counts the statuses
// of the responses.
func (p *process) flood(ctx context.Context, people int, counts map[int]int) error {
	var mu sync.Mutex
	var group sync.WaitGroup
	start, failures := make(chan struct{}), make(chan error, people)
	for i := range people {
		c, err := p.dial(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		c.buf = p.login(nil, "login-"+strconv.Itoa(i), typed)
		group.Go(func() {
			<-start
			status, err := c.status()
			if err != nil {
				failures <- err
				return
			}
			mu.Lock()
			defer mu.Unlock()
			counts[status]++
		})
	}
	close(start)
	group.Wait()
	close(failures)
	return <-failures
}

// status sends c.buf and returns the status of the response. A 429 or 503 must have a
// Retry-After.
func (c *connection) status() (int, error) {
	if _, err := c.Write(c.buf); err != nil {
		return 0, err
	}
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		return 0, err
	}
	late := res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable
	if late && res.Header.Get("Retry-After") == "" {
		return 0, fmt.Errorf("%s without Retry-After", res.Status)
	}
	return res.StatusCode, nil
}
