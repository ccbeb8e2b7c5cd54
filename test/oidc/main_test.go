// Package oidc_test signs people in through a certified OpenID provider (npm's
// oidc-provider, in its own process) with real redirects, and a browser's cookies and
// forms but without a browser, and tries attacks.
package oidc_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run installs the provider, which is fast if it is already there. Listing and
// benchmarks work without it, and without Node.js.
func run(m *testing.M) int {
	flag.Parse()
	for _, name := range []string{"test.list", "test.bench"} {
		if flag.Lookup(name).Value.String() != "" {
			return m.Run()
		}
	}
	install := exec.Command("../../scripts/node-modules", "test/oidc/provider")
	install.Stdout, install.Stderr = os.Stderr, os.Stderr
	if err := install.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "the OpenID provider of the tests cannot be installed:", err)
		return 1
	}
	return m.Run()
}
