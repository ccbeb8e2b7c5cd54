package archive

import (
	"bufio"
	"unicode/utf8"
)

// escaper writes text into a JSON string (RFC 8259, section 7), without the quotes.
type escaper struct {
	out  *bufio.Writer
	rest []byte // the beginning of an incomplete character
	size int64  // bytes of text
	err  error
}

const errNotUTF8 = malformed("the text is not UTF-8, which JSON requires")

// escapes are the bytes that a JSON string must not contain unescaped.
var escapes = func() (table [256]string) {
	const hex = "0123456789abcdef"
	for c := range 0x20 {
		table[c] = `\u00` + string(hex[c>>4]) + string(hex[c&15])
	}
	table['\n'], table['\r'], table['\t'], table['"'], table['\\'] = `\n`, `\r`, `\t`, `\"`, `\\`
	return table
}()

// Write takes the next piece; a character may be split across two. It refuses text
// that is not UTF-8: JSON cannot represent it.
func (e *escaper) Write(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	if e.err = e.write(p); e.err != nil {
		return 0, e.err
	}
	e.size += int64(len(p))
	return len(p), nil
}

func (e *escaper) write(p []byte) error {
	for len(e.rest) > 0 && len(p) > 0 { // at most three bytes
		e.rest, p = append(e.rest, p[0]), p[1:]
		if utf8.FullRune(e.rest) {
			if !utf8.Valid(e.rest) {
				return errNotUTF8
			}
			_, _ = e.out.Write(e.rest) // bufio keeps the error until the next call
			e.rest = e.rest[:0]
		}
	}
	whole := len(p) - unfinished(p)
	e.rest = append(e.rest, p[whole:]...)
	if p = p[:whole]; !utf8.Valid(p) {
		return errNotUTF8
	}
	plain := 0
	for i, c := range p {
		if escape := escapes[c]; escape != "" {
			_, _ = e.out.Write(p[plain:i])
			_, _ = e.out.WriteString(escape)
			plain = i + 1
		}
	}
	_, err := e.out.Write(p[plain:])
	return err
}

// finish refuses a text that ends within a character.
func (e *escaper) finish() error {
	if e.err == nil && len(e.rest) > 0 {
		e.err = errNotUTF8
	}
	return e.err
}

// unfinished counts the bytes of an incomplete character at the end.
func unfinished(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
