// Package tier selects the extent of tests: that of `make test`, or with the build tag
// exhaustive that of `make test-all`. A test that only the latter runs is in a file
// with that tag; this is for a test that does more of the same there.
package tier

// Of returns the smaller number or list in `make test`, and the larger in `make
// test-all`.
func Of[T any](test, all T) T {
	if Exhaustive {
		return all
	}
	return test
}
