//go:build exhaustive

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

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/test/must"
)

var (
	tokensFlag = flag.Int("tokens", 30, "how many tokens there are; 10000 is the whole year's")
	daysFlag   = flag.Int("days", 45, "how long it goes; 365 is a year")
	seedFlag   = flag.Uint64("seed", 1, "of what happens")
)

// TestYear lets weeks pass, or a year with -tokens 10000 -days 365: every message of
// the table comes once, even if processes are killed and the SMTP server is out, and to
// nobody else.
func TestYear(t *testing.T) {
	r := rand.New(rand.NewPCG(*seedFlag, 14))
	w := newWorld(t, *tokensFlag)
	w.setUpMail()
	workers := []*worker{w.employ(), w.employ()}
	ends := w.now().Add(time.Duration(*daysFlag) * day)
	kills, month := 0, w.began
	for w.now().Before(ends) {
		if !w.now().Before(month) { // shows the progress of a long run
			t.Logf("%s: %d messages on the page, %d by mail", w.now().Format(time.DateOnly), len(w.told), len(w.mailed))
			month = month.Add(30 * day)
		}
		w.pass(time.Duration(1+r.IntN(18*60)) * time.Minute)
		w.turn(r)
		w.renew(r)
		w.work(r)
		for range 1 + r.IntN(4+*tokensFlag/perStep) {
			w.act(r)
		}
		var killed *worker
		if r.IntN(4) == 0 {
			kills++
			killed = workers[r.IntN(2)]
		}
		w.look(workers, killed, time.Duration(r.IntN(30))*time.Millisecond)
		w.settle(workers, killed != nil)
	}
	for w.be(fine); len(w.open) > 0; w.settle(workers, false) {
		w.pass(longest)
		w.work(r)
		w.look(workers, nil, 0)
	}
	if kills == 0 || w.spells[away]*w.spells[closing]*w.spells[later] == 0 {
		t.Errorf("%d workers were killed, and the server was out %v", kills, w.spells)
	}
	w.compare(kills)
	t.Logf("%d workers killed; the server was %v (fine, away, closing, later)", kills, w.spells)
}

// perStep: between two looks, something happens to about one token in this many at most;
// in a year, to each about ten times.
const perStep = 50

// row is a notice or a mail in the database.
type row struct {
	person, kind, thing, address, messageID, status string
	at                                              time.Time
}

func (w *world) rows(query string) (list []row) {
	w.t.Helper()
	rows, err := w.sql.QueryContext(w.t.Context(), query)
	must.OK(w.t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one row
		var text string
		var at int64
		must.OK(w.t, rows.Scan(&one.person, &one.kind, &text, &one.address, &one.messageID, &one.status, &at))
		one.at = time.UnixMicro(at)
		var params notify.Params
		must.OK(w.t, json.Unmarshal([]byte(text), &params))
		one.thing = thing(notify.Kind(one.kind), params)
		list = append(list, one)
	}
	must.OK(w.t, rows.Err())
	return list
}

func thing(k notify.Kind, p notify.Params) string {
	switch k {
	case notify.CertificateExpires:
		return p["serial"] + " " + p["days"]
	case notify.CertificatesExpireSummary:
		counts := map[int]int{}
		for _, days := range []int{0, 1, 3, 7, 14, 30} {
			if n, err := strconv.Atoi(p["n"+strconv.Itoa(days)]); err == nil {
				counts[days] = n
			}
		}
		return fmt.Sprint(p["organization"], " ", counts)
	case notify.LicenseEnding:
		return p["what"] + " " + p["days"]
	case notify.BackupFailed, notify.DrillFailed:
		return p["job"]
	case notify.BackupOverdue:
		return p["what"] + " " + p["due"]
	case notify.Digest:
		number := func(name string) int {
			n, _ := strconv.Atoi(p[name])
			return n
		}
		return doing{number("ending"), number("ended"), number("unset"), number("lost")}.thing(p["organization"], p["backup"])
	}
	return p["serial"]
}

// differ reports what was sent too often, too seldom, or to somebody else.
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
