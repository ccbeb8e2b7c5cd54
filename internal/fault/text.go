package fault

import (
	"fmt"
	"regexp"
	"strings"
)

var place = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

// fill replaces the {places} of a text by params; lists are joined with commas.
func fill(text string, params Params) string {
	return place.ReplaceAllStringFunc(text, func(p string) string {
		switch v := params[p[1:len(p)-1]].(type) {
		case nil:
			return p
		case []string:
			return strings.Join(v, ", ")
		default:
			return fmt.Sprint(v)
		}
	})
}
