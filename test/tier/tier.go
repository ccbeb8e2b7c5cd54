// Package tier tells which tests run: those of `make test`, or with the build tag
// exhaustive those of `make test-all`. A test that only the latter has is in a file with
// that tag; this is for one that does more of the same there.
package tier

// Of is the smaller number or list in `make test`, and the larger in `make test-all`.
func Of[T any](test, all T) T {
	if Exhaustive {
		return all
	}
	return test
}
