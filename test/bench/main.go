// Command bench is the load run: it starts the real server on its own data directories,
// measures each figure that Keyward promises, and prints it next to the raw limit that
// the same cores reached in the same run.
//
//	go run ./test/bench [-bin DIR] [-only me,crl] [-on sqlite,postgres] [-quick] [-beside CHECKOUT]
//
//	prepare a data directory ─▶ start bin/keyward ─▶ load, raw, load, raw … ─▶ one row of the table
//
// Units: operations per second unless a row says otherwise. "CPU/op" is the processor
// time of the server's process for one operation, next to that of the raw limit: it
// depends less than the rates on what else runs on the machine. Servers listen on
// loopback, on free ports, and end with the run.
//
// What depends on the engines is measured on each pair of them in turn, -on: SQLite
// with the embedded vault, PostgreSQL with the embedded vault, and PostgreSQL with
// Vault. The run starts its own PostgreSQL and Vault on the same cores.
//
// -beside also measures each figure with another checkout, by its own bench and its own
// bin/, right before ours: the table then has a column for each.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// bench is one run.
type bench struct {
	bin      string // where the built programs are
	temp     string // all output; removed at the end
	pairs    []pair // of engines, to measure on
	on       pair   // the pair being measured
	quick    bool
	json     bool   // rows go to standard output as JSON, for a run with -beside
	checkout string // another one, to measure in turn with this one
	out      *table
	log      io.Writer
}

// figure is one of the things to measure.
type figure struct {
	name string
	help string
	on   []pair // of engines; none: onSQLite
	run  func(context.Context, *bench) error
}

var figures = []figure{
	{"sign", "CSRs signed, recorded and audited", pairs, signing},
	{"me", "GET /api/auth/me", []pair{onSQLite, onPostgres}, me},
	{"crl", "GET /api/pki/crl", nil, publishing},
	{"secrets", "secrets released", pairs, secretsReleased},
	{"start", "start to first answer", nil, starting},
	{"list", "pages of 50 tokens", []pair{onSQLite, onPostgres}, listing},
	{"audit", "pages, export and verification of the audit log", []pair{onSQLite, onPostgres}, auditing},
	{"backup", "backups, and restores onto a bare machine", nil, backingUp},
	{"revoke", "revocation to published CRL", nil, revoking},
	{"login", "sign-ins a second", nil, loggingIn},
	{"flood", "500 sign-ins at once", nil, flooding},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := dispatch(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// dispatch also acts as the bare handler, which a run needs in its own process.
func dispatch(ctx context.Context, args []string) error {
	if len(args) > 1 && args[0] == "bare" {
		return serveBare(ctx, args[1:])
	}
	b := &bench{log: os.Stderr, out: &table{}}
	var only, on string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&b.bin, "bin", "bin", "folder of the built programs")
	flags.StringVar(&only, "only", "", "figures to measure, separated by commas: "+names())
	flags.StringVar(&on, "on", "", "engines to measure on: sqlite,postgres,vault, which are all; vault is on PostgreSQL")
	flags.BoolVar(&b.quick, "quick", false, "a trial of every figure: the smallest sizes, one short round; its values say nothing")
	flags.StringVar(&b.checkout, "beside", "", "a checkout, with its programs in bin/, to measure in turn with this one")
	flags.BoolVar(&b.json, "json", false, "print the rows as JSON")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := choose(only)
	if err == nil {
		b.pairs, err = choosePairs(on)
	}
	if err != nil {
		return err
	}
	return b.run(ctx, chosen)
}

func names() string {
	var list []string
	for _, f := range figures {
		list = append(list, f.name)
	}
	return strings.Join(list, ",")
}

func choose(only string) ([]figure, error) {
	if only == "" {
		return figures, nil
	}
	var chosen []figure
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(figures, func(f figure) bool { return f.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-only %s: there is %s", name, names())
		}
		chosen = append(chosen, figures[i])
	}
	return chosen, nil
}

// run measures the figures and prints the table, even after a failure: finished
// measurements count.
func (b *bench) run(ctx context.Context, chosen []figure) error {
	began, before := time.Now(), loadAverage()
	err := b.measure(ctx, chosen)
	if b.json {
		return errors.Join(err, b.out.json(os.Stdout))
	}
	b.out.print(os.Stdout)
	fmt.Fprintf(os.Stdout, "\n%d cores, %s; load average %s before and %s after; %s in all.\n",
		runtime.NumCPU(), runtime.Version(), before, loadAverage(), time.Since(began).Round(time.Second))
	return err
}

func (b *bench) measure(ctx context.Context, chosen []figure) (err error) {
	if b.bin, err = filepath.Abs(b.bin); err != nil {
		return err
	}
	if b.temp, err = os.MkdirTemp("", "keyward-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.temp)) }()
	other, err := b.other(ctx)
	if err != nil {
		return err
	}
	for _, f := range chosen {
		fmt.Fprintf(b.log, "bench: %s (%s)\n", f.name, f.help)
		if err := errors.Join(other(f.name), b.each(ctx, f)); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// each measures a figure on each chosen pair of engines that applies to it.
func (b *bench) each(ctx context.Context, f figure) error {
	if len(f.on) == 0 {
		f.on = []pair{onSQLite}
	}
	for _, b.on = range f.on {
		if !slices.Contains(b.pairs, b.on) {
			continue
		}
		b.out.on = b.on.name
		if err := f.run(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// loadAverage returns the last minute's load average: what else the machine did.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}

// spell is the length of one round of load.
func (b *bench) spell() time.Duration {
	if b.quick {
		return 100 * time.Millisecond
	}
	return 2500 * time.Millisecond
}

// size returns the full number of things, or the one for a trial.
func (b *bench) size(full, trial int) int {
	if b.quick {
		return trial
	}
	return full
}

// rounds is how often load and raw limit take turns.
func (b *bench) rounds() int { return b.size(2, 1) }
