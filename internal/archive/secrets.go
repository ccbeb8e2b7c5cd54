package archive

import (
	"bufio"
	"bytes"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keyward/keyward/internal/vault"
)

// maxValue is the most that is read for one name or value. It is more than the
// maximum document, since other programs may write white space.
const maxValue = 2 * vault.MaxDocument

// decoder reads the values of one object or array, each of at most maxValue bytes.
type decoder struct {
	*jsontext.Decoder
	in   *bufio.Reader
	left int
}

// decode lets a function read the next JSON value by tokens, and continues after it.
func (p *payload) decode(read func(*decoder) error) error {
	d := &decoder{in: p.in, left: maxValue}
	d.Decoder = jsontext.NewDecoder(reader(d.fill))
	err := read(d)
	ahead := bytes.NewReader(bytes.Clone(d.UnreadBuffer()))
	p.in = bufio.NewReaderSize(io.MultiReader(ahead, p.in), pieceBytes)
	return err
}

// reader makes an io.Reader of a function.
type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

func (d *decoder) fill(p []byte) (int, error) {
	if d.left <= 0 {
		return 0, malformed("a value of more than 2 MiB")
	}
	n, err := d.in.Read(p[:min(len(p), d.left)])
	d.left -= n
	return n, err
}

// token and value read the next token or value. The library's errors quote the
// input, so they are not passed on.
func (d *decoder) token() (jsontext.Token, error) {
	d.left = maxValue
	token, err := d.ReadToken()
	if err != nil {
		return token, malformed("a JSON value is broken, too large, not UTF-8, or has a name twice")
	}
	return token, nil
}

func (d *decoder) value() (jsontext.Value, error) {
	d.left = maxValue
	value, err := d.ReadValue()
	if err != nil {
		return nil, malformed("a JSON value is broken, too large, not UTF-8, or has a name twice")
	}
	return value, nil
}

func (p *payload) header(v visitor) error {
	return p.decode(func(d *decoder) error {
		text, err := d.value()
		if err != nil {
			return err
		}
		h, err := parseInner(text)
		if err != nil {
			return err
		}
		return own(v.header(h))
	})
}

// secrets hands out the secrets one by one.
func (p *payload) secrets(v visitor) (bool, error) {
	if none, err := p.null(); none || err != nil {
		return false, err
	}
	return true, p.decode(func(d *decoder) error {
		if begin, err := d.token(); err != nil || begin.Kind() != '{' {
			return first(err, malformed("vault_secrets is no object"))
		}
		for d.PeekKind() != '}' {
			name, err := d.token()
			if err != nil {
				return err
			}
			path := name.String() // before the next call, which reuses the buffer
			if path == "" {
				return malformed("a secret has no path")
			}
			value, err := d.value()
			if err != nil {
				return err
			}
			data := vault.Data(bytes.Clone(value))
			if err := data.Check(); err != nil {
				return malformed("a secret is no object, or larger than 1 MiB")
			}
			if err := own(v.secret(path, data)); err != nil {
				return err
			}
		}
		_, err := d.token()
		return err
	})
}

// own marks an error of a visitor.
func own(err error) error {
	if err == nil {
		return nil
	}
	return visited{err}
}
