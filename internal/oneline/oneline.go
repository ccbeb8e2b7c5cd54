// Package oneline defines what is one line of text typed by a person, such as a label,
// a reason or a host name. Lists, log lines and audit entries show it, where it must
// not pass for anything else. Storable is for texts of any kind.
package oneline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Valid reports whether text is one line of at most that many characters: UTF-8
// without control characters (C0, DEL and C1), line and paragraph separators,
// bidirectional controls, and U+FFFD. The empty text is valid.
func Valid(text string, most int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unfit)
}

// Clean returns text with a question mark for each character that Valid refuses.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unfit(r) {
			return '?'
		}
		return r
	}, text)
}

// Storable returns text, of any number of lines, in a form that every database
// accepts: UTF-8 without U+0000. U+FFFD replaces anything else.
func Storable(text string) string {
	const mark = string(utf8.RuneError)
	return strings.ReplaceAll(strings.ToValidUTF8(text, mark), "\x00", mark)
}

func unfit(r rune) bool {
	return r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}
