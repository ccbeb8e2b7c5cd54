package page

import "strings"

// Sort is the order of a list by the name of what it is sorted by, "-" before
// it for the other way round. Rows that are alike in it come in the order in
// which they were made, and the zero value sorts by that alone, newest first.
type Sort string

// By gives the name, and whether the greatest comes first.
func (s Sort) By() (name string, descending bool) {
	name, descending = strings.CutPrefix(string(s), "-")
	return name, descending
}
