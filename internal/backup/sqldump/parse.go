package sqldump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// start reads a statement up to its values. Mostly they are those of the one
// before.
func (r *Reader) start() error {
	if len(r.begin) > 0 {
		same, err := r.in.Peek(len(r.begin))
		if err == nil && bytes.Equal(same, r.begin) {
			_, err = r.in.Discard(len(r.begin))
			return err
		}
	}
	r.begin = append(r.begin[:0], "INSERT INTO "...)
	if err := r.expect(string(r.begin)); err != nil {
		return err
	}
	var err error
	if r.table, err = r.name(); err != nil {
		return err
	}
	if err := r.expect(" ("); err != nil {
		return err
	}
	r.begin = append(r.begin, " ("...)
	columns := make([]string, 0, len(r.columns))
	for {
		column, err := r.name()
		if err != nil {
			return err
		}
		if columns = append(columns, column); len(columns) > maxColumns {
			return fmt.Errorf("%w: more than %d columns", ErrNotADump, maxColumns)
		}
		c, err := r.in.ReadByte()
		if err != nil {
			return early(err)
		}
		if c == ')' {
			break
		}
		if c != ',' {
			return ErrNotADump
		}
		if err := r.expect(" "); err != nil {
			return err
		}
		r.begin = append(r.begin, ", "...)
	}
	r.columns = columns
	r.begin = append(r.begin, ") VALUES ("...)
	return r.expect(" VALUES (")
}

// name reads a name in quotes, and adds it to the statement's beginning.
func (r *Reader) name() (string, error) {
	if err := r.expect(`"`); err != nil {
		return "", err
	}
	var name []byte
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return "", early(err)
		}
		if c == '"' && len(name) > 0 {
			r.begin = append(append(append(r.begin, '"'), name...), '"')
			return string(name), nil
		}
		if !isNameByte(c, len(name) == 0) || len(name) == maxName {
			return "", fmt.Errorf("%w: no name of a table or column", ErrNotADump)
		}
		name = append(name, c)
	}
}

// expect reads exactly this.
func (r *Reader) expect(text string) error {
	for i := range len(text) {
		c, err := r.in.ReadByte()
		if err != nil {
			return early(err)
		}
		if c != text[i] {
			return fmt.Errorf("%w: %q expected", ErrNotADump, text)
		}
	}
	return nil
}

func (r *Reader) value() (any, error) {
	first, err := r.in.Peek(1)
	if err != nil {
		return nil, early(err)
	}
	switch first[0] {
	case '\'':
		return r.quoted()
	case 'N':
		return nil, r.expect("NULL")
	case 'T':
		return true, r.expect("TRUE")
	case 'F':
		return false, r.expect("FALSE")
	default:
		return r.number()
	}
}

func (r *Reader) number() (any, error) {
	var digits [maxNumber]byte
	for n := 0; ; n++ {
		c, err := r.in.Peek(1)
		if err != nil {
			return nil, early(err)
		}
		if c[0] != '-' && (c[0] < '0' || c[0] > '9') {
			text := string(digits[:n])
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil || strconv.FormatInt(number, 10) != text {
				return nil, fmt.Errorf("%w: no value", ErrNotADump)
			}
			return number, nil
		}
		if n == maxNumber {
			return nil, fmt.Errorf("%w: a number of more than 64 bits", ErrNotADump)
		}
		digits[n] = c[0]
		_, _ = r.in.Discard(1)
	}
}

// quoted reads a text. The one that is longer than the buffer comes in parts.
func (r *Reader) quoted() (any, error) {
	if err := r.expect("'"); err != nil {
		return nil, err
	}
	r.text = r.text[:0]
	for {
		part, err := r.in.ReadSlice('\'')
		r.line += bytes.Count(part, []byte{'\n'})
		if len(r.text)+len(part) > MaxText+1 {
			return nil, fmt.Errorf("%w: %w", ErrNotADump, errLong)
		}
		r.text = append(r.text, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, early(err)
		}
		next, err := r.in.Peek(1)
		if err != nil {
			return nil, early(err)
		}
		if next[0] != '\'' {
			text := string(r.text[:len(r.text)-1])
			if !isText(text) {
				return nil, fmt.Errorf("%w: %w", ErrNotADump, errText)
			}
			return text, nil
		}
		_, _ = r.in.Discard(1) // the second of two: one stays
	}
}
