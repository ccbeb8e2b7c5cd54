package year_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/test/must"
)

var (
	tokensFlag = flag.Int("tokens", 30, "how many tokens there are; 10000 is the whole year's")
	daysFlag   = flag.Int("days", 45, "how long it goes; 365 is a year")
	seedFlag   = flag.Uint64("seed", 1, "of what happens")
)

// TestYear lets weeks pass, or a year with -tokens 10000 -days 365: every message of the
// table comes once, also where processes are killed, and to nobody else.
func TestYear(t *testing.T) {
	r := rand.New(rand.NewPCG(*seedFlag, 14))
	w := newWorld(t, *tokensFlag)
	post := w.setUpMail()
	workers := []*worker{w.employ(), w.employ()}
	ends := w.clock.Add(time.Duration(*daysFlag) * day)
	kills := 0
	for w.clock.Before(ends) {
		w.clock = w.clock.Add(time.Duration(1+r.IntN(18*60)) * time.Minute)
		for range 1 + r.IntN(1+*tokensFlag/10) {
			w.deed(r)
		}
		w.remind()
		w.brief()
		for _, k := range workers {
			k.tick(w.clock)
		}
		if r.IntN(4) == 0 {
			kills++
			k := workers[r.IntN(2)]
			k.killAfter(time.Duration(r.IntN(30)) * time.Millisecond)
		}
		for _, k := range workers {
			k.await()
		}
		w.settle(workers)
	}
	if kills == 0 {
		t.Error("nobody was killed")
	}
	w.compare(post)
}

// row is a notice or a mail, as the database has it.
type row struct{ person, kind, thing, address, messageID, status string }

func (w *world) rows(query string) (list []row) {
	w.t.Helper()
	rows, err := w.sql.QueryContext(w.t.Context(), query)
	must.OK(w.t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one row
		var text string
		must.OK(w.t, rows.Scan(&one.person, &one.kind, &text, &one.address, &one.messageID, &one.status))
		var params notice.Params
		must.OK(w.t, json.Unmarshal([]byte(text), &params))
		one.thing = thing(notice.Kind(one.kind), params)
		list = append(list, one)
	}
	must.OK(w.t, rows.Err())
	return list
}

func thing(k notice.Kind, p notice.Params) string {
	switch k {
	case notice.CertificateEnding:
		return p["serial"] + " " + p["days"]
	case notice.CertificatesEnding:
		counts := map[int]int{}
		for _, days := range []int{0, 1, 3, 7, 14, 30} {
			if n, err := strconv.Atoi(p["n"+strconv.Itoa(days)]); err == nil {
				counts[days] = n
			}
		}
		return fmt.Sprint(p["organization"], " ", counts)
	}
	return p["serial"]
}

// differ reports what was told too often, too seldom, or to somebody else.
func (w *world) differ(what string, want, got map[string]int) {
	w.t.Helper()
	wrong := 0
	for _, key := range slices.Sorted(maps.Keys(union(want, got))) {
		if want[key] != got[key] {
			if wrong++; wrong <= 20 {
				w.t.Errorf("%s: %s: %d times, want %d", what, key, got[key], want[key])
			}
		}
	}
	if wrong > 20 {
		w.t.Errorf("%s: %d more", what, wrong-20)
	}
}

func union(a, b map[string]int) map[string]bool {
	all := map[string]bool{}
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return all
}
