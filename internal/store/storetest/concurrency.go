package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var concurrencyCases = map[string]func(*testing.T, *fixture){
	"one CSR, many certificates":          raceCSR,
	"one token, many refreshes":           raceRefresh,
	"issuing against losing the token":    raceLost,
	"a context that ended writes nothing": endedContext,
}

const racers = 16

// race runs fn in many goroutines at once and counts the outcomes by code;
// "" is success.
func race(fn func(i int) error) map[fault.Code]int {
	var mu sync.Mutex
	var group sync.WaitGroup
	start, outcomes := make(chan struct{}), map[fault.Code]int{}
	for i := range racers {
		group.Go(func() {
			<-start
			code := fault.CodeOf(fn(i))
			mu.Lock()
			outcomes[code]++
			mu.Unlock()
		})
	}
	close(start)
	group.Wait()
	return outcomes
}

var oneWins = map[fault.Code]int{"": 1, fault.Conflict: racers - 1}

func raceCSR(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("00aa", "abcd", sameCSR, func(c *cert.Certificate) { c.NotAfter = Now })) // is in the way
	f.seen = f.newest(t)
	var mu sync.Mutex
	serials, made := map[string]bool{}, 0
	equal(t, "outcomes", race(func(i int) error {
		c, existed, err := f.InsertCertificate(t.Context(), f.record(fmt.Sprintf("%04x", i+1), "abcd", sameCSR),
			entry(audit.CertificateIssued, "certificate"))
		mu.Lock()
		defer mu.Unlock()
		serials[c.SerialNumber] = true
		if !existed {
			made++
		}
		return err
	}), map[fault.Code]int{"": racers})
	equal(t, "made", made, 1)
	equal(t, "serial numbers given out", len(serials), 1)
	equal(t, "entries", len(f.logged(t)), 1)
}

func raceRefresh(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	f.seen = f.newest(t)
	equal(t, "outcomes", race(func(i int) error {
		_, err := f.Refresh(t.Context(), s.token, func(state session.RefreshState) session.RefreshDecision {
			if state.Token.UsedAt != nil {
				return session.RefreshDecision{Refuse: fault.New(fault.Conflict, "", "used")}
			}
			d := give(fmt.Sprint("racer ", i), Now)
			d.Entries = []audit.Entry{entry(audit.Refresh, "session")}
			return d
		})
		return err
	}), oneWins)
	equal(t, "entries", len(f.logged(t)), 1)
}

// raceLost: whichever comes first, a lost token has no live certificate.
func raceLost(t *testing.T, f *fixture) {
	for i := range 5 {
		serial := fmt.Sprint("key-", i)
		f.device(t, serial)
		outcomes := race(func(j int) error {
			if j == racers/2 {
				_, err := f.tryDevice(t, serial, func(d *hwkey.Device) { d.Status = hwkey.Lost }, endsCertificates(vault.KeyCompromise, Now))
				return err
			}
			return errOf2(f.InsertCertificate(t.Context(), f.record(fmt.Sprintf("%02x%02x", i+1, j), serial), entry("x.y", "")))
		})
		equal(t, "all answered", outcomes[""]+outcomes[fault.Conflict], racers)
		live := must.Get(f.LiveOf(t.Context(), []string{serial}, Now))(t)
		equal(t, "live certificates of a lost token", len(live[serial]), 0)
	}
}

func endedContext(t *testing.T, f *fixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.AppendAudit(ctx, entry("x.y", "")); !errors.Is(err, context.Canceled) {
		t.Errorf("write: got %v, want the context's error", err)
	}
	if _, err := f.User(ctx, access.All(), f.alex.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("read: got %v, want the context's error", err)
	}
	if _, _, err := f.Authenticate(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("authenticate: got %v, want the context's error", err)
	}
	equal(t, "entries", f.logged(t), nil)
}
