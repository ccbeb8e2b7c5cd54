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
// 12.5.3): of those on offer, best first, the one that the client weighs
// most, the earlier of equal ones. The plain form stands last, unless the
// client weighs it higher. When nothing is acceptable, the plain form is sent:
// refusing would help nobody.
func choose(header []string, offered []coding) coding {
	weights, rest := parseAccept(header)
	weigh := func(c coding) int {
		if q, ok := weights[c]; ok {
			return q
		}
		return rest
	}
	best, most := identity, 0
	for _, c := range offered {
		if q := weigh(c); q > most {
			best, most = c, q
		}
	}
	if q, ok := weights[identity]; ok && q > most {
		return identity
	}
	return best
}

// parseAccept reads the header's lines into weights of 0 to 1000. rest is
// what "*" gives to those that are not named. A member that is malformed
// counts as not there.
func parseAccept(header []string) (weights map[coding]int, rest int) {
	weights = map[coding]int{}
	for _, line := range header {
		for member := range strings.SplitSeq(line, ",") {
			name, params, weighed := strings.Cut(member, ";")
			q := 1000
			if weighed {
				var ok bool
				if q, ok = parseWeight(params); !ok {
					continue
				}
			}
			switch name := strings.ToLower(strings.Trim(name, " \t")); name {
			case "":
			case "*":
				rest = q
			case "x-gzip": // the same, section 8.4.1.3
				weights[gzip] = q
			default:
				weights[coding(name)] = q
			}
		}
	}
	return weights, rest
}

// parseWeight reads "q=" and a qvalue (RFC 9110, section 12.4.2): 0 or 1, with
// at most three digits after the point, in thousandths.
func parseWeight(text string) (int, bool) {
	text = strings.Trim(text, " \t")
	if len(text) < 3 || len(text) > len("q=0.123") || text[0]|0x20 != 'q' || text[1] != '=' {
		return 0, false
	}
	whole, digits, _ := strings.Cut(text[2:], ".")
	if whole != "0" && whole != "1" {
		return 0, false
	}
	q := int(whole[0]-'0') * 1000
	for i, unit := 0, 100; i < len(digits); i, unit = i+1, unit/10 {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		q += int(digits[i]-'0') * unit
	}
	return q, q <= 1000
}
