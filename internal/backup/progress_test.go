package backup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReached: each phase reports its progress in its own unit, counted once however
// many passes it makes.
func TestReached(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind  Kind
		phase string
		total int64
		adds  []int64
		want  Reached
	}{
		"the total is not known":    {Backup, "dump", 0, []int64{70, 7}, Reached{"dump", 0, 77, 0, InBytes}},
		"secrets":                   {Backup, "vault", 0, []int64{1, 1}, Reached{"vault", 25, 2, 0, InSecrets}},
		"a half":                    {Backup, "upload", 100, []int64{50}, Reached{"upload", 65, 50, 100, InBytes}},
		"more than there seemed":    {Backup, "verify", 100, []int64{101}, Reached{"verify", 99, 100, 100, InBytes}},
		"the file is read thrice":   {Restore, "check", checkReads * 1000, []int64{1500}, Reached{"check", 35, 500, 1000, InBytes}},
		"the transaction again":     {Restore, inDatabase, 100, []int64{80, -80, 30}, Reached{inDatabase, 59, 30, 100, InRows}},
		"what counts for nobody":    {Restore, "finish", 1, []int64{1}, Reached{"finish", 99, 0, 0, ""}},
		"written, and read back":    {Drill, "vault", drillPasses * 10, []int64{10, 5}, Reached{"vault", 96, 7, 10, InSecrets}},
		"nothing of it was done":    {Drill, "download", 9, nil, Reached{"download", 0, 0, 9, InBytes}},
		"a phase without a share":   {Drill, "moons", 9, []int64{3}, Reached{"moons", 99, 0, 0, ""}},
		"before there is any phase": {Backup, "", 0, nil, Reached{}},
	} {
		p := &Progress{phases: phases[c.kind]}
		if c.phase != "" {
			p.Phase("earlier", 5)
			p.Add(5)
			p.Phase(c.phase, c.total)
		}
		for _, n := range c.adds {
			p.Add(n)
		}
		if diff := cmp.Diff(c.want, p.Now()); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
}
