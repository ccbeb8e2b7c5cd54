//go:build !exhaustive

package tier

// Exhaustive tells that `make test-all` runs.
const Exhaustive = false
