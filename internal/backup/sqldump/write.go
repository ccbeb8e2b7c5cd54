package sqldump

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// bufferBytes is how much is read or written at once.
const bufferBytes = 64 << 10

// Writer writes a dump. It is not safe for concurrent use.
type Writer struct {
	out    *bufio.Writer
	number []byte
	// The beginning of statements, while the columns are the same.
	table   string
	columns []string
	begin   string
	rows    int64
}

// NewWriter begins a dump of a database with this schema (the number of its newest
// migration). Close ends it, and leaves w open.
func NewWriter(w io.Writer, schema int64) (*Writer, error) {
	if schema < 1 {
		return nil, fmt.Errorf("sqldump: there is no schema %d", schema)
	}
	out := bufio.NewWriterSize(w, bufferBytes)
	_, err := fmt.Fprintf(out, firstLine+"\n", schema)
	return &Writer{out: out}, err
}

const (
	firstLine = "-- Keyward database, schema %d"
	idLine    = "-- Last id of "
	lastLine  = "-- End: %d rows"
)

// Rows returns the number of rows written.
func (w *Writer) Rows() int64 { return w.rows }

// ValueError is about a value that a dump cannot represent: of another type, or a
// text that not every database accepts.
type ValueError struct {
	Table, Column string
	Err           error
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("sqldump: column %s of %s: %v", e.Column, e.Table, e.Err)
}

func (e *ValueError) Unwrap() error { return e.Err }

// Write writes a row. After a ValueError, the dump is unusable.
func (w *Writer) Write(row Row) error {
	if row.Table != w.table || !slices.Equal(row.Columns, w.columns) {
		if err := w.start(row); err != nil {
			return err
		}
	}
	if len(row.Values) != len(w.columns) {
		return fmt.Errorf("sqldump: a row of %s with %d values for %d columns", w.table, len(row.Values), len(w.columns))
	}
	_, _ = w.out.WriteString(w.begin) // bufio returns a failed write's error from all later ones
	for i, value := range row.Values {
		if i > 0 {
			_, _ = w.out.WriteString(", ")
		}
		if err := w.value(value); err != nil {
			return &ValueError{Table: w.table, Column: w.columns[i], Err: err}
		}
	}
	w.rows++
	_, err := w.out.WriteString(");\n")
	return err
}

// start prepares for rows of another table or other columns.
func (w *Writer) start(row Row) error {
	if len(row.Columns) == 0 || len(row.Columns) > maxColumns {
		return fmt.Errorf("sqldump: table %q with %d columns", row.Table, len(row.Columns))
	}
	for _, name := range append([]string{row.Table}, row.Columns...) {
		if !isName(name) {
			return fmt.Errorf("sqldump: %q is no name of a table or column", name)
		}
	}
	w.table, w.columns = row.Table, slices.Clone(row.Columns)
	w.begin = beginning(row.Table, w.columns)
	return nil
}

// beginning returns the beginning of a statement, up to its values.
func beginning(table string, columns []string) string {
	return `INSERT INTO "` + table + `" ("` + strings.Join(columns, `", "`) + `") VALUES (`
}

// isName reports whether a name can be quoted in all databases: lower-case letters,
// digits and underscores.
func isName(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i], i == 0) {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

func isNameByte(c byte, first bool) bool {
	return 'a' <= c && c <= 'z' || c == '_' || !first && '0' <= c && c <= '9'
}

var (
	errText = errors.New("a text that is not UTF-8, or has the character zero")
	errLong = fmt.Errorf("a text of more than %d bytes", MaxText)
)

func (w *Writer) value(value any) (err error) {
	switch v := value.(type) {
	case nil:
		_, err = w.out.WriteString("NULL")
	case bool:
		_, err = w.out.WriteString(strings.ToUpper(strconv.FormatBool(v)))
	case int64:
		w.number = strconv.AppendInt(w.number[:0], v, 10)
		_, err = w.out.Write(w.number)
	case string:
		err = w.text(v)
	default:
		err = fmt.Errorf("a value of type %T", value)
	}
	return err
}

func (w *Writer) text(s string) error {
	switch {
	case len(s) > MaxText:
		return errLong
	case !isText(s):
		return errText
	}
	_ = w.out.WriteByte('\'')
	for {
		before, after, quote := strings.Cut(s, "'")
		_, _ = w.out.WriteString(before)
		if !quote {
			return w.out.WriteByte('\'')
		}
		_, _ = w.out.WriteString("''")
		s = after
	}
}

func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// LastID writes the highest id that a table has assigned, after all rows.
func (w *Writer) LastID(table string, id int64) error {
	if !isName(table) || id < 0 {
		return fmt.Errorf("sqldump: last id %d of table %q", id, table)
	}
	w.table, w.columns = "", nil
	_, err := fmt.Fprintf(w.out, idLine+"%s: %d\n", table, id)
	return err
}

// Close writes the end of the dump.
func (w *Writer) Close() error {
	_, _ = fmt.Fprintf(w.out, lastLine+"\n", w.rows)
	return w.out.Flush()
}
