package text

import (
	"slices"
	"strings"
)

// secrets names the kinds of secrets in a list such as "management_key,pin".
func secrets(fields, managementKey string) string {
	list, out := strings.Split(fields, ","), []string(nil)
	for _, kind := range []struct{ field, name string }{{"pin", "PIN"}, {"puk", "PUK"}, {"management_key", managementKey}} {
		if slices.Contains(list, kind.field) {
			out = append(out, kind.name)
		}
	}
	return strings.Join(out, ", ")
}

// hasPIN reports whether such a list includes the PIN.
func hasPIN(fields string) bool { return slices.Contains(strings.Split(fields, ","), "pin") }
