package sqldump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// start reads a statement up to its values. Usually it equals the previous one, as
// Writer writes it.
func (r *Reader) start() error {
	if len(r.begin) > 0 {
		same, err := r.in.Peek(len(r.begin))
		if err == nil && bytes.Equal(same, r.begin) {
			_, err = r.in.Discard(len(r.begin))
			return err
		}
	}
	if err := r.words("INSERT", "INTO"); err != nil {
		return err
	}
	var err error
	if r.table, err = r.name(); err != nil {
		return err
	}
	if err := r.sign('('); err != nil {
		return err
	}
	columns := make([]string, 0, len(r.columns))
	for {
		column, err := r.name()
		if err != nil {
			return err
		}
		if columns = append(columns, column); len(columns) > maxColumns {
			return fmt.Errorf("%w: more than %d columns", ErrNotADump, maxColumns)
		}
		if err := r.space(); err != nil {
			return early(err)
		}
		c, err := r.in.ReadByte()
		if err != nil {
			return early(err)
		}
		if c == ')' {
			break
		}
		if c != ',' {
			return fmt.Errorf("%w: a comma, or the end of the columns, expected", ErrNotADump)
		}
	}
	r.columns = columns
	r.begin = append(r.begin[:0], beginning(r.table, columns)...)
	if err := r.words("VALUES"); err != nil {
		return err
	}
	return r.sign('(')
}

// space skips white space; io.EOF at the end.
func (r *Reader) space() error {
	for {
		c, err := r.in.Peek(1)
		if err != nil {
			return err
		}
		switch c[0] {
		case '\n':
			r.line++
		case ' ', '\t', '\r':
		default:
			return nil
		}
		_, _ = r.in.Discard(1)
	}
}

// sign reads one given character, after white space.
func (r *Reader) sign(want byte) error {
	if err := r.space(); err != nil {
		return early(err)
	}
	if c, err := r.in.ReadByte(); err != nil {
		return early(err)
	} else if c != want {
		return fmt.Errorf("%w: %q expected", ErrNotADump, want)
	}
	return nil
}

// words reads given keywords, in any case.
func (r *Reader) words(wants ...string) error {
	for _, want := range wants {
		if err := r.space(); err != nil {
			return early(err)
		}
		if word, err := r.word(); err != nil {
			return err
		} else if word != want {
			return fmt.Errorf("%w: %s expected", ErrNotADump, want)
		}
	}
	return nil
}

// word reads a word, in capitals, no longer than a name.
func (r *Reader) word() (string, error) {
	name, err := r.bare()
	return strings.ToUpper(name), err
}

// bare reads letters, digits and underscores; ErrNotADump if there are none.
func (r *Reader) bare() (string, error) {
	var name []byte
	for {
		c, err := r.in.Peek(1)
		if err != nil {
			return "", early(err)
		}
		if !isNameByte(c[0]|('a'-'A')&letter(c[0]), len(name) == 0) {
			break
		}
		if len(name) == maxName {
			return "", fmt.Errorf("%w: no name of a table or column", ErrNotADump)
		}
		name = append(name, c[0])
		_, _ = r.in.Discard(1)
	}
	if len(name) == 0 {
		return "", fmt.Errorf("%w: a word expected", ErrNotADump)
	}
	return string(name), nil
}

// letter returns all bits set for a capital letter.
func letter(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return 0xff
	}
	return 0
}

// name reads a name, after white space: quoted as it is, unquoted in any case.
func (r *Reader) name() (string, error) {
	if err := r.space(); err != nil {
		return "", early(err)
	}
	if first, err := r.in.Peek(1); err != nil || first[0] != '"' {
		name, err := r.bare()
		return strings.ToLower(name), err
	}
	_, _ = r.in.Discard(1)
	name, err := r.bare()
	if err != nil {
		return "", err
	}
	if c, err := r.in.ReadByte(); err != nil {
		return "", early(err)
	} else if c != '"' || !isName(name) {
		return "", fmt.Errorf("%w: no name of a table or column", ErrNotADump)
	}
	return name, nil
}

func (r *Reader) value() (any, error) {
	if err := r.space(); err != nil {
		return nil, early(err)
	}
	first, err := r.in.Peek(1)
	if err != nil {
		return nil, early(err)
	}
	switch c := first[0]; {
	case c == '\'':
		return r.quoted()
	case c == '-' || '0' <= c && c <= '9':
		return r.number()
	}
	switch word, err := r.word(); {
	case err != nil:
		return nil, err
	case word == "NULL":
		return nil, nil //nolint:nilnil // the value
	case word == "TRUE", word == "FALSE":
		return word == "TRUE", nil
	}
	return nil, fmt.Errorf("%w: no value", ErrNotADump)
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

// quoted reads a text. One longer than the buffer is read in parts.
func (r *Reader) quoted() (any, error) {
	_, _ = r.in.Discard(1) // the opening quote
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
		_, _ = r.in.Discard(1) // the second of two: keep one
	}
}
