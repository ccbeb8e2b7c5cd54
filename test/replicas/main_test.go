// Package replicas_test runs a multi-machine installation on one machine: three keyward
// backend processes on a real PostgreSQL and a real Vault, behind nginx, with toxiproxy
// on every connection between them. People work through the balancer while one thing
// after another fails; then all records are compared (TestFaults). What one server
// decides applies at once on the others (TestAtOnce).
package replicas_test

import (
	"os"
	"testing"

	"github.com/keyward/keyward/test/programs"
)

// root leads from this package's folder to the module's.
const root = "../.."

// bin holds the programs under test.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programs.Main(root, func(built string) int { bin = built; return m.Run() }))
}
