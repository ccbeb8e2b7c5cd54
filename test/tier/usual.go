//go:build !exhaustive

package tier

// Exhaustive reports that `make test-all` is running.
const Exhaustive = false
