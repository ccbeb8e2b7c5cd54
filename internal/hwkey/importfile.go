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
		return nil, fault.Invalid("body", "must be UTF-8 text; save the file as CSV UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, byteOrderMark)))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fault.Invalid("body", "must begin with a line that names the columns: "+strings.Join(columnNames, ","))
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
			return nil, fault.Invalid("body", fmt.Sprintf("must hold at most %d tokens; send the rest as another file", MaxImportRows))
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
		row.bad = []fault.Field{{Field: "row", Message: fmt.Sprintf("has %d cells, the header has %d; a comma inside a cell needs quotes around the cell", len(record), len(columns))}}
	}
	return row, ok
}

func parseHeader(header []string) ([]column, error) {
	if len(header) == 1 && strings.ContainsAny(header[0], ";\t|") {
		return nil, fault.Invalid("body", "must have its columns separated by commas, not by semicolons or tabs")
	}
	columns := make([]column, len(header))
	for i, name := range header {
		name = strings.TrimSpace(name)
		c := slices.Index(columnNames, name)
		if c < 0 {
			return nil, fault.Invalid("body", fmt.Sprintf("has an unknown column %s; the columns are %s", quoted(name), strings.Join(columnNames, ",")))
		}
		if slices.Contains(columns[:i], column(c)) {
			return nil, fault.Invalid("body", "has the column "+name+" twice")
		}
		columns[i] = column(c)
	}
	if !slices.Contains(columns, columnSerial) {
		return nil, fault.Invalid("body", "has no column serial")
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
		return fault.Invalid("body", "is not CSV")
	}
	what := "is not CSV"
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		what = `has a quote inside a cell that is not in quotes`
	case errors.Is(err, csv.ErrQuote):
		what = `has a cell in quotes that does not end as it should; a quote inside it is written twice`
	}
	return fault.Invalid("body", fmt.Sprintf("is not CSV: line %d %s", parse.Line, what))
}
