// Package csvrows reads imported CSV files (RFC 4180) as Excel writes them: UTF-8 with or
// without a byte order mark, a header that names the columns in any order and case,
// separated by commas or semicolons, or as a first line "sep=" says.
package csvrows

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

// Format is what a file may contain.
type Format struct {
	Columns []string
	Needs   []string // mandatory columns
	Max     int      // rows
}

// Row is a line of a file. Its cells are in the order of Format.Columns, without space
// around them; columns missing in the file or the line are empty.
type Row struct {
	Line  int
	Cells []string
	Bad   []fault.Field
}

// Parse reads a file. An error that makes all rows unreliable is Invalid; errors of a
// row are in that row. Rows of empty cells, as spreadsheets leave them, are skipped.
func (f Format) Parse(raw []byte) ([]Row, error) {
	if !utf8.Valid(raw) {
		return nil, fault.Invalid(fault.Wrong("body", "not_utf8_file", "must be UTF-8 text; save the file as CSV UTF-8"))
	}
	raw, separator := separated(textinput.Unmarked(raw))
	r := csv.NewReader(bytes.NewReader(raw))
	r.FieldsPerRecord, r.ReuseRecord, r.Comma = -1, true, separator
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fault.Invalid(fault.Wrongf("body", "no_header", "must start with a line that names the columns: {columns}",
			fault.Params{"columns": f.Columns}))
	}
	if err != nil {
		return nil, malformed(err)
	}
	columns, err := f.header(header)
	if err != nil {
		return nil, err
	}
	rows := []Row{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, malformed(err)
		}
		if row, ok := f.row(columns, record); ok {
			row.Line, _ = r.FieldPos(0)
			rows = append(rows, row)
		}
		if len(rows) > f.Max {
			return nil, fault.Invalid(fault.Wrongf("body", "too_many_rows", "must have at most {max} rows; send the rest as another file",
				fault.Params{"max": f.Max}))
		}
	}
}

// separated finds the separator: that of Excel's line "sep=;", which is removed except
// for its line end, so that lines keep their numbers; otherwise the one used in the
// header, because no column's name contains either.
func separated(raw []byte) (rest []byte, separator rune) {
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if named := bytes.Trim(line, `"`); len(named) == len("sep=;") && bytes.EqualFold(named[:4], []byte("sep=")) &&
		bytes.ContainsAny(named[4:], ",;\t") {
		return raw[len(line):], rune(named[4])
	}
	if bytes.Count(line, []byte(";")) > bytes.Count(line, []byte(",")) {
		return raw, ';'
	}
	return raw, ','
}

// unnamed is a column without a name, left over in a spreadsheet: its cells are empty.
const unnamed = -1

func (f Format) row(columns []int, record []string) (row Row, ok bool) {
	row.Cells = make([]string, len(f.Columns))
	surplus := false
	for i, cell := range record {
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		ok = true
		switch {
		case i >= len(columns):
			surplus = true
		case columns[i] == unnamed:
			row.Bad = append(row.Bad, fault.Wrongf("row", "nameless_cell", "has text in column {column}, which the header does not name",
				fault.Params{"column": i + 1}))
		default:
			row.Cells[columns[i]] = strings.Clone(cell) // do not retain the whole line
		}
	}
	if surplus {
		row.Bad = append(row.Bad, fault.Wrongf("row", "cells",
			"has {cells} cells, the header has {columns}; put a cell with the separator in it in quotes",
			fault.Params{"cells": len(record), "columns": len(columns)}))
	}
	return row, ok
}

func (f Format) header(header []string) ([]int, error) {
	if len(header) == 1 && strings.ContainsAny(header[0], "\t|") {
		return nil, fault.Invalid(fault.Wrong("body", "no_commas", "must have its columns separated by commas or semicolons, not by tabs"))
	}
	columns := make([]int, len(header))
	for i, name := range header {
		name = strings.TrimSpace(name)
		if columns[i] = unnamed; name == "" {
			continue
		}
		c := slices.Index(f.Columns, strings.ToLower(name))
		if c < 0 {
			return nil, fault.Invalid(fault.Wrongf("body", "unknown_column", "has an unknown column {column}; the columns are {columns}",
				fault.Params{"column": quoted(name), "columns": f.Columns}))
		}
		if slices.Contains(columns[:i], c) {
			return nil, fault.Invalid(fault.Wrongf("body", "repeated_column", "has the column {column} "+
				"twice", fault.Params{"column": f.Columns[c]}))
		}
		columns[i] = c
	}
	for _, name := range f.Needs {
		if !slices.Contains(columns, slices.Index(f.Columns, name)) {
			return nil, fault.Invalid(fault.Wrongf("body", "missing_column", "has no column {column}", fault.Params{"column": name}))
		}
	}
	return columns, nil
}

// quoted makes a column's name fit for an answer: people need it to fix the
// file, but its beginning is enough.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > 32 {
		name = string(runes[:32]) + "…"
	}
	return fmt.Sprintf("%q", name)
}

// malformed says in which line a file stops being CSV.
func malformed(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fault.Invalid(fault.Wrong("body", "no_csv", "is not CSV"))
	}
	line := fault.Params{"line": parse.Line}
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return fault.Invalid(fault.Wrongf("body", "bare_quote", "is not CSV: line {line} has a quote in a cell "+
			"that is not in quotes", line))
	case errors.Is(err, csv.ErrQuote):
		return fault.Invalid(fault.Wrongf("body", "open_quote",
			"is not CSV: a cell in quotes does not end in line {line}; write a quote inside it twice", line))
	}
	return fault.Invalid(fault.Wrongf("body", "no_csv_line", "is not CSV; check line {line}", line))
}
