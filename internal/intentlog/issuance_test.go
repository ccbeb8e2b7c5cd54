package intentlog_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// brittleKV is a vault in which the write of a given number fails, before or after it has happened.
type brittleKV struct {
	vault.KV

	left     atomic.Int64
	happened bool
	read     atomic.Int64 // documents
}

func (b *brittleKV) Get(ctx context.Context, path string) (vault.Version, error) {
	b.read.Add(1)
	return b.KV.Get(ctx, path)
}

func (b *brittleKV) write(do func() error) error {
	if b.left.Add(-1) != 0 {
		return do()
	}
	if b.happened {
		if err := do(); err != nil {
			return err
		}
	}
	return vault.ErrUnavailable
}

func (b *brittleKV) Put(ctx context.Context, path string, data vault.Data, cas int) (version int, err error) {
	err = b.write(func() error { version, err = b.KV.Put(ctx, path, data, cas); return err })
	return version, err
}

func (b *brittleKV) DestroyPath(ctx context.Context, path string) error {
	return b.write(func() error { return b.KV.DestroyPath(ctx, path) })
}

// book is a log in a vault of its own, with a clock to turn.
type book struct {
	*intentlog.Issuances
	kv  *brittleKV
	now time.Time
}

func open(t *testing.T) *book {
	t.Helper()
	engine := must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: t.TempDir(), PublicBase: "http://localhost", CAKeyType: piv.ECP256, Logger: slog.New(slog.DiscardHandler),
	}))(t)
	t.Cleanup(func() { must.OK(t, engine.Close()) })
	b := &book{kv: &brittleKV{KV: engine}, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	b.restart()
	return b
}

func (b *book) restart() {
	b.Issuances = intentlog.NewIssuances(b.kv, func() time.Time { return b.now })
}

// issue records an intent and concludes it; its certificate lasts a year.
func (b *book) issue(t *testing.T, serial string, o intentlog.Outcome) {
	t.Helper()
	i := intentlog.Issuance{HWKeySerial: "key-1", SerialNumber: serial, NotAfter: b.now.AddDate(1, 0, 0)}
	intent := must.Get(b.Record(t.Context(), i))(t)
	i.Outcome = o
	b.Conclude(intent, i)
}

// holds returns the serial numbers of the entries by outcome, each once.
func (b *book) holds(t *testing.T) map[intentlog.Outcome][]string {
	t.Helper()
	found, seen := map[intentlog.Outcome][]string{}, map[string]bool{}
	must.OK(t, intentlog.EachIssuance(t.Context(), b.kv, func(e intentlog.Entry) error {
		if !seen[e.ID] {
			found[e.Outcome] = append(found[e.Outcome], e.SerialNumber)
		}
		seen[e.ID] = true
		return nil
	}))
	for _, list := range found {
		slices.Sort(list)
	}
	return found
}

func (b *book) expect(t *testing.T, when string, want map[intentlog.Outcome]string) {
	t.Helper()
	got := b.holds(t)
	for _, o := range []intentlog.Outcome{"", intentlog.Recorded, intentlog.Discarded, intentlog.NotSigned, intentlog.Lost} {
		if list := strings.Join(got[o], " "); list != want[o] {
			t.Errorf("%s: %q are %q, want %q", when, o, list, want[o])
		}
	}
}

func (b *book) documents(t *testing.T, folder string) []string {
	t.Helper()
	return must.Get(b.kv.List(t.Context(), folder))(t)
}

// heldKV holds up the first write.
type heldKV struct {
	vault.KV

	once          sync.Once
	arrived, goOn chan struct{}
}

func (h *heldKV) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	h.once.Do(func() { close(h.arrived); <-h.goOn })
	return h.KV.Put(ctx, path, data, cas)
}

// TestShared: those who sign while a batch is written share the next one, and
// each has an entry of its own; what was settled meanwhile shares a document.
func TestShared(t *testing.T) {
	t.Parallel()
	b := open(t)
	kv := &heldKV{KV: b.kv, arrived: make(chan struct{}), goOn: make(chan struct{})}
	b.Issuances = intentlog.NewIssuances(kv, func() time.Time { return b.now })
	const others = 200
	var wg sync.WaitGroup
	issue := func(n int) { wg.Go(func() { b.issue(t, fmt.Sprintf("%04x", 0x1000+n), intentlog.Recorded) }) }
	issue(0)
	await.From(t, "the first batch is being written", kv.arrived)
	for n := range others {
		issue(1 + n)
	}
	await.That(t, "the others gather", func() bool { return b.Waiting() == others })
	close(kv.goOn)
	wg.Wait()
	if batches := b.documents(t, "_issuances/open"); len(batches) != 2 {
		t.Errorf("%d batches for %d", len(batches), 1+others)
	}
	must.OK(t, b.Flush(t.Context()))
	days := b.documents(t, "_issuances/settled/2026-03-01")
	if got := b.holds(t); len(got[intentlog.Recorded]) != 1+others || len(got) != 1 || len(days) != 1 {
		t.Errorf("%d are recorded, in %v", len(got[intentlog.Recorded]), days)
	}
}

// TestTidy: what was settled on a past day ends up in one document, which goes 90 days after the
// certificates' end.
func TestTidy(t *testing.T) {
	t.Parallel()
	b := open(t)
	tidy := func() {
		t.Helper()
		must.OK(t, b.Flush(t.Context()))
		must.OK(t, b.Tidy(t.Context()))
	}
	for _, serial := range []string{"1a", "1b", "1c"} {
		b.issue(t, serial, intentlog.Recorded)
		tidy()
	}
	b.issue(t, "1d", intentlog.NotSigned)
	b.now = b.now.AddDate(0, 0, 1)
	b.issue(t, "2a", intentlog.Recorded)
	tidy()
	if days := b.documents(t, "_issuances/settled"); len(days) != 1 || days[0] != "2026-03-02/" {
		t.Errorf("days that are not put together: %v", days)
	}
	if kept := b.documents(t, "_issuances/kept"); len(kept) != 1 {
		t.Errorf("%v", kept)
	}
	b.expect(t, "put together", map[intentlog.Outcome]string{intentlog.Recorded: "1a 1b 1c 2a", intentlog.NotSigned: "1d"})
	newest := must.Get(intentlog.NewestIssuances(t.Context(), b.kv))(t)
	if len(newest) != 1 || newest[0].SerialNumber != "2a" || !newest[0].At().Equal(b.now) {
		t.Errorf("the newest: %+v", newest)
	}
	b.now = b.now.AddDate(1, 0, 89)
	tidy()
	b.expect(t, "90 days after the end", map[intentlog.Outcome]string{intentlog.Recorded: "1a 1b 1c 2a", intentlog.NotSigned: "1d"})
	b.now = b.now.AddDate(0, 0, 3)
	tidy()
	b.expect(t, "later", map[intentlog.Outcome]string{})
}

// TestLose: what an accepted older database lacks is no longer marked as recorded; the rest is.
func TestLose(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.issue(t, "1a", intentlog.Recorded)
	b.issue(t, "1b", intentlog.Recorded)
	must.OK(t, b.Flush(t.Context()))
	b.now = b.now.AddDate(0, 0, 1)
	must.OK(t, b.Tidy(t.Context()))
	b.issue(t, "2a", intentlog.Recorded)
	b.issue(t, "2b", intentlog.Recorded)
	b.issue(t, "2c", intentlog.Discarded)
	must.OK(t, b.Flush(t.Context()))
	b.issue(t, "3a", "")
	b.issue(t, "3b", "")
	b.restart()
	judge := func(entries []intentlog.Entry) error {
		for i := range entries {
			if entries[i].Outcome = intentlog.Recorded; strings.HasSuffix(entries[i].SerialNumber, "b") {
				entries[i].Outcome = intentlog.Lost
			}
		}
		return nil
	}
	for n, want := range []int{3, 0} {
		if lost := must.Get(b.MarkUnaccounted(t.Context(), judge))(t); lost != want {
			t.Errorf("try %d: %d are lost, want %d", n, lost, want)
		}
		b.expect(t, "accepted", map[intentlog.Outcome]string{
			intentlog.Recorded: "1a 2a 3a", intentlog.Lost: "1b 2b 3b", intentlog.Discarded: "2c",
		})
	}
}

// TestInterrupted: wherever the vault fails, with the write done or not, nothing is lost, and the
// next try succeeds.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, happened := range []bool{false, true} {
		for at := int64(1); ; at++ {
			b := open(t)
			b.kv.happened = happened
			day := func() error {
				err := b.Flush(t.Context())
				if err == nil {
					err = b.Tidy(t.Context())
				}
				return err
			}
			b.issue(t, "1a", intentlog.Recorded)
			b.issue(t, "1b", intentlog.Discarded)
			must.OK(t, day())
			b.issue(t, "1c", intentlog.Recorded)
			b.now = b.now.AddDate(0, 0, 1)
			b.kv.left.Store(at)
			err := day()
			over := b.kv.left.Swap(0) > 0
			if (err == nil) != over {
				t.Fatalf("at %d: %v", at, err)
			}
			want := map[intentlog.Outcome]string{intentlog.Recorded: "1a 1c", intentlog.Discarded: "1b"}
			// One that is open may have been settled as well.
			if got := b.holds(t); len(got[intentlog.Recorded])+len(got[""]) != 2 || len(got[intentlog.Discarded]) != 1 {
				t.Errorf("at %d: %v", at, got)
			}
			must.OK(t, day())
			b.expect(t, fmt.Sprintf("at %d (done: %t)", at, happened), want)
			b.now = b.now.AddDate(0, 0, 1)
			must.OK(t, day())
			times := 0
			must.OK(t, intentlog.EachRecordedIssuance(t.Context(), b.kv, time.Time{}, func(intentlog.Entry) error { times++; return nil }))
			if times != 2 {
				t.Errorf("at %d (done: %t): in the end 2 entries are there %d times", at, happened, times)
			}
			if over {
				if at < 5 {
					t.Errorf("only %d writes", at)
				}
				break
			}
		}
	}
}
