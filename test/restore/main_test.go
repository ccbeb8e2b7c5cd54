// Package restore_test has tables of what may happen to backups and restores of the
// real program: it is killed (SIGKILL) at one step after another, where something holds
// it: a proxy in front of the store or the vault, a locked database, or a very slow
// statement of SQLite.
// Afterwards the server restarts, its job is Failed with the reason, unless it had
// ended, and nothing is left: no object or partial upload in the store, no temporary
// file. The database is entirely the old one or the new one, and a retry completes what
// a restore still lacks then. And a bare machine is restored by command alone.
//
// The server also survives a full disk, lost connections to the store, an absent vault,
// and a second server. Then its job says what to do, and the next one completes.
//
// In a multi-machine installation a job counts as lost after a minute, so tests on
// PostgreSQL and Vault run only in make test-all.
package restore_test

import (
	"flag"
	"os"
	"testing"

	"github.com/keyward/keyward/test/programs"
	"github.com/keyward/keyward/test/s3server"
)

// bin holds the programs under test.
var bin string

// atOnce is how many installations run concurrently: they mostly wait.
const atOnce = "5"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(programs.Main("../..", func(built string) int { bin = built; return s3server.Main(m.Run) }))
}
