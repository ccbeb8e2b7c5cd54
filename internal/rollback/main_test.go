//go:build exhaustive

package rollback_test

import (
	"flag"
	"os"
	"testing"

	"github.com/keyward/keyward/test/engine"
)

// TestMain makes the random histories few and reproducible; -rapid.checks and
// -rapid.seed run more and others.
func TestMain(m *testing.M) {
	flag.Parse()
	few := map[string]string{"rapid.checks": "8", "rapid.seed": "11"}
	if engine.OnPostgres() || os.Getenv("KEYWARD_TEST_VAULT") == "remote" {
		few["rapid.checks"] = "2"
	}
	flag.Visit(func(f *flag.Flag) { delete(few, f.Name) })
	for name, value := range few {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
