package signon

import (
	"net/url"
	"strings"

	"github.com/keyward/keyward/internal/textinput"
)

const maxReturnTo = 1024

// LocalPath returns text if it is an address within this site however a browser
// or page resolves it, and "" otherwise: an absolute path without empty or dot
// segments (which would hide a "//host"), backslashes (which browsers take for
// slashes) or control characters (which they drop).
func LocalPath(text string) string {
	if len(text) > maxReturnTo || !textinput.ValidLine(text, len(text)) || !strings.HasPrefix(text, "/") || strings.ContainsAny(text, ` \`) {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return ""
	}
	// Checked decoded: browsers take %2e for a dot, some servers %2f for a slash.
	for i, segment := range strings.Split(u.Path, "/") {
		last := i == strings.Count(u.Path, "/")
		if segment == "." || segment == ".." || strings.Contains(segment, `\`) || (segment == "" && i > 0 && !last) {
			return ""
		}
	}
	// Something downstream might decode an encoded percent sign a second time.
	if !textinput.ValidLine(u.Path, len(u.Path)) || strings.Contains(u.Path, "%") {
		return ""
	}
	return text
}
