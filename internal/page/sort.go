package page

import "strings"

// Sort is the order of a list: the name of the sort field, with "-" in front
// for descending. Equal rows are in the order of their creation; the zero value
// sorts by that alone, newest first.
type Sort string

// By returns the name, and whether the order is descending.
func (s Sort) By() (name string, descending bool) {
	name, descending = strings.CutPrefix(string(s), "-")
	return name, descending
}
