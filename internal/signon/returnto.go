package signon

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

const maxReturnTo = 1024

// LocalPath gives text back when it is an address within this site, whatever
// a browser or a page makes of it, and the empty text otherwise: an absolute
// path without an empty or dotted segment (which would hide a "//host"), with
// no backslash (which browsers take for a slash) and no control characters
// (which they drop).
func LocalPath(text string) string {
	if len(text) > maxReturnTo || !utf8.ValidString(text) || !strings.HasPrefix(text, "/") {
		return ""
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= 0x20 || r == '\\' || r == 0x7f || (r >= 0x80 && r < 0xa0) }) {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return ""
	}
	// The path decoded: %2e is a dot to a browser, and %2f a slash to some servers.
	for i, segment := range strings.Split(u.Path, "/") {
		last := i == strings.Count(u.Path, "/")
		if segment == "." || segment == ".." || strings.Contains(segment, `\`) || (segment == "" && i > 0 && !last) {
			return ""
		}
	}
	// An encoded percent sign would be decoded once more by somebody.
	if strings.ContainsFunc(u.Path, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '%' }) {
		return ""
	}
	return text
}
