// Package oneline says what a line of text is that a person typed, such as a
// label, a reason or a host's name. It is shown in lists and written to log
// lines and audit entries, and must not look there like anything else. Storable is for
// texts of any kind.
package oneline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Valid tells whether text is one line of at most so many characters: UTF-8
// without control characters (C0, DEL and C1), line and paragraph separators,
// marks that change the direction of writing, and the sign that takes the
// place of broken text. The empty text is valid.
func Valid(text string, most int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unfit)
}

// Clean is text with a question mark for whatever Valid refuses.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unfit(r) {
			return '?'
		}
		return r
	}, text)
}

// Storable is text, of any number of lines, as every database keeps it: UTF-8
// without the character zero. The sign that takes the place of broken text stands
// for whatever is not.
func Storable(text string) string {
	const mark = string(utf8.RuneError)
	return strings.ReplaceAll(strings.ToValidUTF8(text, mark), "\x00", mark)
}

func unfit(r rune) bool {
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
