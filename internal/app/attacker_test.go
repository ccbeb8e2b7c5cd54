package app_test

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	diffs "github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// attack is something done by somebody who can only write the database, and its
// consequences. docs/audit.md has a row for each.
type attack struct {
	what string
	on   string                  // "sqlite" or "postgres", if only there
	do   func(*databaseAttacker) // while the server runs
	// The responses to the token's owner at once, and after a start that finds nothing.
	release, sign answer
	refused       string // status and code of what fails
	start         finding
	verify        []string                // what audit verify names; none: it passes
	unknown       int64                   // releases that verify lists because only the database has them
	log           string                  // the log column for readers, and what the log says otherwise
	after         func(*databaseAttacker) // after a start
}

// answer is the result of a request, in the words of docs/audit.md.
type answer string

const (
	goesOn       answer = "" // continue
	held         answer = "held back"
	untilNoticed answer = "continue until it is noticed" // within ten seconds
	nothing      answer = "fail"                         // or are held back, once it is noticed
)

// is reports whether an attack is answered as wanted.
func (d attack) is(wanted answer, status int, out map[string]any) bool {
	back := status == 503 && out["code"] == "recovery_required"
	switch wanted {
	case held:
		return back
	case untilNoticed:
		return back || status == 200
	case nothing:
		return fmt.Sprintf("%d %v", status, out["code"]) == d.refused || back && d.start == altered
	default:
		return status == 200
	}
}

// finding is what startup and health report.
type finding string

const (
	unnoticed finding = "nothing"
	altered   finding = "`altered`, all held back"
	older     finding = "`older`, nobody is let in"
	restored  finding = "the row follows the CRL again"
)

// row returns the attack's row in docs/audit.md.
func (d attack) row() string {
	release, sign := cmp.Or(d.release, "continue"), cmp.Or(d.sign, "continue")
	atOnce := string(release)
	if sign != release {
		atOnce = fmt.Sprintf("releases %s, signatures %s", release, sign)
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", d.what, atOnce, d.start, d.log)
}

// TestWriterOfTheDatabase: whatever is written into the database past the server, no
// secret and no certificate leaves unseen, and it is noticed as docs/audit.md says.
func TestWriterOfTheDatabase(t *testing.T) {
	t.Parallel()
	for _, d := range slices.Concat(onSchema(), onLog(), onPeople()) {
		if d.on != "" && (d.on == "postgres") != engine.OnPostgres() {
			continue
		}
		t.Run(d.what, func(t *testing.T) {
			t.Parallel()
			d.try(t)
		})
	}
}

// TestWriterIsDocumented: docs/audit.md has exactly the tested table.
func TestWriterIsDocumented(t *testing.T) {
	t.Parallel()
	page := string(must.Get(os.ReadFile("../../docs/audit.md"))(t))
	_, table, _ := strings.Cut(page, "\n| What is written | Releases, signatures | Start, health |")
	_, table, _ = strings.Cut(table, "\n|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []string
	for _, d := range slices.Concat(onSchema(), onLog(), onPeople()) {
		rows = append(rows, d.row())
	}
	if diff := diffs.Diff(rows, strings.Split(table, "\n")); diff != "" {
		t.Errorf("docs/audit.md (-tried +written):\n%s", diff)
	}
}

func (d attack) try(t *testing.T) {
	t.Helper()
	cfg := testConfig(t, t.TempDir())
	known := history(t).copyTo(t, cfg.Data)
	w := &databaseAttacker{&fixture{start(t, cfg), known}, engine.SQL(t, cfg.Data), newWorkstation(t, 1), map[[2]string]int{}, nil}
	w.db.SetMaxOpenConns(1)
	w.sealedOnce()
	d.do(w)
	if d.start != older { // the server may have noticed by now
		d.asks(w, "at once", d.release, d.sign)
	}
	must.OK(t, w.stop())

	v, err := w.verifies()
	for _, what := range d.verify {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("audit verify says %v, not that %s", err, what)
		}
	}
	if len(d.verify) == 0 && err != nil {
		t.Errorf("audit verify: %v", err)
	}
	if err == nil {
		w.allSeen()
	}
	// If the server had noticed before the request, there is no entry either.
	if is := v.Releases.Unknown; is != d.unknown && (is != 0 || d.start != altered) {
		t.Errorf("audit verify lists %d releases that only the database has", v.Releases.Unknown)
	}

	w.server = start(t, cfg)
	database := func() any { return w.must(200, "GET", "/api/health", "", nil)["database"] }
	if d.start == altered {
		await.That(t, "health says so", func() bool { return database() == "altered" })
		d.asks(w, "after a start", held, held)
		return
	}
	if d.start == older {
		await.That(t, "health says so", func() bool { return database() == "older" })
		d.asks(w, "after a start", held, held)
		return
	}
	d.asks(w, "after a start", d.release, d.sign)
	if d.after != nil {
		d.after(w)
	}
	if is := database(); is != "connected" {
		t.Errorf("health says that the database is %v", is)
	}
	w.sealedOnce()
	if components(w.system(w.tokens["admin"], "health"))["audit_sealing"] == "failed" {
		t.Error("health says that the sealing has stopped")
	}
}

// asks has the token's owner read its PIN and request a certificate.
func (d attack) asks(w *databaseAttacker, when string, release, sign answer) {
	w.t.Helper()
	for _, r := range []struct {
		what   string
		wanted answer
		ask    func() (int, map[string]any)
	}{
		{"a release", release, func() (int, map[string]any) { return w.release("a-user", "10000") }},
		{"a signature", sign, func() (int, map[string]any) { return w.certify("a-user", "10000", "9d", "a-user", when) }},
	} {
		if status, out := r.ask(); !d.is(r.wanted, status, out) {
			w.t.Errorf("%s %s: %d %v; it is to %s", r.what, when, status, out, r.wanted)
		}
	}
}
