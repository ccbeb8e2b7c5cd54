package textinput

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ValidLine tells whether text is one line of at most so many characters: UTF-8
// without control characters (C0, DEL and C1), line and paragraph separators,
// marks that change the direction of writing, and the sign that takes the
// place of broken text. The empty text is valid.
func ValidLine(text string, most int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unfit)
}

// CleanLine is text with a question mark for whatever ValidLine refuses.
func CleanLine(text string) string {
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
