// Package oidc_test signs people in through a certified OpenID provider (npm's
// oidc-provider, a process of its own) by real redirects, with a browser's
// cookies and forms but without a browser, and tries what must not work.
package oidc_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// run installs the provider, which is quick when it is there already. Listing
// and benchmarks run without it, and without Node.js.
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
