package web

import "strings"

// coding is a content coding (RFC 9110, section 8.4.1).
type coding string

const (
	brotli   coding = "br"
	gzip     coding = "gzip"
	identity coding = "identity"
)

// codings are those that a build may hold, best first, each with what its
// files end in.
var codings = []struct {
	name   coding
	suffix string
}{{brotli, ".br"}, {gzip, ".gz"}}

// choose picks the coding of an answer by Accept-Encoding (RFC 9110, section
// 12.5.3): of those on offer, best first, the first that the client takes. How it
// weighs them is not looked at, but for what it refuses (q=0): whoever takes one
// can read it.
func choose(header []string, offered []coding) coding {
	takes := map[coding]bool{}
	for _, line := range header {
		for member := range strings.SplitSeq(strings.ToLower(line), ",") {
			name, params, _ := strings.Cut(member, ";")
			_, weight, weighed := strings.Cut(params, "q=")
			takes[coding(strings.TrimSpace(name))] = !weighed || strings.Trim(weight, "0. \t") != ""
		}
	}
	for _, c := range offered {
		if takes[c] {
			return c
		}
	}
	return identity
}
