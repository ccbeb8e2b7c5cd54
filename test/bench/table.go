package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// sample is one side's work: operations, time and cost.
type sample struct {
	ops  int64
	took time.Duration
	cpu  time.Duration // of the server, or its counterpart
}

func (s sample) add(o sample) sample {
	return sample{s.ops + o.ops, s.took + o.took, s.cpu + o.cpu}
}

func (s sample) rate() float64 {
	if s.took <= 0 {
		return 0
	}
	return float64(s.ops) / s.took.Seconds()
}

// each returns the processor time of one operation.
func (s sample) each() string { return brief(s.cpu / time.Duration(max(s.ops, 1))) }

// versus alternates the two sides, so that both see the same machine.
func versus(rounds int, ours, raw func() (sample, error)) (a, b sample, err error) {
	for range rounds {
		s, err := ours()
		if err != nil {
			return a, b, err
		}
		a = a.add(s)
		if s, err = raw(); err != nil {
			return a, b, err
		}
		b = b.add(s)
	}
	return a, b, nil
}

// row is one line of the table, as text.
type row struct {
	of                                                  string // what is measured, whatever the engines
	figure, measured, raw, share, aim, met, cpu, client string
}

type table struct {
	on    string // the engines of following rows; empty: not named
	rows  []row
	other map[string][]string // cells of the other checkout, by figure
}

var headings = []string{"Figure", "Measured", "Raw limit", "Share", "Aim", "Met", "CPU/op, ours : raw", "Client"}

// aim is a promise: a minimum or a maximum.
type aim struct {
	text string
	met  bool
}

func (a aim) verdict() string {
	switch {
	case a.text == "":
		return ""
	case a.met:
		return "yes"
	}
	return "NO"
}

// none is the aim of a row that is informational.
var none = aim{}

// rates adds a row about operations a second.
func (t *table) rates(figure string, ours sample, rawName string, raw sample, a aim, client string) {
	t.add(row{
		of: figure, measured: fmt.Sprintf("%.0f/s", ours.rate()), raw: fmt.Sprintf("%.0f/s %s", raw.rate(), rawName),
		share: fmt.Sprintf("%.2f", ours.rate()/raw.rate()), cpu: ours.each() + " : " + raw.each(),
		aim: a.text, met: a.verdict(), client: client,
	})
}

// durations adds a row about a time.
func (t *table) durations(figure, measured, raw, share string, a aim, client string) {
	t.add(row{of: figure, measured: measured, raw: raw, share: share, aim: a.text, met: a.verdict(), client: client})
}

// add inserts a row after those of the same figure on other engines.
func (t *table) add(r row) {
	r.figure = r.of
	if t.on != "" {
		r.figure += ", on " + t.on
	}
	at := len(t.rows)
	for i, other := range t.rows {
		if other.of == r.of {
			at = i + 1
		}
	}
	t.rows = slices.Insert(t.rows, at, r)
}

func atLeast(what float64, value float64, unit string) aim {
	return aim{fmt.Sprintf("≥ %s%s", number(what), unit), value >= what}
}

func atMost(what, value time.Duration) aim { return aim{"≤ " + brief(what), value <= what} }

func number(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// brief formats a duration with three digits.
func brief(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%d µs", d.Microseconds())
}

func (r row) cells() []string {
	return []string{r.figure, r.measured, r.raw, r.share, r.aim, r.met, r.cpu, r.client}
}

// json writes the rows, each as an array of cells.
func (t *table) json(w io.Writer) error {
	out := json.NewEncoder(w)
	for _, r := range t.rows {
		if err := out.Encode(r.cells()); err != nil {
			return err
		}
	}
	return nil
}

// print writes the table as Markdown with aligned columns.
func (t *table) print(w io.Writer) {
	lines := [][]string{headings}
	for _, r := range t.rows {
		lines = append(lines, r.cells())
	}
	if t.other != nil {
		lines = t.besides()
	}
	width := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, c := range cells {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for n, cells := range lines {
		for i, c := range cells {
			fmt.Fprintf(w, "| %s%s ", c, strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)))
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			for _, wide := range width {
				fmt.Fprintf(w, "|%s", strings.Repeat("-", wide+2))
			}
			fmt.Fprintln(w, "|")
		}
	}
}
