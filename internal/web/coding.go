package web

import "strings"

// coding is a content coding (RFC 9110, section 8.4.1).
type coding string

const (
	brotli   coding = "br"
	gzip     coding = "gzip"
	identity coding = "identity"
)

// codings are those that a build may contain, best first, each with the suffix of its files.
var codings = []struct {
	name   coding
	suffix string
}{{brotli, ".br"}, {gzip, ".gz"}}

// choose picks the coding of an answer by Accept-Encoding (RFC 9110, section
// 12.5.3): the best one offered that the client accepts. It ignores weights,
// except for refusals (q=0): a client can read any coding that it accepts.
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
