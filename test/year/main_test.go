package year_test

import (
	"fmt"
	"os"
	"testing"
)

const workerURL = "KEYWARD_YEAR_WORKER" // the database's; set: this process is a worker

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
