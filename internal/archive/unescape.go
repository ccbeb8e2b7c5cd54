package archive

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unescaper reads the text of a JSON string (RFC 8259, section 7) from after its
// first quote through its last. It is strict: no control characters, no lone
// surrogates, only UTF-8. Its errors are malformed, or those of the reader.
type unescaper struct {
	in   *bufio.Reader // at least 12 bytes, two escapes
	room [utf8.UTFMax]byte
	rest []byte // in room: a character that was read but did not fit into Read's buffer
	size int64  // bytes of text read
	err  error  // io.EOF after the closing quote
}

// plain reports which bytes of a string stand for themselves.
var plain = func() (table [256]bool) {
	for c := 0x20; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

func (u *unescaper) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(u.rest) > 0 {
			taken := copy(p[n:], u.rest)
			u.rest = u.rest[taken:]
			n += taken
			continue
		}
		if u.err != nil || n > 0 && u.in.Buffered() == 0 { // do not wait for more
			break
		}
		var taken int
		taken, u.err = u.next(p[n:])
		n += taken
	}
	u.size += int64(n)
	if n == 0 && len(p) > 0 {
		return 0, u.err
	}
	return n, nil
}

// next copies plain bytes and short escapes, or puts another character into rest.
func (u *unescaper) next(p []byte) (int, error) {
	if u.in.Buffered() == 0 {
		if _, err := u.in.Peek(1); err != nil {
			return 0, cut(err)
		}
	}
	buffered, _ := u.in.Peek(u.in.Buffered())
	n, at := 0, 0 // written, read
	for {
		run := buffered[at : at+min(len(buffered)-at, len(p)-n)]
		plain := plainPrefix(run)
		copy(p[n:], run[:plain])
		n, at = n+plain, at+plain
		if plain == len(run) || at+1 >= len(buffered) || buffered[at] != '\\' || short[buffered[at+1]] == 0 {
			break
		}
		p[n] = short[buffered[at+1]]
		n, at = n+1, at+2
	}
	if n > 0 {
		_, _ = u.in.Discard(at)
		return n, nil
	}
	switch c := buffered[0]; {
	case c == '"':
		_, _ = u.in.Discard(1)
		return 0, io.EOF
	case c == '\\':
		return 0, u.escape()
	case c < 0x20:
		return 0, malformed("a control character within a string")
	}
	return 0, u.character()
}

// character reads a multi-byte character.
func (u *unescaper) character() error {
	for n := 2; n <= utf8.UTFMax; n++ {
		b, err := u.in.Peek(n)
		if err != nil {
			return cut(err)
		}
		if !utf8.FullRune(b) {
			continue
		}
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			break
		}
		u.rest = u.room[:copy(u.room[:], b[:size])]
		_, _ = u.in.Discard(size)
		return nil
	}
	return errNotUTF8
}

// escape reads one escape, or both of a character beyond U+FFFF.
func (u *unescaper) escape() error {
	b, err := u.in.Peek(2)
	if err != nil {
		return cut(err)
	}
	if b[1] != 'u' {
		c := short[b[1]]
		if c == 0 {
			return malformed("an unknown escape within a string")
		}
		u.room[0] = c
		u.rest = u.room[:1]
		_, err = u.in.Discard(2)
		return err
	}
	if b, err = u.in.Peek(6); err != nil {
		return cut(err)
	}
	r, err := unit(b)
	if err != nil {
		return err
	}
	size := len(b)
	if utf16.IsSurrogate(r) {
		if b, err = u.in.Peek(12); err != nil {
			return cut(err)
		}
		low, err := unit(b[6:])
		if err != nil {
			return err
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return malformed("half of a surrogate pair within a string")
		}
		size = len(b)
	}
	u.rest = utf8.AppendRune(u.room[:0], r)
	_, err = u.in.Discard(size)
	return err
}

// short maps the second byte of two-byte escapes.
var short = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// plainPrefix counts the plain bytes at the beginning.
func plainPrefix(b []byte) int {
	for i, c := range b {
		if !plain[c] {
			return i
		}
	}
	return len(b)
}

// unit reads \uXXXX.
func unit(b []byte) (rune, error) {
	if b[0] != '\\' || b[1] != 'u' {
		return 0, malformed("half of a surrogate pair within a string")
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return 0, malformed("an escape of no hexadecimal digits within a string")
	}
	return rune(n), nil
}

// cut replaces an unexpected end by a malformed error.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return malformed("the payload ends too early")
	}
	return err
}
