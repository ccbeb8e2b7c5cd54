package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/backup"
)

// TestProgressTo: a line for each phase and each tenth, and every ten seconds one with
// the current count.
func TestProgressTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		tell := progressTo(&out)
		for _, now := range []backup.Reached{
			{},
			{Phase: "dump", Done: 999, Unit: backup.InBytes},
			{Phase: "dump", Done: 5000, Unit: backup.InBytes}, // at once
			{Phase: "vault", Percent: 25, Done: 3412, Unit: backup.InSecrets},
			{Phase: "upload", Percent: 50, Done: 210e6, Total: 1.2e9, Unit: backup.InBytes},
			{Phase: "upload", Percent: 61, Done: 999.6e6, Total: 1.2e9, Unit: backup.InBytes},
		} {
			tell(now)
		}
		<-time.NewTimer(progressEvery).C
		tell(backup.Reached{Phase: "upload", Percent: 61, Done: 999.6e6, Total: 1.2e9, Unit: backup.InBytes}) // no news
		tell(backup.Reached{Phase: "upload", Percent: 62, Done: 1.1e9, Total: 1.2e9, Unit: backup.InBytes})
		tell(backup.Reached{Phase: "database", Percent: 65, Done: 12, Total: 120000, Unit: backup.InRows})
		tell(backup.Reached{Phase: "finish", Percent: 95})
		want := []string{
			"  0 %  dump  999 bytes", " 25 %  vault  3412 secrets", " 50 %  upload  210 MB of 1.2 GB", " 61 %  upload  1.0 GB of 1.2 GB",
			" 62 %  upload  1.1 GB of 1.2 GB", " 65 %  database  12 of 120000 rows", " 95 %  finish", "",
		}
		if diff := cmp.Diff(want, strings.Split(out.String(), "\n")); diff != "" {
			t.Errorf("-want +got: %s", diff)
		}
	})
}
