package hwkey

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
)

// MaxImportRows is how many tokens one file may hold.
const MaxImportRows = 20_000

// column is a column of an import file.
type column int

// The columns, in the order of columnNames.
const (
	columnSerial column = iota
	columnLabel
	columnModel
	columnFirmware
	columnFormFactor
	columnOwner
	columnOrganization
)

// columnNames are the names in the header (contract, POST /api/hwkey/import).
var columnNames = []string{"serial", "label", "model", "firmware_version", "form_factor", "owner", "organization"}

// importRow is a line of a file, its cells without space around them. A
// column that the file does not have is empty.
type importRow struct {
	line  int
	cells [7]string
	bad   []fault.Field
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// parseImport reads a CSV file (RFC 4180) in UTF-8, with a header. What is
// wrong with the file as a whole, so that no row of it can be trusted, is
// Invalid; what is wrong with a row stands in the row. Rows of empty cells,
// as spreadsheets leave them, do not count.
func parseImport(raw []byte) ([]importRow, error) {
	if !utf8.Valid(raw) {
		return nil, fault.Invalid(fault.Wrong("body", "not_utf8_file", "must be UTF-8 text; save the file as CSV UTF-8"))
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, byteOrderMark)))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fault.Invalid(fault.Wrongf("body", "no_header", "must begin with a line that names the columns: {columns}",
			fault.Params{"columns": columnNames}))
	}
	if err != nil {
		return nil, malformed(err)
	}
	columns, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	rows := []importRow{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, malformed(err)
		}
		if row, ok := parseRow(columns, record); ok {
			row.line, _ = r.FieldPos(0)
			rows = append(rows, row)
		}
		if len(rows) > MaxImportRows {
			return nil, fault.Invalid(fault.Wrongf("body", "too_many_rows", "must hold at most {max} tokens; send the rest as another file",
				fault.Params{"max": MaxImportRows}))
		}
	}
}

func parseRow(columns []column, record []string) (row importRow, ok bool) {
	for i, cell := range record {
		cell = strings.TrimSpace(cell)
		ok = ok || cell != ""
		if i < len(columns) {
			row.cells[columns[i]] = strings.Clone(cell) // not the whole line
		}
	}
	if len(record) != len(columns) {
		row.bad = []fault.Field{fault.Wrongf("row", "cells",
			"has {cells} cells, the header has {columns}; put a cell with a comma in it in quotes",
			fault.Params{"cells": len(record), "columns": len(columns)})}
	}
	return row, ok
}

func parseHeader(header []string) ([]column, error) {
	if len(header) == 1 && strings.ContainsAny(header[0], ";\t|") {
		return nil, fault.Invalid(fault.Wrong("body", "no_commas", "must have its columns separated by commas, not by semicolons or tabs"))
	}
	columns := make([]column, len(header))
	for i, name := range header {
		name = strings.TrimSpace(name)
		c := slices.Index(columnNames, name)
		if c < 0 {
			return nil, fault.Invalid(fault.Wrongf("body", "unknown_column", "has an unknown column {column}; the columns are {columns}",
				fault.Params{"column": quoted(name), "columns": columnNames}))
		}
		if slices.Contains(columns[:i], column(c)) {
			return nil, fault.Invalid(fault.Wrongf("body", "repeated_column", "has the column {column} twice", fault.Params{"column": name}))
		}
		columns[i] = column(c)
	}
	if !slices.Contains(columns, columnSerial) {
		return nil, fault.Invalid(fault.Wrong("body", "no_serial_column", "has no column serial"))
	}
	return columns, nil
}

// quoted makes a column's name fit for an answer: it is told, since the file
// cannot be put right otherwise, but only its beginning.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > 32 {
		name = string(runes[:32]) + "…"
	}
	return fmt.Sprintf("%q", name)
}

// malformed tells in which line a file stops being CSV.
func malformed(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fault.Invalid(fault.Wrong("body", "no_csv", "is not CSV"))
	}
	line := fault.Params{"line": parse.Line}
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return fault.Invalid(fault.Wrongf("body", "bare_quote", "is not CSV: line {line} has a quote in a cell that is not in quotes", line))
	case errors.Is(err, csv.ErrQuote):
		return fault.Invalid(fault.Wrongf("body", "open_quote",
			"is not CSV: a cell in quotes does not end in line {line}; write a quote inside it twice", line))
	}
	return fault.Invalid(fault.Wrongf("body", "no_csv_line", "is not CSV: look at line {line}", line))
}
