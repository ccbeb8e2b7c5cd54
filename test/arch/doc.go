// Package arch holds the rules of the source tree as tests: which package may import
// which, what a binary may contain, and what every file must be like. The layering is
// the handwritten table in layers_test.go: a new package needs a line there, which is
// the moment to think about where it belongs.
package arch

//go:generate go test -run ^TestErrorCatalogue$ . -write-errors
