//go:build exhaustive

package year_test

import (
	"fmt"
	"os"
	"testing"
)

// A worker's environment variables.
const (
	workerURL      = "KEYWARD_YEAR_WORKER" // the database's; set: this process is a worker
	workerLicenses = "KEYWARD_YEAR_LICENSES"
	workerBegan    = "KEYWARD_YEAR_BEGAN"
)

func TestMain(m *testing.M) {
	url := os.Getenv(workerURL)
	if url == "" {
		os.Exit(m.Run())
	}
	if err := work(url, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
