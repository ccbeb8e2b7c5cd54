//go:build exhaustive

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/programs"
)

// bin holds the programs that are measured.
var bin string

func TestMain(m *testing.M) {
	for _, name := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		postgresSettings[name] = "off" // a trial need not wait for the disk
	}
	// A figure restarts this program as the bare handler.
	if len(os.Args) > 1 && os.Args[1] == "bare" {
		main()
		return
	}
	os.Exit(programs.Main("../..", func(built string) int { bin = built; return m.Run() }))
}

// TestEveryFigure measures all figures once with the smallest sizes: each returns rows,
// and no request fails. It ignores the measured values.
func TestEveryFigure(t *testing.T) {
	t.Parallel()
	for _, f := range figures {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			b := &bench{bin: bin, quick: true, pairs: pairs, out: &table{}, log: &log}
			if err := b.measure(t.Context(), []figure{f}); err != nil {
				t.Fatalf("%v\n%s", err, log.String())
			}
			if len(b.out.rows) == 0 {
				t.Error("it has no row")
			}
			for _, r := range b.out.rows {
				if r.measured == "" || strings.HasPrefix(r.measured, "0/s") || strings.Contains(r.measured, "NaN") {
					t.Errorf("%s: nothing was measured: %q", r.figure, r.measured)
				}
			}
			if left, err := filepath.Glob(filepath.Join(b.temp, "*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestBeside: the rows of another checkout arrive as its bench printed them.
func TestBeside(t *testing.T) {
	t.Parallel()
	var there, here table
	there.durations("a figure", "2 ms", "1 ms bare", "0.50", aim{"≤ 3 ms", true}, goClient)
	here.durations("a figure", "1 ms", "1 ms bare", "1.00", aim{"≤ 3 ms", true}, goClient)
	here.durations("a new one", "4 ms", "", "", none, goClient)
	var sent, shown bytes.Buffer
	if err := there.json(&sent); err != nil {
		t.Fatal(err)
	}
	if err := here.before(&sent); err != nil {
		t.Fatal(err)
	}
	here.print(&shown)
	for _, want := range []string{"| a figure  | 2 ms   | 1 ms  |", "| a new one |        | 4 ms  |"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("no %q in\n%s", want, shown.String())
		}
	}
}
