package intentlog_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/test/must"
)

// TestUnrecordedPages: unrecorded entries are read page by page, newest first, and a page reads no
// more documents than it shows.
func TestUnrecordedPages(t *testing.T) {
	t.Parallel()
	b := open(t)
	const all, limit = 60, 7
	var want []string
	for n := range all {
		b.now = b.now.Add(time.Second)
		serial, outcome := fmt.Sprintf("%04x", 0x1000+n), intentlog.Discarded
		if n%9 == 8 {
			outcome = "" // its server ended
		}
		b.issue(t, serial, outcome)
		must.OK(t, b.Flush(t.Context()))
		want = append(want, serial)
	}
	b.restart()
	b.issue(t, "2000", "") // may be on its way
	slices.Reverse(want)
	until := b.now.Add(-time.Millisecond)
	var got []string
	for before := int64(0); ; {
		b.kv.read.Store(0)
		page := must.Get(b.Unrecorded(t.Context(), before, until, limit))(t)
		if read := b.kv.read.Load(); read > 2*limit+16 { // open batches are read sixteen at a time
			t.Errorf("%d documents were read for %d rows", read, len(page))
		}
		if len(page) == 0 {
			break
		}
		for _, e := range page {
			got = append(got, e.SerialNumber)
		}
		before = page[len(page)-1].Number()
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if total, exact, err := b.CountUnrecorded(t.Context(), until); total != all || exact || err != nil {
		t.Errorf("%d in all, exactly: %t, %v", total, exact, err)
	}
	found := must.Get(b.FindUnrecorded(t.Context(), want[4]))(t)
	if found == nil || found.SerialNumber != want[4] || found.Outcome != intentlog.Discarded {
		t.Errorf("%+v", found)
	}
	if found := must.Get(b.FindUnrecorded(t.Context(), "4711"))(t); found != nil {
		t.Errorf("%+v", found)
	}
}

// TestUnrecordedTwice: for an entry that a crash also left open, the settled outcome is shown.
func TestUnrecordedTwice(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.issue(t, "1a", intentlog.Discarded)
	name := b.documents(t, "_issuances/open")[0]
	batch := must.Get(b.kv.Get(t.Context(), "_issuances/open/"+name))(t)
	must.OK(t, b.Flush(t.Context()))
	must.Get(b.kv.Put(t.Context(), "_issuances/open/"+name, batch.Data, 0))(t)
	page := must.Get(b.Unrecorded(t.Context(), 0, b.now, 10))(t)
	found := must.Get(b.FindUnrecorded(t.Context(), "1a"))(t)
	if len(page) != 1 || page[0].Outcome != intentlog.Discarded || found == nil || found.Outcome != intentlog.Discarded {
		t.Errorf("%+v, %+v", page, found)
	}
}
