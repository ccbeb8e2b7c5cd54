// Package restore_test has tables of what may happen to backups and restores of the real
// program: it is killed (SIGKILL) at one step after another, by something that holds it
// there: a proxy in front of the store or the vault, a database that is locked, or a
// statement of SQLite that takes very long.
// Afterwards the server starts again, its job is Failed and says why, unless it had
// ended, and nothing is left: no object or part of one in the store, no temporary file.
// The database is entirely the old one or the new one, and what a restore still lacks then
// is brought by a retry. And a bare machine is restored by command alone.
//
// The server lives on, too, while the disk is full, the store's connections end or the vault
// is down, and beside a second one. Then its job says what to do, and the next one completes.
//
// Past one machine a job counts as lost after a minute, so what is tried on PostgreSQL and
// Vault runs in make test-all alone.
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

// atOnce is how many installations there are: they mostly wait, each for itself.
const atOnce = "5"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(programs.Main("../..", func(built string) int { bin = built; return s3server.Main(m.Run) }))
}
