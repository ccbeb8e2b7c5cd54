package storetest

import (
	"testing"

	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/test/must"
)

var statisticsCases = map[string]func(*testing.T, *fixture){
	"rows and sizes":  statisticsRows,
	"takes its write": statisticsWritable,
	"first steps":     statisticsBegun,
}

func statisticsRows(t *testing.T, f *fixture) {
	f.device(t, "2026")
	f.signIn(t, f.alex)
	r := must.Get(f.Statistics(t.Context()))(t)
	equal(t, "engine", r.Engine, f.Engine.Engine())
	if r.SchemaVersion < 1 || r.SizeBytes < 4096 || r.WALBytes != nil && *r.WALBytes < 0 {
		t.Errorf("schema %d, %d bytes, log %v", r.SchemaVersion, r.SizeBytes, r.WALBytes)
	}
	rows := map[string]system.TableReport{}
	for _, table := range r.Tables {
		rows[table.Name] = table
	}
	for table, want := range map[string]int64{"organizations": 2, "users": 4, "hwkeys": 1, "sessions": 1, "certificates": 0, "api_keys": 0} {
		equal(t, table, rows[table], system.TableReport{Name: table, Rows: want})
	}
	equal(t, "audit entries", rows["audit_entries"].Rows, f.newest(t))
}

func statisticsWritable(t *testing.T, f *fixture) {
	for range 3 {
		must.OK(t, f.Writable(t.Context()))
	}
	equal(t, "entries", f.logged(t), nil)
}

func statisticsBegun(t *testing.T, f *fixture) {
	equal(t, "without a token", must.Get(f.Begun(t.Context()))(t), system.FirstSteps{Organization: true, People: true})
	f.device(t, "2026")
	equal(t, "with one", must.Get(f.Begun(t.Context()))(t), system.FirstSteps{Organization: true, People: true, Token: true})
}
