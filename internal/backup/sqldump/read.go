package sqldump

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/textinput"
)

// Errors of invalid or incomplete dumps. The errors that wrap them name the line.
var (
	ErrNotADump  = errors.New("this is not a Keyward SQL dump")
	ErrTruncated = errors.New("the SQL dump ends too early")
	// ErrUnfit means that a dump is intact, but of no database that this program knows.
	ErrUnfit = errors.New("the SQL dump does not match this program's database")
	// ErrNewer means that a newer program made it.
	ErrNewer = errors.New("the SQL dump was created by a newer version of Keyward: use that version or a later one")
)

// Reader reads a dump, row by row. Its memory is bounded by the longest row.
type Reader struct {
	in     *bufio.Reader
	schema int64
	rows   int64
	ids    map[string]int64
	tables map[string]int64
	line   int  // current line, as in an editor
	at     int  // line of the current statement's beginning
	cut    bool // the last comment lacks its line end
	ended  bool
	stands transaction

	begin   []byte // of the previous statement, up to its values, as Writer writes it
	table   string
	columns []string
	values  []any
	text    []byte
}

// transaction is the position relative to a surrounding transaction.
type transaction int

const (
	outside transaction = iota
	within
	committed
)

// NewReader reads the first line. ErrNotADump if it is not a dump's.
func NewReader(r io.Reader) (*Reader, error) {
	out := &Reader{in: bufio.NewReaderSize(textinput.UnmarkedBody(io.NopCloser(r)), bufferBytes), line: 1, tables: map[string]int64{}}
	if err := out.space(); err != nil {
		return nil, early(err)
	}
	if first, err := out.in.Peek(1); err == nil && first[0] != '-' {
		if err := out.transact(); err != nil {
			return nil, err
		}
		if err := out.space(); err != nil {
			return nil, early(err)
		}
	}
	schema, err := out.numbered(firstLine)
	if err != nil {
		return nil, err
	}
	if out.cut {
		return nil, ErrTruncated
	}
	if schema < 1 {
		return nil, fmt.Errorf("%w: schema %d", ErrNotADump, schema)
	}
	out.schema = schema
	return out, nil
}

// Schema returns the number of the dumped database's newest migration.
func (r *Reader) Schema() int64 { return r.schema }

// Tables returns the number of rows read of each table.
func (r *Reader) Tables() map[string]int64 { return r.tables }

// LastIDs returns the highest ids that tables have assigned, once Next has returned
// io.EOF.
func (r *Reader) LastIDs() map[string]int64 { return r.ids }

// Next returns the next row; io.EOF after the last one of an intact dump.
func (r *Reader) Next() (Row, error) {
	if r.ended {
		return Row{}, io.EOF
	}
	row, err := r.next()
	if err != nil {
		r.ended = true
		if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("line %d of the SQL dump: %w", r.at, err)
		}
		return Row{}, err
	}
	r.tables[row.Table]++
	return row, nil
}

func (r *Reader) next() (Row, error) {
	if err := r.statement(); err != nil {
		return Row{}, err
	}
	r.values = r.values[:0]
	for i := range r.columns {
		if i > 0 {
			if err := r.sign(','); err != nil {
				return Row{}, err
			}
		}
		value, err := r.value()
		if err != nil {
			return Row{}, fmt.Errorf("column %s of %s: %w", r.columns[i], r.table, err)
		}
		r.values = append(r.values, value)
	}
	r.rows++
	if err := r.sign(')'); err != nil {
		return Row{}, err
	}
	return Row{Table: r.table, Columns: r.columns, Values: r.values}, r.sign(';')
}

// statement reads up to the values of the next INSERT; io.EOF after the end of the dump.
func (r *Reader) statement() error {
	for {
		if err := r.space(); err != nil {
			return early(err)
		}
		r.at = r.line
		first, err := r.in.Peek(1)
		switch {
		case err != nil:
			return early(err)
		case first[0] == '-':
			return r.end()
		case first[0] == 'I' || first[0] == 'i':
			if r.stands == committed {
				return fmt.Errorf("%w: a statement after the transaction", ErrNotADump)
			}
			return r.start()
		}
		if err := r.transact(); err != nil {
			return err
		}
	}
}

// transact reads BEGIN or COMMIT, once each.
func (r *Reader) transact() error {
	word, err := r.word()
	switch {
	case err != nil:
		return err
	case word == "BEGIN" && r.stands == outside && r.rows == 0:
		r.stands = within
	case word == "COMMIT" && r.stands == within:
		r.stands = committed
	default:
		return fmt.Errorf("%w: INSERT, or BEGIN or COMMIT around all of it, expected", ErrNotADump)
	}
	if err := r.space(); err != nil {
		return early(err)
	}
	if next, err := r.in.Peek(1); err == nil && next[0] != ';' {
		if word, err = r.word(); err != nil || word != "TRANSACTION" {
			return fmt.Errorf("%w: %q expected", ErrNotADump, ";")
		}
	}
	return r.sign(';')
}

// end reads the last ids and the last line. io.EOF if all is in order.
func (r *Reader) end() error {
	for {
		head, err := r.in.Peek(len(idLine))
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if string(head) != idLine {
			break
		}
		if err := r.lastID(); err != nil {
			return err
		}
		if err := r.space(); err != nil {
			return early(err)
		}
		r.at = r.line
		if next, err := r.in.Peek(1); err == nil && next[0] != '-' { // COMMIT before the last line
			return r.statement()
		}
	}
	rows, err := r.numbered(lastLine)
	if err != nil {
		return err
	}
	if rows != r.rows {
		return fmt.Errorf("%w: it should have %d rows, and has %d", ErrTruncated, rows, r.rows)
	}
	err = r.space()
	if err == nil && r.stands == within {
		if err := r.transact(); err != nil {
			return err
		}
		err = r.space()
	}
	switch {
	case err == nil:
		r.at = r.line
		return fmt.Errorf("%w: something follows its end", ErrNotADump)
	case r.stands == within:
		return early(err)
	}
	return err // io.EOF
}

func (r *Reader) lastID() error {
	line, err := r.comment()
	if err == nil && r.cut {
		err = ErrTruncated
	}
	if err != nil {
		return err
	}
	table, number, _ := strings.Cut(strings.TrimPrefix(line, idLine), ": ")
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id < 0 || strconv.FormatInt(id, 10) != number || !isName(table) {
		return fmt.Errorf("%w: no last id", ErrNotADump)
	}
	if _, twice := r.ids[table]; twice || len(r.ids) == maxTables {
		return fmt.Errorf("%w: too many last ids", ErrNotADump)
	}
	if r.ids == nil {
		r.ids = map[string]int64{}
	}
	r.ids[table] = id
	return nil
}

// numbered reads a comment that contains a number.
func (r *Reader) numbered(format string) (n int64, err error) {
	line, err := r.comment()
	if err != nil {
		return 0, err
	}
	if _, err := fmt.Sscanf(line, format, &n); err != nil || line != fmt.Sprintf(format, n) {
		if r.cut {
			return 0, ErrTruncated
		}
		return 0, ErrNotADump
	}
	return n, nil
}

func (r *Reader) comment() (string, error) {
	line, err := r.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", ErrNotADump
	case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
		return "", early(err)
	}
	r.line++
	r.cut = err != nil
	return strings.TrimRight(string(line), "\r\n\t "), nil
}

// early replaces an unexpected end by ErrTruncated.
func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	return err
}
