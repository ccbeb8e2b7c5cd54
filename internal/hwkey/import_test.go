package hwkey_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
)

// load imports and returns each row as "line serial outcome: fields".
func (w *world) load(t testing.TB, a access.Actor, dryRun bool, text ...string) []string {
	t.Helper()
	done, err := w.keys.Import(t.Context(), a, scope(t, a), lines(text...), dryRun)
	must(t, err)
	var out []string
	counts := map[hwkey.RowResult]int{}
	for _, r := range done.Rows {
		line := fmt.Sprintf("%d %s %s", r.Line, r.Serial, r.Outcome)
		for _, e := range r.Errors {
			line += " " + e.Field
		}
		out = append(out, line)
		counts[r.Outcome]++
		if (r.Outcome == hwkey.HasFailed) != (len(r.Errors) > 0) {
			t.Errorf("row %+v", r)
		}
	}
	if done.DryRun != dryRun || done.Created != counts[hwkey.WasCreated] || done.Unchanged != counts[hwkey.WasUnchanged] ||
		done.Failed != counts[hwkey.HasFailed] {
		t.Errorf("counted %+v, rows say %v", done, counts)
	}
	return out
}

func (w *world) onRecord(t testing.TB) []hwkey.Device {
	t.Helper()
	list, err := w.db.ListDevices(t.Context(), access.All(), hwkey.Filter{}, page.Request{Limit: page.MaxLimit})
	must(t, err)
	return list.Items
}

func (w *world) inVault(t testing.TB) int {
	t.Helper()
	names, err := w.kv.List(t.Context(), "")
	must(t, err)
	n := 0
	for _, name := range names {
		if !strings.Contains(name, "_") {
			n++
		}
	}
	return n
}

func expect(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

var fleet = []string{
	"serial,label,model,firmware_version,form_factor,owner,organization",
	"20001,One,YubiKey 5,5.7.1,nano,alex,Acme",
	"20002,Two,YubiKey 5,5.4.3,keychain,AMY@example.org,",
	"20003,,,,,,acme",
	"20004,Four,,,,,",
}

func TestImport(t *testing.T) {
	t.Parallel()
	w := setup(t)
	created := []string{"2 20001 created", "3 20002 created", "4 20003 created", "5 20004 created"}
	expect(t, "dry run", w.load(t, w.manager, true, fleet...), created...)
	if n := len(w.onRecord(t)) + w.inVault(t) + w.logged(t, audit.HWKeyImported, audit.Success); n != 0 {
		t.Fatalf("the dry run left %d things behind", n)
	}
	expect(t, "import", w.load(t, w.manager, false, fleet...), created...)
	before := w.onRecord(t)
	for i, d := range before {
		if d.OrganizationID == nil || *d.OrganizationID != w.a.ID || d.SecretsVersion != 1 || d.SecretsChangedAt == nil {
			t.Errorf("token %d: %+v", i, d)
		}
	}
	if one := before[3]; one.OwnerUsername != "alex" || one.Status != hwkey.Assigned || one.Label != "One" || one.FirmwareVersion != "5.7.1" {
		t.Errorf("%+v", one)
	}
	if before[1].Status != hwkey.InStock || before[2].OwnerUsername != "amy" {
		t.Errorf("%+v", before[1:3])
	}
	must(t, w.release(t, w.alex, "20001"))
	before = w.onRecord(t) // now including the release
	if n := w.logged(t, audit.HWKeyImported, audit.Success); n != 4 {
		t.Errorf("%d entries, want 4", n)
	}
	unchanged := []string{"2 20001 unchanged", "3 20002 unchanged", "4 20003 unchanged", "5 20004 unchanged"}
	for _, who := range []access.Actor{w.manager, w.desk, w.admin} {
		expect(t, "again, by "+who.Username, w.load(t, who, false, fleet...), unchanged...)
	}
	if d := cmp.Diff(before, w.onRecord(t)); d != "" || w.inVault(t) != 4 {
		t.Errorf("the second import changed something: %s", d)
	}
	if n := w.logged(t, audit.HWKeyImported, audit.Success); n != 4 {
		t.Errorf("%d entries after the second import, want 4", n)
	}
}

func TestImportRows(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t, "30001", &w.alex)
	_, err := w.keys.Register(t.Context(), w.other, scope(t, w.other),
		hwkey.Registration{Serial: "30002", Label: "secret of Bolt", OwnerID: &w.bea.UserID})
	must(t, err)
	header := "serial,label,firmware_version,owner,organization"
	expect(t, "rows", w.load(t, w.manager, false, header,
		"30001,,,alex,", // on record
		"30001,,,alex,", // twice
		"30010,new,,,",  // new
		"x,,five,,",     // no serial, no version
		"30011,,,nobody,Nowhere",
		"30012,,,bea,",  // of another organization
		"30013,,,,Bolt", // another organization
		"30002,,,,",     // another organization's token
		"30002x,a\x00b,,,",
		"30014,,,amy,Acme,more",
		"3001A,,,,", "3001a,,,,",
	),
		"2 30001 unchanged", "3 30001 failed serial", "4 30010 created", "5  failed serial firmware_version",
		"6 30011 failed organization owner", "7 30012 failed owner", "8 30013 failed organization", "9 30002 failed serial",
		"10 30002x failed label", "11 30014 failed row", "12 3001A created", "13 3001a failed serial")
	expect(t, "what differs", w.load(t, w.manager, false, header, "30001,other,5.7.1,amy,", "30010,new,,,Acme", "30010,,,,"),
		"2 30001 failed label firmware_version owner", "3 30010 unchanged", "4 30010 failed serial")
	// A manager of another organization learns nothing of the token.
	foreign := func(text string) hwkey.ImportedRow {
		done, err := w.keys.Import(t.Context(), w.manager, scope(t, w.manager), lines(header, text), true)
		must(t, err)
		return done.Rows[0]
	}
	right, wrong := foreign("30002,secret of Bolt,,,"), foreign("30002,a guess,9.9.9,nobody,")
	if d := cmp.Diff(right, wrong); d != "" || strings.Contains(fmt.Sprint(right), "record") {
		t.Errorf("the answer depends on what the token is like: %v %s", right, d)
	}
	expect(t, "its own manager", w.load(t, w.other, false, header, "30002,secret of Bolt,,bea,Bolt"), "2 30002 unchanged")
	expect(t, "a global admin", w.load(t, w.admin, false, header, "30020,,,bea,", "30021,,,bea,Acme", "30022,,,,"),
		"2 30020 created", "3 30021 failed owner", "4 30022 created")
}

// TestImportGoesOn: the vault fails midway, the request says so, and importing the
// same file again does the rest.
func TestImportGoesOn(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const tokens, writes = 700, 400
	text := []string{"serial,owner"}
	for i := range tokens {
		text = append(text, serialOf(i)+",alex")
	}
	w.kv.left.Store(writes)
	_, err := w.keys.Import(t.Context(), w.manager, scope(t, w.manager), lines(text...), false)
	code(t, "without the vault", err, fault.VaultUnavailable)
	first := w.logged(t, audit.HWKeyImported, audit.Success)
	if first == 0 || first > writes {
		t.Fatalf("%d tokens on record after %d writes", first, writes)
	}
	w.kv.left.Store(forever)
	done, err := w.keys.Import(t.Context(), w.manager, scope(t, w.manager), lines(text...), false)
	must(t, err)
	if done.Unchanged != first || done.Created != tokens-first || done.Failed != 0 {
		t.Errorf("%d+%d of %d, %d had been done", done.Unchanged, done.Created, tokens, first)
	}
	for i := range tokens {
		d, err := w.db.Device(t.Context(), access.All(), serialOf(i))
		must(t, err)
		state, err := w.keys.Custody.Load(t.Context(), d.Serial)
		must(t, err)
		if state.Version != d.SecretsVersion {
			t.Fatalf("%s: version %d on record, %d in the vault", d.Serial, d.SecretsVersion, state.Version)
		}
	}
}

// TestImportAtOnce: two people import the same file.
func TestImportAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text := []string{"serial,label"}
	for i := range 300 {
		text = append(text, serialOf(i)+",x")
	}
	type outcome struct {
		done hwkey.Import
		err  error
	}
	results := make(chan outcome)
	for _, who := range []access.Actor{w.manager, w.desk} {
		go func() {
			done, err := w.keys.Import(t.Context(), who, scope(t, who), lines(text...), false)
			results <- outcome{done, err}
		}()
	}
	one, two := <-results, <-results
	must(t, errors.Join(one.err, two.err))
	if created := one.done.Created + two.done.Created; created != 300 || one.done.Failed+two.done.Failed != 0 {
		t.Errorf("created %d and failed %d in both, want 300 and 0", created, one.done.Failed+two.done.Failed)
	}
}

// BenchmarkImport registers 5,000 tokens of 200 owners.
func BenchmarkImport(b *testing.B) {
	w := setup(b)
	for i := range 200 {
		w.person(b, fmt.Sprint("owner-", i), access.User, &w.a)
	}
	n := 0
	for b.Loop() {
		n++
		text := []string{fleet[0]}
		for i := range 5000 {
			text = append(text, fmt.Sprintf("b%d-%05d,Label,YubiKey 5,5.7.1,nano,owner-%d,Acme", n, i, i%200))
		}
		done, err := w.keys.Import(b.Context(), w.manager, scope(b, w.manager), lines(text...), false)
		if err != nil || done.Created != 5000 {
			b.Fatal(done.Created, err)
		}
	}
	b.ReportMetric(float64(5000*b.N)/b.Elapsed().Seconds(), "tokens/s")
}
