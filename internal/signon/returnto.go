package signon

import (
	"net/url"
	"strings"

	"github.com/keyward/keyward/internal/oneline"
)

const maxReturnTo = 1024

// LocalPath gives text back when it is an address within this site, whatever
// a browser or a page makes of it, and the empty text otherwise: an absolute
// path without an empty or dotted segment (which would hide a "//host"), with
// no backslash (which browsers take for a slash) and no control characters
// (which they drop).
func LocalPath(text string) string {
	if len(text) > maxReturnTo || !oneline.Valid(text, len(text)) || !strings.HasPrefix(text, "/") || strings.ContainsAny(text, ` \`) {
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
	if !oneline.Valid(u.Path, len(u.Path)) || strings.Contains(u.Path, "%") {
		return ""
	}
	return text
}
