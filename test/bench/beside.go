package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
)

// other builds the bench of the other checkout, and returns a function that measures
// one figure there. That checkout's own code creates the worlds for its programs:
// schema and formats may differ from ours.
func (b *bench) other(ctx context.Context) (measure func(figure string) error, err error) {
	if b.checkout == "" {
		return func(string) error { return nil }, nil
	}
	program := filepath.Join(b.temp, "beside")
	// #nosec G204 -- what the person asked for
	build := exec.CommandContext(ctx, "go", "build", "-C", b.checkout, "-trimpath", "-o", program, "./test/bench")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the bench of %s does not build: %w\n%s", b.checkout, err, out)
	}
	args := []string{"-json", "-bin", filepath.Join(b.checkout, "bin")}
	if b.quick {
		args = append(args, "-quick")
	}
	if len(b.pairs) != len(pairs) {
		var on []string
		for _, p := range b.pairs {
			on = append(on, p.flag)
		}
		args = append(args, "-on", strings.Join(on, ","))
	}
	return func(figure string) error {
		cmd := exec.CommandContext(ctx, program, append(args, "-only", figure)...) // #nosec G204 -- built above
		cmd.Stderr = b.log
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("beside: %w", err)
		}
		return b.out.before(bytes.NewReader(out))
	}, nil
}

// before reads the rows of the other checkout.
func (t *table) before(from io.Reader) error {
	if t.other == nil {
		t.other = map[string][]string{}
	}
	return eachRow(from, func(cells []string) { t.other[cells[0]] = cells })
}

// eachRow reads rows in json's format.
func eachRow(from io.Reader, use func(cells []string)) error {
	for lines := json.NewDecoder(from); ; {
		var cells []string
		if err := lines.Decode(&cells); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil || len(cells) < len(headings) { // another checkout may have more cells, after ours
			return fmt.Errorf("a row that is not understood: %q %w", cells, err)
		}
		use(cells)
	}
}

// besides returns the rows with a column for each checkout.
func (t *table) besides() [][]string {
	lines := [][]string{{"Figure", "Before", "After", "Before, share", "After, share", "Before, CPU/op ours : raw",
		"After, CPU/op ours : raw", "Aim", "Met"}}
	for _, r := range t.rows {
		was := t.other[r.figure]
		if was == nil {
			was = make([]string, len(headings))
		}
		lines = append(lines, []string{r.figure, was[1], r.measured, was[3], r.share, was[6], r.cpu, r.aim, r.met})
	}
	return lines
}
