package archive

import (
	"bufio"
	"errors"
	"io"

	"github.com/keyward/keyward/internal/vault"
)

// visitor gets the members of a payload, in their order. An error of one of its
// functions ends the walk.
type visitor struct {
	header   func(Header) error
	database func(sql io.Reader) error
	secret   func(path string, data vault.Data) error
}

// visited is an error of a visitor, as opposed to one of the payload.
type visited struct{ error }

// members reports which of the two optional members a payload has; null counts as none.
type members struct{ database, secrets bool }

// walk reads a whole payload: one JSON object with the members header (required),
// database_sql and vault_secrets, in any order. It holds at most one secret and the
// names of all in memory.
func walk(r io.Reader, v visitor) (found members, err error) {
	p := &payload{bufio.NewReaderSize(r, pieceBytes)}
	if c, err := p.take(); err != nil || c != '{' {
		return found, first(err, malformed("the payload is no JSON object"))
	}
	seen := map[string]bool{}
	for {
		name, err := p.name()
		if err != nil {
			return found, err
		}
		if seen[name] {
			return found, malformed("the payload has a member twice")
		}
		seen[name] = true
		switch name {
		case "header":
			err = p.header(v)
		case "database_sql":
			found.database, err = p.database(v)
		case "vault_secrets":
			found.secrets, err = p.secrets(v)
		default:
			err = malformed("the payload has an unknown member")
		}
		if err != nil {
			return found, err
		}
		switch c, err := p.take(); {
		case err != nil:
			return found, err
		case c == ',':
			continue
		case c != '}':
			return found, malformed("the payload is broken after a member")
		}
		break
	}
	if !seen["header"] {
		return found, malformed("the payload has no header")
	}
	switch _, err := p.peek(); {
	case errors.Is(err, io.EOF):
		return found, nil
	case err != nil:
		return found, err
	}
	return found, malformed("data after the payload's end")
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// payload is what has not been read yet.
type payload struct{ in *bufio.Reader }

// peek returns the next byte that is not white space, or the reader's error.
func (p *payload) peek() (byte, error) {
	for {
		b, err := p.in.Peek(1)
		if err != nil {
			return 0, err
		}
		switch b[0] {
		case ' ', '\t', '\n', '\r':
			_, _ = p.in.Discard(1)
		default:
			return b[0], nil
		}
	}
}

// take consumes the byte that peek returns.
func (p *payload) take() (byte, error) {
	c, err := p.peek()
	if err != nil {
		return 0, cut(err)
	}
	_, err = p.in.Discard(1)
	return c, err
}

// longestName is more than the longest known member name.
const longestName = 64

// name consumes the name of a member and its colon.
func (p *payload) name() (string, error) {
	if c, err := p.take(); err != nil || c != '"' {
		return "", first(err, malformed("a name is missing in the payload"))
	}
	name, err := io.ReadAll(io.LimitReader(&unescaper{in: p.in}, longestName))
	if err != nil {
		return "", err
	}
	if len(name) == longestName {
		return "", malformed("the payload has an unknown member")
	}
	if c, err := p.take(); err != nil || c != ':' {
		return "", first(err, malformed("a colon is missing in the payload"))
	}
	return string(name), nil
}

// null consumes a null, if there is one.
func (p *payload) null() (bool, error) {
	if c, err := p.peek(); err != nil || c != 'n' {
		return false, cut(err)
	}
	b, err := p.in.Peek(4)
	if err != nil {
		return false, cut(err)
	}
	if string(b) != "null" {
		return false, malformed("a word in the payload that is none of JSON")
	}
	_, err = p.in.Discard(4)
	return true, err
}

func (p *payload) database(v visitor) (bool, error) {
	if none, err := p.null(); none || err != nil {
		return false, err
	}
	if c, err := p.take(); err != nil || c != '"' {
		return false, first(err, malformed("database_sql is no string"))
	}
	sql := &unescaper{in: p.in}
	err := v.database(sql)
	if sql.err == nil && err == nil { // the rest
		_, err = io.Copy(io.Discard, sql)
	}
	switch {
	case sql.err != nil && !errors.Is(sql.err, io.EOF):
		return true, sql.err
	}
	return true, own(err)
}
